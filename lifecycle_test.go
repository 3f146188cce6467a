// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// TestScenario16StartBeforeAsking: who asks for the lister after the factory was
// started gets what the cluster has, not an empty list.
func TestScenario16StartBeforeAsking(t *testing.T) {
	for name, options := range map[string][]starwars.Option{"engine": nil, "stock": {starwars.WithStockInformer()}} {
		t.Run(name, func(t *testing.T) {
			factory := starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1()), 0, options...)
			synced(t, factory)
			if err := factory.WaitForSync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if ships, err := factory.Starwars().V1().Starfighters().Lister().List(labels.Everything()); err != nil || len(ships) != 1 {
				t.Errorf("%d ships, %v, want 1", len(ships), err)
			}
		})
	}
}

// TestScenario20WaitBeforeStart: an error, at once, however one waits.
func TestScenario20WaitBeforeStart(t *testing.T) {
	factory := starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1()), 0)
	factory.Starwars().V1().Starfighters().Lister()
	if err := factory.WaitForSync(t.Context()); !errors.Is(err, informer.ErrNotStarted) {
		t.Errorf("WaitForSync: %v", err)
	}
	err := factory.WaitForCacheSyncWithContext(t.Context()).AsError()
	if !errors.Is(err, informer.ErrNotStarted) || !strings.Contains(err.Error(), "Starfighter") {
		t.Errorf("WaitForCacheSyncWithContext: %v", err)
	}
	if got := factory.WaitForCacheSync(t.Context().Done()); got[reflect.TypeFor[*v1.Starfighter]()] || len(got) != 1 {
		t.Errorf("WaitForCacheSync: %v", got)
	}
	synced(t, factory)
}

// TestScenario20StartTwiceAndAfterStop: starting twice changes nothing, starting
// after the end starts nothing, and waiting then says so.
func TestScenario20StartTwiceAndAfterStop(t *testing.T) {
	client := fake.NewClientset(samples.XWing1())
	factory := starwars.NewSharedInformerFactory(client, 0)
	factory.StartWithContext(t.Context())
	factory.StartWithContext(t.Context())
	factory.Start(t.Context().Done())
	if err := factory.WaitForSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := factory.ShutdownWithContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		factory.Shutdown()
	}
	watches := 0
	for _, action := range client.Actions() {
		if action.GetVerb() == "watch" {
			watches++
		}
	}
	if watches != 1 {
		t.Errorf("%d watches, want 1", watches)
	}
	factory.StartWithContext(t.Context())
	if ships := factory.Starwars().V1().Starfighters().Informer(); !ships.IsStopped() {
		t.Error("the informer runs again")
	}

	unused := starwars.NewSharedInformerFactory(client, 0)
	if err := unused.ShutdownWithContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	unused.StartWithContext(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := unused.WaitForSync(ctx); !errors.Is(err, informer.ErrNotStarted) {
		t.Errorf("wait for what was started after its end: %v", err)
	}
}

// TestScenario19ShutdownNamesWhoBlocks: with a context, and says it of handlers of
// this SDK's informer by their name.
func TestScenario19ShutdownNamesWhoBlocks(t *testing.T) {
	for name, options := range map[string][]starwars.Option{"engine": nil, "stock": {starwars.WithStockInformer()}} {
		t.Run(name, func(t *testing.T) {
			factory := starwars.NewSharedInformerFactory(fake.NewClientset(samples.XWing1()), 0, options...)
			entered, release := make(chan struct{}), make(chan struct{})
			if _, err := factory.Starwars().V1().Starfighters().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
				close(entered)
				<-release
			}}); err != nil {
				t.Fatal(err)
			}
			factory.StartWithContext(t.Context())
			<-entered
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			err := factory.ShutdownWithContext(ctx)
			if !errors.Is(err, context.DeadlineExceeded) || name == "engine" && !strings.Contains(err.Error(), "TestScenario19ShutdownNamesWhoBlocks") {
				t.Errorf("shutdown with a handler that does not return: %v", err)
			}
			close(release)
			if err := factory.ShutdownWithContext(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWaitForCacheSyncTellsTheCause joins it with the context's end.
func TestWaitForCacheSyncTellsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		client.PrependReactor("list", "starfighters", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(v1.Resource("starfighters"), "", errors.New("no role allows it"))
		})
		factory := starwars.NewSharedInformerFactory(client, 0)
		defer factory.Shutdown()
		factory.StartWithContext(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := factory.WaitForCacheSyncWithContext(ctx).AsError()
		if !errors.Is(err, context.DeadlineExceeded) || !apierrors.IsForbidden(err) {
			t.Errorf("%v, want both a deadline and a forbidden list", err)
		}
		if err := factory.WaitForSync(t.Context()); !apierrors.IsForbidden(err) {
			t.Errorf("%v, want a forbidden list", err)
		}
	})
}

// TestScenario31SeveralNamespaces: one lister for some namespaces, and no request
// for any other.
func TestScenario31SeveralNamespaces(t *testing.T) {
	in := func(namespace string) *v1.Starfighter {
		ship := samples.XWing1()
		ship.Namespace = namespace
		return ship
	}
	for _, test := range []struct {
		name    string
		options []starwars.Option
		want    []string
		asked   []string
	}{
		{"all", nil, []string{"a", "b", "c"}, []string{""}},
		{"one", []starwars.Option{starwars.WithNamespace("b")}, []string{"b"}, []string{"b"}},
		{"two", []starwars.Option{starwars.WithNamespaces("c", "a", "c")}, []string{"a", "c"}, []string{"a", "c"}},
		{"two, though client-go's informer is asked for", []starwars.Option{starwars.WithStockInformer(), starwars.WithNamespaces("c", "a")}, []string{"a", "c"}, []string{"a", "c"}},
		{"none named", []starwars.Option{starwars.WithNamespaces()}, []string{"a", "b", "c"}, []string{""}},
		{"all among them", []starwars.Option{starwars.WithNamespaces("a", "")}, []string{"a", "b", "c"}, []string{""}},
		{"the last option counts", []starwars.Option{starwars.WithNamespaces("a", "c"), starwars.WithNamespace("b")}, []string{"b"}, []string{"b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := fake.NewClientset(in("a"), in("b"), in("c"))
			factory := starwars.NewSharedInformerFactory(client, 0, test.options...)
			lister := factory.Starwars().V1().Starfighters().Lister()
			synced(t, factory)
			var got []string
			for ship := range lister.AllByPilot(samples.XWing1().Spec.Pilot) {
				got = append(got, ship.Namespace)
			}
			if slices.Sort(got); !slices.Equal(got, test.want) {
				t.Errorf("ships of namespaces %q, want %q", got, test.want)
			}
			for _, namespace := range test.want {
				if _, err := lister.Starfighters(namespace).Get("x-wing-1"); err != nil {
					t.Error(err)
				}
			}
			var asked []string
			for _, action := range client.Actions() {
				asked = append(asked, action.GetNamespace())
			}
			slices.Sort(asked)
			if asked = slices.Compact(asked); !slices.Equal(asked, test.asked) {
				t.Errorf("asked for namespaces %q, want %q", asked, test.asked)
			}
		})
	}
}

// TestLabelsAreShared unless the user or client-go's informer is against it.
func TestLabelsAreShared(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []starwars.Option
		shared  bool
	}{
		{"by default", nil, true},
		{"not if asked", []starwars.Option{starwars.WithOwnLabels()}, false},
		{"not by client-go's", []starwars.Option{starwars.WithStockInformer()}, false},
		{"after the user's transform", []starwars.Option{starwars.WithTransform(func(obj any) (any, error) {
			metav1.SetMetaDataLabel(&obj.(*v1.Starfighter).ObjectMeta, "seen", "true")
			return obj, nil
		})}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, second := samples.XWing1(), samples.XWing1()
			second.Name = "x-wing-2"
			first.Labels, second.Labels = map[string]string{"squadron": "red"}, map[string]string{"squadron": "red"}
			factory := starwars.NewSharedInformerFactory(fake.NewClientset(first, second), 0, test.options...)
			lister := factory.Starwars().V1().Starfighters().Lister()
			synced(t, factory)
			ships, err := lister.List(labels.SelectorFromSet(labels.Set{"squadron": "red"}))
			if err != nil || len(ships) != 2 {
				t.Fatalf("%d ships, %v", len(ships), err)
			}
			same := reflect.ValueOf(ships[0].Labels).Pointer() == reflect.ValueOf(ships[1].Labels).Pointer()
			if same != test.shared {
				t.Errorf("same map: %t, want %t", same, test.shared)
			}
		})
	}
}
