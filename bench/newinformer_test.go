// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/ground"
	"github.com/okontajneroch/starwars/bench/internal/wire"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// newInformer is for cache.Options; docs/concepts.md has it for users.
func newInformer(lw toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	made, err := informer.New(lw, obj, informer.Options[client.Object]{
		SharedIndexInformerOptions: toolscache.SharedIndexInformerOptions{ResyncPeriod: resync, Indexers: indexers},
	})
	if err != nil { // only if lw or an index function is nil
		panic(err)
	}
	return made
}

// pilotField is the index of the tests, pilotLabel what it has where there is no spec.
const (
	pilotField = "spec.pilot"
	pilotLabel = "pilot"
)

// kind is a way in which controller-runtime's cache can hold ships.
type kind struct {
	name  string
	ship  func() client.Object
	ships func() client.ObjectList
	pilot client.IndexerFunc
}

var kinds = []kind{
	{
		"typed",
		func() client.Object { return &starwarsv1.Starfighter{} },
		func() client.ObjectList { return &starwarsv1.StarfighterList{} },
		func(obj client.Object) []string { return []string{obj.(*starwarsv1.Starfighter).Spec.Pilot} },
	},
	{
		"unstructured",
		func() client.Object { return ofKind(&unstructured.Unstructured{}, "Starfighter") },
		func() client.ObjectList { return ofKind(&unstructured.UnstructuredList{}, "StarfighterList") },
		func(obj client.Object) []string {
			pilot, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "pilot")
			return []string{pilot}
		},
	},
	{
		"metadata",
		func() client.Object { return ofKind(&metav1.PartialObjectMetadata{}, "Starfighter") },
		func() client.ObjectList { return ofKind(&metav1.PartialObjectMetadataList{}, "StarfighterList") },
		func(obj client.Object) []string { return []string{obj.GetLabels()[pilotLabel]} },
	},
}

func ofKind[O runtime.Object](obj O, kind string) O {
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersion(starwarsv1.GroupVersion).WithKind(kind))
	return obj
}

// TestNewInformer has controller-runtime's cache follow an API server with this
// SDK's informers inside.
func TestNewInformer(t *testing.T) {
	if testing.Short() && os.Getenv(ground.BinVariable) == "" {
		t.Skip("building an API server takes a while")
	}
	crlog.SetLogger(klog.Background())
	before := goleak.IgnoreCurrent()
	server, err := ground.Start(t.Context(), ground.Config{Server: ground.Testenv, Config: wire.Config{Fleet: fleet.Fleet{Ships: 1, Seed: 2}}})
	noError(t, err)
	t.Cleanup(func() {
		noError(t, server.Stop())
		// With metadata there is a filter of apimachinery's before the watch, which
		// leaves its goroutine behind if nobody takes its last event: with client-go's
		// informer too.
		goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop"))
	})
	config, err := clientcmd.BuildConfigFromFlags("", server.Address.Kubeconfig)
	noError(t, err)
	config.QPS = -1
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Run("everywhere", func(t *testing.T) { testNewInformer(t, config, k, "all-"+k.name, false) })
			t.Run("namespaces", func(t *testing.T) { testNewInformer(t, config, k, "two-"+k.name, true) })
		})
	}
}

// testNewInformer has two ships in namespaces of its own, with a pilot of their
// own, and one that a cache of these namespaces must not have.
func testNewInformer(t *testing.T, config *rest.Config, k kind, pilot string, scoped bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	writer, err := versioned.NewForConfig(config)
	noError(t, err)
	hoth, endor, elsewhere := pilot+"-hoth", pilot+"-endor", pilot+"-elsewhere"
	create := func(namespace, name, pilot string) {
		t.Helper()
		_, err := writer.StarwarsV1().Starfighters(namespace).Create(ctx, &starwarsv1.Starfighter{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{pilotLabel: pilot}},
			Spec:       starwarsv1.StarfighterSpec{Faction: starwarsv1.Rebellion, Type: "X-Wing", Pilot: pilot},
		}, metav1.CreateOptions{})
		noError(t, err)
	}
	create(hoth, "x-wing-1", pilot)
	create(endor, "x-wing-1", pilot)
	create(elsewhere, "x-wing-1", "nobody")

	options := cache.Options{NewInformer: newInformer, Scheme: runtime.NewScheme()}
	noError(t, starwarsv1.Install(options.Scheme))
	watched := []string{""}
	if scoped {
		options.DefaultNamespaces = map[string]cache.Config{hoth: {}, endor: {}}
		watched = []string{"namespaces/" + hoth + "/", "namespaces/" + endor + "/"}
	}
	asked, counting := &requests{watches: map[string]int{}}, rest.CopyConfig(config)
	counting.Wrap(asked.wrap)
	ships, err := cache.New(counting, options)
	noError(t, err)
	noError(t, ships.IndexField(ctx, k.ship(), pilotField, k.pilot))
	found, err := ships.GetInformer(ctx, k.ship(), cache.BlockUntilSynced(false))
	noError(t, err)
	if made, ok := found.(*informer.Informer[client.Object]); ok == scoped { // of several, it is controller-runtime's own
		t.Fatalf("the informer is a %T", made)
	}
	told := &events{count: map[string]int{}}
	registration, err := found.AddEventHandler(told)
	noError(t, err)

	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- ships.Start(running) }()
	if !ships.WaitForCacheSync(ctx) || !toolscache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		t.Fatal("not in sync")
	}
	if !found.HasSynced() || found.IsStopped() {
		t.Errorf("in sync %t, stopped %t", found.HasSynced(), found.IsStopped())
	}
	told.want(t, "added "+hoth+"/x-wing-1", "added "+endor+"/x-wing-1")
	flown := func(options ...client.ListOption) []string {
		t.Helper()
		list := k.ships()
		noError(t, ships.List(ctx, list, append(options, client.MatchingFields{pilotField: pilot})...))
		return keysOf(t, list)
	}
	wantKeys(t, flown(), hoth+"/x-wing-1", endor+"/x-wing-1")
	wantKeys(t, flown(client.InNamespace(endor)), endor+"/x-wing-1")
	if err := ships.Get(ctx, client.ObjectKey{Namespace: elsewhere, Name: "x-wing-1"}, k.ship()); (err != nil) != scoped {
		t.Errorf("get a ship elsewhere: %v", err)
	}

	create(hoth, "x-wing-2", pilot)
	patch := []byte(`{"metadata":{"labels":{"pilot":"nobody"}},"spec":{"pilot":"nobody"}}`)
	_, err = writer.StarwarsV1().Starfighters(hoth).Patch(ctx, "x-wing-1", "application/merge-patch+json", patch, metav1.PatchOptions{})
	noError(t, err)
	noError(t, writer.StarwarsV1().Starfighters(endor).Delete(ctx, "x-wing-1", metav1.DeleteOptions{}))
	for _, event := range []string{"added " + hoth + "/x-wing-2", "updated " + hoth + "/x-wing-1", "deleted " + endor + "/x-wing-1"} {
		eventually(ctx, t, event, func() bool { return told.of(event) == 1 })
	}
	wantKeys(t, flown(), hoth+"/x-wing-2")
	all := k.ships()
	noError(t, ships.List(ctx, all, client.InNamespace(hoth)))
	wantKeys(t, keysOf(t, all), hoth+"/x-wing-1", hoth+"/x-wing-2")
	got := k.ship()
	noError(t, ships.Get(ctx, client.ObjectKey{Namespace: hoth, Name: "x-wing-2"}, got))
	if got.GetUID() == "" || !slices.Equal(k.pilot(got), []string{pilot}) {
		t.Errorf("the ship is %v", got)
	}
	asked.want(t, 1, watched)

	// One that is removed stops; who asks again gets another.
	noError(t, ships.RemoveInformer(ctx, k.ship()))
	eventually(ctx, t, "the informer has stopped", found.IsStopped)
	noError(t, ships.List(ctx, k.ships()))
	noError(t, ships.Get(ctx, client.ObjectKey{Namespace: hoth, Name: "x-wing-2"}, k.ship()))
	asked.want(t, 2, watched)

	stop()
	select {
	case err := <-ended:
		noError(t, err)
	case <-ctx.Done():
		t.Fatal("the cache does not stop")
	}
}

// keysOf returns the namespaces and names of what is in a list.
func keysOf(t *testing.T, list client.ObjectList) (keys []string) {
	t.Helper()
	noError(t, meta.EachListItem(list, func(obj runtime.Object) error {
		keys = append(keys, client.ObjectKeyFromObject(obj.(client.Object)).String())
		return nil
	}))
	return keys
}

func wantKeys(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// requests counts lists, and watches by what precedes the resource in their paths.
type requests struct {
	mu      sync.Mutex
	lists   int
	watches map[string]int
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		r.record(request)
		return next.RoundTrip(request)
	})
}

func (r *requests) record(request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path, found := strings.CutSuffix(request.URL.Path, "starfighters")
	switch {
	case !found: // what the server can do
	case request.URL.Query().Has("watch"):
		r.watches[strings.TrimPrefix(path, "/apis/"+starwarsv1.GroupVersion.String()+"/")]++
	default:
		r.lists++
	}
}

func (r *requests) want(t *testing.T, times int, watched []string) {
	t.Helper()
	want := map[string]int{}
	for _, path := range watched {
		want[path] = times
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !maps.Equal(r.watches, want) || r.lists != 0 {
		t.Errorf("watches %v and %d lists, want watches %v alone", r.watches, r.lists, want)
	}
}

// events is a handler that counts what it is told.
type events struct {
	mu    sync.Mutex
	count map[string]int
}

func (e *events) OnAdd(obj any, _ bool) { e.record("added ", obj) }
func (e *events) OnUpdate(_, obj any)   { e.record("updated ", obj) }
func (e *events) OnDelete(obj any)      { e.record("deleted ", obj) }

func (e *events) record(what string, obj any) {
	key, err := toolscache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		key = err.Error()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count[what+key]++
}

func (e *events) of(event string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count[event]
}

func (e *events) want(t *testing.T, once ...string) {
	t.Helper()
	for _, event := range once {
		if n := e.of(event); n != 1 {
			t.Errorf("told %d times: %s", n, event)
		}
	}
}

// eventually waits for a condition that nobody tells of.
func eventually(ctx context.Context, t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waiting until %s: %v", what, context.Cause(ctx))
		}
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
