// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsapply "github.com/okontajneroch/starwars/pkg/generated/applyconfiguration/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	starwarsgroup "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// synced starts the factory, waits for its caches, and stops it with the test.
func synced(t *testing.T, factory informers.SharedInformerFactory) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); factory.Shutdown() })
	factory.StartWithContext(ctx)
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		t.Fatalf("fill the cache: %v", err)
	}
}

// TestFactoryMakesOneInformer asks for the informer in every way there is.
func TestFactoryMakesOneInformer(t *testing.T) {
	factory := starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1()), 0)
	generic, err := factory.ForResource(v1.Resource("starfighters").WithVersion("v1"))
	if err != nil {
		t.Fatal(err)
	}
	ships := factory.Starwars().V1().Starfighters()
	synced(t, factory)

	for name, indexer := range map[string]cache.Indexer{
		"generic": generic.Informer().GetIndexer(),
		"untyped": ships.Informer().GetIndexer(),
		"typed":   ships.TypedInformer().GetIndexer(),
	} {
		if indexer != ships.Informer().GetIndexer() || len(indexer.ListKeys()) != 1 {
			t.Errorf("the %s informer has a cache of its own, with %q", name, indexer.ListKeys())
		}
	}
	if _, err := generic.Lister().ByNamespace("default").Get("x-wing-1"); err != nil {
		t.Errorf("generic lister: %v", err)
	}
	if _, err := factory.ForResource(v1.Resource("deathstars").WithVersion("v1")); err == nil {
		t.Error("an informer for a resource that there is not")
	}
}

func TestFactoryOptions(t *testing.T) {
	elsewhere := samples.XWing1()
	elsewhere.Namespace = "outer-rim"
	elsewhere.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	var mu sync.Mutex
	var reported []error
	factory := starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1(), elsewhere), 0,
		starwars.WithNamespace("outer-rim"),
		starwars.WithTransform(func(any) (any, error) { return nil, errors.New("cannot transform") }),
		starwars.WithTransform(func(obj any) (any, error) {
			obj.(*v1.Starfighter).ResourceVersion = ""
			obj.(*v1.Starfighter).Spec.Pilot = "Biggs Darklighter"
			return obj, nil
		}),
		starwars.WithTransformReport(func(_ any, err error) {
			mu.Lock()
			defer mu.Unlock()
			reported = append(reported, err)
		}))
	lister := factory.Starwars().V1().Starfighters().Lister()
	synced(t, factory)

	ships, err := lister.ByFaction(v1.Rebellion)
	if err != nil || len(ships) != 1 || ships[0].Namespace != "outer-rim" {
		t.Fatalf("ships of the namespace: %v, %v", ships, err)
	}
	if ships[0].ManagedFields != nil || ships[0].Spec.Pilot != "Biggs Darklighter" {
		t.Errorf("not transformed: %+v", ships[0])
	}
	mu.Lock()
	defer mu.Unlock()
	if len(reported) < 1 || !strings.Contains(reported[0].Error(), "outer-rim/x-wing-1: cannot transform") {
		t.Errorf("reported %v, want the transform that failed", reported)
	}
}

// TestInformerForKeepsItsContract passes a constructor, which the factory must
// use as the generated one does, and asks for informers of another namespace.
func TestInformerForKeepsItsContract(t *testing.T) {
	own := cache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Starfighter{}, 0, nil)
	factory := starwars.NewSharedInformerFactory(fake.NewClientset(), 0)
	got := factory.InformerFor(&v1.Starfighter{}, func(versioned.Interface, time.Duration) cache.SharedIndexInformer { return own })
	if got != own {
		t.Error("the constructor that was passed is not used")
	}

	elsewhere := samples.XWing1()
	elsewhere.Namespace = "outer-rim"
	factory = starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1(), elsewhere), 0)
	lister := starwarsgroup.New(factory, "outer-rim", nil).V1().Starfighters().Lister()
	synced(t, factory)
	if ships, err := lister.ByFaction(v1.Rebellion); err != nil || len(ships) != 1 || ships[0].Namespace != "outer-rim" {
		t.Errorf("ships of one namespace: %v, %v", ships, err)
	}
}

// TestLeanShipsExtractNothing shows why server-side apply needs managedFields.
func TestLeanShipsExtractNothing(t *testing.T) {
	ship := samples.XWing1()
	ship.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "squadron", Operation: metav1.ManagedFieldsOperationApply, APIVersion: v1.GroupVersion.String(),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:pilot":{}}}`),
	}}
	for want, options := range map[string][]starwars.Option{"": nil, "Luke Skywalker": {starwars.WithManagedFields()}} {
		factory := starwars.NewSharedInformerFactory(fake.NewClientset(ship.DeepCopy()), 0, options...)
		lister := factory.Starwars().V1().Starfighters().Lister()
		synced(t, factory)
		cached, err := lister.Starfighters("default").Get("x-wing-1")
		if err != nil {
			t.Fatal(err)
		}
		extracted, err := starwarsapply.ExtractStarfighter(cached, "squadron")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if extracted.Spec != nil && extracted.Spec.Pilot != nil {
			got = *extracted.Spec.Pilot
		}
		if got != want {
			t.Errorf("with %d options the manager's pilot is %q, want %q", len(options), got, want)
		}
	}
}

// TestCustomResync gives the type an interval of its own, in fake time.
func TestCustomResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		factory := starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1()), 0,
			starwars.WithCustomResync(map[metav1.Object]time.Duration{&v1.Starfighter{}: time.Minute}))
		updates := 0
		_, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(starwarsinformers.StarfighterHandlerFuncs{
			UpdateFunc: func(_, _ *v1.Starfighter) { updates++ },
		})
		if err != nil {
			t.Fatal(err)
		}
		synced(t, factory)
		time.Sleep(3*time.Minute + time.Second)
		synctest.Wait()
		if updates != 3 {
			t.Errorf("%d updates after three intervals and a second, want 3", updates)
		}
	})
}
