// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"
	"sync"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// maxFactions is how many factions have a column and a colour of their own. Any
// string is a faction; the ships of all further ones share a column.
const maxFactions = 8

// otherFactions is the place of those that have none of their own.
const otherFactions = maxFactions

// factions gives factions places from 0 to maxFactions-1, which stay theirs for
// as long as anything shows them.
type factions struct {
	mu    sync.Mutex
	place map[v1.Faction]int
	names [maxFactions]*v1.Faction // nil: free
}

// newFactions keeps the first places for the factions that everyone knows.
func newFactions() *factions {
	f := &factions{place: map[v1.Faction]int{}}
	f.seen(v1.Rebellion)
	f.seen(v1.Empire)
	return f
}

// seen gives a faction a place if it has none and one is free.
func (f *factions) seen(faction v1.Faction) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(faction)
}

func (f *factions) add(faction v1.Faction) {
	if _, known := f.place[faction]; known {
		return
	}
	if free := slices.Index(f.names[:], nil); free >= 0 {
		f.place[faction], f.names[free] = free, &faction
	}
}

// of returns a faction's place, which is otherFactions if it has none of its own.
func (f *factions) of(faction v1.Faction) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if place, known := f.place[faction]; known {
		return place
	}
	return otherFactions
}

// list returns the names by place; nil where there is none.
func (f *factions) list() [maxFactions]*v1.Faction {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names
}

// settle frees the places of factions that are gone, and gives free ones to the
// largest factions without. counts has all factions that have ships; shown tells
// whether something still shows a place that has none.
func (f *factions) settle(counts map[v1.Faction]int, shown func(place int) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for place, name := range f.names {
		if name == nil || *name == v1.Rebellion || *name == v1.Empire || counts[*name] > 0 || shown(place) {
			continue
		}
		delete(f.place, *name)
		f.names[place] = nil
	}
	var without []v1.Faction
	for faction := range counts {
		if _, known := f.place[faction]; !known {
			without = append(without, faction)
		}
	}
	slices.SortFunc(without, func(a, b v1.Faction) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, faction := range without[:min(len(without), maxFactions)] {
		f.add(faction)
	}
}
