// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"fmt"
	"maps"
	"reflect"
	"sync"
	"testing"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

func labelled(labels map[string]string) *v1.Starfighter {
	ship := newShip(1)
	ship.Labels = labels
	return ship
}

func sameMap(a, b map[string]string) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

func TestShareLabels(t *testing.T) {
	share := listwatch.ShareLabels()
	shared := func(labels map[string]string) map[string]string {
		t.Helper()
		want := maps.Clone(labels)
		ship := labelled(labels)
		if got, err := share(ship); err != nil || got != any(ship) || !reflect.DeepEqual(ship.Labels, want) {
			t.Fatalf("%v, %v, want labels %v", got, err, want)
		}
		return ship.Labels
	}
	first := shared(map[string]string{"a": "1", "b": "2"})
	if !sameMap(first, shared(map[string]string{"b": "2", "a": "1"})) {
		t.Error("equal labels are two maps")
	}
	for _, other := range []map[string]string{{"a": "2", "b": "1"}, {"a": "1"}, {"a": "1", "b": "2", "c": "3"}, {"ab": "12"}, {"b": "1", "a": "2"}} {
		if got := shared(other); sameMap(first, got) {
			t.Errorf("%v share the map of %v", other, first)
		}
	}
	if got := shared(nil); got != nil {
		t.Errorf("no labels are %v", got)
	}
	// More than it remembers: it begins anew, and what is shared stays right.
	for n := range 10_000 {
		shared(map[string]string{"n": fmt.Sprint(n)})
	}
	if a, b := shared(map[string]string{"a": "1", "b": "2"}), shared(map[string]string{"a": "1", "b": "2"}); sameMap(a, first) || !sameMap(a, b) {
		t.Error("after 10,000 others, equal labels are two maps, or the first ones are remembered")
	}
}

// TestShareLabelsBehindIntern is for the race detector: what is shared is written
// to by neither, also when an object passes twice.
func TestShareLabelsBehindIntern(t *testing.T) {
	transform := listwatch.Chain(nil, internShip(), listwatch.ShareLabels())
	var mu sync.Mutex
	seen := map[uintptr]bool{}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 200 {
				ship := newShip(n)
				for range 2 {
					if _, err := transform(ship); err != nil {
						t.Error(err)
					}
				}
				mu.Lock()
				seen[reflect.ValueOf(ship.Labels).Pointer()] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(seen) != 1 {
		t.Errorf("%d maps for 800 ships with equal labels", len(seen))
	}
}

func TestDropLastAppliedLeavesNoEmptyMap(t *testing.T) {
	ship := newShip(1)
	delete(ship.Annotations, "hangar")
	if _, err := listwatch.DropLastApplied(ship); err != nil || ship.Annotations != nil {
		t.Errorf("annotations %v, %v", ship.Annotations, err)
	}
}
