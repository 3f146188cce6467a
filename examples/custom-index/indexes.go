// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
	"strings"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// Names of the indexes. They must differ from those of the generated ones, which
// are faction, pilot and faction-type.
const (
	wingIndex        = "wing"
	factionWingIndex = "faction-wing"
	hullIndex        = "hull"
)

// indexers are functions from a ship to the values that an index files it under.
// A function must depend on the ship alone, and may not change it.
var indexers = starwarsinformers.StarfighterIndexers{
	// Several values: a ship that flies in two wings is found under both, and one
	// that flies in none is not in the index.
	wingIndex: func(ship *v1.Starfighter) ([]string, error) {
		return wings(ship), nil
	},
	// A compound: one look-up instead of two whose results are to be intersected.
	factionWingIndex: func(ship *v1.Starfighter) ([]string, error) {
		var keys []string
		for _, wing := range wings(ship) {
			keys = append(keys, factionWingKey(ship.Spec.Faction, wing))
		}
		return keys, nil
	},
	// A function that can fail: then the ship is not in this index, which is
	// reported, but in all others.
	hullIndex: func(ship *v1.Starfighter) ([]string, error) {
		text, ok := ship.Labels["hull"]
		if !ok {
			return nil, nil
		}
		hull, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("label hull is %q, not a number", text)
		}
		return []string{hullKey(hull)}, nil // 7 also where the label says 007
	},
}

// wings are what a ship's labels such as "wing/red" say that it flies in.
func wings(ship *v1.Starfighter) (wings []string) {
	for label := range ship.Labels {
		if wing, ok := strings.CutPrefix(label, "wing/"); ok {
			wings = append(wings, wing)
		}
	}
	return wings
}

// factionWingKey is unambiguous: there is no "/" in the name of a wing, which ends
// a label's key, so that everything after the first one is the faction, whatever
// that contains.
func factionWingKey(faction v1.Faction, wing string) string { return wing + "/" + string(faction) }

func hullKey(hull uint64) string { return strconv.FormatUint(hull, 10) }

// lookup asks the indexes. Callers cannot misspell a name or a key.
type lookup struct {
	ships starwarslisters.StarfighterLister
}

func (l lookup) byWing(wing string) ([]*v1.Starfighter, error) {
	return l.ships.ByIndex(wingIndex, wing)
}

func (l lookup) byFactionAndWing(faction v1.Faction, wing string) ([]*v1.Starfighter, error) {
	return l.ships.ByIndex(factionWingIndex, factionWingKey(faction, wing))
}

func (l lookup) byHull(hull uint64) ([]*v1.Starfighter, error) {
	return l.ships.ByIndex(hullIndex, hullKey(hull))
}
