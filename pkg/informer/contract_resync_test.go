// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"
)

// every is what a handler asks for.
func every(period time.Duration) cache.HandlerOptions {
	return cache.HandlerOptions{ResyncPeriod: &period}
}

// count returns how often a handler was told since it was asked last.
func (r *recorder) count() int { return len(r.take()) }

var contractOfResync = []clause{{
	sentence: "a resync delivers an update for every object, and adds no interactions with the server",
	resync:   time.Minute,
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		c.toldInAnyOrder(r, "add a Luke initially", "add b Wedge initially")
		requests := c.server.count("")
		time.Sleep(61 * time.Second)
		synctest.Wait()
		got := r.take()
		if len(got) != 2 || got[0] == got[1] {
			c.t.Errorf("told was %q, want one update of each ship", got)
		}
		if n := c.server.count("") - requests; n != 0 {
			c.t.Errorf("%d requests were made", n)
		}
	},
}, {
	sentence: "zero means that a handler does not care about resyncs, nil that it takes the informer's period",
	resync:   time.Minute,
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		never, as := c.add(every(0)), c.add(cache.HandlerOptions{})
		c.run()
		time.Sleep(61 * time.Second)
		c.told(never, "add a Luke initially")
		c.told(as, "add a Luke initially", "update a from Luke to Luke")
	},
}, {
	sentence: "the nominal period is no shorter than the requested one, but may be longer",
	resync:   time.Minute,
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		slow := c.add(every(150 * time.Second)) // rounded up to three minutes, or not
		quick := c.add(every(30 * time.Second)) // lowers the period at which the informer checks
		c.run()
		late := c.add(every(40 * time.Second))
		synctest.Wait()
		slow.take()
		quick.take()
		late.take()
		time.Sleep(29 * time.Second)
		c.told(quick)
		time.Sleep(10*time.Minute - 29*time.Second + time.Second)
		synctest.Wait()
		for _, test := range []struct {
			handler     *recorder
			least, most int
		}{{slow, 3, 4}, {quick, 19, 20}, {late, 10, 15}} {
			if n := test.handler.count(); n < test.least || n > test.most {
				c.t.Errorf("in ten minutes there were %d resyncs, want %d to %d", n, test.least, test.most)
			}
		}
	},
}, {
	sentence: "a period is a second at least",
	resync:   time.Minute,
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r := c.add(every(time.Millisecond))
		c.run()
		r.take()
		time.Sleep(10*time.Second + 500*time.Millisecond)
		synctest.Wait()
		if n := r.count(); n < 9 || n > 10 {
			c.t.Errorf("in ten seconds there were %d resyncs", n)
		}
	},
}, {
	sentence: "a handler that was removed sees no resync, and no longer makes for one",
	resync:   time.Minute,
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r, stays := c.add(every(10*time.Second)), c.add()
		c.run()
		must(c.t, c.RemoveEventHandler(r.registration))
		r.take()
		stays.take()
		time.Sleep(61 * time.Second)
		c.told(r)
		c.told(stays, "update a from Luke to Luke")
	},
}, {
	sentence: "objects that a relist finds as they were go to the handlers that are resyncing only",
	resync:   time.Minute,
	ships:    ships(shipOf("a", "Luke"), shipOf("b", "Wedge")),
	check: func(c *contract) {
		with, without := c.add(), c.add(every(0))
		c.run()
		time.Sleep(61 * time.Second) // from here on it is known who is resyncing
		synctest.Wait()
		with.take()
		without.take()
		c.server.put(shipOf("c", "Biggs"))
		synctest.Wait()
		c.server.expire()
		c.server.mu.Lock()
		c.server.version++
		c.server.compacted = c.server.version
		c.server.mu.Unlock()
		c.server.cut()
		time.Sleep(20 * time.Second)
		c.told(without, "add c Biggs")
		if got := with.take(); len(got) != 4 {
			c.t.Errorf("told was %q, want an addition and three updates", got)
		}
	},
}, {
	sentence: "events that a watch repeats are updates for those that are resyncing",
	ships:    ships(shipOf("a", "Luke")),
	check: func(c *contract) {
		r := c.add()
		c.run()
		r.take()
		c.server.mu.Lock()
		for w := range c.server.watches {
			w.from = 0
			w.send(c.server.history[0])
		}
		c.server.mu.Unlock()
		c.told(r, "update a from Luke to Luke")
	},
}}
