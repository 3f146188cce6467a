// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package lookout

import (
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
	"github.com/okontajneroch/starwars/testenv"
)

// The tests go from the smallest to the largest:
//
//   - TestMajority: code that only reads. An indexer filled by hand; no client.
//   - TestLookout: code that is told of changes, and waits. A fake clientset under a
//     real informer, in a bubble of testing/synctest, where a minute takes no time.
//   - TestImperialFleet and TestRefusals: code that leaves something to the API
//     server: selectors, validation, conflicts. A fake clientset ignores most of
//     these; testenv runs the real thing in this process, which starts in a
//     fraction of a second.

func ship(name string, faction v1.Faction) *v1.Starfighter {
	return &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1.StarfighterSpec{Faction: faction, Type: "X-Wing", Pilot: "Luke Skywalker"},
	}
}

// TestMajority needs a lister, and a lister needs an indexer: any will do. The
// lister adds its indexes by itself.
func TestMajority(t *testing.T) {
	tests := map[string]struct {
		ships []*v1.Starfighter
		want  int
	}{
		"no ships":        {nil, 0},
		"one each":        {[]*v1.Starfighter{ship("a", v1.Empire), ship("b", v1.Rebellion)}, 0},
		"empire is ahead": {[]*v1.Starfighter{ship("a", v1.Empire), ship("b", v1.Empire), ship("c", "republic")}, 2},
		"rebels ahead":    {[]*v1.Starfighter{ship("a", v1.Rebellion)}, -1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
			for _, ship := range test.ships {
				if err := indexer.Add(ship); err != nil {
					t.Fatal(err)
				}
			}
			if got := Majority(starwarslisters.NewStarfighterLister(indexer)); got != test.want {
				t.Errorf("majority %d, want %d", got, test.want)
			}
		})
	}
}

// TestLookout runs the informer and the lookout on a fake clientset, which keeps
// objects in memory and tells watches of their changes.
//
// In the bubble time stands still while anything can go on, and jumps when all
// goroutines wait for it. So nothing is slow and nothing depends on luck:
// synctest.Wait returns when the change has gone all the way to the lookout. All
// goroutines of a bubble must end before the test does.
func TestLookout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(ship("x-wing-1", v1.Rebellion))
		factory := starwars.NewSharedInformerFactory(client, 0)
		var alarms []int
		lookout, err := New(factory.Starwars().V1().Starfighters(), time.Minute, func(more int) { alarms = append(alarms, more) })
		if err != nil {
			t.Fatal(err)
		}
		run(t, factory)
		go lookout.Run(t.Context())

		// pass lets time go by and says how many alarms there were until then.
		pass := func(length time.Duration, want int) {
			t.Helper()
			time.Sleep(length)
			synctest.Wait()
			if len(alarms) != want {
				t.Fatalf("%d alarms, want %d", len(alarms), want)
			}
		}
		ships := client.StarwarsV1().Starfighters("default")

		create(t, ships, ship("tie-fighter-1", v1.Empire))
		pass(time.Hour, 0) // one each

		create(t, ships, ship("tie-fighter-2", v1.Empire))
		pass(59*time.Second, 0) // and it is gone just in time
		if err := ships.Delete(t.Context(), "tie-fighter-2", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour, 0)

		create(t, ships, ship("tie-fighter-2", v1.Empire))
		pass(30*time.Second, 0)
		create(t, ships, ship("tie-fighter-3", v1.Empire)) // does not start it anew
		pass(31*time.Second, 1)
		if alarms[0] != 2 {
			t.Errorf("the empire has %d ships more, want 2", alarms[0])
		}
		pass(time.Hour, 1) // one alarm is enough
	})
}

// TestImperialFleet needs an API server that knows field selectors: with a fake
// clientset the informer would get all ships.
func TestImperialFleet(t *testing.T) {
	client := serve(t)
	ships := client.StarwarsV1().Starfighters("default")
	create(t, ships, ship("tie-fighter-1", v1.Empire))
	rebel := create(t, ships, ship("x-wing-1", v1.Rebellion))

	factory := ImperialFleet(client)
	informers := factory.Starwars().V1().Starfighters()
	imperial, err := informer.From[*v1.Starfighter](informers.Informer())
	if err != nil {
		t.Fatal(err)
	}
	run(t, factory)
	wantShips := func(want int, when string) {
		t.Helper()
		all, err := informers.Lister().List(labels.Everything())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != want {
			t.Errorf("%d ships in the cache %s, want %d", len(all), when, want)
		}
	}
	wantShips(1, "at first")

	// A ship that changes sides comes into sight, and goes. The cache follows the
	// API server a moment later: do not sleep, wait for the resourceVersion.
	for _, next := range []struct {
		faction v1.Faction
		want    int
	}{{v1.Empire, 2}, {v1.Rebellion, 1}} {
		rebel.Spec.Faction = next.faction
		if rebel, err = ships.Update(t.Context(), rebel, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := imperial.WaitForResourceVersion(t.Context(), rebel.ResourceVersion); err != nil {
			t.Fatal(err)
		}
		wantShips(next.want, "when x-wing-1 flies for the "+string(next.faction))
	}
}

// TestRefusals needs an API server that refuses what a fake clientset takes: a
// ship that somebody else has changed meanwhile, and one that is not valid.
func TestRefusals(t *testing.T) {
	ships := serve(t).StarwarsV1().Starfighters("default")
	mine := create(t, ships, ship("x-wing-1", v1.Rebellion))
	theirs := mine.DeepCopy()
	theirs.Spec.Pilot = "Wedge Antilles"
	if _, err := ships.Update(t.Context(), theirs, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	mine.Spec.Pilot = "Biggs Darklighter"
	if _, err := ships.Update(t.Context(), mine, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update over somebody else's: error %v, want a conflict", err)
	}
	nobody := ship("x-wing-2", v1.Rebellion)
	nobody.Spec.Pilot = strings.Repeat("Jar", 1000)
	if _, err := ships.Create(t.Context(), nobody, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a pilot's name of 3,000 letters: error %v, want that it is invalid", err)
	}
}

// serve starts an API server for the test, with the definition of Starfighters, and
// returns a client of it. The server ends with the test.
func serve(t *testing.T) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(testenv.New(t, testenv.Options{}).RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// run starts the factory's informers and waits until they are filled. They end with
// the test, before the API server does.
func run(t *testing.T, factory *starwars.Factory) {
	t.Helper()
	t.Cleanup(factory.Shutdown)
	factory.StartWithContext(t.Context())
	if err := factory.WaitForSync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, ships starwarsclient.StarfighterInterface, ship *v1.Starfighter) *v1.Starfighter {
	t.Helper()
	created, err := ships.Create(t.Context(), ship, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// TestMain silences the log of the API servers that testenv starts.
func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}
