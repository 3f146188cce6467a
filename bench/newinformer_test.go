// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/ground"
	"github.com/okontajneroch/starwars/bench/internal/wire"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// newInformer is for cache.Options.NewInformer; docs/concepts.md has it for users.
func newInformer(lw toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	made, err := informer.New(lw, obj, informer.Options[client.Object]{
		SharedIndexInformerOptions: toolscache.SharedIndexInformerOptions{ResyncPeriod: resync, Indexers: indexers},
	})
	if err != nil { // a nil ListerWatcher or index function
		panic(err)
	}
	return made
}

const factionField = "spec.faction"

// kinds are the ways in which controller-runtime's cache can hold ships.
var kinds = []struct {
	name    string
	one     func() client.Object
	several func() client.ObjectList
	faction client.IndexerFunc // or what stands for it
}{
	{
		"typed",
		func() client.Object { return &starwarsv1.Starfighter{} },
		func() client.ObjectList { return &starwarsv1.StarfighterList{} },
		func(obj client.Object) []string {
			return []string{string(obj.(*starwarsv1.Starfighter).Spec.Faction)}
		},
	},
	{
		"unstructured",
		func() client.Object { return withKind(&unstructured.Unstructured{}, "Starfighter") },
		func() client.ObjectList { return withKind(&unstructured.UnstructuredList{}, "StarfighterList") },
		func(obj client.Object) []string {
			faction, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "faction")
			return []string{faction}
		},
	},
	{
		"metadata",
		func() client.Object { return withKind(&metav1.PartialObjectMetadata{}, "Starfighter") },
		func() client.ObjectList { return withKind(&metav1.PartialObjectMetadataList{}, "StarfighterList") },
		func(obj client.Object) []string { return []string{obj.GetAnnotations()[factionAnnotation]} },
	},
}

// factionAnnotation has the faction where there is no spec.
const factionAnnotation = "bench/faction"

func withKind[O runtime.Object](obj O, kind string) O {
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersion(starwarsv1.GroupVersion).WithKind(kind))
	return obj
}

// watches counts the watches that begin, by path, and the lists.
type watches struct {
	next  http.RoundTripper
	mu    sync.Mutex
	begun map[string]int
	lists int
}

func (w *watches) RoundTrip(request *http.Request) (*http.Response, error) {
	w.mu.Lock()
	if request.URL.Query().Has("watch") {
		w.begun[request.URL.Path]++
	} else {
		w.lists++
	}
	w.mu.Unlock()
	return w.next.RoundTrip(request)
}

// want requires one watch for each path, as many times, and no list.
func (w *watches) want(t *testing.T, times int, paths ...string) {
	t.Helper()
	want := map[string]int{}
	for _, path := range paths {
		want[path] = times
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !maps.Equal(w.begun, want) || w.lists != 0 {
		t.Errorf("watches %v and %d lists, want watches %v alone", w.begun, w.lists, want)
	}
}

// told is a handler that counts what it is told of, by name.
type told struct {
	mu     sync.Mutex
	events map[string]int
}

func (h *told) record(event string, obj any) {
	if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events[event+" "+obj.(client.Object).GetName()]++
}

func (h *told) OnAdd(obj any, _ bool)  { h.record("added", obj) }
func (h *told) OnUpdate(_, obj any)    { h.record("updated", obj) }
func (h *told) OnDelete(obj any)       { h.record("deleted", obj) }
func (h *told) count(event string) int { h.mu.Lock(); defer h.mu.Unlock(); return h.events[event] }

// TestNewInformer has controller-runtime's cache follow an API server with this
// SDK's informers inside.
func TestNewInformer(t *testing.T) {
	if testing.Short() && os.Getenv(ground.BinVariable) == "" {
		t.Skip("building an API server takes a while")
	}
	before := goleak.IgnoreCurrent()
	server, err := ground.Start(t.Context(), ground.Config{Server: ground.Testenv, Config: wire.Config{Fleet: fleet.Fleet{Ships: 1, Seed: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, before)
	})
	config, err := clientcmd.BuildConfigFromFlags("", server.Address.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			c := &crCache{
				t: t, config: config, kind: kind.one, several: kind.several, faction: kind.faction,
				namespaces: []string{kind.name + "-hoth", kind.name + "-endor"},
			}
			t.Run("everywhere", func(t *testing.T) { c.test(t, false) })
			t.Run("namespaces", func(t *testing.T) { c.test(t, true) })
		})
	}
}
