// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// newShip returns a ship no string of which shares memory with another one's.
func newShip(n int) *v1.Starfighter {
	fresh := strings.Clone
	return &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fresh("fleet"), Name: fmt.Sprintf("ship-%d", n), UID: "u", ResourceVersion: "7",
			Labels: map[string]string{fresh("tier"): fresh("front"), fresh("app"): fresh("fleet")},
			Annotations: map[string]string{
				fresh("hangar"): fmt.Sprintf("hangar %d", n), fresh("kubectl.kubernetes.io/last-applied-configuration"): `{"a":"b"}`,
			},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
		},
		Spec:   v1.StarfighterSpec{Faction: v1.Faction(fresh("rebellion")), Type: fresh("X-Wing"), Pilot: fmt.Sprintf("Luke %d", n)},
		Status: v1.StarfighterStatus{Phases: []string{fresh("launched"), fresh("docked")}},
	}
}

func TestStripAndDrop(t *testing.T) {
	ship := newShip(1)
	want := ship.DeepCopy()
	want.ManagedFields = nil
	if got, err := listwatch.StripManagedFields(ship); err != nil || got != any(ship) || !reflect.DeepEqual(ship, want) {
		t.Errorf("%v, %v", got, err)
	}
	delete(want.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	if got, err := listwatch.DropLastApplied(ship); err != nil || got != any(ship) || !reflect.DeepEqual(ship, want) {
		t.Errorf("%v, %v", got, err)
	}
	bare := &v1.Starfighter{}
	if _, err := listwatch.DropLastApplied(bare); err != nil || !reflect.DeepEqual(bare, &v1.Starfighter{}) {
		t.Errorf("%v, %v", bare, err)
	}
}

// TestNoObject: transforms leave alone what they do not know.
func TestNoObject(t *testing.T) {
	for _, transform := range []cache.TransformFunc{listwatch.StripManagedFields, listwatch.DropLastApplied, internShip(), listwatch.Intern[*v1.Starfighter](nil)} {
		for _, obj := range []any{nil, (*v1.Starfighter)(nil), "a string", 5, cache.DeletedFinalStateUnknown{Key: "a/b"}, &v1.Starfighter{}, &metav1.PartialObjectMetadata{}} {
			if got, err := transform(obj); err != nil || got != obj {
				t.Errorf("%T: %v, %v", obj, got, err)
			}
		}
	}
}

func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

func keyOf(m map[string]string, key string) string {
	for k := range m {
		if k == key {
			return k
		}
	}
	return ""
}

func TestIntern(t *testing.T) {
	transform := internShip()
	a, b := newShip(1), newShip(2)
	want := b.DeepCopy()
	for _, ship := range []*v1.Starfighter{a, b} {
		if _, err := transform(ship); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(b, want) {
		t.Errorf("%v, want %v", b, want)
	}
	for what, pair := range map[string][2]string{
		"namespace":      {a.Namespace, b.Namespace},
		"label key":      {keyOf(a.Labels, "tier"), keyOf(b.Labels, "tier")},
		"label value":    {a.Labels["tier"], b.Labels["tier"]},
		"annotation key": {keyOf(a.Annotations, "hangar"), keyOf(b.Annotations, "hangar")},
		"faction":        {string(a.Spec.Faction), string(b.Spec.Faction)},
		"type":           {a.Spec.Type, b.Spec.Type},
		"phase":          {a.Status.Phases[1], b.Status.Phases[1]},
		"label and name": {a.Labels["app"], b.Namespace},
	} {
		if pair[0] != pair[1] || !sameMemory(pair[0], pair[1]) {
			t.Errorf("%s: %q and %q do not share memory", what, pair[0], pair[1])
		}
	}
	// Strings are shared, maps are not.
	a.Labels["tier"] = "back"
	a.Annotations["hangar"] = "none"
	if !reflect.DeepEqual(b, want) {
		t.Error("a change of one object is one of another")
	}
}

// TestInternTable: the table is bounded, in strings and in bytes.
func TestInternTable(t *testing.T) {
	var intern func(string) string
	transform := listwatch.Intern(func(_ *v1.Starfighter, f func(string) string) { intern = f })
	if _, err := transform(newShip(1)); err != nil {
		t.Fatal(err)
	}
	first := intern("first")
	if !sameMemory(first, intern(strings.Clone("first"))) {
		t.Error("a string is not shared")
	}
	for n := range 10_000 {
		intern(fmt.Sprintf("string %d", n))
	}
	if sameMemory(first, intern(strings.Clone("first"))) {
		t.Error("the table has more than 10,000 strings")
	}
	long := strings.Repeat("long", 100)
	if intern(long); sameMemory(long, intern(strings.Clone(long))) {
		t.Error("the table has long strings")
	}
}

func TestInternAllocatesNothing(t *testing.T) {
	transform := listwatch.Chain(nil, listwatch.StripManagedFields, internShip())
	ships := []*v1.Starfighter{newShip(1)}
	for n := range 1001 {
		ships = append(ships, newShip(n))
	}
	if _, err := transform(ships[0]); err != nil {
		t.Fatal(err)
	}
	n := 0
	if got := testing.AllocsPerRun(1000, func() { n++; _, _ = transform(ships[n]) }); got != 0 {
		t.Errorf("%v allocations for an object whose strings are known", got)
	}
}

// TestInternAtOnce is for the race detector.
func TestInternAtOnce(t *testing.T) {
	transform := internShip()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for n := range 500 {
				ship := newShip(g*1000 + n)
				ship.Labels[fmt.Sprint("label-", n)] = fmt.Sprint("value-", n*g)
				labels := maps.Clone(ship.Labels)
				if _, err := transform(ship); err != nil || !maps.Equal(labels, ship.Labels) {
					t.Errorf("%v, want %v: %v", ship.Labels, labels, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestChain(t *testing.T) {
	failed := errors.New("failed")
	set := func(change func(*v1.Starfighter)) cache.TransformFunc {
		return func(obj any) (any, error) { change(obj.(*v1.Starfighter)); return obj, nil }
	}
	setPilot := set(func(s *v1.Starfighter) { s.Spec.Pilot = "Leia" })
	for name, c := range map[string]struct {
		transform cache.TransformFunc
		report    string
	}{
		"good":             {set(func(s *v1.Starfighter) { s.Annotations = nil }), ""},
		"nil":              {nil, ""},
		"other object":     {func(obj any) (any, error) { return obj.(*v1.Starfighter).DeepCopy(), nil }, ""},
		"no version":       {set(func(s *v1.Starfighter) { s.ResourceVersion = "" }), "transform of fleet/ship-1: it changed the name, namespace, UID or resourceVersion: put back"},
		"no UID":           {set(func(s *v1.Starfighter) { s.UID = "" }), "put back"},
		"no name":          {set(func(s *v1.Starfighter) { s.Name = "" }), "put back"},
		"no namespace":     {set(func(s *v1.Starfighter) { s.Namespace = "" }), "put back"},
		"no metadata":      {set(func(s *v1.Starfighter) { s.ObjectMeta = metav1.ObjectMeta{} }), "put back"},
		"empty object":     {func(any) (any, error) { return &v1.Starfighter{}, nil }, "put back"},
		"error":            {func(any) (any, error) { return nil, failed }, "transform of fleet/ship-1: failed: object kept"},
		"error and object": {func(obj any) (any, error) { obj.(*v1.Starfighter).Name = "x"; return obj, failed }, "failed: object kept"},
		"nothing":          {func(any) (any, error) { return nil, nil }, "transform of fleet/ship-1 returned <nil>(<nil>), which is no object: object kept"},
		"nil object":       {func(any) (any, error) { return (*v1.Starfighter)(nil), nil }, "returned *v1.Starfighter(<nil>), which is no object"},
		"string":           {func(any) (any, error) { return "ship", nil }, "returned string(ship), which is no object"},
		"panic":            {func(any) (any, error) { panic("oh") }, "transform of fleet/ship-1 panicked: oh: object kept"},
		"panic, half done": {func(obj any) (any, error) { obj.(*v1.Starfighter).UID = ""; panic(failed) }, "panicked: failed: object kept"},
		"panic, no name":   {func(obj any) (any, error) { _ = obj.(*metav1.PartialObjectMetadata); return obj, nil }, "panicked: interface conversion"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, tombstone := range []bool{false, true} {
				var reports []string
				chain := listwatch.Chain(func(obj any, err error) {
					if obj.(*v1.Starfighter).Name != "ship-1" {
						t.Errorf("reported with %v", obj)
					}
					reports = append(reports, err.Error())
				}, c.transform, setPilot)
				var obj any = newShip(1)
				if tombstone {
					obj = cache.DeletedFinalStateUnknown{Key: "fleet/ship-1", Obj: obj}
				}
				got, err := chain(obj)
				if err != nil {
					t.Fatal(err)
				}
				if d, ok := got.(cache.DeletedFinalStateUnknown); ok {
					if d.Key != "fleet/ship-1" {
						t.Errorf("key %q", d.Key)
					}
					got = d.Obj
				}
				ship := got.(*v1.Starfighter)
				if ship.Name != "ship-1" || ship.Namespace != "fleet" || ship.UID != "u" || ship.ResourceVersion != "7" {
					t.Errorf("the identity is lost: %v", ship)
				}
				if ship.Spec.Pilot != "Leia" {
					t.Error("the next transform did not go on")
				}
				if c.report == "" && len(reports) > 0 || c.report != "" && (len(reports) != 1 || !strings.Contains(reports[0], c.report)) {
					t.Errorf("reported %q, want %q", reports, c.report)
				}
				if _, err := listwatch.Chain(nil, c.transform)(newShip(1)); err != nil {
					t.Errorf("without a report: %v", err)
				}
			}
		})
	}
	for _, obj := range []any{nil, (*v1.Starfighter)(nil), "a string", cache.DeletedFinalStateUnknown{Key: "a/b"}, cache.DeletedFinalStateUnknown{Obj: "a string"}} {
		reports := 0
		if got, err := listwatch.Chain(func(any, error) { reports++ }, setPilot)(obj); err != nil || got != obj {
			t.Errorf("%T: %v, %v", obj, got, err)
		}
		if d, ok := obj.(cache.DeletedFinalStateUnknown); reports != 1 && (!ok || d.Obj != nil) {
			t.Errorf("%T: %d reports", obj, reports)
		}
	}
}

// TestTransformWithoutResourceVersion: a transform that clears resourceVersion,
// with resync on: updates still arrive.
func TestTransformWithoutResourceVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		reports := 0
		transform := listwatch.Chain(func(any, error) { mu.Lock(); reports++; mu.Unlock() }, func(obj any) (any, error) {
			obj.(*v1.Starfighter).ResourceVersion = ""
			return obj, nil
		})
		var w *io.PipeWriter
		i := start(t, nil, 10*time.Second, transform, func(_ int, r *http.Request) *http.Response {
			var body io.ReadCloser
			body, w = stream(r, frameJSON(watch.Added, named("a", "1"))+bookmark("5"))
			return answer(200, body)
		})
		i.expect(t, "add a@1")
		time.Sleep(11 * time.Second)
		i.expect(t, "update a@1")
		fmt.Fprint(w, frameJSON(watch.Modified, named("a", "6")))
		i.expect(t, "update a@6")
		time.Sleep(10 * time.Second)
		i.expect(t, "update a@6")
		i.stop()
		if reports < 2 { // client-go transforms the objects of a watch-list twice
			t.Errorf("%d reports", reports)
		}
	})
}

// TestTransformFails: a transform that fails for one object: the original is
// kept, it is reported, and the cache fills.
func TestTransformFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		transform := listwatch.Chain(func(_ any, err error) { reports = append(reports, err.Error()) }, func(obj any) (any, error) {
			if obj.(*v1.Starfighter).Name == "b" {
				return nil, errors.New("failed")
			}
			obj.(*v1.Starfighter).Spec.Pilot = "Leia"
			return obj, nil
		})
		i := start(t, nil, 0, transform, func(_ int, r *http.Request) *http.Response {
			body, _ := stream(r, frameJSON(watch.Added, named("a", "1"))+frameJSON(watch.Added, named("b", "2"))+bookmark("5"))
			return answer(200, body)
		})
		i.expect(t, "add a@1", "add b@2")
		if !i.HasSynced() {
			t.Error("not synced")
		}
		for key, want := range map[string]string{"fleet/a": "Leia", "fleet/b": "Luke"} {
			if obj, ok, err := i.GetStore().GetByKey(key); err != nil || !ok || obj.(*v1.Starfighter).Spec.Pilot != want {
				t.Errorf("%s: %v, %t, %v", key, obj, ok, err)
			}
		}
		i.stop()
		// client-go transforms the objects of a watch-list twice.
		if got, want := slices.Compact(reports), []string{"transform of fleet/b: failed: object kept"}; !slices.Equal(got, want) {
			t.Errorf("reported %q, want %q", got, want)
		}
	})
}
