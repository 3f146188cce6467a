// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// A server that crashes and comes back with its data is a gap in the watch, no
// more: the informer goes on where it was.
func TestScenario21InformerOutlivesACrashOfTheServer(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	client := clientFor(t, configFor(t, s))
	ships := client.StarwarsV1().Starfighters("default")
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))

	ctx, factory := newFactory(t, client, 0)
	index(t, factory, bySide)
	told, _ := handle(t, factory)
	start(ctx, t, factory)
	change(t, ships, "x-wing-1", flownBy("Wedge Antilles"))
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "updated x-wing-1")

	noError(t, s.Kill())
	wantIndexed(t, factory, "side", "rebellion", "x-wing-1", "x-wing-2") // the cache answers without the server
	noError(t, s.Restart())
	if got, err := ships.Get(ctx, "x-wing-1", metav1.GetOptions{}); err != nil || got.Spec.Pilot != "Wedge Antilles" {
		t.Fatalf("after the crash: %+v, error %v", got, err)
	}
	change(t, ships, "x-wing-1", flyingFor(v1.Empire))
	remove(t, ships, "x-wing-2")
	told.wantChanges(ctx, t, "found x-wing-1", "found x-wing-2", "updated x-wing-1", "updated x-wing-1", "deleted x-wing-2")
	wantIndexed(t, factory, "side", "empire", "x-wing-1")
	wantIndexed(t, factory, "side", "rebellion")
}

// Changes made where the informer could not see them are found by comparing:
// the watch has expired, the ships are listed again.
func TestScenario21InformerCatchesUpAfterItsWatchExpired(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	config := configFor(t, s)
	asked := countRequests(config)
	ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"), ship("x-wing-3"))

	ctx, factory := newFactory(t, clientFor(t, config), 0)
	index(t, factory, byCrew)
	told, _ := handle(t, factory)
	start(ctx, t, factory)
	change(t, ships, "x-wing-3", flownBy("Biggs Darklighter")) // a watch without any event does not go on, but begins anew
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "found x-wing-3", "updated x-wing-3")

	noError(t, s.Stop())
	noError(t, s.RestartElsewhere())
	unseen := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	change(t, unseen, "x-wing-1", flownBy("Wedge Antilles"))
	remove(t, unseen, "x-wing-2")
	create(t, unseen, ship("x-wing-4"))
	noError(t, s.Stop())
	noError(t, s.Restart())

	told.wantChanges(ctx, t, "found x-wing-1", "found x-wing-2", "found x-wing-3", "updated x-wing-3",
		"updated x-wing-1", "lost x-wing-2", "added x-wing-4")
	wantIndexed(t, factory, "crew", "Luke Skywalker", "x-wing-4")
	wantIndexed(t, factory, "crew", "Biggs Darklighter", "x-wing-3")
	wantIndexed(t, factory, "crew", "Wedge Antilles", "x-wing-1")
	remove(t, ships, "x-wing-1") // and it watches again
	told.wantChanges(ctx, t, "found x-wing-1", "found x-wing-2", "found x-wing-3", "updated x-wing-3",
		"updated x-wing-1", "lost x-wing-2", "added x-wing-4", "deleted x-wing-1")
	asked.wantWatchExpired(t)
}

// Informers may start before the server: they fill when it comes.
func TestScenario17InformerWaitsForTheServer(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	client := clientFor(t, configFor(t, s))
	create(t, client.StarwarsV1().Starfighters("default"), ship("x-wing-1"))
	noError(t, s.Kill())

	ctx, factory := newFactory(t, client, 0)
	told, registration := handle(t, factory)
	factory.StartWithContext(ctx)
	if registration.HasSynced() {
		t.Error("in sync with a server that is away")
	}
	noError(t, s.Restart())
	told.want(ctx, t, "found x-wing-1")
}

// A server that lost its data, where resourceVersions begin anew: what an informer
// knew of is older there, or newer than anything. The view must be the server's.
func TestScenario21FreshDataOnTheSamePort(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	client := clientFor(t, configFor(t, s))
	ships := client.StarwarsV1().Starfighters("default")
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	for i := range 300 { // so that the new server is behind for long
		change(t, ships, "x-wing-1", flownBy(fmt.Sprint("pilot ", i)))
	}
	ctx, factory := newFactory(t, client, 0)
	_, stock := newFactory(t, client, 0, starwars.WithStockInformer())
	for _, f := range []*starwars.Factory{factory, stock} {
		startSynced(ctx, t, f)
	}
	change(t, ships, "x-wing-2", flownBy("Wedge Antilles"))
	for _, f := range []*starwars.Factory{factory, stock} {
		converge(ctx, t, f, ships)
	}
	before := engine(t, factory).Status().ResourceVersion

	noError(t, s.Stop())
	noError(t, s.RestartWithFreshData())
	restarted := time.Now()
	created := create(t, ships, ship("x-wing-2", flyingFor(v1.Empire)), ship("x-wing-3"))
	converge(ctx, t, factory, ships)
	wantWithin(t, healsWithin, "the view was the server's after", time.Since(restarted))
	t.Logf("resourceVersions went back from %s to %s", before, created[1].ResourceVersion)
	left, err := stock.Starwars().V1().Starfighters().Lister().List(labels.Everything())
	noError(t, err)
	t.Logf("client-go's informer has %q by then", sortedNames(left))

	change(t, ships, "x-wing-3", flownBy("Biggs Darklighter")) // and it watches again
	converge(ctx, t, factory, ships)
}
