// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"hash/maphash"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// TestReadersAgainstAWriter lets readers of all kinds look while a writer makes
// all kinds of changes. It is for the race detector; what it checks by itself is
// that nothing changes under a loop, and that an index has only what belongs there.
func TestReadersAgainstAWriter(t *testing.T) {
	store, ships := newFleet(t, 200)
	held := make([]iter.Seq[*v1.Starfighter], 5)
	for i := range held {
		held[i], _ = store.AllByTypedIndex("faction", "faction-"+strconv.Itoa(i))
	}
	readers := map[string]func(turn int){
		"slow loops over a faction": func(turn int) {
			faction := v1.Faction("faction-" + strconv.Itoa(turn%5))
			seen := map[string]bool{}
			for ship := range held[turn%5] {
				if ship.Spec.Faction != faction {
					t.Errorf("%s of %s is among those of %s", ship.Name, ship.Spec.Faction, faction)
				}
				if seen[ship.Name] {
					t.Errorf("%s comes twice", ship.Name)
				}
				seen[ship.Name] = true
				runtime.Gosched()
			}
		},
		"slow loops over all": func(int) {
			seen := map[string]bool{}
			for ship := range store.AllTyped() {
				if seen[ship.Name] {
					t.Errorf("%s comes twice", ship.Name)
				}
				seen[ship.Name] = true
				runtime.Gosched()
			}
		},
		"snapshots": func(turn int) {
			all := store.snapshot()
			found, err := store.lookup("faction", "faction-"+strconv.Itoa(turn%5))
			many := found.many
			if err != nil {
				t.Errorf("lookup: %v", err)
			}
			before := [2]uint64{sum(all), sum(many)}
			for range 20 {
				runtime.Gosched()
			}
			if after := [2]uint64{sum(all), sum(many)}; after != before {
				t.Errorf("a snapshot changed")
			}
		},
		"answers": func(turn int) {
			ship := ships[turn%len(ships)]
			value := "faction-" + strconv.Itoa(turn%5)
			of, err := store.ByTypedIndex("faction", value)
			for _, ship := range of {
				if string(ship.Spec.Faction) != value {
					t.Errorf("%s of %s is among those of %s", ship.Name, ship.Spec.Faction, value)
				}
			}
			errs := []error{err}
			_, err = store.ByIndex("faction", value)
			errs = append(errs, err)
			_, err = store.Index("faction", ship)
			errs = append(errs, err)
			_, err = store.TypedIndex("pilot", ship)
			errs = append(errs, err)
			_, err = store.IndexKeys("faction", value)
			errs = append(errs, err)
			_, err = store.CountByIndex("pilot", ship.Spec.Pilot)
			errs = append(errs, err)
			_, err = store.AllByTypedIndex("pilot", ship.Spec.Pilot)
			errs = append(errs, err)
			_, _, err = store.Get(ship)
			errs = append(errs, err)
			_, _, err = store.GetByKey("default/" + ship.Name)
			for _, err := range append(errs, err) {
				if err != nil {
					t.Error(err)
				}
			}
			_, _ = store.List(), store.ListTyped()
			_, _ = store.ListKeys(), store.ListIndexFuncValues("pilot")
			_, _, _ = store.GetIndexers(), store.IndexNames(), store.LastStoreSyncResourceVersion()
		},
	}

	var done atomic.Bool
	var group sync.WaitGroup
	for _, read := range readers {
		for first := range 2 {
			group.Go(func() {
				for turn := first; !done.Load() && !t.Failed(); turn++ {
					read(turn)
				}
			})
		}
	}
	writeEverything(t, store, ships, 3_000)
	done.Store(true)
	group.Wait()
	must(t, store.validate())
}

// writeEverything makes n changes of all kinds.
func writeEverything(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter, n int) {
	t.Helper()
	for turn := range n {
		ship := ships[turn*7%len(ships)]
		change := moved(ship, v1.Faction("faction-"+strconv.Itoa(turn*3%5)))
		switch turn % 8 {
		case 0, 1:
			must(t, store.Update(change))
		case 2:
			must(t, store.Delete(ship))
		case 3:
			must(t, store.Add(ship.DeepCopy()))
		case 4:
			must(t, store.Delete(cache.DeletedFinalStateUnknown{Key: "default/" + ship.Name}))
		case 5:
			changes := []cache.Transaction{
				{Type: cache.TransactionTypeUpdate, Object: change},
				{Type: cache.TransactionTypeDelete, Object: ships[turn%len(ships)]},
				{Type: cache.TransactionTypeAdd, Object: ships[turn*5%len(ships)]},
			}
			if err := store.Transaction(changes...); err != nil {
				t.Fatal(err)
			}
		case 6:
			store.Bookmark(strconv.Itoa(turn))
		default:
			if turn%100 == 7 {
				list := make([]any, 0, len(ships))
				for _, ship := range ships {
					list = append(list, ship)
				}
				must(t, store.Replace(list, strconv.Itoa(turn)))
			}
			if turn%500 == 7 {
				must(t, store.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"late-" + strconv.Itoa(turn): firstIndexers["faction"]}))
			}
		}
		runtime.Gosched() // the readers' turn, however few cores there are
	}
}

// sum is of the pointers, and reads what they point to for the race detector.
func sum(ships []*v1.Starfighter) uint64 {
	var hash maphash.Hash
	hash.SetSeed(seed)
	for _, ship := range ships {
		maphash.WriteComparable(&hash, ship)
		hash.WriteString(ship.Name)
	}
	return hash.Sum64()
}

var seed = maphash.MakeSeed()

// TestReadersSeeAllOfAChangeOrNothing has a writer that replaces everything, or
// moves everything in one transaction.
func TestReadersSeeAllOfAChangeOrNothing(t *testing.T) {
	const n, turns = 50, 300
	fleet := func(turn int) []any {
		list := make([]any, n)
		for i := range list {
			ship := newShip("default", "ship-"+strconv.Itoa(i))
			ship.Spec.Faction = v1.Faction("faction-" + strconv.Itoa(turn))
			list[i] = ship
		}
		return list
	}
	changes := map[string]func(*Store[*v1.Starfighter], []any) error{
		"replace": func(store *Store[*v1.Starfighter], list []any) error { return store.Replace(list, "1") },
		"transaction": func(store *Store[*v1.Starfighter], list []any) error {
			var updates []cache.Transaction
			for _, obj := range list {
				updates = append(updates, cache.Transaction{Type: cache.TransactionTypeUpdate, Object: obj})
			}
			if err := store.Transaction(updates...); err != nil {
				return err
			}
			return nil
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			store, _ := newFleet(t, 0)
			must(t, change(store, fleet(0)))
			var done atomic.Bool
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() {
					for !done.Load() && !t.Failed() {
						all := slices.Collect(store.AllTyped())
						if len(all) != n {
							t.Errorf("%d of %d ships", len(all), n)
						}
						for _, ship := range all {
							if ship.Spec.Faction != all[0].Spec.Faction {
								t.Errorf("a list has both %s and %s", ship.Spec.Faction, all[0].Spec.Faction)
							}
						}
						if values := store.ListIndexFuncValues("faction"); len(values) != 1 {
							t.Errorf("factions %q, want one", values)
						}
					}
				})
			}
			for turn := range turns {
				must(t, change(store, fleet(turn)))
				runtime.Gosched()
			}
			done.Store(true)
			group.Wait()
			must(t, store.validate())
		})
	}
}
