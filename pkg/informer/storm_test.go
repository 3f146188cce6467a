// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// A server that answers twenty times that it cannot is asked about that often, at
// a pace that slows down, and not before the time that it names.
func TestScenario24NoRequestStorm(t *testing.T) {
	const refusals = 20
	for name, test := range map[string]struct {
		err      error
		noSooner time.Duration // than this after a refusal of a watch-list
	}{
		"429": {apierrors.NewTooManyRequests("busy", 20), 20 * time.Second},
		"503": {apierrors.NewServiceUnavailable("down"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
				var at []time.Time
				server.fault = func(r request) error {
					if len(at) > refusals {
						return nil
					}
					at = append(at, time.Now())
					return test.err
				}
				i := newShips(t, server, Options[*v1.Starfighter]{})
				began := time.Now()
				go i.RunWithContext(ctx)
				catchesUp(t, server, i, 20*time.Minute)
				t.Logf("%d refusals took %v, %d requests in all", len(at), time.Since(began), server.count(""))
				if n := server.count(""); n > refusals+4 {
					t.Errorf("there were %d requests", n)
				}
				if took := time.Since(began); took < time.Minute {
					t.Errorf("%d refusals took %v", refusals, took)
				}
				for n := 1; n < len(at) && server.watchLists; n++ {
					if pause := at[n].Sub(at[n-1]); pause < test.noSooner {
						t.Errorf("attempt %d came after %v", n, pause)
					}
				}
			})
		})
	}
}

// A server that is away for long is noticed soon when it is back, at the start and
// later, whatever the last request was.
func TestRefusedForLong(t *testing.T) {
	for _, later := range []bool{false, true} {
		heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
			i := newShips(t, server, Options[*v1.Starfighter]{})
			server.mu.Lock()
			if !later {
				server.fault = func(request) error { return errRefused }
			}
			server.mu.Unlock()
			go i.RunWithContext(ctx)
			synctest.Wait()
			server.setFault(func(request) error { return errRefused })
			server.cut()
			time.Sleep(30 * time.Minute)
			if n := server.count(""); n > 30*60 { // jitter makes the pauses shorter, not much
				t.Errorf("there were %d requests in half an hour", n)
			}
			server.put(shipOf("c", "Biggs"))
			server.expire() // there must be a list
			server.setFault(nil)
			began := time.Now()
			for server.count("list")+server.count("watch-list") == 0 || i.Status().Err != nil {
				time.Sleep(100 * time.Millisecond)
				if time.Since(began) > maxRefusedDelay+100*time.Millisecond {
					t.Fatalf("the server was not noticed within %v", maxRefusedDelay)
				}
			}
			catchesUp(t, server, i, 5*time.Second)
		})
	}
}

// Who may list but not watch has a store that is full once, gets older, and says so.
func TestWatchDenied(t *testing.T) {
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		server.fault = func(r request) error {
			if r.verb != "list" {
				return errForbidden
			}
			return nil
		}
		i := newShips(t, server, Options[*v1.Starfighter]{})
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		server.has(t, i)
		time.Sleep(10 * time.Minute)
		status := i.Status()
		var cause *RequestError
		if !status.Synced || !errors.As(status.Err, &cause) || cause.Verb != verbWatch || !apierrors.IsForbidden(cause) {
			t.Errorf("the status is %+v", status)
		}
		if since := time.Since(status.Since); since < 9*time.Minute {
			t.Errorf("it says that for %v only", since)
		}
		if n := server.count(""); n > 150 {
			t.Errorf("there were %d requests in ten minutes", n)
		}
		// The lists that the reflector makes again and again keep it from
		// getting very old.
		server.put(shipOf("c", "Biggs"))
		catchesUp(t, server, i, 2*time.Minute)
		server.setFault(nil)
		time.Sleep(2 * time.Minute)
		if err := i.Status().Err; err != nil {
			t.Errorf("it is allowed to watch, but the status still has %v", err)
		}
	})
}
