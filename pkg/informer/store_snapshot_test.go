// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// newFleet returns a store by faction and pilot with n ships, a fifth of them in
// each faction and one for each pilot.
func newFleet(tb testing.TB, n int) (*Store[*v1.Starfighter], []*v1.Starfighter) {
	tb.Helper()
	store, err := NewStore(cache.TypedIndexersToIndexers(cache.TypedIndexers[*v1.Starfighter]{
		"faction": firstIndexers["faction"], "pilot": firstIndexers["pilot"],
	}), StoreOptions[*v1.Starfighter]{})
	if err != nil {
		tb.Fatal(err)
	}
	ships := make([]*v1.Starfighter, n)
	for i := range ships {
		ships[i] = newShip("default", "ship-"+strconv.Itoa(i))
		ships[i].Spec = v1.StarfighterSpec{
			Faction: v1.Faction(fmt.Sprintf("faction-%d", i%5)), Type: "X-Wing", Pilot: fmt.Sprintf("pilot-%d", i),
		}
		must(tb, store.Add(ships[i]))
	}
	return store, ships
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// moved returns a copy of a ship in another faction.
func moved(ship *v1.Starfighter, faction v1.Faction) *v1.Starfighter {
	ship = ship.DeepCopy()
	ship.Spec.Faction = faction
	return ship
}

// sequences are all ways to iterate, with what they are to find in a fleet.
func sequences(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) map[string]sequence {
	t.Helper()
	of := func(index, value string) iter.Seq[*v1.Starfighter] {
		seq, err := store.AllByTypedIndex(index, value)
		must(t, err)
		return seq
	}
	var inFaction []*v1.Starfighter
	for i, ship := range ships {
		if i%5 == 2 {
			inFaction = append(inFaction, ship)
		}
	}
	return map[string]sequence{
		"all":     {store.AllTyped(), ships},
		"many":    {of("faction", "faction-2"), inFaction},
		"one":     {of("pilot", "pilot-2"), ships[2:3]},
		"none":    {of("pilot", "nobody"), nil},
		"missing": {of("faction", "nobody"), nil},
	}
}

type sequence struct {
	iter.Seq[*v1.Starfighter]
	want []*v1.Starfighter
}

// changes are everything that may happen to a store.
var changes = map[string]func(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) error{
	"update in place": func(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) error {
		for _, ship := range ships {
			must(t, store.Update(ship.DeepCopy()))
		}
		return nil
	},
	"move": func(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) error {
		for _, ship := range ships {
			must(t, store.Update(moved(ship, "elsewhere")))
		}
		return nil
	},
	"add": func(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) error {
		for _, ship := range ships {
			ship = ship.DeepCopy()
			ship.Name += "-again"
			must(t, store.Add(ship))
		}
		return nil
	},
	"delete": func(t *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) error {
		for _, ship := range ships {
			must(t, store.Delete(ship))
		}
		return nil
	},
	"replace": func(_ *testing.T, store *Store[*v1.Starfighter], _ []*v1.Starfighter) error {
		return store.Replace([]any{newShip("default", "only")}, "1")
	},
	"transaction": func(_ *testing.T, store *Store[*v1.Starfighter], ships []*v1.Starfighter) error {
		var deletions []cache.Transaction
		for _, ship := range ships {
			deletions = append(deletions, cache.Transaction{Type: cache.TransactionTypeDelete, Object: ship})
		}
		if err := store.Transaction(deletions...); err != nil {
			return err
		}
		return nil
	},
	"add an index": func(_ *testing.T, store *Store[*v1.Starfighter], _ []*v1.Starfighter) error {
		return store.AddTypedIndexers(lateIndexers[0])
	},
}

// TestLoopsSeeWhatWasThereWhenTheyBegan changes everything in the middle of a loop,
// from inside it.
func TestLoopsSeeWhatWasThereWhenTheyBegan(t *testing.T) {
	for what, change := range changes {
		for _, which := range []string{"all", "many", "one", "none", "missing"} {
			t.Run(what+"/"+which, func(t *testing.T) {
				store, ships := newFleet(t, 20)
				seq := sequences(t, store, ships)[which]
				var got []*v1.Starfighter
				for ship := range seq.Seq {
					if len(got) == 0 {
						must(t, change(t, store, ships))
					}
					got = append(got, ship)
				}
				sameSet(t, got, seq.want, "the loop")
				must(t, store.validate())
			})
		}
	}
}

// TestSnapshotsStay changes everything after a snapshot was taken.
func TestSnapshotsStay(t *testing.T) {
	for what, change := range changes {
		t.Run(what, func(t *testing.T) {
			store, ships := newFleet(t, 20)
			snapshots := map[[2]string][]*v1.Starfighter{{"faction", "faction-2"}: nil, {"pilot", "pilot-2"}: nil, {"pilot", "nobody"}: nil}
			want := map[[2]string][]*v1.Starfighter{}
			for at := range snapshots {
				var err error
				snapshots[at], err = store.SnapshotByTypedIndex(at[0], at[1])
				must(t, err)
				if cap(snapshots[at]) != len(snapshots[at]) {
					t.Errorf("%v: who appends to the snapshot writes to the store's memory", at)
				}
				want[at] = slices.Clone(snapshots[at])
			}
			must(t, change(t, store, ships))
			for at, snapshot := range snapshots {
				if !slices.Equal(snapshot, want[at]) {
					t.Errorf("%v: the snapshot is %v, was %v", at, snapshot, want[at])
				}
			}
			must(t, store.validate())
		})
	}
}

// TestHeldSequencesSeeThePresent loops over the same sequences again and again.
func TestHeldSequencesSeeThePresent(t *testing.T) {
	store, ships := newFleet(t, 20)
	held := sequences(t, store, ships)
	look := func(what string, want map[string][]*v1.Starfighter) {
		t.Helper()
		must(t, store.validate())
		for which, seq := range held {
			sameSet(t, slices.Collect(seq.Seq), want[which], what, which)
		}
	}
	before := map[string][]*v1.Starfighter{}
	for which, seq := range held {
		before[which] = seq.want
	}
	look("as it was", before)

	for _, ship := range ships {
		must(t, store.Delete(ship))
	}
	look("deleted", nil)

	only := ships[2]
	must(t, store.Add(only))
	look("one came back", map[string][]*v1.Starfighter{"all": {only}, "many": {only}, "one": {only}})

	for _, ship := range ships {
		must(t, store.Add(ship))
	}
	look("all came back", before)

	list := []any{newShip("default", "a"), newShip("default", "b")}
	list[0].(*v1.Starfighter).Spec.Faction = "nobody"
	list[1].(*v1.Starfighter).Spec.Pilot = "pilot-2"
	a, b := list[0].(*v1.Starfighter), list[1].(*v1.Starfighter)
	must(t, store.Replace(list, "1"))
	look("replaced", map[string][]*v1.Starfighter{"all": {a, b}, "one": {b}, "missing": {a}})

	must(t, store.Replace(nil, "2"))
	look("replaced by nothing", nil)
	for _, ship := range ships {
		must(t, store.Add(ship))
	}
	look("as at first", before)
}

// TestBreakEndsALoop must not go on, nor keep anything locked.
func TestBreakEndsALoop(t *testing.T) {
	store, ships := newFleet(t, 20)
	for which, seq := range sequences(t, store, ships) {
		n := 0
		for range seq.Seq {
			n++
			break
		}
		if want := min(1, len(seq.want)); n != want {
			t.Errorf("%s: %d turns, want %d", which, n, want)
		}
		must(t, store.Update(ships[0]))
	}
}

// TestSlicesBelongToTheCaller changes what the store returned.
func TestSlicesBelongToTheCaller(t *testing.T) {
	const n = 5 * 2 * copyUnderLock // more than is copied with the lock held
	store, ships := newFleet(t, n)
	for what, read := range map[string]func() ([]*v1.Starfighter, error){
		"ListTyped":               func() ([]*v1.Starfighter, error) { return store.ListTyped(), nil },
		"ByTypedIndex, one":       func() ([]*v1.Starfighter, error) { return store.ByTypedIndex("pilot", "pilot-1") },
		"ByTypedIndex, very many": func() ([]*v1.Starfighter, error) { return store.ByTypedIndex("faction", "faction-1") },
		"TypedIndex":              func() ([]*v1.Starfighter, error) { return store.TypedIndex("faction", ships[1]) },
	} {
		got, err := read()
		must(t, err)
		if len(got) == 0 {
			t.Errorf("%s returned nothing", what)
		}
		clear(got)
		_ = append(got, nil)
		again, err := read()
		must(t, err)
		if slices.Contains(again, nil) || len(again) != len(got) {
			t.Errorf("%s returns the same memory twice", what)
		}
	}
	if objs := store.snapshot(); cap(objs) != len(objs) {
		t.Error("who appends to a snapshot writes to the store's memory")
	}
	must(t, store.validate())
}
