// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// withoutNamespace is a ship as if its kind were cluster-scoped.
func withoutNamespace(ship *v1.Starfighter) *v1.Starfighter {
	ship.Namespace = ""
	return ship
}

func withUID(ship *v1.Starfighter, uid string) *v1.Starfighter {
	ship.UID = types.UID(uid)
	return ship
}

var contractOfCache = []clause{{
	sentence: "the local cache starts out empty, and gets populated during Run",
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		c.stored()
		c.run()
		c.stored("default/a", "default/b")
		c.server.has(c.t, c)
	},
}, {
	sentence: "it is eventually consistent with the authoritative state",
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		c.run()
		c.server.put(shipOf("a", "Leia"))
		c.server.put(shipOf("c", "Biggs"))
		c.server.remove("default/b")
		synctest.Wait()
		c.server.has(c.t, c)
		c.server.silence()
		c.server.put(shipOf("a", "Han"))
		c.server.remove("default/c")
		c.server.expire()
		c.server.cut()
		c.later()
		c.server.has(c.t, c)
	},
}, {
	sentence: "what is removed from the authoritative state is eventually removed from the cache, even if created again and removed meanwhile",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		c.run()
		c.server.cut()
		c.server.remove("default/a")
		c.server.put(withUID(shipOf("a", "Wedge"), "another"))
		c.server.remove("default/a")
		c.later()
		c.stored()
	},
}, {
	sentence: "keys are namespace/name, or the name without a namespace",
	ships:    ships(shipOf("a", "Luke"), withoutNamespace(shipOf("b", "Wedge"))),
	check: func(c *contract) {
		c.run()
		c.stored("b", "default/a")
		obj, exists, err := c.GetStore().GetByKey("default/a")
		if err != nil || !exists {
			c.t.Fatalf("not found: %v", err)
		}
		if key, err := cache.MetaNamespaceKeyFunc(obj); err != nil || key != "default/a" {
			c.t.Errorf("MetaNamespaceKeyFunc gives %q, %v", key, err)
		}
	},
}, {
	sentence: "a List does not have two entries with the same namespace and name",
	ships:    ships(withUID(shipOf("a", "Luke"), "one")),
	check: func(c *contract) {
		c.run()
		c.server.cut()
		c.server.remove("default/a")
		c.server.put(withUID(shipOf("a", "Wedge"), "two"))
		c.later()
		if list := c.GetStore().List(); len(list) != 1 || list[0].(*v1.Starfighter).UID != "two" {
			c.t.Errorf("listed are %v", list)
		}
	},
}, {
	sentence: "GetStore and GetIndexer return the local cache",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		c.run()
		one, _, _ := c.GetStore().GetByKey("default/a")
		two, _, _ := c.GetIndexer().GetByKey("default/a")
		if one == nil || one != two {
			c.t.Errorf("GetStore has %p and GetIndexer %p", one, two)
		}
	},
}, {
	sentence: "indexes may be added before the start and after it, under names that are free, until the informer has stopped",
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		must(c.t, c.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"pilot": pilotOf}))
		c.run()
		must(c.t, c.AddIndexers(cache.Indexers{"late": func(obj any) ([]string, error) { return pilotOf(obj.(*v1.Starfighter)) }}))
		for _, index := range []string{"pilot", "late"} {
			found, err := c.GetTypedIndexer().ByTypedIndex(index, "Wedge")
			if err != nil || len(found) != 1 || found[0].Name != "b" {
				c.t.Errorf("index %s has %v, %v", index, found, err)
			}
		}
		if err := c.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"pilot": pilotOf}); err == nil {
			c.t.Error("an index was added under a name that is taken")
		}
		c.stop()
		if err := c.AddIndexers(cache.Indexers{"too late": func(any) ([]string, error) { return nil, nil }}); err == nil {
			c.t.Error("an index was added after the informer had stopped")
		}
		if err := c.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"too late": pilotOf}); err == nil {
			c.t.Error("a typed index was added after the informer had stopped")
		}
	},
}, {
	sentence: "the TransformFunc is called for each object which is about to be stored",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		must(c.t, c.SetTransform(func(obj any) (any, error) {
			obj.(*v1.Starfighter).Spec.Pilot = strings.ToUpper(obj.(*v1.Starfighter).Spec.Pilot)
			return obj, nil
		}))
		r := c.add()
		c.run()
		c.told(r, "add a LUKE initially")
		c.server.put(shipOf("a", "Leia"))
		c.server.put(shipOf("b", "Wedge"))
		c.told(r, "update a from LUKE to LEIA", "add b WEDGE")
		c.server.silence()
		c.server.put(shipOf("a", "Han"))
		c.server.expire()
		c.server.cut()
		c.later()
		if got := r.take(); !slices.Contains(got, "update a from LEIA to HAN") {
			c.t.Errorf("after a relist told was %q", got)
		}
		if err := c.SetTransform(nil); err == nil {
			c.t.Error("a transform was set after the start")
		}
	},
}}

func pilotOf(ship *v1.Starfighter) ([]string, error) { return []string{ship.Spec.Pilot}, nil }

var contractOfLife = []clause{{
	sentence: "Run returns after the informer stops, which it does when the channel is closed, and never runs again",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		stop := make(chan struct{})
		returned := make(chan struct{})
		go func() {
			c.Run(stop)
			close(returned)
		}()
		synctest.Wait()
		if c.IsStopped() || !c.HasSynced() {
			c.t.Errorf("running, it is stopped: %t, in sync: %t", c.IsStopped(), c.HasSynced())
		}
		close(stop)
		<-returned
		if !c.IsStopped() {
			c.t.Error("it is not stopped")
		}
		requests := c.server.count("")
		c.RunWithContext(c.ctx) // returns
		if c.server.count("") != requests {
			c.t.Error("it ran again")
		}
	},
}, {
	sentence: "to run it twice is not allowed, and does nothing",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.RunWithContext(c.ctx) // returns
		c.told(r, "add a Luke initially")
		c.server.put(shipOf("a", "Leia"))
		c.told(r, "update a from Luke to Leia")
	},
}, {
	sentence: "HasSynced, once the store has been informed by a full LIST; HasSyncedChecker completes then",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		c.server.setFault(func(request) error { return apierrors.NewServiceUnavailable("not yet") })
		c.run()
		checker := c.HasSyncedChecker()
		if c.HasSynced() || cache.IsDone(checker) || c.GetController().HasSynced() {
			c.t.Error("it is in sync without a LIST")
		}
		c.server.setFault(nil)
		c.later()
		if !c.HasSynced() || !cache.IsDone(checker) || !c.GetController().HasSynced() || !cache.IsDone(c.GetController().HasSyncedChecker()) {
			c.t.Error("it is not in sync after a LIST")
		}
		if !strings.Contains(checker.Name(), "Starfighter") {
			c.t.Errorf("the checker's name %q does not say what it is for", checker.Name())
		}
	},
}, {
	sentence: "HasSynced is true of an empty collection too",
	check: func(c *contract) {
		r := c.add()
		c.run()
		if !c.HasSynced() || !r.registration.HasSynced() {
			c.t.Errorf("in sync is the informer: %t, the handler: %t", c.HasSynced(), r.registration.HasSynced())
		}
	},
}, {
	sentence: "LastSyncResourceVersion is the one observed when last synced",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		if got := c.LastSyncResourceVersion(); got != "" {
			c.t.Errorf("before the start it is %q", got)
		}
		c.run()
		if got := c.LastSyncResourceVersion(); got != "11" {
			c.t.Errorf("after the start it is %q, want 11", got)
		}
		want := c.server.put(shipOf("b", "Wedge"))
		synctest.Wait()
		if got := c.LastSyncResourceVersion(); got != want || c.GetController().LastSyncResourceVersion() != want {
			c.t.Errorf("after an event it is %q, the controller's %q, want %s", got, c.GetController().LastSyncResourceVersion(), want)
		}
		c.server.mu.Lock()
		c.server.version = 20
		c.server.mu.Unlock()
		c.server.bookmark()
		synctest.Wait()
		if got := c.LastSyncResourceVersion(); got != "20" {
			c.t.Errorf("after a bookmark it is %q, want 20", got)
		}
	},
}, {
	sentence: "GetController returns something whose Run does nothing",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		c.GetController().RunWithContext(c.ctx) // returns
		c.GetController().Run(c.ctx.Done())
		if n := c.server.count(""); n != 0 {
			c.t.Errorf("it made %d requests", n)
		}
		c.run()
		c.stored("default/a")
	},
}, {
	sentence: "the WatchErrorHandler is called when a connection is dropped with an error, then the informer retries; the last one set wins, and none after the start",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		var told []error
		must(c.t, c.SetWatchErrorHandler(func(*cache.Reflector, error) { c.t.Error("the first one was called") }))
		must(c.t, c.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { told = append(told, err) }))
		refused := apierrors.NewForbidden(schema.GroupResource{Resource: "starfighters"}, "", nil)
		c.server.setFault(func(request) error { return refused })
		c.run()
		if len(told) == 0 || !apierrors.IsForbidden(told[0]) {
			c.t.Errorf("the handler was told %v", told)
		}
		c.server.setFault(nil)
		c.later()
		c.stored("default/a")
		if err := c.SetWatchErrorHandler(func(*cache.Reflector, error) {}); err == nil {
			c.t.Error("a WatchErrorHandler was set after the start")
		}
		if err := c.SetWatchErrorHandlerWithContext(cache.DefaultWatchErrorHandler); err == nil {
			c.t.Error("a WatchErrorHandlerWithContext was set after the start")
		}
	},
}, {
	sentence: "an informer that was told to stop before it could sync does so",
	check: func(c *contract) {
		c.server.setFault(func(request) error { return apierrors.NewServiceUnavailable("never") })
		r := c.add()
		c.run()
		time.Sleep(time.Minute)
		began := time.Now()
		c.stop()
		if took := time.Since(began); took > 2*time.Second {
			c.t.Errorf("it took %v", took)
		}
		if c.HasSynced() || r.registration.HasSynced() {
			c.t.Error("it is in sync")
		}
	},
}}

func TestContractTypes(t *testing.T) {
	i := newShips(t, newAPIServer(), Options[*v1.Starfighter]{})
	var _ cache.TypedSharedIndexInformer[*v1.Starfighter] = i
	from, err := From[*v1.Starfighter](cache.NewTypedSharedIndexInformer[*v1.Starfighter](i))
	if err != nil || from != i {
		t.Errorf("From returned %p, %v, want %p", from, err, i)
	}
	if _, err := From[*v1.Starfighter](clientGo(newAPIServer())); err == nil {
		t.Error("From took client-go's informer for ours")
	}
}
