// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// A consumer that writes to a cached ship breaks the bookkeeping of client-go's
// indexes: a hole stays behind where the ship was, over which client-go's typed
// questions panic. The lister's pass over it, and say nothing wrong of the ships
// that nobody touched. The SDK's store has no hole.
func TestScenario01ListerOutlivesAChangeOfACachedShip(t *testing.T) {
	t.Parallel()
	t.Run("client-go", func(t *testing.T) { testAChangeOfACachedShip(t, 2, starwars.WithStockInformer()) })
	t.Run("starwars", func(t *testing.T) { testAChangeOfACachedShip(t, 1) })
}

func testAChangeOfACachedShip(t *testing.T, found int, options ...starwars.Option) {
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	ctx, factory, _ := sharedFactory(t, 0, options...)
	told, _ := handle(t, factory)
	lister := factory.Starwars().V1().Starfighters().Lister()
	start(ctx, t, factory)
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2")

	cached, err := lister.Starfighters(namespaceOf(t)).Get("x-wing-1")
	noError(t, err)
	cached.Spec.Faction = v1.Empire // what nobody may do
	change(t, ships, "x-wing-1", flyingFor("republic"))
	remove(t, ships, "x-wing-1")
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "updated x-wing-1", "deleted x-wing-1")

	if got, err := factory.Starwars().V1().Starfighters().Informer().GetIndexer().ByIndex("faction", "rebellion"); err != nil || len(got) != found {
		t.Fatalf("the store has %v, %v for the faction, want %d: without client-go's hole this test shows nothing", got, err, found)
	}
	for name, ask := range map[string]func() ([]*v1.Starfighter, error){
		"ByFaction": func() ([]*v1.Starfighter, error) { return lister.ByFaction(v1.Rebellion) },
		"ByIndex":   func() ([]*v1.Starfighter, error) { return lister.ByIndex("faction", "rebellion") },
		"AllByFaction": func() (all []*v1.Starfighter, err error) {
			for ship := range lister.AllByFaction(v1.Rebellion) {
				all = append(all, ship)
			}
			return all, nil
		},
	} {
		rebels, err := ask()
		if err != nil || len(rebels) != 1 || rebels[0].Name != "x-wing-2" {
			t.Errorf("%s: %v, %v; want x-wing-2 alone", name, rebels, err)
		}
	}
}

// A mistake in one index function costs one ship its place in one index, and
// not the process its life: when the ship is found, changed, deleted and listed
// again.
func TestScenario02GuardedIndexFunctionsMayFail(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	createFleet(t, ships, 1000)
	ctx, factory, _ := sharedFactory(t, 0)
	told, _ := handle(t, factory)
	informer := factory.Starwars().V1().Starfighters().TypedInformer()
	var reported atomic.Int32
	noError(t, informer.AddTypedIndexers(starwarslisters.GuardIndexers(starwarsinformers.StarfighterIndexers{
		"errs": func(s *v1.Starfighter) ([]string, error) {
			if s.Name == "ship-7" {
				return nil, errors.New("cannot be indexed")
			}
			return []string{"all"}, nil
		},
		"panics": func(s *v1.Starfighter) ([]string, error) {
			if s.Name == "ship-7" {
				panic("cannot be indexed")
			}
			return []string{"all"}, nil
		},
	}, func(index string, s *v1.Starfighter, err error) {
		reported.Add(1)
		if s.Name != "ship-7" || !strings.Contains(err.Error(), index) {
			t.Errorf("reported for %s, index %s: %v", s.Name, index, err)
		}
	})))
	start(ctx, t, factory)
	lister := factory.Starwars().V1().Starfighters().Lister().Starfighters(namespace)
	wantAll := func(want int) {
		t.Helper()
		for _, index := range []string{"errs", "panics"} {
			if got, err := lister.ByIndex(index, "all"); err != nil || len(got) != want {
				t.Errorf("%d ships in index %s, %v; want %d", len(got), index, err, want)
			}
		}
	}
	wantAll(999)
	changed := change(t, ships, "ship-7", flownBy("Biggs Darklighter"))
	remove(t, ships, "ship-7")
	told.awaitOne(ctx, t, "deleted ship-7")
	wantAll(999)
	if reported.Load() == 0 {
		t.Error("nothing was reported")
	}

	// A list again replaces all ships at once.
	indexer := informer.GetTypedIndexer()
	before := reported.Load()
	noError(t, indexer.Replace(append(indexer.List(), any(changed)), changed.ResourceVersion))
	wantAll(999)
	if reported.Load() == before {
		t.Error("nothing was reported of the ships that were listed again")
	}
}

// Two functions cannot share a name, and whoever comes second is told so.
func TestScenario04IndexNameIsTaken(t *testing.T) {
	t.Parallel()
	byName := starwarsinformers.StarfighterIndexers{"faction": func(s *v1.Starfighter) ([]string, error) { return []string{s.Name}, nil }}

	_, factory, _ := sharedFactory(t, 0)
	index(t, factory, byName)
	lister := factory.Starwars().V1().Starfighters().Lister()
	for name, ask := range map[string]func() error{
		"ByFaction":   func() error { _, err := lister.ByFaction(v1.Rebellion); return err },
		"ByIndex":     func() error { _, err := lister.ByIndex("faction", "rebellion"); return err },
		"IndexValues": func() error { _, err := lister.IndexValues("faction"); return err },
		"Ensure": func() error {
			return starwarslisters.EnsureStarfighterIndexers(factory.Starwars().V1().Starfighters().Informer().GetIndexer())
		},
	} {
		if err := ask(); !errors.Is(err, starwarslisters.ErrIndexConflict) || !strings.Contains(err.Error(), `"faction"`) {
			t.Errorf("%s: error %v, want ErrIndexConflict for faction", name, err)
		}
	}
	if _, err := lister.ByPilot("Luke Skywalker"); err != nil {
		t.Errorf("the other indexes are not concerned: %v", err)
	}

	_, factory, _ = sharedFactory(t, 0)
	factory.Starwars().V1().Starfighters().Lister()
	err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedIndexers(byName)
	if err == nil || !strings.Contains(err.Error(), "faction") {
		t.Errorf("a second function under the name: error %v, want one that names it", err)
	}
}

// The first lister of a full cache has complete indexes at once, also while
// ships change.
func TestScenario05IndexesAddedWhileShipsChange(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	createFleet(t, ships, 1000)
	ctx, factory, _ := sharedFactory(t, 0)
	told, _ := handle(t, factory)
	start(ctx, t, factory)

	var changing sync.WaitGroup
	changing.Go(func() {
		for i := range 100 {
			_, err := ships.Patch(ctx, fmt.Sprintf("ship-%d", i), types.MergePatchType, []byte(`{"spec":{"faction":"empire"}}`), metav1.PatchOptions{})
			if err != nil {
				t.Errorf("change ship-%d: %v", i, err)
			}
		}
	})
	told.awaitOne(ctx, t, "updated ship-0")
	lister := factory.Starwars().V1().Starfighters().Lister()
	if all := lister.CountByPilot("Luke Skywalker"); all != 1000 {
		t.Errorf("%d ships by pilot when the lister came, want 1000", all)
	}
	if all := lister.Starfighters(namespace).CountByPilot("Luke Skywalker"); all != 1000 {
		t.Errorf("%d ships by namespace and pilot when the lister came, want 1000", all)
	}
	changing.Wait()
	told.awaitOne(ctx, t, "updated ship-99")
	if rebels, empire := lister.CountByFaction(v1.Rebellion), lister.Starfighters(namespace).CountByFaction(v1.Empire); rebels != 900 || empire != 100 {
		t.Errorf("%d rebels and %d imperial ships; want 900 and 100", rebels, empire)
	}
}

// awaitOne waits for one event among others.
func (e *events) awaitOne(ctx context.Context, t *testing.T, event string) {
	t.Helper()
	e.await(ctx, t, []string{event}, func(other string) bool { return other == event })
}

// createFleet creates n rebel ships, ship-0 and so on, from several clients at
// once.
func createFleet(t *testing.T, ships starwarsclient.StarfighterInterface, n int) {
	t.Helper()
	var next atomic.Int32
	var creating sync.WaitGroup
	for range 8 {
		creating.Go(func() {
			for i := next.Add(1) - 1; i < int32(n); i = next.Add(1) - 1 {
				if _, err := ships.Create(t.Context(), ship(fmt.Sprintf("ship-%d", i)), metav1.CreateOptions{}); err != nil {
					t.Errorf("create ship-%d: %v", i, err)
				}
			}
		})
	}
	creating.Wait()
}
