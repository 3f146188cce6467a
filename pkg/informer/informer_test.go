// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	cachetesting "k8s.io/client-go/tools/cache/testing"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// events is a handler that keeps what it was told, by key.
type events struct {
	mu   sync.Mutex
	by   map[string][]string
	told int
}

func (e *events) note(key, format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by == nil {
		e.by = map[string][]string{}
	}
	e.by[key] = append(e.by[key], fmt.Sprintf(format, args...))
	e.told++
}

func (e *events) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.told
}

func (e *events) snapshot() map[string][]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.by)
}

func (e *events) OnAdd(ship *v1.Starfighter, initial bool) {
	e.note(keyFor(ship), "add %s initial=%t", ship.Spec.Pilot, initial)
}

func (e *events) OnUpdate(old, ship *v1.Starfighter) {
	e.note(keyFor(ship), "update %s to %s", old.Spec.Pilot, ship.Spec.Pilot)
}

func (e *events) OnDelete(gone cache.DeletedObject[*v1.Starfighter]) {
	e.note(gone.GetKey(), "delete %s unknown=%t", gone.OptionalObj.Spec.Pilot, gone.FinalStateUnknown != nil)
}

func shipOf(name, pilot string) *v1.Starfighter {
	return &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Spec:       v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-wing", Pilot: pilot},
	}
}

func newShips(t *testing.T, lw cache.ListerWatcher, options Options[*v1.Starfighter]) *Informer[*v1.Starfighter] {
	t.Helper()
	i, err := New(lw, &v1.Starfighter{}, options)
	if err != nil {
		t.Fatal(err)
	}
	// client-go's own reports errors at a pace that does not know of the time in
	// a test.
	must(t, i.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
	return i
}

func clientGo(lw cache.ListerWatcher) cache.TypedSharedIndexInformer[*v1.Starfighter] {
	return cache.NewTypedSharedIndexInformer[*v1.Starfighter](cache.NewSharedIndexInformer(lw, &v1.Starfighter{}, 0, nil))
}

func newServer(t *testing.T) *cachetesting.FakeControllerSource {
	server := cachetesting.NewFakeControllerSource()
	t.Cleanup(server.Shutdown)
	return server
}

// within runs a test in a bubble with time of its own, and ends what it started.
func within(t *testing.T, do func(t *testing.T, ctx context.Context)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		do(t, ctx)
		cancel()
		synctest.Wait()
	})
}

// Both informers follow the same server, through changes and a lost watch, and
// tell their handlers the same of each object.
func TestContractEventsAreThoseOfClientGo(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4, 5} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			within(t, func(t *testing.T, ctx context.Context) {
				random := rand.New(rand.NewPCG(seed, 0))
				server := newServer(t)
				alive := map[string]bool{}
				change := func(n int) {
					name := fmt.Sprintf("ship-%d", random.IntN(20))
					pilot := fmt.Sprintf("pilot-%d", n)
					switch {
					case !alive[name]:
						server.Add(shipOf(name, pilot))
						alive[name] = true
					case random.IntN(3) == 0:
						server.Delete(shipOf(name, pilot))
						alive[name] = false
					default:
						server.Modify(shipOf(name, pilot))
					}
				}
				for n := range 15 {
					change(n)
				}
				informers := []cache.TypedSharedIndexInformer[*v1.Starfighter]{clientGo(server), newShips(t, server, Options[*v1.Starfighter]{})}
				told := make([][]*events, len(informers))
				add := func() {
					for n, i := range informers {
						handler := &events{}
						told[n] = append(told[n], handler)
						if _, err := i.AddTypedEventHandler(handler); err != nil {
							t.Fatal(err)
						}
					}
				}
				add()
				for _, i := range informers {
					go i.RunWithContext(ctx)
				}
				synctest.Wait()
				for n := range 200 {
					change(100 + n)
					if n%50 == 20 {
						synctest.Wait()
						add()
					}
					if n%70 == 30 {
						synctest.Wait()
						server.ResetWatch()
						time.Sleep(time.Minute)
					}
					synctest.Wait()
				}
				for h := range told[0] {
					want, got := told[0][h].snapshot(), told[1][h].snapshot()
					if len(want) == 0 || !reflect.DeepEqual(got, want) {
						t.Errorf("handler %d was told\n%v\nand client-go's\n%v", h, got, want)
					}
				}
				want, got := informers[0].GetStore().ListKeys(), informers[1].GetStore().ListKeys()
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("stored are %v, in client-go's %v", got, want)
				}
			})
		})
	}
}

func TestResync(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newServer(t)
		server.Add(shipOf("x-wing-1", "Luke"))
		i := newShips(t, server, Options[*v1.Starfighter]{}) // without a period of its own
		asks, does, late := &events{}, &events{}, &events{}
		period := 30 * time.Second
		add := func(handler *events, options ...cache.HandlerOptions) {
			if _, err := i.AddTypedEventHandler(handler, options...); err != nil {
				t.Fatal(err)
			}
		}
		add(asks, cache.HandlerOptions{ResyncPeriod: &period})
		add(does)
		go i.RunWithContext(ctx)
		synctest.Wait()
		add(late, cache.HandlerOptions{ResyncPeriod: &period})
		time.Sleep(61 * time.Second)
		synctest.Wait()
		for _, test := range []struct {
			handler *events
			want    int
		}{{asks, 3}, {late, 3}, {does, 1}} {
			if got := test.handler.count(); got != test.want {
				t.Errorf("told %d times, want %d: %v", got, test.want, test.handler.snapshot())
			}
		}
	})
}

// One consumer does not return from its callback; it costs one change per object.
func TestScenario13BlockedConsumer(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		const keys, updates = 100, 20_000
		server := newServer(t)
		i := newShips(t, server, Options[*v1.Starfighter]{})
		release := make(chan struct{})
		last := map[string]string{}
		deliveries := 0
		slow, err := i.Subscribe(ctx, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc: func(ship *v1.Starfighter) {
				<-release
				deliveries++
				last[ship.Name] = ship.Spec.Pilot
			},
			UpdateFunc: func(_, ship *v1.Starfighter) {
				deliveries++
				last[ship.Name] = ship.Spec.Pilot
			},
		}, SubscribeOptions{Name: "slow"})
		if err != nil {
			t.Fatal(err)
		}
		onTime := &events{}
		if _, err := i.AddTypedEventHandler(onTime); err != nil {
			t.Fatal(err)
		}
		s := i.scopes[0] // what the reflector calls
		i.start(func() {})
		must(t, s.Replace(nil, "1"))
		for n := range updates {
			ship := shipOf(fmt.Sprintf("ship-%d", n%keys), fmt.Sprint("pilot-", n))
			ship.ResourceVersion = fmt.Sprint(n + 2)
			must(t, s.Add(ship))
			if n%5000 == 0 {
				if pending := slow.Status().Pending; pending > keys {
					t.Errorf("after %d updates %d are pending, of %d objects", n, pending, keys)
				}
			}
		}
		synctest.Wait()
		if got := onTime.count(); got != updates {
			t.Errorf("the other handler was told of %d changes of %d", got, updates)
		}
		if pending := slow.Status().Pending; pending > keys {
			t.Errorf("%d are pending, of %d objects", pending, keys)
		}
		close(release)
		synctest.Wait()
		if deliveries > keys+1 || len(last) != keys || last["ship-99"] != fmt.Sprint("pilot-", updates-1) {
			t.Errorf("the slow one was told %d times of %d objects, of ship-99 last %q", deliveries, len(last), last["ship-99"])
		}
		i.finish()
		synctest.Wait()
	})
}

func TestScenario19ShutdownNamesTheHandler(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newServer(t)
		server.Add(shipOf("x-wing-1", "Luke"))
		i := newShips(t, server, Options[*v1.Starfighter]{})
		release := make(chan struct{})
		if _, err := i.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) { <-release }}); err != nil {
			t.Fatal(err)
		}
		go i.RunWithContext(ctx)
		synctest.Wait()
		deadline, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := i.Shutdown(deadline); err == nil || !strings.Contains(err.Error(), "TestScenario19ShutdownNamesTheHandler") {
			t.Errorf("the error does not name the handler: %v", err)
		}
		close(release)
		if err := i.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitForResourceVersion(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newServer(t)
		server.Add(shipOf("x-wing-0", "Garven"))
		i := newShips(t, server, Options[*v1.Starfighter]{})
		go i.RunWithContext(ctx)
		synctest.Wait()
		written := make(chan error)
		go func() { written <- i.WaitForResourceVersion(ctx, "2") }()
		synctest.Wait()
		server.Add(shipOf("x-wing-1", "Luke"))
		if err := <-written; err != nil {
			t.Error(err)
		}
		if _, exists, _ := i.GetStore().GetByKey("default/x-wing-1"); !exists {
			t.Error("what was written is not there")
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := i.WaitForResourceVersion(short, "99"); err == nil {
			t.Error("a resourceVersion that there is not was reached")
		}
		if err := i.WaitForResourceVersion(ctx, "none"); err == nil {
			t.Error("what is no resourceVersion was reached")
		}
	})
}

func TestScenario11HandlerEnds(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newServer(t)
		server.Add(shipOf("x-wing-1", "Luke"))
		server.Add(shipOf("x-wing-2", "Wedge"))
		i := newShips(t, server, Options[*v1.Starfighter]{})
		own, end := context.WithCancel(ctx)
		told := 0
		s, err := i.Subscribe(own, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) {
			told++
			end()
			<-own.Done()
			time.Sleep(time.Second) // the subscription hears of it
		}}, SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		handler := &events{}
		registration, err := i.AddTypedEventHandler(handler)
		if err != nil {
			t.Fatal(err)
		}
		go i.RunWithContext(ctx)
		<-s.Done()
		if told != 1 {
			t.Errorf("told %d times, want once", told)
		}
		if err := cache.ShutDownEventHandler(i, registration); err != nil {
			t.Error(err)
		}
		server.Add(shipOf("x-wing-3", "Biggs"))
		synctest.Wait()
		if got := handler.count(); got != 2 {
			t.Errorf("told %d times, want 2, none after it was shut down", got)
		}
	})
}

func TestScenario14IsolatedPanic(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newServer(t)
		for n := range 10 {
			server.Add(shipOf(fmt.Sprint("ship-", n), "Luke"))
		}
		i := newShips(t, server, Options[*v1.Starfighter]{})
		told := 0
		var reported []error
		_, err := i.Subscribe(ctx, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) {
			if told++; told == 4 {
				panic("no hyperdrive")
			}
		}}, SubscribeOptions{Name: "roster", Isolate: true, Report: func(err error) { reported = append(reported, err) }})
		if err != nil {
			t.Fatal(err)
		}
		go i.RunWithContext(ctx)
		if err := i.WaitForSync(ctx); err != nil {
			t.Error(err)
		}
		if told != 10 || len(reported) != 1 || !strings.Contains(reported[0].Error(), "roster") {
			t.Errorf("told %d times, reported %v", told, reported)
		}
	})
}
