// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"testing"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// TestAllocations keeps the promise that questions cost no memory but for their
// result.
func TestAllocations(t *testing.T) {
	store, ships := newFleet(t, 100)
	must(t, store.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"constant": lateIndexers[1]["constant"]}))

	// Its index functions return slices that there are already, so that only the
	// store's own allocations count.
	values := map[string][]string{}
	for _, ship := range ships {
		values[string(ship.Spec.Faction)] = []string{string(ship.Spec.Faction)}
	}
	writes, err := NewStore(cache.TypedIndexersToIndexers(cache.TypedIndexers[*v1.Starfighter]{
		"constant": lateIndexers[1]["constant"],
		"faction":  func(ship *v1.Starfighter) ([]string, error) { return values[string(ship.Spec.Faction)], nil },
	}), StoreOptions[*v1.Starfighter]{})
	must(t, err)
	for _, ship := range ships {
		must(t, writes.Add(ship))
	}
	changed := ships[3].DeepCopy()
	elsewhere := moved(ships[3], ships[4].Spec.Faction)

	n := 0
	yield := func(*v1.Starfighter) bool { n++; return true }
	for _, test := range []struct {
		what  string
		want  float64
		found int
		do    func() (found int, err error)
	}{
		{"AllByTypedIndex", 0, 20, func() (int, error) {
			seq, err := store.AllByTypedIndex("faction", "faction-3")
			n = 0
			seq(yield)
			return n, err
		}},
		{"AllTyped", 0, 100, func() (int, error) {
			n = 0
			store.AllTyped()(yield)
			return n, nil
		}},
		// The state of the loop, and its body, which nobody knows not to be kept.
		{"AllByTypedIndex and a loop", 2, 20, func() (n int, err error) {
			seq, err := store.AllByTypedIndex("faction", "faction-3")
			for range seq {
				n++
			}
			return n, err
		}},
		{"SnapshotByTypedIndex", 0, 20, func() (int, error) { return count(store.SnapshotByTypedIndex("faction", "faction-3")) }},
		{"ByTypedIndex, many", 1, 20, func() (int, error) { return count(store.ByTypedIndex("faction", "faction-3")) }},
		{"ByTypedIndex, one", 1, 1, func() (int, error) { return count(store.ByTypedIndex("pilot", "pilot-3")) }},
		{"ByTypedIndex, none", 0, 0, func() (int, error) { return count(store.ByTypedIndex("pilot", "nobody")) }},
		{"ByIndex", 1, 20, func() (int, error) { return count(store.ByIndex("faction", "faction-3")) }},
		{"ListTyped", 1, 100, func() (int, error) { return count(store.ListTyped(), nil) }},
		{"List", 1, 100, func() (int, error) { return count(store.List(), nil) }},
		{"CountByIndex", 0, 20, func() (int, error) { return store.CountByIndex("faction", "faction-3") }},
		{"GetByKey", 0, 1, func() (int, error) {
			if _, exists, err := store.GetByKey("default/ship-3"); !exists {
				return 0, err
			}
			return 1, nil
		}},
		{"Update in place", 0, 0, func() (int, error) { return 0, writes.Update(changed) }},
		{"Update that moves, there and back", 0, 0, func() (int, error) {
			return 0, errors.Join(writes.Update(elsewhere), writes.Update(changed))
		}},
	} {
		got := testing.AllocsPerRun(100, func() {
			if found, err := test.do(); found != test.found || err != nil {
				t.Fatalf("%s: %d objects, %v; want %d", test.what, found, err, test.found)
			}
		})
		if got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.what, got, test.want)
		}
	}
}

func count[E any](objs []E, err error) (int, error) { return len(objs), err }
