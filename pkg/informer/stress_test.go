// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// Everything at once, for the race detector: consumers come and go, relists and
// changes go on, somebody asks, and in the end somebody shuts down.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	const rounds = 200
	for round := range 3 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			server := newAPIServer(shipOf("ship-0", "Luke"))
			server.watchLists = round%2 == 0
			options := Options[*v1.Starfighter]{DeleteOnNewUID: round == 2}
			options.ResyncPeriod = time.Second
			i := newShips(t, server, options)
			first := &follower{}
			_, err := i.AddTypedEventHandler(first)
			must(t, err)
			trails := &follower{slow: true}
			slow, err := i.Subscribe(ctx, trails, SubscribeOptions{Name: "slow"})
			must(t, err)
			var running, work sync.WaitGroup
			running.Go(func() { i.RunWithContext(ctx) })
			must(t, i.WaitForSync(ctx))
			check := func(err error) { // in any goroutine
				if err != nil {
					t.Error(err)
				}
			}
			do := func(what func(random *rand.Rand, n int)) {
				random := rand.New(rand.NewPCG(uint64(round), rand.Uint64()))
				work.Go(func() {
					for n := range rounds {
						what(random, n)
						runtime.Gosched()
					}
				})
			}
			do(func(random *rand.Rand, n int) {
				ship := shipOf(fmt.Sprint("ship-", random.IntN(20)), fmt.Sprint(n))
				if random.IntN(4) == 0 {
					server.remove(keyFor(ship))
				} else {
					server.put(ship)
				}
			})
			do(func(_ *rand.Rand, n int) {
				if n%50 == 25 { // at the pace of the informer, which is of this world here
					server.expire()
					server.cut()
					time.Sleep(10 * time.Millisecond)
				}
			})
			for range 3 {
				do(func(random *rand.Rand, _ int) {
					h := &follower{}
					r, err := i.AddTypedEventHandler(h)
					check(err)
					if random.IntN(2) == 0 {
						cache.WaitFor(ctx, "", r.HasSyncedChecker())
					}
					check(cache.ShutDownEventHandler(i, r))
					h.end(t)
				})
				do(func(random *rand.Rand, _ int) {
					own, end := context.WithCancel(ctx)
					defer end()
					h := &follower{}
					s, err := i.Subscribe(own, h, SubscribeOptions{Isolate: random.IntN(2) == 0})
					check(err)
					if random.IntN(2) == 0 {
						cache.WaitFor(ctx, "", s.HasSyncedChecker())
					}
					end()
					<-s.Done()
					h.end(t)
				})
			}
			do(func(_ *rand.Rand, n int) {
				_, _, _ = i.Status(), slow.Status(), i.LastSyncResourceVersion()
				_ = i.GetStore().List()
				if n%20 == 0 {
					check(i.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{fmt.Sprint("index-", n): pilotOf}))
				}
				if n%50 == 0 {
					check(i.WaitForSync(ctx))
				}
			})
			work.Wait()
			must(t, i.WaitForResourceVersion(ctx, server.put(shipOf("last", "Luke"))))
			server.has(t, i)
			for !first.knows(i) {
				if ctx.Err() != nil {
					t.Fatal("the first handler does not know what is stored")
				}
				runtime.Gosched()
			}
			// Who comes while it ends is refused, or ends with it.
			work.Go(func() {
				for {
					s, err := i.Subscribe(ctx, &follower{}, SubscribeOptions{})
					if err != nil {
						return
					}
					defer func() { <-s.Done() }()
				}
			})
			must(t, i.Shutdown(ctx))
			work.Wait()
			running.Wait()
			<-slow.Done()
			trails.end(t)
			first.end(t)
		})
	}
}

// Several namespaces are followed by as many goroutines, into one store.
func TestNamespacesAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	servers := map[string]*apiServer{}
	for _, namespace := range []string{"hoth", "endor", "bespin"} {
		servers[namespace] = newAPIServer()
		servers[namespace].watchLists = namespace != "endor"
	}
	options := inNamespaces(servers)
	name, err := cache.NewInformerName("at-once")
	must(t, err)
	defer name.Release()
	options.Identifier, options.InformerMetricsProvider = name.WithResource(starfighters), newMeters()
	i := newShips(t, nil, options)
	handler, subscriber := &follower{}, &follower{}
	_, err = i.AddTypedEventHandler(handler)
	must(t, err)
	_, err = i.Subscribe(ctx, subscriber, SubscribeOptions{})
	must(t, err)
	var running, work sync.WaitGroup
	running.Go(func() { i.RunWithContext(ctx) })
	for namespace, server := range servers {
		work.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(len(namespace))))
			for n := range 2000 {
				ship := in(namespace, shipOf(fmt.Sprint("ship-", random.IntN(20)), fmt.Sprint(n)))
				if random.IntN(4) == 0 {
					server.remove(keyFor(ship))
				} else {
					server.put(ship)
				}
				if n%800 == 400 {
					server.expire()
					server.cut()
				}
				runtime.Gosched()
			}
			if err := i.WaitForResourceVersion(ctx, server.put(in(namespace, shipOf("last", "Luke"))), namespace); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	want := 0
	for _, server := range servers {
		want += len(server.ships)
	}
	if got := len(i.GetStore().ListKeys()); got != want {
		t.Errorf("%d ships are stored, the servers have %d", got, want)
	}
	for !handler.knows(i) || !subscriber.knows(i) {
		if ctx.Err() != nil {
			t.Fatal("the handlers do not know what is stored")
		}
		runtime.Gosched()
	}
	must(t, i.Shutdown(ctx))
	running.Wait()
	handler.end(t)
	subscriber.end(t)
}

// follower is a handler that knows what it was told, and fails the test when it is
// told what cannot follow.
type follower struct {
	slow  bool
	mu    sync.Mutex
	ships map[string]string // resourceVersion by key
	wrong []string
	ended bool
}

func (f *follower) change(key, what, version string, known bool) {
	if f.slow {
		time.Sleep(time.Millisecond)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ships == nil {
		f.ships = map[string]string{}
	}
	if _, ok := f.ships[key]; ok != known || f.ended {
		f.wrong = append(f.wrong, fmt.Sprintf("%s %s, known: %t, ended: %t", what, key, ok, f.ended))
	}
	if version == "" {
		delete(f.ships, key)
	} else {
		f.ships[key] = version
	}
}

func (f *follower) OnAdd(ship *v1.Starfighter, _ bool) {
	f.change(keyFor(ship), "add", ship.ResourceVersion, false)
}

func (f *follower) OnUpdate(_, ship *v1.Starfighter) {
	f.change(keyFor(ship), "update", ship.ResourceVersion, true)
}

func (f *follower) OnDelete(gone cache.DeletedObject[*v1.Starfighter]) {
	f.change(gone.GetKey(), "delete", "", true)
}

// end says that nothing may be told any more.
func (f *follower) end(t *testing.T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	for _, wrong := range f.wrong {
		t.Error(wrong)
	}
}

func (f *follower) knows(i *Informer[*v1.Starfighter]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	objs := i.Store().ListTyped()
	for _, ship := range objs {
		if f.ships[keyFor(ship)] != ship.ResourceVersion {
			return false
		}
	}
	return len(objs) == len(f.ships)
}
