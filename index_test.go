// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// TestListersForManyConsumers asks for listers from many goroutines at once,
// some before the informer was started and some after: all share the indexes,
// and nobody gets a conflict.
func TestListersForManyConsumers(t *testing.T) {
	ships, start := newFactory(t)
	fromMany(func() { ships.Lister() })
	start()
	fromMany(func() {
		rebels, err := ships.Lister().ByIndex("faction", "rebellion")
		if err != nil || len(rebels) != 1 || rebels[0].Name != "x-wing-1" {
			t.Errorf("rebels %v, %v; want x-wing-1", rebels, err)
		}
		luke, err := ships.Lister().Starfighters("default").ByPilot("Luke Skywalker")
		if err != nil || len(luke) != 1 {
			t.Errorf("ships of Luke Skywalker in default: %v, %v; want one", luke, err)
		}
	})
}

// TestListerAfterStart asks for the first lister when the cache is full
// already: the indexes are complete at once.
func TestListerAfterStart(t *testing.T) {
	ships, start := newFactory(t)
	ships.Informer()
	start()
	fromMany(func() {
		if got := ships.Lister().CountByFaction(v1.Rebellion); got != 1 {
			t.Errorf("%d rebels, want 1", got)
		}
	})
}

func TestMisspeltIndex(t *testing.T) {
	ships, start := newFactory(t)
	lister := ships.Lister()
	start()
	for name, ask := range map[string]func() error{
		"ByIndex":                 func() error { _, err := lister.ByIndex("factoin", "rebellion"); return err },
		"IndexValues":             func() error { _, err := lister.IndexValues("factoin"); return err },
		"ByIndex, a namespace":    func() error { _, err := lister.Starfighters("default").ByIndex("factoin", "rebellion"); return err },
		"IndexValues a namespace": func() error { _, err := lister.Starfighters("default").IndexValues("factoin"); return err },
	} {
		err := ask()
		if !errors.Is(err, starwarslisters.ErrNoIndex) {
			t.Errorf("%s: error %v, want ErrNoIndex", name, err)
			continue
		}
		for _, word := range []string{`"factoin"`, "Starfighter", `"faction"`, `"pilot"`, `"faction-type"`} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error does not name %s: %v", name, word, err)
			}
		}
	}
}

// TestCompositeIndexOfRealNames covers a value with the separator in it.
func TestCompositeIndexOfRealNames(t *testing.T) {
	ships, start := newFactory(t)
	start()
	lister := ships.Lister()
	tie, err := lister.ByFactionType(v1.Empire, "TIE/LN")
	if err != nil || len(tie) != 1 || tie[0].Name != "tie-fighter-1" {
		t.Errorf("imperial TIE/LN: %v, %v; want tie-fighter-1", tie, err)
	}
	values, err := lister.IndexValues(starwarslisters.StarfighterFactionTypeIndex)
	slices.Sort(values)
	if want := []string{"empire/TIE%2FLN", "rebellion/X-Wing"}; err != nil || !slices.Equal(values, want) {
		t.Errorf("values %q, %v; want %q", values, err, want)
	}
}

// TestIndexesForgetValues lets many pilots come and go: no value of theirs may
// stay behind.
func TestIndexesForgetValues(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	lister := starwarslisters.NewStarfighterLister(indexer)
	lister.Starfighters("default").CountByPilot("") // builds the index by namespace too
	ships := make([]*v1.Starfighter, 100_000)
	for i := range ships {
		ship := &v1.Starfighter{Spec: v1.StarfighterSpec{Pilot: fmt.Sprintf("pilot-%d", i)}}
		ship.Namespace, ship.Name = "default", fmt.Sprintf("ship-%d", i)
		ships[i] = ship
		if err := indexer.Add(ship); err != nil {
			t.Fatal(err)
		}
	}
	if values, err := lister.IndexValues("pilot"); err != nil || len(values) != len(ships) {
		t.Errorf("%d pilots, %v; want %d", len(values), err, len(ships))
	}
	for _, ship := range ships {
		if err := indexer.Delete(ship); err != nil {
			t.Fatal(err)
		}
	}
	for _, index := range []string{"pilot", "faction", "faction-type", "namespace/pilot"} {
		if values, err := lister.IndexValues(index); err != nil || len(values) != 0 {
			t.Errorf("index %s of an empty cache has %d values, %v", index, len(values), err)
		}
	}
}

// newFactory returns the informer of a fleet of one rebel and one imperial
// ship, and what starts it and waits until it has both.
func newFactory(t *testing.T) (ships starwarsinformers.TypedStarfighterInformer, start func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	tie := samples.XWing1()
	tie.Name, tie.Spec = "tie-fighter-1", v1.StarfighterSpec{Faction: v1.Empire, Type: "TIE/LN", Pilot: "Mauler Mithel"}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(samples.XWing1(), tie), 0)
	t.Cleanup(func() { cancel(); factory.Shutdown() })
	ships = factory.Starwars().V1().Starfighters()
	return ships, func() {
		t.Helper()
		ships.Informer()
		factory.StartWithContext(ctx)
		if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
			t.Fatalf("fill the cache: %v", err)
		}
	}
}

// fromMany calls f from eight goroutines at the same time.
func fromMany(f func()) {
	var ready, done sync.WaitGroup
	ready.Add(8)
	for range 8 {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			f()
		})
	}
	done.Wait()
}
