// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	"github.com/okontajneroch/starwars/testenv"
)

// startInformer runs client-go's informer until the end of the test, and
// returns a function for the names of the objects in its cache.
func startInformer(t *testing.T, e *testenv.Environment) func() []string {
	t.Helper()
	factory := externalversions.NewSharedInformerFactory(newClient(t, e), 0)
	ships := factory.Starwars().V1().Starfighters()
	informer := ships.Informer()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer does not sync")
	}
	return func() []string {
		objects, err := ships.Lister().List(labels.Everything())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, object := range objects {
			names = append(names, object.Name)
		}
		slices.Sort(names)
		return names
	}
}

func TestInformerFollows(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	client := newClient(t, e)
	create(t, client, "x-wing-1")
	cached := startInformer(t, e)
	if got, want := cached(), []string{"x-wing-1"}; !slices.Equal(got, want) {
		t.Errorf("after the sync the cache has %q, want %q", got, want)
	}
	create(t, client, "x-wing-2")
	eventually(t, "the informer sees the new object", func() bool { return len(cached()) == 2 })
	if err := e.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
		t.Fatal(err)
	}
	create(t, client, "x-wing-3")
	eventually(t, "the informer resumes after a restart", func() bool { return len(cached()) == 3 })
}

func TestWatchListIsServed(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	client := newClient(t, e)
	create(t, client, "x-wing-1")
	sendInitialEvents := true
	w, err := client.StarwarsV1().Starfighters("").Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents:    &sendInitialEvents,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	var types []string
	for event := range w.ResultChan() {
		types = append(types, string(event.Type))
		if object, ok := event.Object.(metav1.Object); ok && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
			break
		}
	}
	if want := []string{"ADDED", "BOOKMARK"}; !slices.Equal(types, want) {
		t.Errorf("events = %q, want %q", types, want)
	}
}

func TestDropConnections(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	client := newClient(t, e)
	cached := startInformer(t, e)
	w, err := client.StarwarsV1().Starfighters("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()

	if n := e.DropConnections(); n < 1 {
		t.Errorf("dropped %d connections, want some", n)
	}
	for range w.ResultChan() { // ends
	}
	create(t, client, "x-wing-1")
	eventually(t, "the informer resumes", func() bool { return len(cached()) == 1 })
}

// TestDropConnectionsSparesTheServer checks that the server, which talks to
// itself over the same port, does not lose sight of its CRDs.
func TestDropConnectionsSparesTheServer(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	if n := e.DropConnections(); n != 0 {
		t.Errorf("dropped %d connections without any client", n)
	}
	if err := e.InstallCRDs(t.Context(), []byte(widgets("v1"))); err != nil {
		t.Fatal(err)
	}
	if err := get(t, e.RESTConfig(), "/apis/example.com/v1/widgets"); err != nil {
		t.Error(err)
	}
}
