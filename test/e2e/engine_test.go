// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"maps"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// What the SDK's informers promise. Tests print what it took.
const (
	causeWithin = 2 * time.Second // until the cause of no sync is told
	healsWithin = 5 * time.Second // after the cause has gone
	endsWithin  = 2 * time.Second // whatever the server does

	// slack is what a busy machine may add to these.
	slack = time.Second
)

// engines are the informers that scenarios are played with, the SDK's first.
// Of client-go's, tests only say what it does.
var engines = []struct {
	name    string
	options []starwars.Option
}{
	{"starwars", nil},
	{"client-go", []starwars.Option{starwars.WithStockInformer()}},
}

// engine is the factory's informer, for what client-go's cannot do.
func engine(t *testing.T, factory *starwars.Factory) *informer.Informer[*v1.Starfighter] {
	t.Helper()
	ships, err := informer.From[*v1.Starfighter](factory.Starwars().V1().Starfighters().Informer())
	noError(t, err)
	return ships
}

// startSynced starts the factory, and waits for the store and all handlers.
func startSynced(ctx context.Context, t *testing.T, factory *starwars.Factory) {
	t.Helper()
	factory.StartWithContext(ctx)
	noError(t, factory.WaitForSync(ctx))
}

// eventually waits for a condition that nobody tells of, and returns how long it
// took.
func eventually(ctx context.Context, t *testing.T, what string, condition func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waiting until %s: %v", what, context.Cause(ctx))
		}
	}
	return time.Since(began)
}

// converge waits until the cache has what the server has, and returns how long
// that took.
func converge(ctx context.Context, t *testing.T, factory *starwars.Factory, ships starwarsclient.StarfighterInterface) time.Duration {
	t.Helper()
	list, err := ships.List(ctx, metav1.ListOptions{})
	noError(t, err)
	want := map[string]string{}
	for _, s := range list.Items {
		want[s.Namespace+"/"+s.Name] = string(s.UID) + " " + s.ResourceVersion
	}
	lister := factory.Starwars().V1().Starfighters().Lister()
	return eventually(ctx, t, "the cache has what the server has", func() bool {
		cached, err := lister.List(labels.Everything())
		noError(t, err)
		got := map[string]string{}
		for _, s := range cached {
			got[s.Namespace+"/"+s.Name] = string(s.UID) + " " + s.ResourceVersion
		}
		return maps.Equal(got, want)
	})
}

// wantHealed is wantWithin for what heals, but of client-go's informer it requires
// nothing.
func wantHealed(t *testing.T, factory *starwars.Factory, what string, took time.Duration) {
	t.Helper()
	if _, err := informer.From[*v1.Starfighter](factory.Starwars().V1().Starfighters().Informer()); err != nil {
		t.Logf("client-go's informer %s: %.2f s", what, took.Seconds())
		return
	}
	wantWithin(t, healsWithin, what, took)
}

// wantWithin fails if something took longer than promised, and prints how long it
// took.
func wantWithin(t *testing.T, promise time.Duration, what string, took time.Duration) {
	t.Helper()
	t.Logf("%s: %.2f s", what, took.Seconds())
	if took > promise+slack {
		t.Errorf("%s took %s, want at most %s", what, took, promise)
	}
}
