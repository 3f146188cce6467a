// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// unchanged wants a store to be as it was when unchanged was called.
func unchanged(t *testing.T, store *Store[*v1.Starfighter]) (check func(what string)) {
	t.Helper()
	objs, names, rv := store.ListTyped(), store.IndexNames(), store.LastStoreSyncResourceVersion()
	return func(what string) {
		t.Helper()
		must(t, store.validate())
		sameSet(t, store.ListTyped(), objs, what)
		if got := store.IndexNames(); !slices.Equal(got, names) {
			t.Errorf("%s: indexes %q, want %q", what, got, names)
		}
		if got := store.LastStoreSyncResourceVersion(); got != rv {
			t.Errorf("%s: resourceVersion %q, want %q", what, got, rv)
		}
	}
}

// TestWhatAStoreCannotHold wants an error that says so, and no change.
func TestWhatAStoreCannotHold(t *testing.T) {
	var none *v1.Starfighter
	tests := map[string]struct {
		obj  any
		says string
		key  bool // it has a key, so that it can be deleted and looked up
	}{
		"another type": {obj: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "tie"}}, says: "*v1.PartialObjectMetadata", key: true},
		"a tombstone":  {obj: cache.DeletedFinalStateUnknown{Key: "default/tie"}, says: "cache.DeletedFinalStateUnknown", key: true},
		"a key":        {obj: cache.ExplicitKey("default/tie"), says: "cache.ExplicitKey", key: true},
		"a value":      {obj: v1.Starfighter{}, says: "v1.Starfighter"},
		"no object":    {obj: "tie", says: "string"},
		"nil":          {obj: nil, says: "<nil>"},
		"a nil ship":   {obj: none, says: "nil object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store, ships := newFleet(t, 10)
			store.Bookmark("7")
			check := unchanged(t, store)
			writes := map[string]func() error{
				"Add":     func() error { return store.Add(test.obj) },
				"Update":  func() error { return store.Update(test.obj) },
				"Replace": func() error { return store.Replace([]any{newShip("default", "new"), test.obj, ships[0]}, "8") },
				"Transaction": func() error {
					err := store.Transaction(cache.Transaction{Type: cache.TransactionTypeAdd, Object: test.obj})
					if err == nil || len(err.Errors) != 1 {
						t.Fatalf("Transaction: %v, want one error", err)
					}
					return err.Errors[0]
				},
			}
			for what, write := range writes {
				err := write()
				var keyError cache.KeyError
				if !errors.As(err, &keyError) || reflect.TypeOf(keyError.Obj) != reflect.TypeOf(test.obj) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%s: error %v, want a KeyError of the object that says %q", what, err, test.says)
				}
				check(what)
			}
			if err := store.Delete(test.obj); (err == nil) != test.key {
				t.Errorf("Delete: error %v", err)
			}
			if item, exists, err := store.Get(test.obj); item != nil || exists || (err == nil) != test.key {
				t.Errorf("Get: %v, %v, %v", item, exists, err)
			}
		})
	}
}

// TestTransactionMakesWhatItCan leaves out one change of three.
func TestTransactionMakesWhatItCan(t *testing.T) {
	store, ships := newFleet(t, 2)
	more := newShip("default", "more")
	more.ResourceVersion = "9"
	err := store.Transaction(
		cache.Transaction{Type: cache.TransactionTypeDelete, Object: ships[0]},
		cache.Transaction{Type: cache.TransactionTypeAdd, Object: more},
		cache.Transaction{Type: cache.TransactionTypeUpdate, Object: cache.ExplicitKey("default/ship-1")},
	)
	if err == nil || !slices.Equal(err.SuccessfulIndices, []int{0, 1}) || err.TotalTransactions != 3 || len(err.Errors) != 1 {
		t.Errorf("error %+v, want the first two of three to succeed", err)
	}
	must(t, store.validate())
	sameSet(t, store.ListTyped(), []*v1.Starfighter{ships[1], more}, "stored")
	if rv := store.LastStoreSyncResourceVersion(); rv != "9" {
		t.Errorf("resourceVersion %q, want that of the last change that was made", rv)
	}
}

// TestIndexesThatCannotBeAdded wants an error that helps, and none of the indexes.
func TestIndexesThatCannotBeAdded(t *testing.T) {
	none := func(*v1.Starfighter) ([]string, error) { return nil, nil }
	tests := map[string]struct {
		add  cache.TypedIndexers[*v1.Starfighter]
		says []string
	}{
		"no function": {cache.TypedIndexers[*v1.Starfighter]{"new": none, "broken": nil}, []string{`"broken"`, "no function"}},
		"name taken":  {cache.TypedIndexers[*v1.Starfighter]{"new": none, "pilot": none}, []string{"indexer conflict", `"pilot"`, "another name"}},
		"names taken": {cache.TypedIndexers[*v1.Starfighter]{"faction": none, "pilot": none}, []string{`"faction", "pilot"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store, ships := newFleet(t, 10)
			check := unchanged(t, store)
			untyped := cache.Indexers{}
			for name, values := range test.add {
				untyped[name] = nil
				if values != nil {
					untyped[name] = cache.TypedIndexerFuncToIndexerFunc(values)
				}
			}
			for what, err := range map[string]error{
				"AddTypedIndexers": store.AddTypedIndexers(test.add),
				"AddIndexers":      store.AddIndexers(untyped),
			} {
				for _, word := range test.says {
					if err == nil || !strings.Contains(err.Error(), word) {
						t.Errorf("%s: error %v, want one that says %q", what, err, word)
					}
				}
				check(what)
			}
			must(t, store.Update(moved(ships[0], "elsewhere"))) // files it in all indexes
			must(t, store.validate())
		})
	}
	if _, err := NewStore(cache.Indexers{"broken": nil}, StoreOptions[*v1.Starfighter]{}); err == nil {
		t.Error("NewStore took an index without a function")
	}
}

// TestAskingWithTheWrongObject may not end the process.
func TestAskingWithTheWrongObject(t *testing.T) {
	store, _ := newFleet(t, 10)
	var none *v1.Starfighter
	for what, obj := range map[string]any{"a tombstone": cache.DeletedFinalStateUnknown{Key: "default/tie"}, "nil": nil, "a nil ship": none} {
		if found, err := store.Index("faction", obj); err == nil || len(found) > 0 {
			t.Errorf("Index with %s: %v, %v; want an error", what, found, err)
		}
	}
	if found, err := store.TypedIndex("faction", none); err == nil || len(found) > 0 {
		t.Errorf("TypedIndex with nil: %v, %v; want an error", found, err)
	}
}
