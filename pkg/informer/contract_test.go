// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

type shipInformer = cache.TypedSharedIndexInformer[*v1.Starfighter]

// contract is what a test of the contract works with: a server, and an informer of
// client-go's or ours.
type contract struct {
	shipInformer
	t      *testing.T
	ctx    context.Context
	cancel context.CancelFunc
	server *apiServer
	ended  chan struct{} // closed when the run has ended
}

// TestContract is the documentation of cache.SharedInformer, and of the interfaces
// beside it, sentence by sentence: it holds for client-go's informer and for ours,
// with and without watch-lists.
func TestContract(t *testing.T) {
	for _, part := range [][]clause{contractOfCache, contractOfHandlers, contractOfRegistrations, contractOfResync, contractOfLife} {
		for _, test := range part {
			t.Run(test.sentence, func(t *testing.T) {
				for name, makeInformer := range makers {
					for _, watchLists := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s/watch-list=%t", name, watchLists), func(t *testing.T) {
							within(t, func(t *testing.T, ctx context.Context) {
								ctx, cancel := context.WithCancel(ctx)
								defer cancel()
								server := newAPIServer(test.ships...)
								server.watchLists = watchLists
								i := makeInformer(t, server, test.resync)
								test.check(&contract{t: t, shipInformer: i, ctx: ctx, cancel: cancel, server: server, ended: make(chan struct{})})
							})
						})
					}
				}
			})
		}
	}
}

// clause is a sentence of the contract, with what there is on the server before,
// and the informer's resync period.
type clause struct {
	sentence string
	ships    []*v1.Starfighter
	resync   time.Duration
	check    func(c *contract)
}

var makers = map[string]func(t *testing.T, lw cache.ListerWatcher, resync time.Duration) shipInformer{
	"client-go": func(t *testing.T, lw cache.ListerWatcher, resync time.Duration) shipInformer {
		i := cache.NewTypedSharedIndexInformer[*v1.Starfighter](cache.NewSharedIndexInformer(lw, &v1.Starfighter{}, resync, cache.Indexers{}))
		must(t, i.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
		return i
	},
	"ours": func(t *testing.T, lw cache.ListerWatcher, resync time.Duration) shipInformer {
		return newShips(t, lw, Options[*v1.Starfighter]{SharedIndexInformerOptions: cache.SharedIndexInformerOptions{ResyncPeriod: resync}})
	},
}

// run runs the informer until all that there is to do is done.
func (c *contract) run() {
	go func() {
		defer close(c.ended)
		c.RunWithContext(c.ctx)
	}()
	synctest.Wait()
}

// stop ends the run.
func (c *contract) stop() {
	c.cancel()
	<-c.ended
}

// add adds a handler that records.
func (c *contract) add(options ...cache.HandlerOptions) *recorder {
	c.t.Helper()
	r := &recorder{}
	var err error
	if len(options) > 0 {
		r.registration, err = c.AddEventHandlerWithOptions(r, options[0])
	} else {
		r.registration, err = c.AddEventHandler(r)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// later waits until nothing happens any more, a long time after.
func (c *contract) later() {
	time.Sleep(3 * time.Minute)
	synctest.Wait()
}

// told fails the test unless a handler was told just this since it was asked last.
func (c *contract) told(r *recorder, want ...string) {
	c.t.Helper()
	synctest.Wait()
	if got := r.take(); !slices.Equal(got, want) {
		c.t.Errorf("told was\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// toldInAnyOrder is told for changes of different objects, which have no order.
func (c *contract) toldInAnyOrder(r *recorder, want ...string) {
	c.t.Helper()
	synctest.Wait()
	got := r.take()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.t.Errorf("told was %q, want %q", got, want)
	}
}

// stored fails the test unless these keys are in the store.
func (c *contract) stored(want ...string) {
	c.t.Helper()
	got := c.GetStore().ListKeys()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		c.t.Errorf("stored are %v, want %v", got, want)
	}
}

// recorder is a handler that keeps what it was told, in order.
type recorder struct {
	registration cache.ResourceEventHandlerRegistration
	mu           sync.Mutex
	notes        []string
	wait         chan struct{} // holds up each callback until it is closed; nil for none
}

func (r *recorder) note(format string, args ...any) {
	if r.wait != nil {
		<-r.wait
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := r.notes
	r.notes = nil
	return notes
}

func (r *recorder) OnAdd(obj any, initial bool) {
	ship := obj.(*v1.Starfighter)
	if initial {
		r.note("add %s %s initially", ship.Name, ship.Spec.Pilot)
		return
	}
	r.note("add %s %s", ship.Name, ship.Spec.Pilot)
}

func (r *recorder) OnUpdate(old, obj any) {
	r.note("update %s from %s to %s", obj.(*v1.Starfighter).Name, old.(*v1.Starfighter).Spec.Pilot, obj.(*v1.Starfighter).Spec.Pilot)
}

func (r *recorder) OnDelete(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		r.note("delete %s, last seen with %s", tombstone.Key, tombstone.Obj.(*v1.Starfighter).Spec.Pilot)
		return
	}
	ship := obj.(*v1.Starfighter)
	r.note("delete %s %s at %s", ship.Name, ship.Spec.Pilot, ship.ResourceVersion)
}

func ships(ships ...*v1.Starfighter) []*v1.Starfighter { return ships }
