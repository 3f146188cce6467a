// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package samples_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func TestManifestsAreCompleteAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, ship := range append(samples.Fleet(), samples.XWing1()) {
		key := ship.Namespace + "/" + ship.Name
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		if ship.Namespace == "" || ship.Name == "" || ship.Spec.Faction == "" || ship.Spec.Type == "" || ship.Spec.Pilot == "" {
			t.Errorf("%s has an empty field: %+v", key, ship.Spec)
		}
		if want := v1.GroupVersion.String(); ship.APIVersion != want || ship.Kind != "Starfighter" {
			t.Errorf("%s is a %s, kind %s; want %s, kind Starfighter", key, ship.APIVersion, ship.Kind, want)
		}
	}
}

func TestFleetSpansFactionsAndNamespaces(t *testing.T) {
	factions, namespaces, pilots := map[v1.Faction]int{}, map[string]int{}, map[string]int{}
	for _, ship := range samples.Fleet() {
		factions[ship.Spec.Faction]++
		namespaces[ship.Namespace]++
		pilots[ship.Spec.Pilot]++
	}
	if len(factions) < 3 || len(namespaces) != 2 {
		t.Errorf("factions %v, namespaces %v: want at least 3 and exactly 2", factions, namespaces)
	}
	if len(pilots) == len(samples.Fleet()) {
		t.Error("no pilot flies two ships")
	}
}

func TestCallersOwnWhatTheyGet(t *testing.T) {
	samples.XWing1().Spec.Pilot = "Darth Vader"
	samples.Fleet()[0].Spec.Pilot = "Darth Vader"
	if got := samples.XWing1().Spec.Pilot; got != "Luke Skywalker" {
		t.Errorf("x-wing-1 is flown by %s", got)
	}
	if got := samples.Fleet()[0].Spec.Pilot; got == "Darth Vader" {
		t.Error("the fleet's first ship changed hands")
	}
}

func ExampleFleet() {
	var rebels []string
	for _, ship := range samples.Fleet() {
		if ship.Spec.Faction == v1.Rebellion {
			rebels = append(rebels, ship.Namespace+"/"+ship.Name)
		}
	}
	slices.Sort(rebels)
	fmt.Println(rebels)
	// Output: [default/a-wing-1 default/x-wing-2 default/x-wing-3 default/y-wing-1 outer-rim/snowspeeder-1 outer-rim/x-wing-4]
}
