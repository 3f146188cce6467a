// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

var contractOfHandlers = []clause{{
	sentence: "a client that was added before Run is notified of every update",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.told(r, "add a Luke initially")
		c.server.put(shipOf("a", "Leia"))
		c.server.put(shipOf("a", "Han"))
		c.server.put(shipOf("b", "Wedge"))
		c.server.remove("default/a")
		c.told(r, "update a from Luke to Leia", "update a from Leia to Han", "add b Wedge", "delete a Han at 15")
	},
}, {
	sentence: "a client that was added after Run gets a startup batch of additions, then every update",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		c.run()
		c.server.put(shipOf("a", "Leia"))
		synctest.Wait()
		r := c.add()
		c.server.put(shipOf("a", "Han"))
		c.server.put(shipOf("b", "Wedge"))
		c.told(r, "add a Leia initially", "update a from Leia to Han", "add b Wedge")
		c.toldInAnyOrder(c.add(), "add a Han initially", "add b Wedge initially")
	},
}, {
	sentence: "additions after the initial list are not part of it, nor are those of a later list",
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.server.put(shipOf("a", "Luke"))
		c.told(r, "add a Luke")
		c.server.remove("default/a")
		c.told(r, "delete a Luke at 12")
		c.server.silence()
		c.server.put(shipOf("b", "Wedge"))
		c.server.expire()
		c.server.cut()
		c.later()
		c.told(r, "add b Wedge")
	},
}, {
	sentence: "notifications happen after the updates of the cache and of its indexes",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		must(c.t, c.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"pilot": pilotOf}))
		told := 0
		expect := func(pilot string, want int) {
			told++
			if found, err := c.GetTypedIndexer().ByTypedIndex("pilot", pilot); err != nil || len(found) != want {
				c.t.Errorf("of %s the index has %v, %v, want %d", pilot, found, err, want)
			}
		}
		_, err := c.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc: func(ship *v1.Starfighter) { expect(ship.Spec.Pilot, 1) },
			UpdateFunc: func(old, ship *v1.Starfighter) {
				expect(old.Spec.Pilot, 0)
				expect(ship.Spec.Pilot, 1)
			},
			DeleteFunc: func(gone cache.DeletedObject[*v1.Starfighter]) { expect(gone.OptionalObj.Spec.Pilot, 0) },
		})
		must(c.t, err)
		c.run()
		c.server.put(shipOf("a", "Leia"))
		synctest.Wait()
		c.server.remove("default/a")
		synctest.Wait()
		if told != 4 {
			c.t.Errorf("%d questions were asked, want 4", told)
		}
	},
}, {
	sentence: "for one client, notifications are delivered sequentially, and for one object in order",
	check: func(c *contract) {
		var running, told atomic.Int32
		last := map[string]int{}
		see := func(ship *v1.Starfighter) {
			if running.Add(1) > 1 {
				c.t.Error("two callbacks run at the same time")
			}
			time.Sleep(time.Millisecond)
			var n int
			_, _ = fmt.Sscan(ship.Spec.Pilot, &n)
			if n <= last[ship.Name] {
				c.t.Errorf("%s was seen with %d after %d", ship.Name, n, last[ship.Name])
			}
			last[ship.Name] = n
			told.Add(1)
			running.Add(-1)
		}
		_, err := c.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc:    see,
			UpdateFunc: func(_, ship *v1.Starfighter) { see(ship) },
		})
		must(c.t, err)
		c.run()
		for n := range 300 {
			c.server.put(shipOf(fmt.Sprint("ship-", n%7), fmt.Sprint(n+1)))
		}
		c.later()
		if told.Load() != 300 {
			c.t.Errorf("told of %d changes, want 300", told.Load())
		}
	},
}, {
	sentence: "there is no coordination between different handlers",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		blocked := &recorder{wait: make(chan struct{})}
		_, err := c.AddEventHandler(blocked)
		must(c.t, err)
		r := c.add()
		c.run()
		c.server.put(shipOf("b", "Wedge"))
		c.told(r, "add a Luke initially", "add b Wedge")
		close(blocked.wait)
		c.told(blocked, "add a Luke initially", "add b Wedge")
	},
}, {
	sentence: "of an object that was deleted and created again, unseen, clients are notified of an update only",
	ships:    ships(withUID(shipOf("a", "Luke"), "one")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.server.silence()
		c.server.remove("default/a")
		c.server.put(withUID(shipOf("a", "Wedge"), "two"))
		c.server.expire()
		c.server.cut()
		c.later()
		c.told(r, "add a Luke initially", "update a from Luke to Wedge")
	},
}, {
	sentence: "a delete notification has the last known state, but the resourceVersion at which the object was absent",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.server.remove("default/a")
		c.told(r, "add a Luke initially", "delete a Luke at 12")
	},
}, {
	sentence: "OnDelete gets a DeletedFinalStateUnknown of what was deleted unseen",
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.toldInAnyOrder(r, "add a Luke initially", "add b Wedge initially")
		c.server.silence()
		c.server.remove("default/a")
		c.server.put(shipOf("c", "Biggs"))
		c.server.expire()
		c.server.cut()
		c.later()
		c.toldInAnyOrder(r, "delete default/a, last seen with Luke", "add c Biggs", "update b from Wedge to Wedge")
	},
}, {
	sentence: "a typed handler gets the key of what was deleted unseen, in a DeletedObject",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		handler := &events{}
		_, err := c.AddTypedEventHandler(handler)
		must(c.t, err)
		c.run()
		c.server.silence()
		c.server.remove("default/a")
		c.server.expire()
		c.server.cut()
		c.later()
		got := handler.snapshot()["default/a"]
		if len(got) != 2 || got[1] != "delete Luke unknown=true" {
			c.t.Errorf("told was %q", got)
		}
	},
}, {
	sentence: "at most one HandlerOptions may be passed to AddTypedEventHandler",
	check: func(c *contract) {
		if _, err := c.AddTypedEventHandler(&events{}, cache.HandlerOptions{}, cache.HandlerOptions{}); err == nil {
			c.t.Error("two were taken")
		}
	},
}, {
	sentence: "a handler that adds another one, and asks the informer, is answered",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		var inner *recorder
		_, err := c.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) {
			inner = c.add()
			_, _, _ = c.HasSynced(), c.IsStopped(), c.LastSyncResourceVersion()
		}})
		must(c.t, err)
		c.run()
		c.told(inner, "add a Luke initially")
	},
}}

var contractOfRegistrations = []clause{{
	sentence: "HasSynced of an informer does not tell if a handler is synced; that of its registration does, once all pre-sync events were delivered",
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		slow := &recorder{wait: make(chan struct{})}
		registration, err := c.AddEventHandler(slow)
		must(c.t, err)
		if registration.HasSynced() {
			c.t.Error("the handler is synced before the start")
		}
		c.run()
		if !c.HasSynced() || registration.HasSynced() || cache.IsDone(registration.HasSyncedChecker()) {
			c.t.Errorf("in sync is the informer: %t, the handler: %t", c.HasSynced(), registration.HasSynced())
		}
		slow.wait <- struct{}{} // all but one
		synctest.Wait()
		if registration.HasSynced() {
			c.t.Error("the handler is synced with one object to come")
		}
		close(slow.wait)
		synctest.Wait()
		if !registration.HasSynced() || !cache.IsDone(registration.HasSyncedChecker()) {
			c.t.Error("the handler is not synced")
		}
	},
}, {
	sentence: "HasSynced of a late registration is about its startup batch",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		c.run()
		late := &recorder{wait: make(chan struct{})}
		registration, err := c.AddEventHandler(late)
		must(c.t, err)
		synctest.Wait()
		if registration.HasSynced() {
			c.t.Error("it is synced before its batch was delivered")
		}
		close(late.wait)
		synctest.Wait()
		if !registration.HasSynced() {
			c.t.Error("it is not synced after its batch was delivered")
		}
	},
}, {
	sentence: "the name of a registration's checker has that of the informer and says which handler it is",
	check: func(c *contract) {
		r := c.add()
		name := r.registration.HasSyncedChecker().Name()
		if !strings.HasPrefix(name, c.HasSyncedChecker().Name()+" + event handler ") || !strings.HasSuffix(name, "informer.recorder") {
			c.t.Errorf("the name is %q", name)
		}
	},
}, {
	sentence: "a handler is not added to an informer that has stopped",
	check: func(c *contract) {
		c.run()
		c.stop()
		period := time.Minute
		for _, add := range []func() (cache.ResourceEventHandlerRegistration, error){
			func() (cache.ResourceEventHandlerRegistration, error) { return c.AddEventHandler(&recorder{}) },
			func() (cache.ResourceEventHandlerRegistration, error) {
				return c.AddEventHandlerWithResyncPeriod(&recorder{}, period)
			},
			func() (cache.ResourceEventHandlerRegistration, error) {
				return c.AddEventHandlerWithOptions(&recorder{}, cache.HandlerOptions{ResyncPeriod: &period})
			},
			func() (cache.ResourceEventHandlerRegistration, error) { return c.AddTypedEventHandler(&events{}) },
		} {
			if registration, err := add(); err == nil || registration != nil {
				c.t.Errorf("it was: %v, %v", registration, err)
			}
		}
	},
}, {
	sentence: "RemoveEventHandler removes a handler, and is idempotent; others go on",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r, other, early := c.add(), c.add(), c.add()
		must(c.t, c.RemoveEventHandler(early.registration))
		c.run()
		c.told(early)
		c.told(r, "add a Luke initially")
		c.told(other, "add a Luke initially")
		must(c.t, c.RemoveEventHandler(r.registration))
		must(c.t, c.RemoveEventHandler(r.registration))
		c.server.put(shipOf("a", "Leia"))
		c.told(r)
		c.told(other, "update a from Luke to Leia")
		c.stop()
		must(c.t, c.RemoveEventHandler(other.registration))
	},
}, {
	sentence: "a registration must be supplied back to the same informer: that of another changes nothing, and what is none is an error",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r := c.add()
		for _, make := range makers {
			other, err := make(c.t, c.server, 0).AddEventHandler(&recorder{})
			must(c.t, err)
			_ = c.RemoveEventHandler(other) // of another kind is an error, of the same none
		}
		if err := c.RemoveEventHandler(nil); err == nil {
			c.t.Error("nil was removed")
		}
		c.run()
		c.told(r, "add a Luke initially")
	},
}, {
	sentence: "RemoveEventHandler does not wait for a callback; ShutDownEventHandler does, and is idempotent",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		slow := &recorder{wait: make(chan struct{})}
		registration, err := c.AddEventHandler(slow)
		must(c.t, err)
		c.run()
		must(c.t, c.RemoveEventHandler(registration))
		var done atomic.Bool
		go func() {
			if err := cache.ShutDownEventHandler(c, registration); err != nil {
				c.t.Error(err)
			}
			done.Store(true)
		}()
		synctest.Wait()
		if done.Load() {
			c.t.Error("it did not wait")
		}
		close(slow.wait)
		synctest.Wait()
		if !done.Load() {
			c.t.Error("it waits on")
		}
		must(c.t, cache.ShutDownEventHandler(c, registration))
		never := c.add()
		must(c.t, cache.ShutDownEventHandler(c, never.registration))
	},
}, {
	sentence: "ShutDownEventHandler of a handler that never ran returns",
	check: func(c *contract) {
		r := c.add()
		must(c.t, cache.ShutDownEventHandler(c, r.registration))
	},
}}
