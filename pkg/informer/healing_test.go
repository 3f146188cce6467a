// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

var (
	resource     = v1.Resource("starfighters")
	errNotFound  = apierrors.NewNotFound(resource, "")
	errForbidden = apierrors.NewForbidden(resource, "", nil)
	errRefused   = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
)

// heals runs a test with a server that knows watch-lists and with one that does
// not, in a time of its own.
func heals(t *testing.T, test func(t *testing.T, ctx context.Context, server *apiServer)) {
	for name, watchLists := range map[string]bool{"list": false, "watch-list": true} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, ctx context.Context) {
				server := newAPIServer(shipOf("a", "Luke"), shipOf("b", "Wedge"))
				server.watchLists = watchLists
				test(t, ctx, server)
			})
		})
	}
}

// follows starts an informer and returns it when it is in sync.
func follows(ctx context.Context, t *testing.T, server *apiServer, options Options[*v1.Starfighter]) *Informer[*v1.Starfighter] {
	t.Helper()
	i := newShips(t, server, options)
	go i.RunWithContext(ctx)
	must(t, i.WaitForSync(ctx))
	synctest.Wait()
	return i
}

// catchesUp fails the test unless the store is as the server is within a time.
func catchesUp(t *testing.T, server *apiServer, i *Informer[*v1.Starfighter], bound time.Duration) {
	t.Helper()
	began := time.Now()
	for time.Since(began) < bound {
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if sameAs(server, i) {
			return
		}
	}
	server.has(t, i)
}

func sameAs(server *apiServer, i *Informer[*v1.Starfighter]) bool {
	server.mu.Lock()
	defer server.mu.Unlock()
	objs := i.Store().ListTyped()
	for _, ship := range objs {
		if there := server.ships[keyFor(ship)]; there == nil || there.ResourceVersion != ship.ResourceVersion {
			return false
		}
	}
	return len(objs) == len(server.ships)
}

func TestScenario17TypedCauseThenHealing(t *testing.T) {
	unreachable := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}
	for name, test := range map[string]struct {
		err    error
		is     func(error) bool
		advice string
	}{
		"404":         {errNotFound, apierrors.IsNotFound, "definition"},
		"403":         {errForbidden, apierrors.IsForbidden, "role"},
		"401":         {apierrors.NewUnauthorized("no"), apierrors.IsUnauthorized, "credentials"},
		"503":         {apierrors.NewServiceUnavailable("down"), apierrors.IsServiceUnavailable, "not ready"},
		"refused":     {errRefused, utilnet.IsConnectionRefused, "its address"},
		"unreachable": {unreachable, func(err error) bool { return errors.Is(err, syscall.EHOSTUNREACH) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
				server.fault = func(request) error { return test.err }
				i := newShips(t, server, Options[*v1.Starfighter]{})
				go i.RunWithContext(ctx)
				for range 2 { // at the start, and later
					began := time.Now()
					err := i.WaitForSync(ctx)
					if took := time.Since(began); took > 2*time.Second {
						t.Errorf("the cause came after %v", took)
					}
					var cause *RequestError
					if !errors.As(err, &cause) || !test.is(err) || !strings.Contains(err.Error(), test.advice) || cause.Informer != i.name || cause.Namespace != "" {
						t.Fatalf("the cause is %#v", err)
					}
					time.Sleep(10 * time.Second)
				}
				server.setFault(nil)
				catchesUp(t, server, i, time.Minute)
				must(t, i.WaitForSync(ctx))
				if status := i.Status(); status.Err != nil || !status.Since.IsZero() {
					t.Errorf("the status still has %v", status.Err)
				}
			})
		})
	}
}

func TestScenario18DefinitionDeleted(t *testing.T) {
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		i := newShips(t, server, Options[*v1.Starfighter]{})
		told := &events{}
		_, err := i.AddTypedEventHandler(told)
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		// The API server deletes the objects, ends the watches, and has nothing
		// to list any more.
		server.setFault(func(request) error { return errNotFound })
		server.remove("default/a")
		server.remove("default/b")
		server.cut()
		time.Sleep(time.Minute)
		if got := told.snapshot()["default/a"]; len(got) != 2 || got[1] != "delete Luke unknown=false" {
			t.Errorf("of a told was %q", got)
		}
		if status := i.Status(); status.Objects != 0 || !apierrors.IsNotFound(status.Err) || !status.Synced {
			t.Errorf("the status is %+v", status)
		}
		server.setFault(nil)
		server.put(shipOf("c", "Biggs"))
		catchesUp(t, server, i, time.Minute)
		if err := i.Status().Err; err != nil {
			t.Errorf("the status still has %v", err)
		}
	})
}

func TestScenario19ShutdownWhileTheServerIsAway(t *testing.T) {
	for name, test := range map[string]struct {
		fault error
		after bool // after it was in sync
	}{
		"refused at the start": {errRefused, false},
		"refused later":        {errRefused, true},
		"429 at the start":     {apierrors.NewTooManyRequests("busy", 60), false},
		"429 later":            {apierrors.NewTooManyRequests("busy", 60), true},
		"410 at the start":     {apierrors.NewResourceExpired("always"), false},
		"503 at the start":     {apierrors.NewServiceUnavailable("down"), false},
	} {
		t.Run(name, func(t *testing.T) {
			heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
				i := newShips(t, server, Options[*v1.Starfighter]{})
				if !test.after {
					server.fault = func(request) error { return test.fault }
				}
				go i.RunWithContext(ctx)
				synctest.Wait()
				server.setFault(func(request) error { return test.fault })
				server.cut()
				time.Sleep(2*time.Minute + 300*time.Millisecond)
				began := time.Now()
				if err := i.Shutdown(ctx); err != nil || time.Since(began) > 2*time.Second {
					t.Errorf("it took %v: %v", time.Since(began), err)
				}
			})
		})
	}
}

func TestScenario20OutOfOrder(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		i := newShips(t, newAPIServer(), Options[*v1.Starfighter]{})
		if err := i.WaitForSync(ctx); !errors.Is(err, ErrNotStarted) || !strings.Contains(err.Error(), i.name) {
			t.Errorf("waiting before the start: %v", err)
		}
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		i.RunWithContext(ctx) // returns
		must(t, i.Shutdown(ctx))
		must(t, i.Shutdown(ctx))
		i.RunWithContext(ctx) // returns
		if _, err := i.Subscribe(ctx, &events{}, SubscribeOptions{Name: "late"}); !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "late") {
			t.Errorf("subscribing after the stop: %v", err)
		}
	})
	within(t, func(t *testing.T, ctx context.Context) {
		i := newShips(t, newAPIServer(), Options[*v1.Starfighter]{})
		s, err := i.Subscribe(ctx, &events{}, SubscribeOptions{})
		must(t, err)
		waited := make(chan error, 2)
		go func() { waited <- i.WaitForResourceVersion(ctx, "5") }()
		go func() { waited <- i.WaitForSync(ctx) }()
		synctest.Wait()
		must(t, i.Shutdown(ctx)) // which it never will run after
		must(t, i.Shutdown(ctx))
		<-s.Done()
		for range 2 {
			if err := <-waited; !errors.Is(err, errEnded) {
				t.Errorf("those who waited were told %v", err)
			}
		}
		i.RunWithContext(ctx) // returns
		if !i.IsStopped() {
			t.Error("it is not stopped")
		}
	})
}

func TestScenario22SilentWatch(t *testing.T) {
	const idle = time.Minute
	watchesOf := func(server *apiServer) int { return server.count("watch") }
	for name, test := range map[string]struct {
		bookmarks bool // at intervals of less than idle
		silent    bool // from some time on, though things happen
		remade    bool
	}{
		"bookmarks come":       {bookmarks: true},
		"bookmarks end":        {bookmarks: true, silent: true, remade: true},
		"bookmarks never came": {silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, ctx context.Context) {
				server := newAPIServer(shipOf("a", "Luke"))
				i := follows(ctx, t, server, Options[*v1.Starfighter]{IdleTimeout: idle})
				for range 5 {
					time.Sleep(idle * 9 / 10)
					if test.bookmarks {
						server.bookmark()
					}
				}
				before := watchesOf(server)
				if test.silent {
					server.mu.Lock()
					for w := range server.watches {
						w.die()
					}
					server.mu.Unlock()
					server.put(shipOf("a", "Leia"))
				}
				began := time.Now()
				for time.Since(began) < 10*idle && watchesOf(server) == before {
					time.Sleep(time.Second)
					if test.bookmarks && !test.silent && time.Since(began)%(50*time.Second) == 0 {
						server.bookmark()
					}
				}
				took := time.Since(began)
				switch {
				case test.remade && (took < idle || took > idle*3/2+time.Second):
					t.Errorf("it was made anew after %v, want between %v and half as much again", took, idle)
				case !test.remade && watchesOf(server) != before:
					t.Errorf("it was made anew after %v", took)
				case test.remade:
					catchesUp(t, server, i, time.Second)
				}
			})
		})
	}
}

func TestScenario22SilentWatchList(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"))
		server.watchLists = true
		first := true
		server.meddle = func(_ request, w *fakeWatch) {
			if first { // it stops before it is complete
				first = false
				w.die()
				for len(w.events) > 1 {
					<-w.events
				}
				<-w.events
			}
		}
		i := newShips(t, server, Options[*v1.Starfighter]{IdleTimeout: 30 * time.Second})
		go i.RunWithContext(ctx)
		catchesUp(t, server, i, 50*time.Second)
	})
}

func TestScenario23WatchListIsCut(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"), shipOf("b", "Wedge"))
		server.watchLists = true
		cutting := true
		server.meddle = func(r request, w *fakeWatch) {
			if cutting && r.verb == "watch-list" { // after the first object
				event := <-w.events
				for len(w.events) > 0 {
					<-w.events
				}
				w.events <- event
				w.end()
			}
		}
		i := newShips(t, server, Options[*v1.Starfighter]{})
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		server.has(t, i)
		if lists, cuts := server.count("list"), server.count("watch-list"); lists != 1 || cuts > 5 {
			t.Errorf("there were %d LISTs after %d watch-lists", lists, cuts)
		}
		// For some time a relist is a LIST at once, then a watch-list again.
		relist := func() (lists, watchLists int) {
			lists, watchLists = server.count("list"), server.count("watch-list")
			server.silence()
			server.put(shipOf("b", "Wes"))
			server.expire()
			server.cut()
			catchesUp(t, server, i, 10*time.Second)
			return server.count("list") - lists, server.count("watch-list") - watchLists
		}
		if lists, watchLists := relist(); lists != 1 || watchLists != 0 {
			t.Errorf("at once a relist took %d LISTs and %d watch-lists", lists, watchLists)
		}
		server.mu.Lock()
		cutting = false
		server.mu.Unlock()
		time.Sleep(watchListPause)
		if lists, watchLists := relist(); lists != 0 || watchLists != 1 {
			t.Errorf("later a relist took %d LISTs and %d watch-lists", lists, watchLists)
		}
	})
}

// A server that answers each watch-list with an error that the reflector tries
// again at, at once.
func TestScenario23WatchListExpiresForEver(t *testing.T) {
	for _, inBand := range []bool{false, true} {
		within(t, func(t *testing.T, ctx context.Context) {
			server := newAPIServer(shipOf("a", "Luke"))
			server.watchLists = true
			expired := apierrors.NewResourceExpired("always")
			if inBand {
				server.meddle = func(r request, w *fakeWatch) {
					if r.verb == "watch-list" {
						for len(w.events) > 0 {
							<-w.events
						}
						w.events <- watch.Event{Type: watch.Error, Object: &expired.ErrStatus}
					}
				}
			} else {
				server.fault = func(r request) error {
					if r.verb == "watch-list" {
						return expired
					}
					return nil
				}
			}
			i := newShips(t, server, Options[*v1.Starfighter]{})
			done := make(chan error, 1)
			go i.RunWithContext(ctx)
			go func() { done <- i.WaitForSync(ctx) }()
			time.Sleep(10 * time.Second)
			if n := server.count("watch-list"); n > 5 {
				t.Fatalf("there were %d watch-lists", n)
			}
			must(t, <-done)
			server.has(t, i)
		})
	}
}

// What the WatchErrorHandler is told does not depend on what the source heals.
func TestWatchErrorHandlerHearsOfRefusals(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer()
		server.fault = func(request) error { return errRefused }
		i := newShips(t, server, Options[*v1.Starfighter]{})
		told := 0
		must(t, i.SetWatchErrorHandler(func(*cache.Reflector, error) { told++ }))
		go i.RunWithContext(ctx)
		time.Sleep(time.Minute)
		synctest.Wait()
		if told == 0 {
			t.Error("it was told of nothing")
		}
	})
}
