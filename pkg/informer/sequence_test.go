// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// The same server does what a script says, before client-go's informer and before
// ours: their handlers are told the same, and their stores have the same.
func TestSequencesAreThoseOfClientGo(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			steps := make([]byte, 700)
			for n := range steps {
				steps[n] = byte(random.UintN(256))
			}
			playBoth(t, steps)
		})
	}
}

// FuzzSequence plays any script, a byte or a few for each step. Its corpus is in
// testdata/fuzz.
func FuzzSequence(f *testing.F) {
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 400 {
			t.Skip("longer than what is worth the time")
		}
		playBoth(t, steps)
	})
}

func playBoth(t *testing.T, steps []byte) {
	want := play(t, makers["client-go"], steps)
	got := play(t, func(t *testing.T, lw cache.ListerWatcher, resync time.Duration) shipInformer {
		options := Options[*v1.Starfighter]{IdleTimeout: -1} // or it would make watches anew when client-go's does not
		options.ResyncPeriod = resync
		return newShips(t, lw, options)
	}, steps)
	if len(want) != len(got) {
		t.Fatalf("there are %d handlers, client-go's informer has %d", len(got), len(want))
	}
	for n := range want {
		for _, key := range slices.Sorted(maps.Keys(merged(want[n], got[n]))) {
			if !slices.Equal(got[n][key], want[n][key]) {
				t.Errorf("handler %d was told of %s\n\t%s\nand client-go's\n\t%s", n, key,
					strings.Join(got[n][key], "\n\t"), strings.Join(want[n][key], "\n\t"))
			}
		}
	}
}

func merged(a, b map[string][]string) map[string][]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// play lets an informer follow the server of a script, and returns what each of its
// handlers was told, by object, and last of all what the store has.
func play(t *testing.T, make func(*testing.T, cache.ListerWatcher, time.Duration) shipInformer, steps []byte) (told []map[string][]string) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := &player{t: t, server: newAPIServer(), steps: steps}
		p.server.watchLists = p.next()%2 == 0
		resync := time.Duration(p.next()%2) * 45 * time.Second
		for n := range p.next() % 6 {
			p.server.put(shipOf(fmt.Sprint("ship-", n), "first"))
		}
		p.informer = make(t, p.server, resync)
		p.add(cache.HandlerOptions{})
		p.add(every(0))
		done := sync.WaitGroup{}
		done.Go(func() { p.informer.RunWithContext(ctx) })
		synctest.Wait()
		for len(p.steps) > 0 {
			p.step()
			synctest.Wait()
		}
		p.server.bookmark()
		time.Sleep(2*time.Minute + time.Second/3) // everything that was cut is well again
		synctest.Wait()
		p.server.has(t, p.informer)
		cancel()
		done.Wait()
		for _, handler := range p.handlers {
			told = append(told, handler.snapshot())
		}
		stored := map[string][]string{}
		for _, obj := range p.informer.GetStore().List() {
			stored[keyFor(obj.(*v1.Starfighter))] = []string{obj.(*v1.Starfighter).Spec.Pilot}
		}
		told = append(told, stored)
	})
	return told
}

type player struct {
	t             *testing.T
	server        *apiServer
	informer      shipInformer
	steps         []byte
	handlers      []*teller
	registrations []cache.ResourceEventHandlerRegistration
	changes       int
}

// next returns the next byte of the script; zeros follow its end.
func (p *player) next() byte {
	if len(p.steps) == 0 {
		return 0
	}
	b := p.steps[0]
	p.steps = p.steps[1:]
	return b
}

func (p *player) add(options cache.HandlerOptions) {
	handler := &teller{}
	registration, err := p.informer.AddTypedEventHandler(handler, options)
	must(p.t, err)
	p.handlers = append(p.handlers, handler)
	p.registrations = append(p.registrations, registration)
}

// change changes one of ten ships, unless it is told to the watches or not.
func (p *player) change() {
	p.changes++
	name := fmt.Sprint("ship-", p.next()%10)
	ship := shipOf(name, fmt.Sprint("pilot-", p.changes))
	p.server.mu.Lock()
	there := p.server.ships[keyFor(ship)]
	p.server.mu.Unlock()
	if there == nil {
		p.server.put(withUID(ship, fmt.Sprint(name, "-", p.changes)))
		return
	}
	if p.next()%3 == 0 {
		p.server.remove(keyFor(ship))
		return
	}
	p.server.put(withUID(ship, string(there.UID)))
}

func (p *player) step() {
	switch op := p.next() % 32; op {
	case 0, 1: // a connection that breaks, and nothing is lost
		p.offline(0, func() { p.change() })
	case 2, 3: // one where the watch has expired when it is back
		p.offline(0, func() {
			for range p.next() % 8 {
				p.change()
			}
			p.server.expire()
		})
	case 4: // the same with nothing but other ships of the same names
		p.offline(0, func() {
			for range p.next() % 8 {
				name := fmt.Sprint("default/ship-", p.next()%10)
				p.server.mu.Lock()
				ship := p.server.ships[name]
				p.server.mu.Unlock()
				if ship != nil {
					p.server.remove(name)
					p.server.put(withUID(shipOf(ship.Name, "impostor"), fmt.Sprint("impostor-", p.changes)))
				}
			}
			p.server.expire()
		})
	case 5:
		p.server.bookmark()
	case 6: // a time in which there may be a resync
		time.Sleep(46 * time.Second)
	case 7:
		if len(p.handlers) < 8 {
			p.add([]cache.HandlerOptions{{}, every(0), every(50 * time.Second)}[p.next()%3])
		}
	case 8:
		if n := int(p.next()); n < len(p.registrations) {
			must(p.t, p.informer.RemoveEventHandler(p.registrations[n]))
		}
	case 9: // the server refuses for a while
		p.offline(5*time.Second, func() { p.change() })
	default:
		p.change()
	}
}

// offline does something while nobody reaches the server, and waits until every
// informer has made its attempts after that.
func (p *player) offline(pause time.Duration, do func()) {
	p.server.setFault(func(request) error { return errRefused })
	p.server.cut()
	do()
	time.Sleep(pause)
	p.server.setFault(nil)
	time.Sleep(3*time.Minute + time.Second/3)
	synctest.Wait()
	p.server.has(p.t, p.informer)
}

// teller is a handler that keeps what it was told of each object, and leaves out
// how often a resync showed it: informers need not do that at the same instants.
type teller struct{ events }

// OnUpdate implements cache.TypedResourceEventHandler.
func (r *teller) OnUpdate(old, ship *v1.Starfighter) {
	if old.ResourceVersion != ship.ResourceVersion {
		r.events.OnUpdate(old, ship)
	}
}
