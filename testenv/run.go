// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"fmt"
)

// run is one run of etcd and the API server: an Environment has one after the
// other.
type run struct {
	etcd *etcdServer
	api  *apiServer
	quit chan struct{} // closed by stop
}

// startRun owns l from the call on.
func startRun(ctx context.Context, l *listener, dir *dataDir, creds *credentials, opts Options) (*run, error) {
	etcd, err := startEtcd(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	api, err := startAPIServer(ctx, l, etcd, creds, opts)
	if err != nil {
		etcd.stop()
		return nil, err
	}
	return &run{etcd: etcd, api: api, quit: make(chan struct{})}, nil
}

// waitServing returns when crds are installed, and they and all others served.
func (r *run) waitServing(ctx context.Context, crds []crdManifest) error {
	if err := r.api.waitReady(ctx); err != nil {
		return fmt.Errorf("wait for the API server: %w", err)
	}
	if err := r.api.installCRDs(ctx, crds); err != nil {
		return err
	}
	return r.api.waitForStoredCRDs(ctx)
}

// wait returns nil after stop, and an error if something ends by itself.
func (r *run) wait() error {
	select {
	case <-r.quit:
		return nil
	case err := <-r.etcd.etcd.Err():
		return r.died("etcd", err)
	case <-r.etcd.etcd.Server.StopNotify():
		return r.died("etcd", nil)
	case <-r.api.done:
		return r.died("the API server", r.api.err)
	}
}

func (r *run) died(what string, err error) error {
	select {
	case <-r.quit: // it was told to
		return nil
	default:
	}
	if err == nil {
		return fmt.Errorf("%s ended by itself", what)
	}
	return fmt.Errorf("%s ended by itself: %w", what, err)
}

// stop returns when both are gone.
func (r *run) stop() error {
	close(r.quit)
	err := r.api.stop()
	r.etcd.stop()
	return err
}
