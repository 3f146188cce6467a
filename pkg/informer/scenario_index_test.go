// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// The scenarios are what users of indexes met elsewhere.

func byFaction(ship *v1.Starfighter) ([]string, error) {
	return []string{string(ship.Spec.Faction)}, nil
}

func byPilot(ship *v1.Starfighter) ([]string, error) { return []string{ship.Spec.Pilot}, nil }

// indexedStore returns an empty store.
func indexedStore(t *testing.T, indexers cache.TypedIndexers[*v1.Starfighter], report func(string, *v1.Starfighter, error)) *informer.Store[*v1.Starfighter] {
	t.Helper()
	store, err := informer.NewStore(cache.TypedIndexersToIndexers(indexers), informer.StoreOptions[*v1.Starfighter]{Report: report})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// indexedShips returns ships of rebels, each with a pilot of its own.
func indexedShips(n int) []*v1.Starfighter {
	ships := make([]*v1.Starfighter, n)
	for i := range ships {
		ship := &v1.Starfighter{Spec: v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing", Pilot: "pilot-" + strconv.Itoa(i)}}
		ship.Namespace, ship.Name, ship.ResourceVersion = "default", "ship-"+strconv.Itoa(i), strconv.Itoa(i+1)
		ships[i] = ship
	}
	return ships
}

// inFaction returns a changed copy, as a server would send it.
func inFaction(ship *v1.Starfighter, faction v1.Faction) *v1.Starfighter {
	ship = ship.DeepCopy()
	ship.Spec.Faction = faction
	return ship
}

func anySlice(ships []*v1.Starfighter) []any {
	list := make([]any, len(ships))
	for i, ship := range ships {
		list[i] = ship
	}
	return list
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// indexHas wants exactly these ships under a value, whichever way one asks.
func indexHas(t *testing.T, store *informer.Store[*v1.Starfighter], index, value string, want ...*v1.Starfighter) {
	t.Helper()
	got, err := store.ByTypedIndex(index, value)
	noError(t, err)
	seq, err := store.AllByTypedIndex(index, value)
	noError(t, err)
	n, err := store.CountByIndex(index, value)
	noError(t, err)
	for _, found := range [][]*v1.Starfighter{got, slices.Collect(seq)} {
		same := len(found) == len(want) && n == len(want)
		for _, ship := range want {
			same = same && slices.Contains(found, ship)
		}
		if !same {
			t.Errorf("%s %s: %v (count %d), want %v", index, value, found, n, want)
		}
	}
}

// TestScenario01MutatedObject has somebody change the cached copy, which
// nobody may. The indexes stay right: the ship leaves those that it was filed
// under, not those that it claims to be in.
func TestScenario01MutatedObject(t *testing.T) {
	const hutts v1.Faction = "hutts"
	tests := map[string]struct {
		server func(*testing.T, *informer.Store[*v1.Starfighter], *v1.Starfighter)
		left   bool
	}{
		"update": {func(t *testing.T, store *informer.Store[*v1.Starfighter], now *v1.Starfighter) {
			noError(t, store.Update(now))
		}, true},
		"transaction": {func(t *testing.T, store *informer.Store[*v1.Starfighter], now *v1.Starfighter) {
			if err := store.Transaction(cache.Transaction{Type: cache.TransactionTypeUpdate, Object: now}); err != nil {
				t.Fatal(err)
			}
		}, true},
		"replace": {func(t *testing.T, store *informer.Store[*v1.Starfighter], now *v1.Starfighter) {
			other, _, _ := store.GetByKey("default/ship-1")
			noError(t, store.Replace([]any{now, other}, "9"))
		}, true},
		"delete": {func(t *testing.T, store *informer.Store[*v1.Starfighter], now *v1.Starfighter) {
			noError(t, store.Delete(now))
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{"faction": byFaction}, nil)
			ships := indexedShips(2)
			for _, ship := range ships {
				noError(t, store.Add(ship))
			}
			now := inFaction(ships[0], hutts)
			ships[0].Spec.Faction = v1.Empire // the mutation
			indexHas(t, store, "faction", string(v1.Empire))

			test.server(t, store, now)
			indexHas(t, store, "faction", string(v1.Rebellion), ships[1])
			indexHas(t, store, "faction", string(v1.Empire))
			values := store.ListIndexFuncValues("faction")
			slices.Sort(values)
			if test.left {
				indexHas(t, store, "faction", string(hutts), now)
				if !slices.Equal(values, []string{"hutts", "rebellion"}) {
					t.Errorf("values %q", values)
				}
			} else if !slices.Equal(values, []string{"rebellion"}) {
				t.Errorf("values %q", values)
			}
		})
	}
}

// TestScenario02FailingIndexFunction has a function that cannot take one ship
// of 1,000: it is reported each time that the ship is filed, the others are in
// the index, the ship is in the store and in the other index.
func TestScenario02FailingIndexFunction(t *testing.T) {
	const n, bad = 1_000, 500
	cause := errors.New("no faction that I know")
	fails := map[string]func() ([]string, error){
		"error":       func() ([]string, error) { return []string{"garbage"}, cause },
		"panic":       func() ([]string, error) { panic("no faction that I know") },
		"nil pointer": func() ([]string, error) { var ship *v1.Starfighter; return []string{ship.Name}, nil },
	}
	for name, fail := range fails {
		t.Run(name, func(t *testing.T) {
			ships := indexedShips(n)
			faction := func(ship *v1.Starfighter) ([]string, error) {
				if ship.Name == ships[bad].Name {
					return fail()
				}
				return byFaction(ship)
			}
			var reports []error
			store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{"faction": faction, "pilot": byPilot},
				func(index string, ship *v1.Starfighter, err error) {
					if index != "faction" || ship.Name != ships[bad].Name || !strings.Contains(err.Error(), `"faction"`) {
						t.Errorf("report of index %s, ship %s: %v", index, ship.Name, err)
					}
					if name == "error" && !errors.Is(err, cause) {
						t.Errorf("the report does not wrap the function's error: %v", err)
					}
					reports = append(reports, err)
				})
			left := func(step string, reported int) {
				t.Helper()
				if len(reports) != reported {
					t.Errorf("%s: %d reports, want %d", step, len(reports), reported)
				}
				reports = nil
				indexed, err := store.CountByIndex("faction", string(v1.Rebellion))
				noError(t, err)
				if stored := len(store.ListKeys()); indexed != n-1 || stored != n {
					t.Errorf("%s: %d ships are indexed and %d stored; want %d and %d", step, indexed, stored, n-1, n)
				}
				if values := store.ListIndexFuncValues("faction"); !slices.Equal(values, []string{string(v1.Rebellion)}) {
					t.Errorf("%s: factions %q", step, values)
				}
				now, _, _ := store.Get(ships[bad])
				indexHas(t, store, "pilot", ships[bad].Spec.Pilot, now.(*v1.Starfighter))
			}

			noError(t, store.Replace(anySlice(ships), "1"))
			left("list", 1)
			for _, ship := range ships {
				noError(t, store.Update(ship.DeepCopy()))
			}
			left("update", 1)
			if err := store.Transaction(cache.Transaction{Type: cache.TransactionTypeUpdate, Object: ships[bad]}); err != nil {
				t.Fatal(err)
			}
			left("transaction", 1)
			noError(t, store.Delete(ships[bad])) // asks no function
			if _, exists, _ := store.Get(ships[bad]); exists || len(reports) != 0 {
				t.Errorf("delete: still there, or %d reports", len(reports))
			}
			noError(t, store.Add(ships[bad]))
			left("add", 1)
			noError(t, store.Replace(anySlice(ships), "2"))
			left("replace", 1)
			if _, err := store.Index("faction", ships[bad]); err == nil {
				t.Error("Index with the ship gives no error")
			}
			if _, err := store.TypedIndex("faction", ships[bad]); err == nil {
				t.Error("TypedIndex with the ship gives no error")
			}
		})
		t.Run(name+"/late", func(t *testing.T) {
			ships := indexedShips(n)
			reports := 0
			store := indexedStore(t, nil, func(string, *v1.Starfighter, error) { reports++ })
			noError(t, store.Replace(anySlice(ships), "1"))
			noError(t, store.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"faction": func(ship *v1.Starfighter) ([]string, error) {
				if ship.Name == ships[bad].Name {
					return fail()
				}
				return byFaction(ship)
			}}))
			indexed, err := store.CountByIndex("faction", string(v1.Rebellion))
			if indexed != n-1 || err != nil || reports != 1 {
				t.Errorf("%d ships are indexed, %v, %d reports; want %d and 1", indexed, err, reports, n-1)
			}
		})
	}
}

// TestScenario02RecoversByItself has a ship that an index could not take, until
// its next version; and the other way round.
func TestScenario02RecoversByItself(t *testing.T) {
	store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{"faction": func(ship *v1.Starfighter) ([]string, error) {
		if ship.Spec.Faction == "" {
			panic("no faction")
		}
		return byFaction(ship)
	}}, func(string, *v1.Starfighter, error) {})
	good := indexedShips(1)[0]
	bad := inFaction(good, "")
	for range 3 {
		noError(t, store.Update(bad))
		indexHas(t, store, "faction", string(v1.Rebellion))
		noError(t, store.Update(good))
		indexHas(t, store, "faction", string(v1.Rebellion), good)
	}
}

// TestScenario03TwoConsumersOneIndex has several consumers ask for the generated
// indexes at the same instant, each as if it were alone.
func TestScenario03TwoConsumersOneIndex(t *testing.T) {
	for range 50 {
		store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{}, nil)
		ships := indexedShips(10)
		noError(t, store.Replace(anySlice(ships), "1"))
		var ready, done sync.WaitGroup
		const consumers = 4
		ready.Add(consumers)
		for range consumers {
			done.Go(func() {
				ready.Done()
				ready.Wait()
				lister := starwarslisters.NewStarfighterLister(store)
				if err := starwarslisters.EnsureStarfighterIndexers(store); err != nil {
					t.Errorf("a second time: %v", err)
				}
				rebels, err := lister.ByFaction(v1.Rebellion)
				if err != nil || len(rebels) != len(ships) {
					t.Errorf("%d rebels, %v; want %d", len(rebels), err, len(ships))
				}
				inDefault, err := lister.Starfighters("default").ByPilot("pilot-3")
				if err != nil || len(inDefault) != 1 || inDefault[0] != ships[3] {
					t.Errorf("ships of pilot-3: %v, %v", inDefault, err)
				}
			})
		}
		done.Wait()
	}
}

// TestScenario04NameTaken has two functions for one name: the second one is
// told, by name, and the first one stays.
func TestScenario04NameTaken(t *testing.T) {
	store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{"faction": byPilot}, nil)
	ship := indexedShips(1)[0]
	noError(t, store.Add(ship))
	err := store.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"faction": byFaction, "other": byPilot})
	if err == nil || !strings.Contains(err.Error(), `"faction"`) || strings.Contains(err.Error(), `"other"`) {
		t.Errorf("error %v, want one that names faction only", err)
	}
	if names := store.IndexNames(); !slices.Equal(names, []string{"faction"}) {
		t.Errorf("indexes %q, want faction only", names)
	}
	indexHas(t, store, "faction", "pilot-0", ship)

	if err := starwarslisters.EnsureStarfighterIndexers(store); !errors.Is(err, starwarslisters.ErrIndexConflict) || !strings.Contains(err.Error(), `"faction"`) {
		t.Errorf("error %v, want ErrIndexConflict that names faction", err)
	}
	lister := starwarslisters.NewStarfighterLister(store)
	if rebels, err := lister.ByFaction(v1.Rebellion); !errors.Is(err, starwarslisters.ErrIndexConflict) {
		t.Errorf("rebels %v, %v; want ErrIndexConflict", rebels, err)
	}
	if ships, err := lister.ByPilot("pilot-0"); err != nil || len(ships) != 1 {
		t.Errorf("ships of pilot-0: %v, %v; want one", ships, err)
	}
}

// TestScenario05IndexAddedLate adds indexes to 1,000 ships while they change:
// whoever sees the index sees all of it.
func TestScenario05IndexAddedLate(t *testing.T) {
	const n = 1_000
	ships := indexedShips(n)
	for turn := range 10 {
		store := indexedStore(t, nil, nil)
		noError(t, store.Replace(anySlice(ships), "1"))
		var done atomic.Bool
		var group sync.WaitGroup
		updates := make(chan struct{})
		group.Go(func() {
			for i := turn; !done.Load(); i++ {
				ship := inFaction(ships[i*7%n], v1.Faction("faction-"+strconv.Itoa(i%5)))
				if err := store.Update(ship); err != nil {
					t.Error(err)
				}
				if i == turn {
					close(updates)
				}
			}
		})
		group.Go(func() {
			for !done.Load() {
				if found, err := store.CountByIndex("everywhere", "here"); err == nil && found != n {
					t.Errorf("the index has %d of %d ships", found, n)
					return
				}
			}
		})
		<-updates
		noError(t, store.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{
			"faction":    byFaction,
			"everywhere": func(*v1.Starfighter) ([]string, error) { return []string{"here"}, nil },
		}))
		if found, err := store.CountByIndex("everywhere", "here"); err != nil || found != n {
			t.Errorf("at once: the index has %d of %d ships, %v", found, n, err)
		}
		done.Store(true)
		group.Wait()

		want := map[string][]*v1.Starfighter{}
		for ship := range store.AllTyped() {
			want[string(ship.Spec.Faction)] = append(want[string(ship.Spec.Faction)], ship)
		}
		if values := store.ListIndexFuncValues("faction"); len(values) != len(want) {
			t.Errorf("factions %q, want %d", values, len(want))
		}
		for faction, ships := range want {
			indexHas(t, store, "faction", faction, ships...)
		}
	}
}

// TestScenario06ManyValues has 100,000 pilots come and go, in all ways to go.
func TestScenario06ManyValues(t *testing.T) {
	const n = 100_000
	ships := indexedShips(n)
	gone := map[string]func(*informer.Store[*v1.Starfighter]) error{
		"delete": func(store *informer.Store[*v1.Starfighter]) error {
			for _, ship := range ships {
				if err := store.Delete(ship); err != nil {
					return err
				}
			}
			return nil
		},
		"no pilot": func(store *informer.Store[*v1.Starfighter]) error {
			for _, ship := range ships {
				ship = ship.DeepCopy()
				ship.Spec.Pilot = ""
				if err := store.Update(ship); err != nil {
					return err
				}
			}
			return nil
		},
		"replace": func(store *informer.Store[*v1.Starfighter]) error { return store.Replace(nil, "1") },
		"transaction": func(store *informer.Store[*v1.Starfighter]) error {
			deletions := make([]cache.Transaction, n)
			for i, ship := range ships {
				deletions[i] = cache.Transaction{Type: cache.TransactionTypeDelete, Object: ship}
			}
			if err := store.Transaction(deletions...); err != nil {
				return err
			}
			return nil
		},
	}
	for name, vanish := range gone {
		t.Run(name, func(t *testing.T) {
			store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{"pilot": func(ship *v1.Starfighter) ([]string, error) {
				if ship.Spec.Pilot == "" {
					return nil, nil
				}
				return byPilot(ship)
			}}, nil)
			for _, ship := range ships {
				noError(t, store.Add(ship))
			}
			if values := store.ListIndexFuncValues("pilot"); len(values) != n {
				t.Errorf("%d pilots, want %d", len(values), n)
			}
			noError(t, vanish(store))
			if values := store.ListIndexFuncValues("pilot"); len(values) != 0 {
				t.Errorf("%d pilots are left", len(values))
			}
		})
	}
}

// TestScenario07MisspeltIndex wants an error to test for, with the names that
// there are, whoever is asked.
func TestScenario07MisspeltIndex(t *testing.T) {
	store := indexedStore(t, cache.TypedIndexers[*v1.Starfighter]{"my-own": byPilot}, nil)
	lister := starwarslisters.NewStarfighterLister(store)
	ship := indexedShips(1)[0]
	noError(t, store.Add(ship))
	questions := map[string]struct {
		ask  func() error
		want error
	}{
		"ByIndex":              {func() error { _, err := store.ByIndex("factoin", "rebellion"); return err }, informer.ErrNoIndex},
		"ByTypedIndex":         {func() error { _, err := store.ByTypedIndex("factoin", "rebellion"); return err }, informer.ErrNoIndex},
		"AllByTypedIndex":      {func() error { _, err := store.AllByTypedIndex("factoin", "rebellion"); return err }, informer.ErrNoIndex},
		"SnapshotByTypedIndex": {func() error { _, err := store.SnapshotByTypedIndex("factoin", "rebellion"); return err }, informer.ErrNoIndex},
		"CountByIndex":         {func() error { _, err := store.CountByIndex("factoin", "rebellion"); return err }, informer.ErrNoIndex},
		"IndexKeys":            {func() error { _, err := store.IndexKeys("factoin", "rebellion"); return err }, informer.ErrNoIndex},
		"Index":                {func() error { _, err := store.Index("factoin", ship); return err }, informer.ErrNoIndex},
		"TypedIndex":           {func() error { _, err := store.TypedIndex("factoin", ship); return err }, informer.ErrNoIndex},
		"lister's ByIndex":     {func() error { _, err := lister.ByIndex("factoin", "rebellion"); return err }, starwarslisters.ErrNoIndex},
		"lister's values":      {func() error { _, err := lister.IndexValues("factoin"); return err }, starwarslisters.ErrNoIndex},
	}
	for name, question := range questions {
		err := question.ask()
		if !errors.Is(err, question.want) {
			t.Errorf("%s: error %v, want %v", name, err, question.want)
			continue
		}
		for _, word := range []string{"factoin", "faction", "pilot", "faction-type", "my-own"} {
			if !strings.Contains(err.Error(), strconv.Quote(word)) {
				t.Errorf("%s: the error does not name %s: %v", name, word, err)
			}
		}
	}
}
