// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// To wait for sync is to wait for the handlers too, and one that is slow is named.
func TestScenario10SyncWaitsForHandlers(t *testing.T) {
	t.Parallel()
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			ships, _ := sharedShips(t)
			create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
			ctx, factory, _ := sharedFactory(t, 0, e.options...)
			release := make(chan struct{})
			slow := starwarsinformers.StarfighterHandlerFuncs{AddFunc: func(*v1.Starfighter) { <-release }}
			registration, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(slow)
			noError(t, err)
			if e.options == nil {
				_, err = engine(t, factory).Subscribe(ctx, slow, informer.SubscribeOptions{Name: "docking control"})
				noError(t, err)
			}
			start(ctx, t, factory) // the store is full
			short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			err = factory.WaitForSync(short)
			t.Logf("with a handler that does not return: %v", err)
			if e.options == nil && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "docking control")) {
				t.Errorf("in sync with a handler that is not: %v", err)
			}
			if registration.HasSynced() {
				t.Error("the handler is said to be in sync")
			}
			close(release)
			noError(t, factory.WaitForSync(ctx))
			if e.options == nil && !registration.HasSynced() {
				t.Error("the handler is said not to be in sync")
			}
		})
	}
}

// No callback runs, or begins, after a consumer has ended; and it may be ended from
// within its own callback.
func TestScenario11EndedDuringItsCallback(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	ctx, factory, _ := sharedFactory(t, 0)
	told, _ := handle(t, factory)
	startSynced(ctx, t, factory)

	life, end := context.WithCancel(ctx)
	var done atomic.Bool
	entered, release := make(chan struct{}), make(chan struct{})
	closed, err := engine(t, factory).Subscribe(life, starwarsinformers.StarfighterHandlerFuncs{
		AddFunc: func(*v1.Starfighter) {
			close(entered)
			<-release
		},
		UpdateFunc: func(_, _ *v1.Starfighter) {
			if done.Load() {
				t.Error("a callback after the subscription was done")
			}
		},
	}, informer.SubscribeOptions{})
	noError(t, err)
	own, endItself := context.WithCancel(ctx)
	defer endItself()
	itself, err := engine(t, factory).Subscribe(own, starwarsinformers.StarfighterHandlerFuncs{
		AddFunc:    func(*v1.Starfighter) { endItself() },
		UpdateFunc: func(_, _ *v1.Starfighter) { t.Error("a callback after the one that ended the subscription") },
	}, informer.SubscribeOptions{})
	noError(t, err)

	<-entered
	change(t, ships, "x-wing-1", flownBy("Wedge Antilles"))
	told.want(ctx, t, "found x-wing-1", "updated x-wing-1")
	end()
	select {
	case <-closed.Done():
		t.Error("it is said to be done while its callback runs")
	default:
	}
	close(release)
	for _, s := range []*informer.Subscription[*v1.Starfighter]{closed, itself} {
		select {
		case <-s.Done():
		case <-ctx.Done():
			t.Fatal("it does not end")
		}
	}
	done.Store(true)
	change(t, ships, "x-wing-1", flownBy("Biggs Darklighter"))
	told.want(ctx, t, "found x-wing-1", "updated x-wing-1", "updated x-wing-1")
	if consumers := engine(t, factory).Status().Consumers; len(consumers) != 1 {
		t.Errorf("consumers %+v, want the one that has not ended", consumers)
	}
}

// Consumers that come and go leave nothing behind. Not parallel: the goroutines of
// other tests would be counted.
func TestScenario12ManyShortSubscriptions(t *testing.T) {
	const times = 10_000
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	var nothing starwarsinformers.StarfighterHandlerFuncs
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			ctx, factory, _ := sharedFactory(t, 0, e.options...)
			startSynced(ctx, t, factory)
			shared := factory.Starwars().V1().Starfighters().TypedInformer()
			count := func(how string, once func()) {
				before, most := runtime.NumGoroutine(), 0
				for i := range times {
					once()
					if i%100 == 0 {
						most = max(most, runtime.NumGoroutine())
					}
				}
				took := eventually(ctx, t, how+": there are as many goroutines as before", func() bool {
					return runtime.NumGoroutine() <= before
				})
				t.Logf("%s: %d goroutines before, at most %d on the way, %d %.2f s later", how, before, most, runtime.NumGoroutine(), took.Seconds())
			}
			count("AddEventHandler", func() {
				registration, err := shared.AddTypedEventHandler(nothing)
				noError(t, err)
				noError(t, shared.RemoveEventHandler(registration))
			})
			if e.options != nil {
				return
			}
			count("Subscribe", func() {
				life, end := context.WithCancel(ctx)
				subscription, err := engine(t, factory).Subscribe(life, nothing, informer.SubscribeOptions{})
				noError(t, err)
				end()
				<-subscription.Done()
			})
			if consumers := engine(t, factory).Status().Consumers; len(consumers) != 0 {
				t.Errorf("consumers that have gone: %+v", consumers)
			}
		})
	}
}

// A consumer that does not return costs the others nothing, the process no more
// than one change per ship, and the server nothing at all.
func TestScenario13OneConsumerBlocks(t *testing.T) {
	t.Parallel()
	const keys, updates = 100, 2000
	ships, _ := sharedShips(t)
	createFleet(t, ships, keys)
	ctx, factory, asked := sharedFactory(t, 0)
	var others atomic.Int32
	_, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(
		starwarsinformers.StarfighterHandlerFuncs{UpdateFunc: func(_, _ *v1.Starfighter) { others.Add(1) }})
	noError(t, err)
	startSynced(ctx, t, factory)

	blocked := &blockedConsumer{entered: make(chan struct{}), release: make(chan struct{}), last: map[string]string{}}
	release := sync.OnceFunc(func() { close(blocked.release) })
	t.Cleanup(release) // or the factory could not be shut down
	subscription, err := engine(t, factory).Subscribe(ctx, blocked, informer.SubscribeOptions{Name: "docking control"})
	noError(t, err)
	eventually(ctx, t, "it was told of what is there", subscription.HasSynced)
	change(t, ships, "ship-1", flownBy("nobody"))
	<-blocked.entered
	var most atomic.Int32
	updateFleet(ctx, t, ships, keys, updates, func() { most.Store(max(most.Load(), int32(subscription.Status().Pending))) })
	took := eventually(ctx, t, "the others were told", func() bool { return others.Load() == 1+updates })
	wantWithin(t, healsWithin, "the others were told of the last update after", took)
	status := subscription.Status()
	t.Logf("of %d updates at most %d waited; %d do, %d were merged with them", updates, most.Load(), status.Pending, status.Coalesced)
	if most.Load() > keys || status.Pending != keys || status.Coalesced != updates-keys {
		t.Errorf("want one for each of %d ships", keys)
	}

	release()
	converge(ctx, t, factory, ships)
	cached := factory.Starwars().V1().Starfighters().Lister().CountByFaction(v1.Rebellion)
	eventually(ctx, t, "the consumer has caught up", func() bool { return subscription.Status().Pending == 0 })
	noError(t, factory.ShutdownWithContext(ctx)) // so that it is not called any more
	if len(blocked.last) != keys || cached != keys {
		t.Errorf("it was told of %d ships, want %d", len(blocked.last), keys)
	}
	for _, s := range engine(t, factory).Store().ListTyped() {
		if blocked.last[s.Name] != s.ResourceVersion {
			t.Errorf("%s: it was told of resourceVersion %s last, want %s", s.Name, blocked.last[s.Name], s.ResourceVersion)
		}
	}
	asked.want(t, 0, 1)
}

// blockedConsumer does not return from its first update before it is released.
type blockedConsumer struct {
	entered, release chan struct{}
	updated          bool
	last             map[string]string // resourceVersions, by name
}

func (c *blockedConsumer) OnAdd(s *v1.Starfighter, _ bool) { c.last[s.Name] = s.ResourceVersion }

func (c *blockedConsumer) OnUpdate(_, s *v1.Starfighter) {
	if !c.updated {
		c.updated = true
		close(c.entered)
		<-c.release
	}
	c.last[s.Name] = s.ResourceVersion
}

func (c *blockedConsumer) OnDelete(starwarsinformers.DeletedStarfighter) {}

// updateFleet changes the pilots of ship-0 and so on, again and again, from several
// clients at once, which call between, if it is not nil, after each.
func updateFleet(ctx context.Context, t *testing.T, ships starwarsclient.StarfighterInterface, keys, updates int, between func()) {
	t.Helper()
	var next atomic.Int32
	var updating sync.WaitGroup
	for range 8 {
		updating.Go(func() {
			for i := int(next.Add(1)); i <= updates; i = int(next.Add(1)) {
				patch := fmt.Appendf(nil, `{"spec":{"pilot":"pilot %d"}}`, i)
				if _, err := ships.Patch(ctx, fmt.Sprintf("ship-%d", i%keys), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
					t.Errorf("update %d: %v", i, err)
					return
				}
				if between != nil {
					between()
				}
			}
		})
	}
	updating.Wait()
}

// A handler that asks for a resync gets it, whatever the factory was told, and
// whenever it comes. Client-go's informer gives it none, or says so in the log.
func TestScenario15HandlerAsksForResync(t *testing.T) {
	t.Parallel()
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			ships, _ := sharedShips(t)
			create(t, ships, ship("x-wing-1"))
			ctx, factory, asked := sharedFactory(t, 0, e.options...)
			every := time.Second // the shortest that there is
			add := func(options ...cache.HandlerOptions) *events {
				told := newEvents()
				_, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(told, options...)
				noError(t, err)
				return told
			}
			resync := cache.HandlerOptions{ResyncPeriod: &every}
			never, early := add(), add(resync)
			startSynced(ctx, t, factory)
			late := add(resync)
			if e.options == nil {
				subscribed := newEvents()
				_, err := engine(t, factory).Subscribe(ctx, subscribed, informer.SubscribeOptions{ResyncPeriod: &every})
				noError(t, err)
				for _, told := range []*events{early, late, subscribed} {
					told.want(ctx, t, "found x-wing-1", "resynced x-wing-1", "resynced x-wing-1")
				}
			} else {
				short, cancel := context.WithTimeout(ctx, 2*every)
				defer cancel()
				<-short.Done()
				for name, told := range map[string]*events{"before": early, "after": late} {
					got, _ := told.seen()
					t.Logf("client-go's informer tells a handler that came %s the start: %q", name, got)
				}
			}
			never.want(ctx, t, "found x-wing-1")
			asked.want(t, 0, 1)
		})
	}
}
