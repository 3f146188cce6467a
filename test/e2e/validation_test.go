// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsapply "github.com/okontajneroch/starwars/pkg/generated/applyconfiguration/starwars/v1"
)

var starfighters = v1.Resource("starfighters").WithVersion(v1.GroupVersion.Version)

// untyped is a client that can send what the Go types cannot hold.
func untyped(t *testing.T, config *rest.Config) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	noError(t, err)
	return client.Resource(starfighters).Namespace(namespaceOf(t))
}

func untypedShip(name string, edit func(object, spec map[string]any)) *unstructured.Unstructured {
	spec := map[string]any{"faction": "rebellion", "type": "X-Wing", "pilot": "Luke Skywalker"}
	object := map[string]any{
		"apiVersion": v1.GroupVersion.String(),
		"kind":       "Starfighter",
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}
	edit(object, spec)
	return &unstructured.Unstructured{Object: object}
}

func TestInvalidShipsAreRefused(t *testing.T) {
	t.Parallel()
	tooLong := strings.Repeat("é", 1025)
	tests := map[string]struct {
		edit  func(object, spec map[string]any)
		cause metav1.CauseType
		field string
	}{
		"no spec":         {func(object, _ map[string]any) { delete(object, "spec") }, metav1.CauseTypeFieldValueRequired, "spec"},
		"no faction":      {func(_, spec map[string]any) { delete(spec, "faction") }, metav1.CauseTypeFieldValueRequired, "spec.faction"},
		"no type":         {func(_, spec map[string]any) { delete(spec, "type") }, metav1.CauseTypeFieldValueRequired, "spec.type"},
		"no pilot":        {func(_, spec map[string]any) { delete(spec, "pilot") }, metav1.CauseTypeFieldValueRequired, "spec.pilot"},
		"null pilot":      {func(_, spec map[string]any) { spec["pilot"] = nil }, metav1.CauseTypeFieldValueRequired, "spec.pilot"},
		"long faction":    {func(_, spec map[string]any) { spec["faction"] = tooLong }, metav1.CauseTypeTooLong, "spec.faction"},
		"long type":       {func(_, spec map[string]any) { spec["type"] = tooLong }, metav1.CauseTypeTooLong, "spec.type"},
		"long pilot":      {func(_, spec map[string]any) { spec["pilot"] = tooLong }, metav1.CauseTypeTooLong, "spec.pilot"},
		"number as pilot": {func(_, spec map[string]any) { spec["pilot"] = int64(1138) }, metav1.CauseTypeTypeInvalid, "spec.pilot"},
		"list as faction": {func(_, spec map[string]any) { spec["faction"] = []any{"empire"} }, metav1.CauseTypeTypeInvalid, "spec.faction"},
		"string as spec":  {func(object, _ map[string]any) { object["spec"] = "X-Wing" }, metav1.CauseTypeTypeInvalid, "spec"},
	}
	ships := untyped(t, configFor(t, sharedServer(t)))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ships.Create(t.Context(), untypedShip(strings.ReplaceAll(name, " ", "-"), test.edit), metav1.CreateOptions{})
			if !apierrors.IsInvalid(err) {
				t.Fatalf("got %v, want the error Invalid", err)
			}
			wantCause(t, err, test.cause, test.field)
		})
	}
}

// wantCause requires that the server's answer names the field and what is wrong
// with it.
func wantCause(t *testing.T, err error, cause metav1.CauseType, field string) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		t.Fatalf("%v has no details", err)
	}
	for _, c := range status.Status().Details.Causes {
		if c.Type == cause && c.Field == field {
			return
		}
	}
	t.Errorf("causes %+v: none is %s for %s", status.Status().Details.Causes, cause, field)
}

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	withShields := func(_, spec map[string]any) { spec["shields"] = "double front" }

	t.Run("strict", func(t *testing.T) {
		t.Parallel()
		ships := untyped(t, configFor(t, sharedServer(t)))
		_, err := ships.Create(t.Context(), untypedShip("x-wing-1", withShields), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `strict decoding error: unknown field "spec.shields"`) {
			t.Errorf("got %v, want the error BadRequest that names the unknown field", err)
		}
	})

	t.Run("by default", func(t *testing.T) {
		t.Parallel()
		config := configFor(t, sharedServer(t))
		var warned warnings
		config.WarningHandler = &warned
		created, err := untyped(t, config).Create(t.Context(), untypedShip("x-wing-1", withShields), metav1.CreateOptions{})
		noError(t, err)
		if _, found, _ := unstructured.NestedFieldNoCopy(created.Object, "spec", "shields"); found {
			t.Error("the unknown field was kept")
		}
		if want := []string{`unknown field "spec.shields"`}; !slices.Equal(warned.get(), want) {
			t.Errorf("warnings %q, want %q", warned.get(), want)
		}
	})
}

// warnings keeps the warnings that the server sent.
type warnings struct {
	mu   sync.Mutex
	text []string
}

func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

func (w *warnings) get() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.text)
}

func TestUnusualShipsAreAccepted(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("☄", 1024) // 3 bytes each: lengths count code points
	tests := map[string]v1.StarfighterSpec{
		"empty strings":   {},
		"unknown faction": {Faction: "hutt-cartel", Type: "Firespray-31", Pilot: "Boba Fett"},
		"longest strings": {Faction: v1.Faction(longest), Type: longest, Pilot: longest},
	}
	ships, _ := sharedShips(t)
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created := create(t, ships, ship(strings.ReplaceAll(name, " ", "-"), func(s *v1.Starfighter) { s.Spec = spec }))
			if created[0].Spec != spec {
				t.Errorf("the server kept another spec: %+v", created[0].Spec)
			}
		})
	}
}

func TestStatusIsASubresource(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)

	created := create(t, ships, ship("x-wing-1", func(s *v1.Starfighter) { s.Status.Phases = []string{"launched"} }))[0]
	if len(created.Status.Phases) != 0 {
		t.Errorf("create kept the status %+v", created.Status)
	}
	updated := change(t, ships, "x-wing-1", flownBy("Wedge Antilles"), func(s *v1.Starfighter) { s.Status.Phases = []string{"launched"} })
	if len(updated.Status.Phases) != 0 || updated.Spec.Pilot != "Wedge Antilles" {
		t.Errorf("update gave spec %+v, status %+v; want the new pilot and no status", updated.Spec, updated.Status)
	}

	updated.Status.Phases = []string{"launched", "docked"}
	updated.Spec.Pilot = "Darth Vader"
	updated, err := ships.UpdateStatus(t.Context(), updated, metav1.UpdateOptions{})
	noError(t, err)
	if !slices.Equal(updated.Status.Phases, []string{"launched", "docked"}) || updated.Spec.Pilot != "Wedge Antilles" {
		t.Errorf("update of the status gave spec %+v, status %+v; want the new phases and the old pilot", updated.Spec, updated.Status)
	}
}

func TestInvalidStatusIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		phases []string
		cause  metav1.CauseType
		field  string
	}{
		"too many": {slices.Repeat([]string{"docked"}, 1025), metav1.CauseTypeTooMany, "status.phases"},
		"too long": {[]string{"docked", strings.Repeat("é", 1025)}, metav1.CauseTypeTooLong, "status.phases[1]"},
	}
	ships, _ := sharedShips(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := create(t, ships, ship("ship-with-"+strings.ReplaceAll(name, " ", "-")))[0]
			s.Status.Phases = test.phases
			_, err := ships.UpdateStatus(t.Context(), s, metav1.UpdateOptions{})
			if !apierrors.IsInvalid(err) {
				t.Fatalf("got %v, want the error Invalid", err)
			}
			wantCause(t, err, test.cause, test.field)
		})
	}
}

func TestMostPhasesAreAccepted(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	s := create(t, ships, ship("x-wing-1"))[0]
	// The same phase again and again, some empty: only number and length count.
	s.Status.Phases = slices.Repeat([]string{"launched", ""}, 512)
	s.Status.Phases[1023] = strings.Repeat("☄", 1024)
	want := slices.Clone(s.Status.Phases)
	s, err := ships.UpdateStatus(t.Context(), s, metav1.UpdateOptions{})
	noError(t, err)
	if !slices.Equal(s.Status.Phases, want) {
		t.Error("the server kept other phases")
	}
}

// The list of phases is atomic: who applies it owns all of it.
func TestPhasesHaveOneOwner(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	apply := func(manager string, force bool, phases ...string) (*v1.Starfighter, error) {
		status := starwarsapply.Starfighter("x-wing-1", namespace).WithStatus(starwarsapply.StarfighterStatus().WithPhases(phases...))
		return ships.ApplyStatus(t.Context(), status, metav1.ApplyOptions{FieldManager: manager, Force: force})
	}

	if _, err := apply("hangar", false, "launched"); err != nil {
		t.Fatal(err)
	}
	_, err := apply("tower", false, "docked")
	if !apierrors.IsConflict(err) {
		t.Fatalf("a second manager got %v, want a conflict", err)
	}
	wantCause(t, err, metav1.CauseTypeFieldManagerConflict, ".status.phases")

	applied, err := apply("tower", true, "docked")
	noError(t, err)
	if !slices.Equal(applied.Status.Phases, []string{"docked"}) {
		t.Errorf("phases %q, want only the second manager's: the lists must not be merged", applied.Status.Phases)
	}
	if _, err := apply("hangar", false, "launched", "docked"); !apierrors.IsConflict(err) {
		t.Errorf("the first manager got %v, want a conflict: it lost the list", err)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	_, missing := ships.Get(t.Context(), "x-wing-2", metav1.GetOptions{})
	_, twice := ships.Create(t.Context(), ship("x-wing-1"), metav1.CreateOptions{})
	_, badName := ships.Create(t.Context(), ship("X Wing"), metav1.CreateOptions{})
	_, badSelector := ships.List(t.Context(), metav1.ListOptions{FieldSelector: "spec.type=X-Wing"})

	stranger := configFor(t, sharedServer(t))
	stranger.BearerToken = "let-me-in"
	_, noAccess := clientFor(t, stranger).StarwarsV1().Starfighters("default").List(t.Context(), metav1.ListOptions{})

	tests := map[string]struct {
		err    error
		is     func(error) bool
		code   int32
		reason metav1.StatusReason
	}{
		"missing ship":              {missing, apierrors.IsNotFound, http.StatusNotFound, metav1.StatusReasonNotFound},
		"ship that exists":          {twice, apierrors.IsAlreadyExists, http.StatusConflict, metav1.StatusReasonAlreadyExists},
		"name with a space":         {badName, apierrors.IsInvalid, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid},
		"selector by another field": {badSelector, apierrors.IsBadRequest, http.StatusBadRequest, metav1.StatusReasonBadRequest},
		"wrong token":               {noAccess, apierrors.IsUnauthorized, http.StatusUnauthorized, metav1.StatusReasonUnauthorized},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var status apierrors.APIStatus
			if !errors.As(test.err, &status) || !test.is(test.err) || status.Status().Code != test.code || status.Status().Reason != test.reason {
				t.Errorf("got %#v, want code %d, reason %s", test.err, test.code, test.reason)
			}
		})
	}
}
