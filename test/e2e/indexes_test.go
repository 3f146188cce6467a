// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"slices"
	"testing"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// Listers bring their indexes along: no registration, and no request but the
// one watch.
func TestListerAnswersByIndex(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships,
		ship("x-wing-1"),
		ship("x-wing-2", flownBy("Wedge Antilles")),
		ship("tie-advanced-1", flyingFor(v1.Empire), flownBy("Darth Vader")),
	)
	ctx, factory, asked := sharedFactory(t, 0)
	told, _ := handle(t, factory)
	start(ctx, t, factory)
	lister := factory.Starwars().V1().Starfighters().Lister() // only now, when the cache is full

	check := func(want map[string][]string) {
		t.Helper()
		for _, reader := range []starwarslisters.StarfighterIndexReader{lister, lister.Starfighters(namespace)} {
			got := map[string][]string{}
			answer := func(question string, ships []*v1.Starfighter, err error) {
				t.Helper()
				if err != nil {
					t.Errorf("%s: %v", question, err)
				}
				got[question] = sortedNames(ships)
			}
			rebels, err := reader.ByFaction(v1.Rebellion)
			answer("rebels", rebels, err)
			rebels, err = reader.ByIndex(starwarslisters.StarfighterFactionIndex, "rebellion")
			answer("rebels by index", rebels, err)
			answer("rebels in a loop", slices.Collect(reader.AllByFaction(v1.Rebellion)), nil)
			luke, err := reader.ByPilot("Luke Skywalker")
			answer("Luke", luke, err)
			xWings, err := reader.ByFactionType(v1.Empire, "X-Wing")
			answer("imperial X-Wings", xWings, err)
			factions, err := reader.IndexValues(starwarslisters.StarfighterFactionIndex)
			if err != nil {
				t.Error(err)
			}
			slices.Sort(factions)
			got["factions"] = factions

			want["rebels by index"], want["rebels in a loop"] = want["rebels"], want["rebels"]
			for question, ships := range want {
				if !slices.Equal(got[question], ships) {
					t.Errorf("%s: got %q, want %q", question, got[question], ships)
				}
			}
			if count := reader.CountByFaction(v1.Rebellion); count != len(want["rebels"]) {
				t.Errorf("counted %d rebels of %q", count, want["rebels"])
			}
		}
	}

	check(map[string][]string{
		"rebels":           {"x-wing-1", "x-wing-2"},
		"Luke":             {"x-wing-1"},
		"imperial X-Wings": {"tie-advanced-1"},
		"factions":         {"empire", "rebellion"},
	})
	change(t, ships, "x-wing-2", flyingFor(v1.Empire), flownBy("Luke Skywalker"))
	remove(t, ships, "x-wing-1")
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "found tie-advanced-1", "updated x-wing-2", "deleted x-wing-1")
	check(map[string][]string{
		"Luke":             {"x-wing-2"},
		"imperial X-Wings": {"tie-advanced-1", "x-wing-2"},
		"factions":         {"empire"},
	})

	if _, err := lister.ByIndex("squadron", "red"); !errors.Is(err, starwarslisters.ErrNoIndex) {
		t.Errorf("an index that nobody added: got %v, want ErrNoIndex", err)
	}
	asked.want(t, 0, 1)
}
