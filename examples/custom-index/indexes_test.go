// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

func TestIndexers(t *testing.T) {
	tests := map[string]struct {
		index  string
		labels map[string]string
		want   []string // sorted
	}{
		"two wings":         {wingIndex, map[string]string{"wing/red": "true", "wing/gold": "true", "hull": "7"}, []string{"gold", "red"}},
		"no wing":           {wingIndex, map[string]string{"left-wing": "true"}, nil},
		"faction and wing":  {factionWingIndex, map[string]string{"wing/red": "", "wing/gold": ""}, []string{"gold/rebellion", "red/rebellion"}},
		"hull":              {hullIndex, map[string]string{"hull": "007"}, []string{"7"}},
		"no hull":           {hullIndex, nil, nil},
		"hull of no number": {hullIndex, map[string]string{"hull": "T-65"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ship := &v1.Starfighter{ObjectMeta: metav1.ObjectMeta{Labels: test.labels}, Spec: v1.StarfighterSpec{Faction: v1.Rebellion}}
			got, err := indexers[test.index](ship)
			slices.Sort(got)
			if !slices.Equal(got, test.want) || (err != nil) != (name == "hull of no number") {
				t.Errorf("filed under %q, error %v; want %q", got, err, test.want)
			}
		})
	}
}

// TestLookup asks an indexer that was filled by hand. It is client-go's, which ends
// the process when an index function fails, so these functions are guarded.
func TestLookup(t *testing.T) {
	var out output
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.TypedIndexersToIndexers(starwarslisters.GuardIndexers(indexers, out.leftOut)))
	for _, ship := range samples() {
		if err := indexer.Add(ship); err != nil {
			t.Fatal(err)
		}
	}
	answers, err := ask(lookup{starwarslisters.NewStarfighterLister(indexer)})
	if err != nil {
		t.Fatal(err)
	}
	const want = `wing "black": tie-fighter-1; of the rebellion: none
wing "gold": y-wing-1; of the rebellion: y-wing-1
wing "red": tie-fighter-2, x-wing-1, x-wing-2, x-wing-3; of the rebellion: x-wing-1, x-wing-2, x-wing-3
wing "rogue": x-wing-1, x-wing-2; of the rebellion: x-wing-1, x-wing-2
hull 7: tie-fighter-1, x-wing-1
misspelt: no such index: "wnig" of Starfighter; there are "faction", "pilot", "faction-type", and those that were added by hand
`
	if answers != want {
		t.Errorf("the answers are\n%swant\n%s", answers, want)
	}
	if want := []string{"x-wing-3 is left out: index function \"hull\": label hull is \"T-65\", not a number\n"}; !slices.Equal(out.lines, want) {
		t.Errorf("reported %q, want %q", out.lines, want)
	}
}
