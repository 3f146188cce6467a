// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// A server comes back with other data, at an older resourceVersion, or the watch
// has expired. However the informer gets to know: its view is the server's within
// five seconds.
func TestScenario21FreshData(t *testing.T) {
	fresh := func(server *apiServer) { server.restore(3, shipOf("b", "Wedge II"), shipOf("c", "Biggs")) }
	expired := apierrors.NewResourceExpired("too old").ErrStatus
	for name, fault := range map[string]func(server *apiServer){
		"its watches end with the server, which is away for a second": func(server *apiServer) {
			server.setFault(func(request) error { return errRefused })
			server.cut()
			fresh(server)
			time.AfterFunc(time.Second, func() { server.setFault(nil) })
		},
		"its watches end in silence, and are answered at once": func(server *apiServer) {
			fresh(server)
			server.cut()
		},
		"its watches end with an error": func(server *apiServer) {
			fresh(server)
			server.cut(watch.Event{Type: watch.Error, Object: &apierrors.NewInternalError(fmt.Errorf("reset by peer")).ErrStatus})
		},
		"its watches go on, with an older event": func(server *apiServer) {
			server.mu.Lock()
			for w := range server.watches {
				w.from = 0
			}
			server.mu.Unlock()
			fresh(server)
		},
		"its watches go on, with an older bookmark": func(server *apiServer) {
			server.mu.Lock()
			server.version = 3
			for w := range server.watches {
				w.from = 0
			}
			server.mu.Unlock()
			server.bookmark()
			fresh(server)
		},
		"the watch has expired, and the list is older": func(server *apiServer) {
			fresh(server)
			server.setFault(func(r request) error {
				if r.verb == "watch" && len(r.ResourceVersion) > 3 { // of before
					return apierrors.NewResourceExpired("too old")
				}
				return nil
			})
			server.cut()
		},
		"it has the same data, but the watch has expired": func(server *apiServer) {
			server.silence()
			server.put(shipOf("b", "Wes"))
			server.remove("default/a")
			server.expire()
			server.cut()
		},
		"the watch says that it has expired": func(server *apiServer) {
			server.mu.Lock()
			for w := range server.watches {
				w.die()
			}
			server.mu.Unlock()
			server.put(shipOf("b", "Wes"))
			server.remove("default/a")
			server.expire()
			server.mu.Lock()
			for w := range server.watches {
				w.dead = false
				w.send(watch.Event{Type: watch.Error, Object: &expired})
			}
			server.mu.Unlock()
		},
	} {
		t.Run(name, func(t *testing.T) {
			heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
				server.restore(1000, shipOf("a", "Luke"), shipOf("b", "Wedge"))
				i := follows(ctx, t, server, Options[*v1.Starfighter]{})
				told := &events{}
				_, err := i.AddTypedEventHandler(told)
				must(t, err)
				server.put(shipOf("a", "Leia"))
				time.Sleep(3 * time.Minute) // so that attempts are at their first pace again
				fault(server)
				catchesUp(t, server, i, 5*time.Second)
				if got := told.snapshot()["default/a"]; got[len(got)-1] != "delete Leia unknown=true" {
					t.Errorf("of a told was %q", got)
				}
				server.put(shipOf("d", "Hobbie")) // the watch is the new server's
				synctest.Wait()
				server.has(t, i)
				if err := i.Status().Err; err != nil {
					t.Errorf("the status still has %v", err)
				}
				if got, want := i.LastSyncResourceVersion(), fmt.Sprint(server.version); got != want {
					t.Errorf("the informer is at %s, the server at %s", got, want)
				}
			})
		})
	}
}

// A watch that ends at its time, as it should, makes for no further request.
func TestScenario21WatchEndsAtItsTime(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"))
		server.meddle = func(r request, w *fakeWatch) {
			time.AfterFunc(time.Duration(*r.TimeoutSeconds)*time.Second, w.end)
		}
		i := follows(ctx, t, server, Options[*v1.Starfighter]{})
		time.Sleep(time.Hour)
		if lists, watches := server.count("list"), server.count("watch"); lists != 1 || watches < 5 {
			t.Errorf("there were %d LISTs and %d watches", lists, watches)
		}
		server.put(shipOf("a", "Leia"))
		synctest.Wait()
		server.has(t, i)
	})
}

// What comes after an error on a stream does not count: it comes again.
func TestErrorEndsAStream(t *testing.T) {
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		i := follows(ctx, t, server, Options[*v1.Starfighter]{})
		lists := server.count("list") + server.count("watch-list")
		server.mu.Lock()
		for w := range server.watches {
			w.send(watch.Event{Type: watch.Error, Object: &apierrors.NewInternalError(fmt.Errorf("etcd")).ErrStatus})
			for n := range 10 { // without an end
				w.send(bookmarkAt(server.version+10+n, nil))
			}
		}
		server.mu.Unlock()
		synctest.Wait()
		server.put(shipOf("a", "Leia"))
		server.put(shipOf("a", "Han"))
		synctest.Wait()
		time.Sleep(time.Minute)
		server.has(t, i)
		if n := server.count("list") + server.count("watch-list") - lists; n != 1 { // to see if it is the same server
			t.Errorf("there were %d lists", n)
		}
	})
}
