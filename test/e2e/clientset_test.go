// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsapply "github.com/okontajneroch/starwars/pkg/generated/applyconfiguration/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
)

func TestCreateGetUpdateDelete(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)

	created := create(t, ships, ship("x-wing-1"))[0]
	if created.UID == "" || created.ResourceVersion == "" || created.Namespace != namespace || created.Spec != xWing {
		t.Errorf("created: %+v", created)
	}
	updated := change(t, ships, "x-wing-1", flownBy("Wedge Antilles"))
	if updated.Spec.Pilot != "Wedge Antilles" || updated.Generation != created.Generation+1 {
		t.Errorf("updated: pilot %q, generation %d after %d", updated.Spec.Pilot, updated.Generation, created.Generation)
	}
	got, err := ships.Get(t.Context(), "x-wing-1", metav1.GetOptions{})
	noError(t, err)
	if got.ResourceVersion != updated.ResourceVersion {
		t.Errorf("got resourceVersion %s, want the updated ship's %s", got.ResourceVersion, updated.ResourceVersion)
	}

	otherUID := types.UID("cec2a1a4-0000-4000-8000-000000000000")
	err = ships.Delete(t.Context(), "x-wing-1", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &otherUID}})
	if !apierrors.IsConflict(err) {
		t.Errorf("delete with another ship's UID: got %v, want a conflict", err)
	}
	remove(t, ships, "x-wing-1")
	if _, err := ships.Get(t.Context(), "x-wing-1", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get after delete: got %v, want NotFound", err)
	}
}

func TestScenario30StaleUpdateConflicts(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	stale := create(t, ships, ship("x-wing-1"))[0]
	change(t, ships, "x-wing-1", flownBy("Wedge Antilles"))

	stale.Spec.Pilot = "Darth Vader"
	if _, err := ships.Update(t.Context(), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update: got %v, want a conflict", err)
	}
	if _, err := ships.UpdateStatus(t.Context(), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of the status: got %v, want a conflict", err)
	}
}

func TestScenario30GenerateName(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	generated := func(s *v1.Starfighter) { s.GenerateName = "tie-fighter-" }
	pair := create(t, ships, ship("", generated), ship("", generated))
	for _, s := range pair {
		if len(s.Name) <= len("tie-fighter-") || s.Name[:len("tie-fighter-")] != "tie-fighter-" {
			t.Errorf("generated name %q", s.Name)
		}
	}
	if pair[0].Name == pair[1].Name {
		t.Errorf("%q was generated twice", pair[0].Name)
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		patchType   types.PatchType
		patch       string
		subresource []string
		want        v1.Starfighter
	}{
		"merge": {
			types.MergePatchType, `{"spec":{"pilot":"Wedge Antilles"}}`, nil,
			v1.Starfighter{Spec: v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing", Pilot: "Wedge Antilles"}},
		},
		"json": {
			types.JSONPatchType, `[{"op":"test","path":"/spec/faction","value":"rebellion"},{"op":"replace","path":"/spec/faction","value":"empire"}]`, nil,
			v1.Starfighter{Spec: v1.StarfighterSpec{Faction: v1.Empire, Type: "X-Wing", Pilot: "Luke Skywalker"}},
		},
		"status": {
			types.MergePatchType, `{"spec":{"pilot":"Darth Vader"},"status":{"phases":["docked"]}}`, []string{"status"},
			v1.Starfighter{Spec: xWing, Status: v1.StarfighterStatus{Phases: []string{"docked"}}},
		},
	}
	ships, _ := sharedShips(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			create(t, ships, ship(name))
			got, err := ships.Patch(t.Context(), name, test.patchType, []byte(test.patch), metav1.PatchOptions{}, test.subresource...)
			noError(t, err)
			if got.Spec != test.want.Spec || !slices.Equal(got.Status.Phases, test.want.Status.Phases) {
				t.Errorf("got spec %+v, status %+v; want %+v", got.Spec, got.Status, test.want)
			}
		})
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	spec := func(pilot string) *starwarsapply.StarfighterApplyConfiguration {
		return starwarsapply.Starfighter("x-wing-1", namespace).WithSpec(
			starwarsapply.StarfighterSpec().WithFaction(v1.Rebellion).WithType("X-Wing").WithPilot(pilot))
	}
	apply := func(config *starwarsapply.StarfighterApplyConfiguration, options metav1.ApplyOptions) (*v1.Starfighter, error) {
		return ships.Apply(t.Context(), config, options)
	}

	created, err := apply(spec("Luke Skywalker"), metav1.ApplyOptions{FieldManager: "hangar"})
	if err != nil {
		t.Fatalf("apply a new ship: %v", err)
	}
	again, err := apply(spec("Luke Skywalker"), metav1.ApplyOptions{FieldManager: "hangar"})
	if err != nil {
		t.Fatalf("apply it again: %v", err)
	}
	if again.ResourceVersion != created.ResourceVersion {
		t.Error("to apply the same again changed the ship")
	}

	_, err = apply(spec("Wedge Antilles"), metav1.ApplyOptions{FieldManager: "tower"})
	if !apierrors.IsConflict(err) {
		t.Fatalf("apply another's pilot: got %v, want a conflict", err)
	}
	wantCause(t, err, metav1.CauseTypeFieldManagerConflict, ".spec.pilot")
	forced, err := apply(spec("Wedge Antilles"), metav1.ApplyOptions{FieldManager: "tower", Force: true})
	if err != nil {
		t.Fatalf("apply with force: %v", err)
	}
	if forced.Spec.Pilot != "Wedge Antilles" {
		t.Errorf("after force the pilot is %q", forced.Spec.Pilot)
	}

	// What one manager owns can be read back and applied again without a change.
	owned, err := starwarsapply.ExtractStarfighter(forced, "tower")
	if err != nil {
		t.Fatalf("extract: %v", err)
	}
	if owned.Spec == nil || owned.Spec.Pilot == nil || *owned.Spec.Pilot != "Wedge Antilles" {
		t.Errorf("extracted %+v, want the pilot", owned.Spec)
	}
	again, err = apply(owned, metav1.ApplyOptions{FieldManager: "tower"})
	if err != nil {
		t.Fatalf("apply what was extracted: %v", err)
	}
	if again.ResourceVersion != forced.ResourceVersion {
		t.Error("to apply what was extracted changed the ship")
	}
}

func TestListSelects(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships,
		ship("x-wing-1", labelled("squadron", "red")),
		ship("x-wing-2", labelled("squadron", "gold"), flownBy("Wedge Antilles")),
		ship("tie-advanced-1", flyingFor(v1.Empire), flownBy("Darth Vader")),
		ship("snowspeeder-1", labelled("squadron", "red")),
	)
	tests := map[string]struct {
		options metav1.ListOptions
		want    []string // in the order of keys in the store
	}{
		"all":                 {metav1.ListOptions{}, []string{"snowspeeder-1", "tie-advanced-1", "x-wing-1", "x-wing-2"}},
		"label":               {metav1.ListOptions{LabelSelector: "squadron=red"}, []string{"snowspeeder-1", "x-wing-1"}},
		"label is set":        {metav1.ListOptions{LabelSelector: "squadron"}, []string{"snowspeeder-1", "x-wing-1", "x-wing-2"}},
		"faction":             {metav1.ListOptions{FieldSelector: "spec.faction=empire"}, []string{"tie-advanced-1"}},
		"faction is not":      {metav1.ListOptions{FieldSelector: "spec.faction!=empire"}, []string{"snowspeeder-1", "x-wing-1", "x-wing-2"}},
		"pilot":               {metav1.ListOptions{FieldSelector: "spec.pilot=Luke Skywalker"}, []string{"snowspeeder-1", "x-wing-1"}},
		"pilot and faction":   {metav1.ListOptions{FieldSelector: "spec.pilot=Darth Vader,spec.faction=rebellion"}, nil},
		"pilot and label":     {metav1.ListOptions{FieldSelector: "spec.pilot=Luke Skywalker", LabelSelector: "squadron=red"}, []string{"snowspeeder-1", "x-wing-1"}},
		"name":                {metav1.ListOptions{FieldSelector: "metadata.name=x-wing-2"}, []string{"x-wing-2"}},
		"namespace and pilot": {metav1.ListOptions{FieldSelector: "metadata.namespace=" + namespace + ",spec.pilot=Wedge Antilles"}, []string{"x-wing-2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := ships.List(t.Context(), test.options)
			noError(t, err)
			if got := namesOf(list.Items); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("a"), ship("b"), ship("c"), ship("d"), ship("e"))

	var pages [][]string
	var left []int64
	options := metav1.ListOptions{Limit: 2}
	for {
		page, err := ships.List(t.Context(), options)
		noError(t, err)
		pages = append(pages, namesOf(page.Items))
		if page.Continue == "" {
			break
		}
		left = append(left, *page.RemainingItemCount)
		options.Continue = page.Continue
		if len(pages) == 1 { // pages show the ships as they were at the first
			create(t, ships, ship("bb"))
			remove(t, ships, "d")
		}
	}
	want := [][]string{{"a", "b"}, {"c", "d"}, {"e"}}
	if !slices.EqualFunc(pages, want, slices.Equal[[]string]) || !slices.Equal(left, []int64{3, 1}) {
		t.Errorf("pages %q with %d left, want %q with [3 1] left", pages, left, want)
	}
}

func TestDeleteCollection(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships,
		ship("x-wing-1", labelled("squadron", "red")),
		ship("x-wing-2", labelled("squadron", "gold")),
		ship("tie-advanced-1", flyingFor(v1.Empire)),
		ship("tie-fighter-1", flyingFor(v1.Empire)),
	)
	for _, step := range []struct {
		selected metav1.ListOptions
		left     []string
	}{
		{metav1.ListOptions{LabelSelector: "squadron=red"}, []string{"tie-advanced-1", "tie-fighter-1", "x-wing-2"}},
		{metav1.ListOptions{FieldSelector: "spec.faction=empire"}, []string{"x-wing-2"}},
		{metav1.ListOptions{}, nil},
	} {
		if err := ships.DeleteCollection(t.Context(), metav1.DeleteOptions{}, step.selected); err != nil {
			t.Fatalf("delete %+v: %v", step.selected, err)
		}
		list, err := ships.List(t.Context(), metav1.ListOptions{})
		noError(t, err)
		if got := namesOf(list.Items); !slices.Equal(got, step.left) {
			t.Errorf("after deleting %+v there is %q, want %q", step.selected, got, step.left)
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	list, err := ships.List(t.Context(), metav1.ListOptions{})
	noError(t, err)
	all, err := ships.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	noError(t, err)
	defer all.Stop()
	rebels, err := ships.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion, FieldSelector: "spec.faction=rebellion"})
	noError(t, err)
	defer rebels.Stop()

	create(t, ships, ship("tie-fighter-1", flyingFor(v1.Empire)))
	change(t, ships, "x-wing-1", flyingFor(v1.Empire))
	change(t, ships, "tie-fighter-1", flyingFor(v1.Rebellion))
	remove(t, ships, "x-wing-1")
	remove(t, ships, "tie-fighter-1")

	ctx := timeLimited(t)
	wantEvents(ctx, t, all, "ADDED tie-fighter-1", "MODIFIED x-wing-1", "MODIFIED tie-fighter-1", "DELETED x-wing-1", "DELETED tie-fighter-1")
	// To join the selected faction is to be added, to leave it to be deleted.
	wantEvents(ctx, t, rebels, "DELETED x-wing-1", "ADDED tie-fighter-1", "DELETED tie-fighter-1")
}

// A watch ends by itself when it was told to, as all watches do now and then.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	second := int64(1)
	watcher, err := ships.Watch(t.Context(), metav1.ListOptions{TimeoutSeconds: &second})
	noError(t, err)
	defer watcher.Stop()
	select {
	case event, open := <-watcher.ResultChan():
		if open {
			t.Errorf("got %+v, want the end", event)
		}
	case <-time.After(process.Timeout):
		t.Error("the watch goes on")
	}
}

func wantEvents(ctx context.Context, t *testing.T, watcher watch.Interface, want ...string) {
	t.Helper()
	var got []string
	for len(got) < len(want) {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				t.Fatalf("the watch ended after %q, want %q", got, want)
			}
			s, ok := event.Object.(*v1.Starfighter)
			if !ok {
				t.Fatalf("%s came with a %T", event.Type, event.Object)
			}
			if event.Type != watch.Bookmark {
				got = append(got, string(event.Type)+" "+s.Name)
			}
		case <-ctx.Done():
			t.Fatalf("events %q, want %q: %v", got, want, context.Cause(ctx))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}
