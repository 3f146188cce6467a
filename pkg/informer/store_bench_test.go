// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// The benchmarks run the same on client-go's store and on this one:
//
//	go test ./pkg/informer -run - -bench Store -benchtime 200ms

var benchSizes = []int{1_000, 10_000, 100_000}

// benchIndexers are as users write them, the way that informers get them.
var benchIndexers = cache.TypedIndexers[*v1.Starfighter]{
	"faction": firstIndexers["faction"],
	"pilot":   firstIndexers["pilot"],
}

// benchStores are what is compared. Both are asked through the same interface.
var benchStores = []struct {
	name string
	make func(cache.TypedIndexers[*v1.Starfighter]) cache.TypedIndexer[*v1.Starfighter]
}{
	{"client-go", func(indexers cache.TypedIndexers[*v1.Starfighter]) cache.TypedIndexer[*v1.Starfighter] {
		return newModel(indexers).TypedIndexer
	}},
	{"starwars", func(indexers cache.TypedIndexers[*v1.Starfighter]) cache.TypedIndexer[*v1.Starfighter] {
		store, err := NewStore(nil, StoreOptions[*v1.Starfighter]{})
		if err == nil {
			err = store.AddTypedIndexers(indexers)
		}
		if err != nil {
			panic(err)
		}
		return store
	}},
}

// benchShip is a ship as a server sends it to an informer that strips
// managedFields; no string of it is shared with another object.
func benchShip(i int) *v1.Starfighter {
	return &v1.Starfighter{
		TypeMeta: metav1.TypeMeta{Kind: "Starfighter", APIVersion: "starwars.okontajneroch.sk/v1"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         "squadron-" + strconv.Itoa(i%20),
			Name:              fmt.Sprintf("ship-%07d", i),
			UID:               types.UID(fmt.Sprintf("6f3e1c52-8f0e-4b7e-9c55-%012d", i)),
			ResourceVersion:   strconv.Itoa(1_000_000 + i),
			Generation:        1,
			CreationTimestamp: metav1.Unix(1_700_000_000+int64(i), 0),
			Labels: map[string]string{
				"app.kubernetes.io/name":       fmt.Sprintf("ship-%07d", i),
				"app.kubernetes.io/managed-by": fmt.Sprintf("shipyard-%d", i%7),
				"starwars/wing":                strconv.Itoa(i % 50),
			},
			Annotations: map[string]string{
				"starwars/last-inspection": fmt.Sprintf("2024-05-04T12:%02d:00Z by droid %d", i%60, i),
				"starwars/note":            fmt.Sprintf("hyperdrive of ship %d replaced after the last battle", i),
			},
		},
		Spec: v1.StarfighterSpec{
			Faction: v1.Faction(fmt.Sprintf("faction-%d", i%5)),
			Type:    fmt.Sprintf("type-%d", i%20),
			Pilot:   fmt.Sprintf("pilot-%d", i),
		},
		Status: v1.StarfighterStatus{Phases: []string{"launched", "docked"}},
	}
}

func benchFleet(n int) []*v1.Starfighter {
	ships := make([]*v1.Starfighter, n)
	for i := range ships {
		ships[i] = benchShip(i)
	}
	return ships
}

// forStores runs a benchmark for all sizes on both stores, filled.
func forStores(b *testing.B, run func(*testing.B, cache.TypedIndexer[*v1.Starfighter], []*v1.Starfighter)) {
	b.Helper()
	for _, n := range benchSizes {
		ships := benchFleet(n)
		for _, kind := range benchStores {
			b.Run(fmt.Sprintf("n=%d/store=%s", n, kind.name), func(b *testing.B) {
				store := kind.make(benchIndexers)
				for _, ship := range ships {
					must(b, store.Add(ship))
				}
				b.ReportAllocs()
				run(b, store, ships)
			})
		}
	}
}

func BenchmarkStoreByTypedIndexFaction(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		for b.Loop() {
			want(b, len(ships)/5)(count(store.ByTypedIndex("faction", "faction-3")))
		}
	})
}

func BenchmarkStoreByTypedIndexPilot(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		for i := 0; b.Loop(); i++ {
			want(b, 1)(count(store.ByTypedIndex("pilot", ships[i%len(ships)].Spec.Pilot)))
		}
	})
}

// BenchmarkStoreAllByTypedIndexFaction is the iterator; client-go has none, so
// there it is a loop over ByTypedIndex.
func BenchmarkStoreAllByTypedIndexFaction(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		ours, _ := store.(*Store[*v1.Starfighter])
		for b.Loop() {
			n := 0
			if ours != nil {
				seq, err := ours.AllByTypedIndex("faction", "faction-3")
				must(b, err)
				for range seq {
					n++
				}
			} else {
				all, err := store.ByTypedIndex("faction", "faction-3")
				must(b, err)
				for range all {
					n++
				}
			}
			want(b, len(ships)/5)(n, nil)
		}
	})
}

// BenchmarkListerViewByFaction is what a user writes who reads only; with client-go,
// that is a loop over ByTypedIndex.
func BenchmarkListerViewByFaction(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		ask := func() (n int, err error) {
			found, err := store.ByTypedIndex("faction", "faction-3")
			for range found {
				n++
			}
			return n, err
		}
		if ours, ok := store.(*Store[*v1.Starfighter]); ok {
			fleet, err := NewStore(nil, StoreOptions[*v1.Starfighter]{})
			must(b, err)
			must(b, fleet.Replace(ours.List(), ""))
			lister := starwarslisters.NewStarfighterLister(fleet)
			ask = func() (n int, err error) {
				for range lister.ViewByFaction("faction-3").All() {
					n++
				}
				return n, nil
			}
		}
		for b.Loop() {
			want(b, len(ships)/5)(ask())
		}
	})
}

func BenchmarkStoreByIndexFaction(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		for b.Loop() {
			want(b, len(ships)/5)(count(store.ByIndex("faction", "faction-3")))
		}
	})
}

func BenchmarkStoreList(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		for b.Loop() {
			want(b, len(ships))(len(store.List()), nil)
		}
	})
}

func BenchmarkStoreGetByKey(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		keys := make([]string, len(ships)) // not ListKeys, whose order may be the store's own
		for i, ship := range ships {
			keys[i] = ship.Namespace + "/" + ship.Name
		}
		for i := 0; b.Loop(); i++ {
			if _, exists, err := store.GetByKey(keys[i%len(keys)]); !exists || err != nil {
				b.Fatal(exists, err)
			}
		}
	})
}

func BenchmarkStoreGet(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		for i := 0; b.Loop(); i++ {
			if _, exists, err := store.Get(ships[i%len(ships)]); !exists || err != nil {
				b.Fatal(exists, err)
			}
		}
	})
}

// BenchmarkStoreUpdate changes no value of an index, as most updates do.
func BenchmarkStoreUpdate(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		versions := [2][]*v1.Starfighter{benchFleet(len(ships)), ships}
		for i := 0; b.Loop(); i++ {
			must(b, store.Update(versions[i/len(ships)%2][i%len(ships)]))
		}
	})
}

// BenchmarkStoreUpdateWhileRead is an update after each of which somebody reads
// the bucket that it changed, so that the next one has to copy it.
func BenchmarkStoreUpdateWhileRead(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		versions := [2][]*v1.Starfighter{benchFleet(len(ships)), ships}
		for i := 0; b.Loop(); i++ {
			ship := versions[i/len(ships)%2][i%len(ships)]
			must(b, store.Update(ship))
			want(b, len(ships)/5)(count(store.ByTypedIndex("faction", string(ship.Spec.Faction))))
		}
	})
}

// BenchmarkStoreMove takes ships to another faction and back.
func BenchmarkStoreMove(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		away := make([]*v1.Starfighter, len(ships))
		for i, ship := range ships {
			away[i] = moved(ship, ships[(i+1)%len(ships)].Spec.Faction)
		}
		versions := [2][]*v1.Starfighter{away, ships}
		for i := 0; b.Loop(); i++ {
			must(b, store.Update(versions[i/len(ships)%2][i%len(ships)]))
		}
	})
}

func BenchmarkStoreAddDelete(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		more := make([]*v1.Starfighter, 1_000)
		for i := range more {
			more[i] = benchShip(len(ships) + i)
		}
		for i := 0; b.Loop(); i++ {
			must(b, store.Add(more[i%len(more)]))
			must(b, store.Delete(more[i%len(more)]))
		}
	})
}

func BenchmarkStoreReplace(b *testing.B) {
	forStores(b, func(b *testing.B, store cache.TypedIndexer[*v1.Starfighter], ships []*v1.Starfighter) {
		list := make([]any, len(ships))
		for i, ship := range ships {
			list[i] = ship
		}
		for b.Loop() {
			must(b, store.Replace(list, "1"))
		}
	})
}

// BenchmarkStoreAddIndexers adds both indexes to a store that is full.
func BenchmarkStoreAddIndexers(b *testing.B) {
	for _, n := range benchSizes {
		ships := benchFleet(n)
		for _, kind := range benchStores {
			b.Run(fmt.Sprintf("n=%d/store=%s", n, kind.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					store := kind.make(nil)
					for _, ship := range ships {
						must(b, store.Add(ship))
					}
					b.StartTimer()
					must(b, store.AddTypedIndexers(benchIndexers))
				}
			})
		}
	}
}

// BenchmarkStoreMemory measures what a store takes for each object, besides the
// object: without indexes, and for two of them.
func BenchmarkStoreMemory(b *testing.B) {
	for _, n := range benchSizes {
		ships := benchFleet(n)
		for _, kind := range benchStores {
			b.Run(fmt.Sprintf("n=%d/store=%s", n, kind.name), func(b *testing.B) {
				var plain, indexes float64
				for b.Loop() {
					before := heap()
					store := kind.make(nil)
					for _, ship := range ships {
						must(b, store.Add(ship))
					}
					filled := heap()
					must(b, store.AddTypedIndexers(benchIndexers))
					indexed := heap()
					runtime.KeepAlive(store)
					plain = float64(filled-before) / float64(n)
					indexes = float64(indexed-filled) / float64(n)
				}
				runtime.KeepAlive(ships)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(plain, "store-bytes/object")
				b.ReportMetric(indexes, "index-bytes/object")
			})
		}
	}
}

// heap returns how many bytes are in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one's finalizers let go
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func want(b *testing.B, want int) func(got int, err error) {
	return func(got int, err error) {
		if got != want || err != nil {
			b.Fatalf("%d objects, %v; want %d", got, err, want)
		}
	}
}
