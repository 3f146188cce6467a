// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
)

// etcdServer is a single etcd member in this process. It listens on a unix
// socket in a private directory, and so has no network port.
type etcdServer struct {
	etcd      *embed.Etcd
	socketDir string
	endpoint  string
}

// startEtcd returns when etcd has a leader and serves the data in the directory.
func startEtcd(ctx context.Context, data *dataDir) (_ *etcdServer, err error) {
	dir := data.etcd()
	socketDir, err := data.newSocketDir()
	if err != nil {
		return nil, err
	}
	s := &etcdServer{socketDir: socketDir}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	client := url.URL{Scheme: "unix", Path: filepath.Join(socketDir, "c")}
	peer := url.URL{Scheme: "unix", Path: filepath.Join(socketDir, "p")}
	s.endpoint = client.String()

	config := embed.NewConfig()
	config.Name = "starwars"
	config.Dir = dir
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	// There are no peers to listen for. Not listening is also safer: on a unix
	// URL etcd takes the host alone for the address, and that being empty binds
	// an abstract socket, which every local user can reach.
	config.ListenPeerUrls, config.AdvertisePeerUrls = nil, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = true                          // a crash of the machine may cost test data, a crash of the process does not
	config.TickMs, config.ElectionMs = 10, 100           // elects itself in 0.1 s instead of 1 s
	config.EnableGRPCGateway = false                     // nobody asks for JSON
	config.WatchProgressNotifyInterval = 5 * time.Second // as in Kubernetes' own test clusters: fresher watch caches
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(newEtcdLogger(klog.FromContext(ctx)))

	if err := checkDatabase(filepath.Join(dir, "member", "snap", "db")); err != nil {
		return nil, fmt.Errorf("start etcd on the data in %s: %w", dir, err)
	}
	if s.etcd, err = startEmbedded(config); err != nil {
		return nil, fmt.Errorf("start etcd on the data in %s: %w", dir, err)
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
		return s, nil
	case err := <-s.etcd.Err():
		return nil, fmt.Errorf("start etcd on the data in %s: %w", dir, err)
	case <-s.etcd.Server.StopNotify():
		return nil, fmt.Errorf("start etcd on the data in %s: it stopped", dir)
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for etcd: %w", context.Cause(ctx))
	}
}

// checkDatabase fails if the file is there and is no database. etcd would panic
// upon it in a goroutine of its own, which nobody can recover.
func checkDatabase(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return fmt.Errorf("%w; the data is damaged, remove the directory", err)
	}
	return db.Close()
}

// startEmbedded turns the panic with which etcd greets other damage into an
// error.
func startEmbedded(config *embed.Config) (etcd *embed.Etcd, err error) {
	defer func() {
		if r := recover(); r != nil {
			etcd, err = nil, fmt.Errorf("%v; the data is damaged, remove the directory", r)
		}
	}()
	return embed.StartEtcd(config)
}

// check fails unless etcd answers a linearizable read.
func (s *etcdServer) check(ctx context.Context) error {
	_, err := s.etcd.Server.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte("/registry/health")})
	return err
}

// stop returns when etcd is gone. The data stays.
func (s *etcdServer) stop() {
	if s.etcd != nil {
		s.etcd.Close()
	}
	_ = os.RemoveAll(s.socketDir)
}

// newEtcdLogger makes etcd log to logger from klog's level 4 on. Below that
// there is nothing but what ends the process: etcd logs errors whenever it
// starts on new data and whenever it is closed.
func newEtcdLogger(logger klog.Logger) *zap.Logger {
	core := &klogCore{logger: logger.WithName("etcd")}
	// A fatal error must not end the process without a word.
	return zap.New(core, zap.WithFatalHook(zapcore.WriteThenPanic))
}

// klogCore is a zap core that writes to a klog logger.
type klogCore struct {
	logger klog.Logger
	fields []zapcore.Field
}

const etcdVerbosity = 4

func (c *klogCore) Enabled(level zapcore.Level) bool {
	return level > zapcore.ErrorLevel || level >= zapcore.InfoLevel && c.logger.V(etcdVerbosity).Enabled()
}

func (c *klogCore) With(fields []zapcore.Field) zapcore.Core {
	all := append(append([]zapcore.Field(nil), c.fields...), fields...)
	return &klogCore{logger: c.logger, fields: all}
}

func (c *klogCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c *klogCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	encoder := zapcore.NewMapObjectEncoder()
	for _, field := range append(append([]zapcore.Field(nil), c.fields...), fields...) {
		field.AddTo(encoder)
	}
	var pairs []any
	for key, value := range encoder.Fields {
		pairs = append(pairs, key, value)
	}
	if entry.Level > zapcore.ErrorLevel {
		c.logger.Error(nil, entry.Message, pairs...)
	} else {
		c.logger.V(etcdVerbosity).Info(entry.Message, pairs...)
	}
	return nil
}

func (c *klogCore) Sync() error { return nil }
