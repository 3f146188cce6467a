// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// expired makes informers list anew: what they saw last is too old for the server.
var expired = refuse(apierrors.NewResourceExpired("the event is gone"), goesOn)

// disconnected starts an informer of x-wing-1 and x-wing-2 behind a proxy, does
// something that it cannot see, and lets it find out by listing anew. Handlers are
// added by add.
func disconnected(t *testing.T, options []starwars.Option, add func(context.Context, *starwars.Factory), unseen func(starwarsclient.StarfighterInterface)) context.Context {
	t.Helper()
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	p := newProxy(t, configFor(t, sharedServer(t)))
	ctx, factory := newFactory(t, clientFor(t, p.config()), 0, append(slices.Clip(options), starwars.WithNamespace(namespace))...)
	add(ctx, factory)
	startSynced(ctx, t, factory)

	reconnect := p.disconnect()
	unseen(ships)
	reconnect(expired)
	began := time.Now()
	converge(ctx, t, factory, ships)
	wantHealed(t, factory, "followed again after", time.Since(began))
	if lists := p.watchListed() + p.of("LIST"); lists < 2 {
		t.Errorf("it listed %d times: this test shows nothing", lists)
	}
	return ctx
}

// A ship that was deleted while nobody looked is deleted all the same: whoever is
// told gets its key, and what was known of it, also behind a filter that relies on
// there being a ship.
func TestScenario08DeletedWhileDisconnected(t *testing.T) {
	t.Parallel()
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			told, filtered, subscribed := newEvents(), newEvents(), newEvents()
			tombstones := make(chan any, 10)
			ctx := disconnected(t, e.options, func(ctx context.Context, factory *starwars.Factory) {
				ships := factory.Starwars().V1().Starfighters()
				_, err := ships.TypedInformer().AddTypedEventHandler(told)
				noError(t, err)
				_, err = ships.TypedInformer().AddTypedEventHandler(starwarsinformers.StarfighterFilteringHandler{
					FilterFunc: func(s *v1.Starfighter) bool { return s.Spec.Faction == v1.Rebellion },
					Handler:    filtered,
				})
				noError(t, err)
				_, err = ships.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { tombstones <- obj }})
				noError(t, err)
				if e.options != nil {
					subscribed = told // there are no subscriptions
					return
				}
				_, err = engine(t, factory).Subscribe(ctx, subscribed, informer.SubscribeOptions{})
				noError(t, err)
			}, func(ships starwarsclient.StarfighterInterface) { remove(t, ships, "x-wing-2") })

			for _, consumer := range []*events{told, filtered, subscribed} {
				consumer.wantChanges(ctx, t, "found x-wing-1", "found x-wing-2", "lost x-wing-2")
			}
			obj := <-tombstones
			tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
			if last, isShip := tombstone.Obj.(*v1.Starfighter); !ok || tombstone.Key != namespaceOf(t)+"/x-wing-2" || !isShip || last.Name != "x-wing-2" {
				t.Errorf("an untyped handler is told of %#v", obj)
			}
		})
	}
}

// A ship that was deleted and created again under its name while nobody looked is
// one change, or with the option what it was: a delete and an add.
func TestScenario09CreatedAgainWhileDisconnected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		options []starwars.Option
		want    []string
	}{
		{"by-default", nil, []string{"updated x-wing-2"}},
		{"by-uid", []starwars.Option{starwars.WithDeleteOnNewUID()}, []string{"lost x-wing-2", "added x-wing-2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			told, subscribed := newEvents(), newEvents()
			ctx := disconnected(t, test.options, func(ctx context.Context, factory *starwars.Factory) {
				_, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(told)
				noError(t, err)
				_, err = engine(t, factory).Subscribe(ctx, subscribed, informer.SubscribeOptions{})
				noError(t, err)
			}, func(ships starwarsclient.StarfighterInterface) {
				remove(t, ships, "x-wing-2")
				create(t, ships, ship("x-wing-2", flownBy("Wedge Antilles")))
			})
			for _, consumer := range []*events{told, subscribed} {
				consumer.awaitOne(ctx, t, test.want[len(test.want)-1])
				got, _ := consumer.seen()
				got = slices.DeleteFunc(got, func(event string) bool { return !isChange(event) })
				if !slices.Equal(got[2:], test.want) { // the first two were found
					t.Errorf("events %q, want %q in the end", got, test.want)
				}
			}
		})
	}
}

// Where the watch goes on, it tells of both, with or without the option.
func TestScenario09CreatedAgainAndSeen(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]starwars.Option{"by-default": nil, "by-uid": {starwars.WithDeleteOnNewUID()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ships, _ := sharedShips(t)
			create(t, ships, ship("x-wing-1"))
			ctx, factory, _ := sharedFactory(t, 0, options...)
			told, _ := handle(t, factory)
			startSynced(ctx, t, factory)
			remove(t, ships, "x-wing-1")
			create(t, ships, ship("x-wing-1"))
			told.want(ctx, t, "found x-wing-1", "deleted x-wing-1", "added x-wing-1")
		})
	}
}
