// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// startTimeout bounds Start, Restart and InstallCRDs. They take well under a
// second.
const startTimeout = time.Minute

// errStopped is why a Restart ends that Stop overtakes.
var errStopped = errors.New("the environment is stopped")

// Environment is a running API server. All methods may be called from several
// goroutines at once.
type Environment struct {
	opts   Options
	logger klog.Logger
	creds  *credentials
	port   int
	life   context.Context // ends with Stop
	end    context.CancelCauseFunc

	done    chan struct{}
	errOnce sync.Once
	err     error // why the server died; readable after done

	mu           sync.Mutex // held over every change of what follows
	dir          *dataDir
	releaseGates func()
	run          *run          // nil while halted
	held         *heldPort     // while halted, if the system can
	crds         []crdManifest // what was installed, for a restart with fresh data
	stopped      bool
	stopErr      error
}

// Start starts an API server and returns when it serves: the CRDs are
// established, in discovery, and every version of them answers a LIST. OpenAPI
// follows within a second.
//
// ctx bounds the start only, and carries the logger (klog.FromContext). If it
// ends before the server is ready, or after a minute, everything started so
// far is stopped again, and the error wraps the cause.
// After Start has returned the server lives until Stop, whatever ctx does.
//
// Errors say what to do, and leave nothing behind.
func Start(ctx context.Context, opts Options) (_ *Environment, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("start the API server: %w", err)
		}
	}()
	opts, manifests, err := opts.complete()
	if err != nil {
		return nil, err
	}
	e := &Environment{opts: opts, logger: klog.FromContext(ctx), crds: manifests, done: make(chan struct{})}
	e.life, e.end = context.WithCancelCause(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Stop())
		}
	}()

	if e.releaseGates, err = acquireFeatureGates(e.logger, opts.FeatureGates); err != nil {
		return nil, err
	}
	if e.dir, err = openDataDir(opts.Dir); err != nil {
		return nil, err
	}
	if e.creds, err = loadOrCreateCredentials(e.dir.credentials()); err != nil {
		return nil, err
	}
	ctx, cancel := e.whileNotStopped(ctx)
	defer cancel()
	l, err := listen(ctx, opts.Port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d is taken: stop what listens there, or choose another port (0 is a free one): %w", opts.Port, err)
	}
	if err != nil {
		return nil, withCause(ctx, fmt.Errorf("cannot listen, choose another port (0 is a free one): %w", err))
	}
	e.port = l.port()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.launch(ctx, l, manifests); err != nil {
		return nil, err
	}
	return e, nil
}

// whileNotStopped returns ctx with an end also at Stop, and a deadline.
func (e *Environment) whileNotStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancelTimeout := context.WithTimeoutCause(ctx, startTimeout,
		fmt.Errorf("not ready after %s: %w", startTimeout, context.DeadlineExceeded))
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.life, func() { cancel(errStopped) })
	return ctx, func() {
		stop()
		cancel(nil)
		cancelTimeout()
	}
}

// launch runs etcd and the API server on l, installs the CRDs, and waits until
// all is served.
func (e *Environment) launch(ctx context.Context, l *listener, crds []crdManifest) (err error) {
	defer func() { err = withCause(ctx, err) }()
	begin := time.Now()
	r, err := startRun(ctx, l, e.dir, e.creds, e.opts)
	if err != nil {
		return err
	}
	if err := r.waitServing(ctx, crds); err != nil {
		return errors.Join(err, r.stop())
	}
	e.run = r
	go e.watch(r)
	e.logger.V(2).Info("API server is ready", "url", e.URL(), "duration", time.Since(begin))
	return nil
}

// watch reports the death of a run that nobody asked for.
func (e *Environment) watch(r *run) {
	if err := r.wait(); err != nil {
		e.finish(err)
	}
}

// finish closes Done. Only the first call counts.
func (e *Environment) finish(err error) {
	e.errOnce.Do(func() {
		e.err = err
		close(e.done)
	})
}

// URL returns the address of the API server, https://127.0.0.1:PORT. It stays
// the same over Halt and Restart.
func (e *Environment) URL() string { return fmt.Sprintf("https://%s:%d", loopback, e.port) }

// RESTConfig returns a configuration for clients of the API server: its
// address, its CA, and the token of the user "admin". Each call returns a new
// copy, which the caller owns. It stays valid over Halt and Restart.
//
// There is no client-side rate limit (QPS is -1). The default of client-go, 5
// requests a second, makes tests slow and proves nothing. Set QPS on the copy
// to test a rate limit.
func (e *Environment) RESTConfig() *rest.Config {
	return &rest.Config{
		Host:            e.URL(),
		BearerToken:     e.creds.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: append([]byte(nil), e.creds.ca...)},
		QPS:             -1,
	}
}

// DropConnections closes all connections that clients have open now, as a
// network failure would: watches end, requests fail. New connections are
// welcome. It returns how many it closed.
func (e *Environment) DropConnections() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return 0
	}
	return e.run.api.listener.cut(false)
}

// Done returns a channel that is closed when the environment has ended: by
// Stop, or because the server died by itself; Err tells which. Halt does not
// close it.
func (e *Environment) Done() <-chan struct{} { return e.done }

// Err returns nil while Done is open and after Stop, and otherwise why the
// server died by itself.
func (e *Environment) Err() error {
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}

// Stop stops the server and frees everything: the port, the sockets, the lock
// on the data directory, and the directory itself if it is a temporary one.
// It takes well under 2 s also with open watches, whose clients see their
// connection close. All calls but the first wait for that one and return its
// error.
func (e *Environment) Stop() error {
	e.end(errStopped)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return e.stopErr
	}
	e.stopped = true
	errs := []error{e.halt()}
	e.held.release()
	if e.dir != nil {
		errs = append(errs, e.dir.close())
	}
	if e.releaseGates != nil {
		e.releaseGates()
	}
	if err := errors.Join(errs...); err != nil {
		e.stopErr = fmt.Errorf("stop the API server: %w", err)
	}
	e.finish(nil)
	return e.stopErr
}

// halt stops the run, if there is one.
func (e *Environment) halt() error {
	if e.run == nil {
		return nil
	}
	err := e.run.stop()
	e.run = nil
	return err
}

// notRunning is the error of what needs a running server.
func (e *Environment) notRunning() error {
	if e.stopped {
		return errStopped
	}
	return errors.New("the API server is halted: call Restart first")
}
