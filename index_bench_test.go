// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// fleetOf returns an indexer as an informer's, with n ships: a fifth of them in
// each faction, two for each pilot. One ship in a hundred is in the namespace
// outpost, all others are in default.
func fleetOf(tb testing.TB, n int) cache.Indexer {
	tb.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for i := range n {
		ship := &v1.Starfighter{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("ship-%d", i)},
			// Sprintf: a decoded object has strings of its own, not shared ones.
			Spec: v1.StarfighterSpec{
				Faction: v1.Faction(fmt.Sprintf("faction-%d", i%5)),
				Type:    fmt.Sprintf("type-%d", i%20),
				Pilot:   fmt.Sprintf("pilot-%d", i/2),
			},
		}
		if i%100 == 0 {
			ship.Namespace = "outpost"
		}
		if err := indexer.Add(ship); err != nil {
			tb.Fatalf("fill the cache: %v", err)
		}
	}
	return indexer
}

// handMade are the indexes as a user of client-go writes them.
func handMade() cache.TypedIndexers[*v1.Starfighter] {
	return cache.TypedIndexers[*v1.Starfighter]{
		"by-hand/faction": func(ship *v1.Starfighter) ([]string, error) { return []string{string(ship.Spec.Faction)}, nil },
		"by-hand/pilot":   func(ship *v1.Starfighter) ([]string, error) { return []string{ship.Spec.Pilot}, nil },
	}
}

// BenchmarkIndex compares the lister's questions with client-go's ByTypedIndex
// and with filtering what List returns. All of them answer from the same cache.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		indexer := fleetOf(b, n)
		if err := indexer.AddIndexers(cache.TypedIndexersToIndexers(handMade())); err != nil {
			b.Fatal(err)
		}
		typed := cache.NewTypedSharedIndexInformer[*v1.Starfighter](indexerOnly{indexer: indexer}).GetTypedIndexer()
		lister := starwarslisters.NewStarfighterLister(indexer)

		questions := []struct {
			name string
			ask  map[string]func() (int, error)
			want int
		}{
			{"faction", map[string]func() (int, error){
				"lister": func() (int, error) { ships, err := lister.ByFaction("faction-3"); return len(ships), err },
				"ByTypedIndex": func() (int, error) {
					ships, err := typed.ByTypedIndex("by-hand/faction", "faction-3")
					return len(ships), err
				},
				"filter": func() (int, error) {
					return filtered(lister, func(ship *v1.Starfighter) bool { return ship.Spec.Faction == "faction-3" })
				},
			}, n / 5},
			{"pilot", map[string]func() (int, error){
				"lister": func() (int, error) { ships, err := lister.ByPilot("pilot-7"); return len(ships), err },
				"ByTypedIndex": func() (int, error) {
					ships, err := typed.ByTypedIndex("by-hand/pilot", "pilot-7")
					return len(ships), err
				},
				"filter": func() (int, error) {
					return filtered(lister, func(ship *v1.Starfighter) bool { return ship.Spec.Pilot == "pilot-7" })
				},
			}, 2},
		}
		for _, question := range questions {
			for _, way := range []string{"ByTypedIndex", "lister", "filter"} {
				b.Run(fmt.Sprintf("of=%s/n=%d/by=%s", question.name, n, way), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if got, err := question.ask[way](); err != nil || got != question.want {
							b.Fatalf("%d ships, %v; want %d", got, err, question.want)
						}
					}
				})
			}
		}
	}
}

// BenchmarkNamespacedIndex compares, for 100,000 ships, the namespace lister's
// question, which has an index by namespace and value, with the two ways that
// need none: filtering the ships of the faction by namespace, and filtering the
// ships of the namespace by faction.
func BenchmarkNamespacedIndex(b *testing.B) {
	const n = 100_000
	lister := starwarslisters.NewStarfighterLister(fleetOf(b, n))
	tests := []struct {
		name, namespace, faction, pilot string
		want                            int
	}{
		{name: "small-namespace-large-value", namespace: "outpost", faction: "faction-0", want: n / 100},
		{name: "large-namespace-small-value", namespace: "default", pilot: "pilot-7", want: 2},
	}
	for _, test := range tests {
		ways := map[string]func() (int, error){
			"lister": func() (int, error) {
				var ships []*v1.Starfighter
				var err error
				if test.pilot != "" {
					ships, err = lister.Starfighters(test.namespace).ByPilot(test.pilot)
				} else {
					ships, err = lister.Starfighters(test.namespace).ByFaction(v1.Faction(test.faction))
				}
				return len(ships), err
			},
			"filter-value": func() (int, error) {
				index, value := starwarslisters.StarfighterFactionIndex, test.faction
				if test.pilot != "" {
					index, value = starwarslisters.StarfighterPilotIndex, test.pilot
				}
				ships, err := lister.ByIndex(index, value)
				found := 0
				for _, ship := range ships {
					if ship.Namespace == test.namespace {
						found++
					}
				}
				return found, err
			},
			"filter-namespace": func() (int, error) {
				return filtered(lister.Starfighters(test.namespace), func(ship *v1.Starfighter) bool {
					return ship.Spec.Pilot == test.pilot || string(ship.Spec.Faction) == test.faction
				})
			},
		}
		for _, way := range []string{"lister", "filter-value", "filter-namespace"} {
			b.Run(fmt.Sprintf("of=%s/by=%s", test.name, way), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got, err := ways[way](); err != nil || got != test.want {
						b.Fatalf("%d ships, %v; want %d", got, err, test.want)
					}
				}
			})
		}
	}
}

// BenchmarkFirstNamespacedQuestion is what the first question to a namespace's
// lister costs, which builds the index by namespace and value.
func BenchmarkFirstNamespacedQuestion(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		lister := starwarslisters.NewStarfighterLister(fleetOf(b, 100_000))
		b.StartTimer()
		if got := lister.Starfighters("outpost").CountByFaction("faction-0"); got != 1_000 {
			b.Fatalf("%d ships, want 1,000", got)
		}
	}
}

// filtered counts the ships that List returns and keep keeps.
func filtered(lister interface {
	List(labels.Selector) ([]*v1.Starfighter, error)
}, keep func(*v1.Starfighter) bool) (int, error) {
	all, err := lister.List(labels.Everything())
	var kept []*v1.Starfighter
	for _, ship := range all {
		if keep(ship) {
			kept = append(kept, ship)
		}
	}
	return len(kept), err
}

// indexerOnly is an informer that has an indexer and nothing else: client-go's
// typed indexer is to be had from informers only.
type indexerOnly struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
}

func (i indexerOnly) GetIndexer() cache.Indexer { return i.indexer }
