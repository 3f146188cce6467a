// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/okontajneroch/starwars/examples/internal/console"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// roster says how many ships each faction has. It keeps nothing and handles no
// events: the index has the answer, however many ships there are.
type roster struct {
	lister starwarslisters.StarfighterLister
}

// String is the largest faction first.
func (r roster) String() string {
	factions, err := r.lister.IndexValues(starwarslisters.StarfighterFactionIndex)
	if err != nil {
		return err.Error()
	}
	ships := map[string]int{}
	for _, faction := range factions {
		ships[faction] = r.lister.CountByFaction(v1.Faction(faction))
	}
	return counts(ships)
}

// pilots says which ships some pilots fly, from the index as well.
type pilots struct {
	lister starwarslisters.StarfighterLister
	names  []string
}

func (p pilots) String() string {
	var answers []string
	for _, name := range p.names {
		ships, err := p.lister.ByPilot(name) // or ByIndex("pilot", name)
		if err != nil {
			return err.Error()
		}
		var keys []string
		for _, ship := range ships {
			keys = append(keys, ship.Namespace+"/"+ship.Name)
		}
		slices.Sort(keys) // an index answers in no particular order
		if more := len(keys) - 3; more > 0 {
			keys = append(keys[:3], fmt.Sprintf("%d more", more))
		}
		if keys == nil {
			keys = []string{"nothing"}
		}
		answers = append(answers, name+" flies "+strings.Join(keys, ", "))
	}
	return strings.Join(answers, "; ")
}

// counts writes how often something is there, the most frequent first. Those
// beyond the first eight are summed up.
func counts(of map[string]int) string {
	const most = 8
	var values []string
	for value, count := range of {
		if count > 0 {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
	if values == nil {
		return "none"
	}
	var parts []string
	rest := 0
	for i, value := range values {
		if i < most {
			parts = append(parts, english.Sprintf("%s %d", console.Quote(value), of[value]))
		} else {
			rest += of[value]
		}
	}
	if rest > 0 {
		parts = append(parts, english.Sprintf("others %d", rest))
	}
	return strings.Join(parts, ", ")
}
