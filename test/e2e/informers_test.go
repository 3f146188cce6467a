// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
)

// Indexes added by hand; those of the generated lister have other names.
var (
	bySide = starwarsinformers.StarfighterIndexers{
		"side": func(s *v1.Starfighter) ([]string, error) { return []string{string(s.Spec.Faction)}, nil },
	}
	byCrew = starwarsinformers.StarfighterIndexers{
		"crew": func(s *v1.Starfighter) ([]string, error) { return []string{s.Spec.Pilot}, nil },
	}
)

// stockDecoding runs the tests on informers that leave decoding to client-go:
// what holds for one way must hold for the other.
var stockDecoding = flag.Bool("stock-decoding", false, "test informers with client-go's own decoding")

// newFactory makes a factory whose informers end with the test.
func newFactory(t *testing.T, client versioned.Interface, resync time.Duration, options ...starwars.Option) (context.Context, *starwars.Factory) {
	t.Helper()
	ctx, cancel := context.WithCancel(timeLimited(t))
	if *stockDecoding {
		options = append(options, starwars.WithStockDecoding())
	}
	factory := starwars.NewSharedInformerFactory(client, resync, options...)
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	return ctx, factory
}

// sharedFactory is newFactory for the test's namespace of the shared server,
// with a count of what its informers ask.
func sharedFactory(t *testing.T, resync time.Duration, options ...starwars.Option) (context.Context, *starwars.Factory, *requests) {
	t.Helper()
	config := configFor(t, sharedServer(t))
	counted := countRequests(config)
	options = append([]starwars.Option{starwars.WithNamespace(namespaceOf(t))}, options...)
	ctx, factory := newFactory(t, clientFor(t, config), resync, options...)
	return ctx, factory, counted
}

func start(ctx context.Context, t *testing.T, factory informers.SharedInformerFactory) {
	t.Helper()
	factory.StartWithContext(ctx)
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		t.Fatalf("sync: %v", err)
	}
}

func handle(t *testing.T, factory informers.SharedInformerFactory) (*events, cache.ResourceEventHandlerRegistration) {
	t.Helper()
	told := newEvents()
	registration, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(told)
	noError(t, err)
	return told, registration
}

func index(t *testing.T, factory informers.SharedInformerFactory, indexers starwarsinformers.StarfighterIndexers) {
	t.Helper()
	noError(t, factory.Starwars().V1().Starfighters().TypedInformer().AddTypedIndexers(indexers))
}

func wantIndexed(t *testing.T, factory informers.SharedInformerFactory, index, value string, want ...string) {
	t.Helper()
	got, err := factory.Starwars().V1().Starfighters().TypedInformer().GetTypedIndexer().ByTypedIndex(index, value)
	noError(t, err)
	if names := sortedNames(got); !slices.Equal(names, want) {
		t.Errorf("index %q has for %q the ships %q, want %q", index, value, names, want)
	}
}

// sortedNames: the cache gives ships in no particular order.
func sortedNames(ships []*v1.Starfighter) []string {
	var names []string
	for _, s := range ships {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// Whoever asks the factory shares one cache, filled by one watch-list.
func TestConsumersShareOneWatch(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	ctx, factory, asked := sharedFactory(t, 0)

	roster, _ := handle(t, factory)
	audit, _ := handle(t, factory)
	index(t, factory, bySide)
	index(t, factory, byCrew)
	generic, err := factory.ForResource(starfighters)
	noError(t, err)
	if generic.Informer().GetStore() != factory.Starwars().V1().Starfighters().Informer().GetStore() {
		t.Error("two who asked the factory got two caches")
	}
	start(ctx, t, factory)
	late, _ := handle(t, factory)
	create(t, ships, ship("x-wing-2"))
	for _, consumer := range []*events{roster, audit, late} {
		consumer.want(ctx, t, "found x-wing-1", "added x-wing-2")
	}

	ship1, err := factory.Starwars().V1().Starfighters().Lister().Starfighters(namespace).Get("x-wing-1")
	noError(t, err)
	other, err := generic.Lister().ByNamespace(namespace).Get("x-wing-1")
	noError(t, err)
	if other != ship1 { // the same object, not only an equal one
		t.Error("two listers gave two copies of a ship")
	}
	asked.want(t, 0, 1)
}

func TestIndexesAddedByHand(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships,
		ship("x-wing-1"),
		ship("x-wing-2", flownBy("Wedge Antilles")),
		ship("tie-advanced-1", flyingFor(v1.Empire), flownBy("Darth Vader")),
	)
	ctx, factory, asked := sharedFactory(t, 0)
	index(t, factory, bySide)
	start(ctx, t, factory)
	wantIndexed(t, factory, "side", "rebellion", "x-wing-1", "x-wing-2")
	wantIndexed(t, factory, "side", "empire", "tie-advanced-1")
	wantIndexed(t, factory, "side", "hutt-cartel")

	// An index may come when the cache is full.
	told, _ := handle(t, factory)
	index(t, factory, byCrew)
	wantIndexed(t, factory, "crew", "Darth Vader", "tie-advanced-1")
	indexer := factory.Starwars().V1().Starfighters().TypedInformer().GetTypedIndexer()
	if _, err := indexer.ByTypedIndex("squadron", "red"); err == nil {
		t.Error("an index that nobody added gave an answer")
	}
	if err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedIndexers(byCrew); err == nil {
		t.Error("the same index could be added twice")
	}

	// Indexes follow the ships.
	change(t, ships, "x-wing-2", flyingFor(v1.Empire), flownBy("Luke Skywalker"))
	remove(t, ships, "tie-advanced-1")
	create(t, ships, ship("snowspeeder-1"))
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "found tie-advanced-1",
		"updated x-wing-2", "deleted tie-advanced-1", "added snowspeeder-1")
	wantIndexed(t, factory, "side", "rebellion", "snowspeeder-1", "x-wing-1")
	wantIndexed(t, factory, "side", "empire", "x-wing-2")
	wantIndexed(t, factory, "crew", "Luke Skywalker", "snowspeeder-1", "x-wing-1", "x-wing-2")
	if got := indexer.ListIndexFuncValues("crew"); !slices.Equal(got, []string{"Luke Skywalker"}) {
		t.Errorf("crews %q, want Luke Skywalker alone", got)
	}
	asked.want(t, 0, 1)
}

func TestLister(t *testing.T) {
	t.Parallel()
	namespace := namespaceOf(t)
	config := configFor(t, sharedServer(t))
	client := clientFor(t, config)
	create(t, client.StarwarsV1().Starfighters(namespace), ship("x-wing-1", labelled("squadron", "red")), ship("x-wing-2"))
	create(t, client.StarwarsV1().Starfighters(namespace+"-2"), ship("x-wing-3", labelled("squadron", "red")))

	// This one informer sees the ships of all tests: it asks for its own only by
	// namespace and label.
	ctx, factory := newFactory(t, client, 0)
	lister := factory.Starwars().V1().Starfighters().Lister()
	start(ctx, t, factory)

	red := labels.SelectorFromSet(labels.Set{"squadron": "red"})
	for _, test := range []struct {
		namespace string
		selector  labels.Selector
		want      []string
	}{
		{namespace, labels.Everything(), []string{"x-wing-1", "x-wing-2"}},
		{namespace, red, []string{"x-wing-1"}},
		{namespace, labels.Nothing(), nil},
		{namespace + "-2", red, []string{"x-wing-3"}},
		{namespace + "-3", labels.Everything(), nil},
	} {
		got, err := lister.Starfighters(test.namespace).List(test.selector)
		noError(t, err)
		if names := sortedNames(got); !slices.Equal(names, test.want) {
			t.Errorf("namespace %s, selector %q: got %q, want %q", test.namespace, test.selector, names, test.want)
		}
	}
	everywhere, err := lister.List(red)
	noError(t, err)
	for _, want := range []string{"x-wing-1", "x-wing-3"} {
		if !slices.Contains(sortedNames(everywhere), want) {
			t.Errorf("the list over all namespaces lacks %s", want)
		}
	}

	if s, err := lister.Starfighters(namespace).Get("x-wing-1"); err != nil || s.Spec != xWing {
		t.Errorf("get: %+v, error %v", s, err)
	}
	if _, err := lister.Starfighters(namespace).Get("x-wing-3"); !apierrors.IsNotFound(err) {
		t.Errorf("get from another namespace: %v, want NotFound", err)
	}
}

func TestLateHandlerIsToldOfEverything(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	ctx, factory, asked := sharedFactory(t, 0)
	early, _ := handle(t, factory)
	start(ctx, t, factory)
	create(t, ships, ship("x-wing-3"))
	early.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "added x-wing-3")

	late, registration := handle(t, factory)
	if !cache.WaitFor(ctx, "", registration.HasSyncedChecker()) {
		t.Fatal("the late handler does not get in sync")
	}
	late.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "found x-wing-3")
	remove(t, ships, "x-wing-1")
	late.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "found x-wing-3", "deleted x-wing-1")
	asked.want(t, 0, 1)
}

func TestRemovedHandlerIsToldNoMore(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	ctx, factory, _ := sharedFactory(t, 0)
	stays, _ := handle(t, factory)
	leaves, registration := handle(t, factory)
	start(ctx, t, factory)
	create(t, ships, ship("x-wing-1"))
	stays.want(ctx, t, "added x-wing-1")
	leaves.want(ctx, t, "added x-wing-1")

	noError(t, factory.Starwars().V1().Starfighters().Informer().RemoveEventHandler(registration))
	remove(t, ships, "x-wing-1")
	stays.want(ctx, t, "added x-wing-1", "deleted x-wing-1")
	leaves.want(ctx, t, "added x-wing-1")
}

// The watch delivers changes in the order they were made: when a later one has
// come, an earlier one that has not come never will.
func TestInformerOfOneNamespace(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	elsewhere := clientFor(t, configFor(t, sharedServer(t))).StarwarsV1().Starfighters(namespace + "-2")
	create(t, elsewhere, ship("tie-fighter-1"))
	ctx, factory, _ := sharedFactory(t, 0)
	told, _ := handle(t, factory)
	start(ctx, t, factory)

	create(t, elsewhere, ship("tie-fighter-2"))
	create(t, ships, ship("x-wing-1"))
	told.want(ctx, t, "added x-wing-1")
}

func TestScenario30InformerWithSelector(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		selector    metav1.ListOptions
		join, leave func(*v1.Starfighter)
	}{
		"field": {metav1.ListOptions{FieldSelector: "spec.faction=rebellion"}, flyingFor(v1.Rebellion), flyingFor(v1.Empire)},
		"label": {metav1.ListOptions{LabelSelector: "squadron=red"}, labelled("squadron", "red"), labelled("squadron", "gold")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ships, _ := sharedShips(t)
			create(t, ships, ship("inside", test.join), ship("outside", test.leave))
			ctx, factory, asked := sharedFactory(t, 0, starwars.WithTweakListOptions(func(options *metav1.ListOptions) {
				options.FieldSelector, options.LabelSelector = test.selector.FieldSelector, test.selector.LabelSelector
			}))
			told, _ := handle(t, factory)
			start(ctx, t, factory)

			create(t, ships, ship("never-inside", test.leave))
			change(t, ships, "never-inside", flownBy("Darth Vader"))
			change(t, ships, "inside", test.leave)
			change(t, ships, "outside", test.join)
			change(t, ships, "outside", flownBy("Wedge Antilles"))
			told.want(ctx, t, "found inside", "deleted inside", "added outside", "updated outside")

			cached, err := factory.Starwars().V1().Starfighters().Lister().List(labels.Everything())
			noError(t, err)
			if names := sortedNames(cached); !slices.Equal(names, []string{"outside"}) {
				t.Errorf("the cache has %q, want the ship that joined", names)
			}
			asked.want(t, 0, 1)
		})
	}
}

// A resync is not a relist: it shows the handlers what the cache has.
func TestResyncAsksNothing(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	ctx, factory, asked := sharedFactory(t, time.Second) // the shortest that client-go grants
	told, _ := handle(t, factory)
	never := newEvents()
	_, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(never, cache.HandlerOptions{ResyncPeriod: new(time.Duration)})
	noError(t, err)
	start(ctx, t, factory)
	told.want(ctx, t, "found x-wing-1", "resynced x-wing-1", "resynced x-wing-1")
	never.want(ctx, t, "found x-wing-1")
	asked.want(t, 0, 1)
}

func TestTransform(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	created := create(t, ships, ship("x-wing-1"))[0]
	if len(created.ManagedFields) == 0 {
		t.Fatal("the server keeps no managed fields: this test shows nothing")
	}
	ctx, factory, _ := sharedFactory(t, 0, starwars.WithTransform(func(object any) (any, error) {
		if s, ok := object.(*v1.Starfighter); ok {
			s.ManagedFields = nil
			s.Spec.Pilot = strings.ToUpper(s.Spec.Pilot)
		}
		return object, nil
	}))
	lister := factory.Starwars().V1().Starfighters().Lister()
	index(t, factory, byCrew)
	told, _ := handle(t, factory)
	start(ctx, t, factory)
	create(t, ships, ship("x-wing-2"))
	told.want(ctx, t, "found x-wing-1", "added x-wing-2")

	for _, name := range []string{"x-wing-1", "x-wing-2"} { // from the initial list and from the watch
		s, err := lister.Starfighters(namespace).Get(name)
		noError(t, err)
		if len(s.ManagedFields) != 0 || s.Spec.Pilot != "LUKE SKYWALKER" {
			t.Errorf("%s was not transformed: %+v", name, s)
		}
	}
	wantIndexed(t, factory, "crew", "LUKE SKYWALKER", "x-wing-1", "x-wing-2")
}

// Not parallel: the goroutines of other tests would be taken for its own.
func TestShutdownLeavesNothing(t *testing.T) {
	config := configFor(t, sharedServer(t))
	before := goleak.IgnoreCurrent()

	ctx, cancel := context.WithCancel(timeLimited(t))
	defer cancel()
	transport, err := rest.TransportFor(config)
	noError(t, err)
	factory := informers.NewSharedInformerFactory(clientFor(t, config), time.Second)
	handle(t, factory)
	_, removed := handle(t, factory)
	index(t, factory, bySide)
	start(ctx, t, factory)
	handle(t, factory)
	noError(t, factory.Starwars().V1().Starfighters().Informer().RemoveEventHandler(removed))

	cancel()
	factory.Shutdown()
	// The connection is free a little after the watch has ended.
	for deadline := time.Now().Add(process.Timeout); ; {
		utilnet.CloseIdleConnectionsFor(transport) // clients with the same configuration share it
		err := goleak.Find(before)                 // looks again and again for a while
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
