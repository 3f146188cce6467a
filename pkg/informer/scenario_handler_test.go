// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// A watch is dropped and an object deleted meanwhile: each kind of handler hears
// of it with the key, also behind a filter.
func TestScenario08DeletedUnseen(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"), shipOf("b", "Wedge"))
		i := newShips(t, server, Options[*v1.Starfighter]{})
		plain, subscribed, filtered, untyped := &events{}, &events{}, &events{}, &recorder{}
		isLuke := func(ship *v1.Starfighter) bool { return ship != nil && ship.Spec.Pilot == "Luke" }
		_, err := i.AddTypedEventHandler(plain)
		must(t, err)
		_, err = i.Subscribe(ctx, subscribed, SubscribeOptions{})
		must(t, err)
		_, err = i.AddTypedEventHandler(cache.TypedFilteringResourceEventHandler[*v1.Starfighter]{FilterFunc: isLuke, Handler: filtered})
		must(t, err)
		_, err = i.AddEventHandler(untyped)
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		server.silence()
		server.remove("default/a")
		server.remove("default/b")
		server.expire()
		server.cut()
		time.Sleep(time.Minute)
		for name, handler := range map[string]*events{"plain": plain, "subscribed": subscribed, "filtered": filtered} {
			if got := handler.snapshot()["default/a"]; !slices.Equal(got, []string{"add Luke initial=true", "delete Luke unknown=true"}) {
				t.Errorf("%s was told %q", name, got)
			}
		}
		if got := filtered.snapshot()["default/b"]; len(got) != 0 {
			t.Errorf("behind the filter was told %q", got)
		}
		if got := untyped.take(); !slices.Contains(got, "delete default/b, last seen with Wedge") {
			t.Errorf("the untyped one was told %q", got)
		}
	})
}

// Tombstones that have nothing but a key, as client-go's queues make them.
func TestScenario08TombstoneWithoutObject(t *testing.T) {
	var got []string
	handler := cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{DeleteFunc: func(gone cache.DeletedObject[*v1.Starfighter]) {
		got = append(got, fmt.Sprint(gone.GetKey(), " ", gone.GetName(), " ", gone.OptionalObj == nil))
	}}
	filter := cache.TypedFilteringResourceEventHandler[*v1.Starfighter]{
		FilterFunc: func(ship *v1.Starfighter) bool { return ship == nil || ship.Spec.Pilot == "Luke" },
		Handler:    handler,
	}
	for _, h := range []cache.TypedResourceEventHandler[*v1.Starfighter]{handler, filter} {
		untypedHandler[*v1.Starfighter]{h}.OnDelete(cache.DeletedFinalStateUnknown{Key: "default/a"})
	}
	if want := []string{"default/a a true", "default/a a true"}; !slices.Equal(got, want) {
		t.Errorf("told was %q, want %q", got, want)
	}
}

// Deleted and created again, unseen: an update, or with DeleteOnNewUID a delete and
// an addition, for every kind of consumer.
func TestScenario09SameNameNewUID(t *testing.T) {
	for newUID, want := range map[bool][]string{
		false: {"add Luke initial=true", "update Luke to Wedge"},
		true:  {"add Luke initial=true", "delete Luke unknown=true", "add Wedge initial=false"},
	} {
		heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
			i := newShips(t, server, Options[*v1.Starfighter]{DeleteOnNewUID: newUID})
			handler, subscriber, late := &events{}, &events{}, &events{}
			_, err := i.AddTypedEventHandler(handler)
			must(t, err)
			s, err := i.Subscribe(ctx, subscriber, SubscribeOptions{})
			must(t, err)
			go i.RunWithContext(ctx)
			must(t, i.WaitForSync(ctx))
			_, err = i.Subscribe(ctx, late, SubscribeOptions{})
			must(t, err)
			synctest.Wait()
			server.silence()
			server.remove("default/a")
			server.put(withUID(shipOf("a", "Wedge"), "another"))
			server.expire()
			server.cut()
			time.Sleep(time.Minute)
			for name, h := range map[string]*events{"handler": handler, "subscriber": subscriber, "late subscriber": late} {
				if got := h.snapshot()["default/a"]; !slices.Equal(got, want) {
					t.Errorf("DeleteOnNewUID=%t: the %s was told %q, want %q", newUID, name, got, want)
				}
			}
			told := uint64(subscriber.count())
			if status := s.Status(); status.Delivered != told || status.Coalesced != 0 {
				t.Errorf("DeleteOnNewUID=%t: told %d times, the status is %+v", newUID, told, status)
			}
		})
	}
}

func TestScenario10SlowHandler(t *testing.T) {
	for name, add := range map[string]func(ctx context.Context, i *Informer[*v1.Starfighter], wait chan struct{}) error{
		"handler": func(_ context.Context, i *Informer[*v1.Starfighter], wait chan struct{}) error {
			_, err := i.AddEventHandler(&recorder{wait: wait})
			return err
		},
		"subscription": func(ctx context.Context, i *Informer[*v1.Starfighter], wait chan struct{}) error {
			_, err := i.Subscribe(ctx, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) { <-wait }}, SubscribeOptions{Name: "informer.recorder"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, ctx context.Context) {
				i := newShips(t, newAPIServer(shipOf("a", "Luke"), shipOf("b", "Wedge")), Options[*v1.Starfighter]{})
				wait := make(chan struct{})
				must(t, add(ctx, i, wait))
				go i.RunWithContext(ctx)
				short, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				err := i.WaitForSync(short)
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "informer.recorder") || !strings.Contains(err.Error(), i.name) {
					t.Errorf("waiting did not name the slow handler: %v", err)
				}
				if !i.HasSynced() {
					t.Error("the informer itself is not in sync")
				}
				synced := make(chan error, 1)
				go func() { synced <- i.WaitForSync(ctx) }()
				wait <- struct{}{}
				synctest.Wait()
				select {
				case err := <-synced:
					t.Errorf("it did not wait for the second ship: %v", err)
				default:
				}
				close(wait)
				must(t, <-synced)
			})
		})
	}
}

// An informer that has stopped is not in sync with a handler that was not told
// of everything.
func TestScenario10StoppedBeforeHandlerWasTold(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		i := newShips(t, newAPIServer(shipOf("a", "Luke"), shipOf("b", "Wedge")), Options[*v1.Starfighter]{})
		slow := &recorder{wait: make(chan struct{})}
		_, err := i.AddEventHandler(slow)
		must(t, err)
		gone, err := i.AddEventHandler(slow)
		must(t, err)
		go i.RunWithContext(ctx)
		synctest.Wait()
		synced := make(chan error, 1)
		go func() { synced <- i.WaitForSync(ctx) }()
		synctest.Wait()
		must(t, i.RemoveEventHandler(gone)) // nobody waits for that
		go func() { _ = i.Shutdown(ctx) }()
		synctest.Wait()
		close(slow.wait)
		if err := <-synced; !errors.Is(err, errEnded) {
			t.Errorf("WaitForSync returned %v", err)
		}
	})
}

func TestScenario12SubscribeAndClose(t *testing.T) {
	const times = 10_000
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"))
		i := follows(ctx, t, server, Options[*v1.Starfighter]{})
		before := runtime.NumGoroutine()
		for n := range times {
			own, end := context.WithCancel(ctx)
			s, err := i.Subscribe(own, &events{}, SubscribeOptions{})
			must(t, err)
			registration, err := i.AddTypedEventHandler(&events{})
			must(t, err)
			if n%2 == 0 {
				end()
			} else {
				must(t, i.RemoveEventHandler(s))
			}
			<-s.Done()
			must(t, cache.ShutDownEventHandler(i, registration))
			end()
		}
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before+10 { // the runtime has some of its own
			t.Errorf("there were %d goroutines, and are %d", before, after)
		}
		if consumers := i.Status().Consumers; len(consumers) != 0 {
			t.Errorf("%d consumers are left", len(consumers))
		}
	})
}

// Before the start, where nothing runs yet.
func TestScenario12SubscribeAndCloseBeforeStart(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		i := newShips(t, newAPIServer(), Options[*v1.Starfighter]{})
		own, end := context.WithCancel(ctx)
		s, err := i.Subscribe(own, &events{}, SubscribeOptions{})
		must(t, err)
		end()
		<-s.Done()
		synctest.Wait()
		if consumers := i.Status().Consumers; len(consumers) != 0 {
			t.Errorf("%d consumers are left", len(consumers))
		}
	})
}

// A subscription is ended by its own informer only.
func TestRemoveSubscriptionOfAnotherInformer(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"))
		one, two := newShips(t, server, Options[*v1.Starfighter]{}), newShips(t, server, Options[*v1.Starfighter]{})
		told := &events{}
		s, err := one.Subscribe(ctx, told, SubscribeOptions{})
		must(t, err)
		must(t, two.RemoveEventHandler(s))
		go one.RunWithContext(ctx)
		must(t, one.WaitForSync(ctx))
		if told.count() != 1 {
			t.Errorf("told %d times, want once", told.count())
		}
	})
}

func TestScenario15ResyncOnAHandlersRequest(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		i := newShips(t, newAPIServer(shipOf("a", "Luke")), Options[*v1.Starfighter]{}) // without a period
		handler, subscriber, none := &recorder{}, &events{}, &teller{}
		period := 10 * time.Second
		_, err := i.AddEventHandlerWithResyncPeriod(handler, period)
		must(t, err)
		_, err = i.AddTypedEventHandler(none)
		must(t, err)
		go i.RunWithContext(ctx)
		synctest.Wait()
		_, err = i.Subscribe(ctx, subscriber, SubscribeOptions{ResyncPeriod: &period})
		must(t, err)
		time.Sleep(101 * time.Second)
		synctest.Wait()
		for name, n := range map[string]int{"handler": handler.count(), "subscriber": subscriber.count()} {
			if n != 11 {
				t.Errorf("the %s was told %d times, want of the ship and ten resyncs", name, n)
			}
		}
		status := i.Status()
		if n := none.count(); n != 1 {
			t.Errorf("the handler without was told %d times", n)
		}
		for _, c := range status.Consumers {
			want := map[string]uint64{"*informer.recorder": 11, "*informer.events": 11, "*informer.teller": 1}[c.Name]
			if c.Delivered != want || c.Pending != 0 {
				t.Errorf("%s has %d delivered, %d pending", c.Name, c.Delivered, c.Pending)
			}
		}
	})
}
