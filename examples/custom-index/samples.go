// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// samples are ships whose labels say in which wings they fly, and the number of
// their hull. That of x-wing-3 is no number.
func samples() []*v1.Starfighter {
	ship := func(name string, faction v1.Faction, model, pilot string, labels map[string]string) *v1.Starfighter {
		return &v1.Starfighter{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
			Spec:       v1.StarfighterSpec{Faction: faction, Type: model, Pilot: pilot},
		}
	}
	return []*v1.Starfighter{
		ship("x-wing-1", v1.Rebellion, "X-Wing", "Luke Skywalker", map[string]string{"wing/red": "true", "wing/rogue": "true", "hull": "007"}),
		ship("x-wing-2", v1.Rebellion, "X-Wing", "Wedge Antilles", map[string]string{"wing/red": "true", "wing/rogue": "true", "hull": "8"}),
		ship("x-wing-3", v1.Rebellion, "X-Wing", "Biggs Darklighter", map[string]string{"wing/red": "true", "hull": "T-65"}),
		ship("y-wing-1", v1.Rebellion, "Y-Wing", "Jon Vander", map[string]string{"wing/gold": "true"}),
		ship("tie-fighter-1", v1.Empire, "TIE-Fighter", "Mauler Mithel", map[string]string{"wing/black": "true", "hull": "7"}),
		ship("tie-fighter-2", v1.Empire, "TIE-Fighter", "captured by the rebels", map[string]string{"wing/red": "true"}),
	}
}
