// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// feed is an informer that a test fills itself, in place of the reflector.
func feed(t *testing.T) *Informer[*v1.Starfighter] {
	t.Helper()
	i := newShips(t, newAPIServer(), Options[*v1.Starfighter]{})
	i.start(func() {})
	return i
}

// fill stores a thousand ships and returns one of them.
func fill(t *testing.T, i *Informer[*v1.Starfighter]) weak.Pointer[v1.Starfighter] {
	t.Helper()
	list := make([]any, 1000)
	for n := range list {
		list[n] = shipOf(fmt.Sprint("ship-", n), "Luke")
	}
	must(t, i.scopes[0].Replace(list, "1"))
	return weak.Make(list[500].(*v1.Starfighter))
}

// overwrite stores so many changes of each of a thousand ships.
func overwrite(t *testing.T, i *Informer[*v1.Starfighter], times int) {
	t.Helper()
	for n := range times * 1000 {
		ship := shipOf(fmt.Sprint("ship-", n%1000), "Wedge")
		ship.ResourceVersion = fmt.Sprint(1000 + n)
		must(t, i.scopes[0].Add(ship))
	}
	synctest.Wait()
}

// isCollected waits for the garbage collector to take an object.
func isCollected(ship weak.Pointer[v1.Starfighter]) bool {
	for range 5 {
		if runtime.GC(); ship.Value() == nil {
			return true
		}
	}
	return false
}

// Objects that are no longer stored are garbage, whoever was told of them, and
// whoever has ended and is still known to somebody.
func TestOldObjectsAreGarbage(t *testing.T) {
	type consumers struct {
		i    *Informer[*v1.Starfighter]
		kept []any
	}
	add := func(t *testing.T, c *consumers) cache.ResourceEventHandlerRegistration {
		r, err := c.i.AddTypedEventHandler(&cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{})
		must(t, err)
		c.kept = append(c.kept, r)
		return r
	}
	subscribe := func(t *testing.T, ctx context.Context, c *consumers) *Subscription[*v1.Starfighter] {
		s, err := c.i.Subscribe(ctx, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{}, SubscribeOptions{})
		must(t, err)
		c.kept = append(c.kept, s)
		return s
	}
	for name, prepare := range map[string]func(t *testing.T, ctx context.Context, c *consumers){
		"handler":      func(t *testing.T, _ context.Context, c *consumers) { add(t, c) },
		"subscription": func(t *testing.T, ctx context.Context, c *consumers) { subscribe(t, ctx, c) },
		"removed handler": func(t *testing.T, _ context.Context, c *consumers) {
			add(t, c)
			must(t, c.i.RemoveEventHandler(add(t, c)))
		},
		"ended subscription": func(t *testing.T, ctx context.Context, c *consumers) {
			add(t, c)
			must(t, c.i.RemoveEventHandler(subscribe(t, ctx, c)))
		},
		"subscription that ended in a callback that does not return": func(t *testing.T, ctx context.Context, c *consumers) {
			add(t, c)
			own, end := context.WithCancel(ctx)
			s, err := c.i.Subscribe(own, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) { <-ctx.Done() }}, SubscribeOptions{})
			must(t, err)
			c.kept = append(c.kept, s)
			synctest.Wait()
			end()
			synctest.Wait()
		},
		"handler after a resync": func(t *testing.T, _ context.Context, c *consumers) {
			add(t, c)
			period := time.Second
			r, err := c.i.AddEventHandlerWithResyncPeriod(cache.ResourceEventHandlerFuncs{}, period)
			must(t, err)
			c.kept = append(c.kept, r)
			c.i.resyncDue(time.Now().Add(period))
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, ctx context.Context) {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				c := &consumers{i: feed(t)}
				old := fill(t, c.i)
				prepare(t, ctx, c)
				synctest.Wait()
				overwrite(t, c.i, 3)
				if !isCollected(old) {
					t.Error("a ship that was replaced is still in memory")
				}
				runtime.KeepAlive(c)
				cancel()
				c.i.finish()
				synctest.Wait()
			})
		})
	}
}

// A subscription whose handler does not return keeps one change of each object,
// also of those that it was to be told of at first.
func TestScenario13BlockedInTheInitialList(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		i := feed(t)
		fill(t, i)
		told, release := &events{}, make(chan struct{})
		first := true
		s, err := i.Subscribe(ctx, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc: func(ship *v1.Starfighter) {
				if first {
					first = false
					<-release
				}
				told.OnAdd(ship, true)
			},
			UpdateFunc: told.OnUpdate,
			DeleteFunc: told.OnDelete,
		}, SubscribeOptions{})
		must(t, err)
		synctest.Wait()
		overwrite(t, i, 20)
		must(t, i.scopes[0].Delete(shipOf("ship-999", "Wedge")))
		// 1000 of the list and 20,000 changes and a delete, of which the delete of
		// ship-999 and all of its history came to nothing.
		const all = 21_001
		status := s.Status()
		if told := status.Delivered + status.Coalesced + uint64(status.Pending); status.Pending > 1000 || told != all {
			t.Errorf("%d are pending, of 1000 objects: of %d changes the status is %+v", status.Pending, all, status)
		}
		close(release)
		synctest.Wait()
		status = s.Status()
		if status.Delivered != uint64(told.count()) || status.Delivered != 1000 || status.Pending != 0 {
			t.Errorf("told %d times, the status is %+v", told.count(), status)
		}
		if told := status.Delivered + status.Coalesced; told != all {
			t.Errorf("%d were delivered and %d coalesced, of %d", status.Delivered, status.Coalesced, all)
		}
		for key, want := range map[string]int{"default/ship-0": 2, "default/ship-1": 1, "default/ship-999": 0} {
			if got := told.snapshot()[key]; len(got) != want {
				t.Errorf("of %s told was %q", key, got)
			}
		}
		if !s.HasSynced() {
			t.Error("it is not in sync")
		}
		i.finish()
		synctest.Wait()
	})
}
