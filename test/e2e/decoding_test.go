// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsapply "github.com/okontajneroch/starwars/pkg/generated/applyconfiguration/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// The cache leaves out what hardly anyone reads, unless it is told not to;
// the clientset gives all of it, as ever.
func TestInformerCachesLeanObjects(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	created := create(t, ships, ship("x-wing-1", func(s *v1.Starfighter) {
		s.Annotations = map[string]string{lastApplied: "{}", "squadron": "red"}
	}))[0]
	if len(created.ManagedFields) == 0 {
		t.Fatal("the server gives no managedFields: this test shows nothing")
	}
	tests := []struct {
		name                       string
		options                    []starwars.Option
		managedFields, lastApplied bool
		lists                      int
	}{
		{"default", nil, false, true, 0},
		{"managed fields", []starwars.Option{starwars.WithManagedFields()}, true, true, 0},
		{"dropped", []starwars.Option{starwars.WithDropLastApplied()}, false, false, 0},
		{"listed in pages", []starwars.Option{starwars.WithoutWatchList()}, false, true, 1},
	}
	for number, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := configFor(t, sharedServer(t))
			asked := countRequests(config)
			ctx, factory := newFactory(t, clientFor(t, config), 0, append(test.options, starwars.WithNamespace(namespace))...)
			lister := factory.Starwars().V1().Starfighters().Lister()
			told, _ := handle(t, factory)
			start(ctx, t, factory)
			late := fmt.Sprintf("x-wing-%d", 2+number)
			create(t, ships, ship(late))
			told.awaitOne(ctx, t, "added "+late) // so it watches
			asked.want(t, test.lists, 1)

			cached, err := lister.Starfighters(namespace).Get("x-wing-1")
			noError(t, err)
			if got := len(cached.ManagedFields) > 0; got != test.managedFields {
				t.Errorf("managedFields cached: %t, want %t", got, test.managedFields)
			}
			if _, got := cached.Annotations[lastApplied]; got != test.lastApplied || cached.Annotations["squadron"] != "red" {
				t.Errorf("annotations cached: %v, want last applied: %t", cached.Annotations, test.lastApplied)
			}
			if cached.UID != created.UID || cached.ResourceVersion != created.ResourceVersion || cached.Spec != created.Spec ||
				!cached.CreationTimestamp.Equal(&created.CreationTimestamp) {
				t.Errorf("cached %+v, created %+v", cached, created)
			}
		})
	}
}

// Who sends a cached ship back takes nothing from those who applied fields of it,
// although the cache does not know of them.
func TestInformerCopyMayBeSentBack(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	applied, err := ships.Apply(t.Context(), starwarsapply.Starfighter("x-wing-1", namespace).
		WithSpec(starwarsapply.StarfighterSpec().WithFaction(v1.Rebellion).WithType("X-Wing").WithPilot("Luke Skywalker")),
		metav1.ApplyOptions{FieldManager: "squadron"})
	noError(t, err)
	ctx, factory, _ := sharedFactory(t, 0)
	lister := factory.Starwars().V1().Starfighters().Lister().Starfighters(namespace)
	start(ctx, t, factory)

	cached, err := lister.Get("x-wing-1")
	noError(t, err)
	edited := cached.DeepCopy()
	edited.Spec.Type = "X-Wing T-65B"
	updated, err := ships.Update(ctx, edited, metav1.UpdateOptions{FieldManager: "workshop"})
	noError(t, err)
	var managers []string
	for _, entry := range updated.ManagedFields {
		managers = append(managers, entry.Manager)
	}
	if len(applied.ManagedFields) != 1 || !slices.Equal(managers, []string{"squadron", "workshop"}) {
		t.Errorf("fields are managed by %q, want squadron and workshop", managers)
	}
}

// One stored object that does not fit its Go type: whoever watches errors is
// told which one, and the others are served once it is gone or let through.
func TestScenario25InformerMeetsAnUndecodableShip(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	config := configFor(t, s)
	loosenPilot(t, s)
	raw, err := dynamic.NewForConfig(config)
	noError(t, err)
	ships := clientFor(t, config).StarwarsV1().Starfighters("default")
	create(t, ships, ship("x-wing-1"))
	bad := untypedShip("r2-d2", func(_, spec map[string]any) { spec["pilot"] = map[string]any{"model": "R2"} })
	rawShips := raw.Resource(starfighters).Namespace("default")
	// The server goes on with the old schema for a moment.
	noError(t, retry.OnError(retry.DefaultBackoff, apierrors.IsInvalid, func() error {
		_, err := rawShips.Create(t.Context(), bad, metav1.CreateOptions{})
		return err
	}))

	ctx, factory := newFactory(t, clientFor(t, config), 0)
	told := newEvents()
	informer := factory.Starwars().V1().Starfighters().TypedInformer()
	_, err = informer.AddTypedEventHandler(told)
	noError(t, err)
	cause := make(chan error, 100)
	noError(t, informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		select {
		case cause <- err:
		default:
		}
	}))
	factory.StartWithContext(ctx)
	select {
	case err := <-cause:
		if !*stockDecoding && !strings.Contains(err.Error(), "default/r2-d2") {
			t.Errorf("the cause does not name the ship: %v", err)
		}
	case <-ctx.Done():
		t.Fatal("nobody was told why the cache does not fill")
	}
	noError(t, rawShips.Delete(t.Context(), "r2-d2", metav1.DeleteOptions{}))
	told.want(ctx, t, "found x-wing-1")
	if *stockDecoding {
		return // it cannot let anything through
	}

	_, err = rawShips.Create(t.Context(), bad, metav1.CreateOptions{})
	noError(t, err)
	var skipped atomic.Pointer[metav1.Object]
	ctx, factory = newFactory(t, clientFor(t, config), 0, starwars.WithSkipUndecodable(func(obj metav1.Object, err error) {
		skipped.Store(&obj)
		if err == nil {
			err = errors.New("no error")
		}
		if !strings.Contains(err.Error(), "default/r2-d2") {
			t.Errorf("skipped for %v, want a cause that names the ship", err)
		}
	}))
	told, _ = handle(t, factory)
	start(ctx, t, factory)
	told.want(ctx, t, "found x-wing-1")
	if obj := skipped.Load(); obj == nil || (*obj).GetName() != "r2-d2" {
		t.Errorf("skipped %v, want r2-d2", obj)
	}
}

// loosenPilot changes the definition in the server so that a pilot may be
// anything: as if a newer version of the API were installed there.
func loosenPilot(t *testing.T, s *server.Server) {
	t.Helper()
	client, err := dynamic.NewForConfig(configFor(t, s))
	noError(t, err)
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	definition, err := definitions.Get(t.Context(), "starfighters."+v1.GroupName, metav1.GetOptions{})
	noError(t, err)
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	noError(t, err)
	version := versions[0].(map[string]any)
	delete(version, "selectableFields")
	noError(t, unstructured.SetNestedField(version, map[string]any{"x-kubernetes-preserve-unknown-fields": true},
		"schema", "openAPIV3Schema", "properties", "spec", "properties", "pilot"))
	noError(t, unstructured.SetNestedSlice(definition.Object, versions, "spec", "versions"))
	_, err = definitions.Update(t.Context(), definition, metav1.UpdateOptions{})
	noError(t, err)
}
