// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// Who asks for the lister when all has been started gets what the cluster has.
func TestScenario16StartBeforeAsking(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			config := configFor(t, sharedServer(t))
			asked := countRequests(config)
			ctx, factory := newFactory(t, clientFor(t, config), 0, e.options...)
			startSynced(ctx, t, factory)
			cached, err := factory.Starwars().V1().Starfighters().Lister().List(labels.Everything())
			noError(t, err)
			names := strings.Join(sortedNames(cached), " ")
			if !strings.Contains(names, "x-wing-1") || !strings.Contains(names, "x-wing-2") {
				t.Errorf("the cache has %q, which lacks what was there", names)
			}
			asked.want(t, 0, 1)
		})
	}
}

// The definition goes, and all ships with it: consumers see them go, the status
// says what is the matter, and when the definition is back all goes on.
func TestScenario18DefinitionDeletedWhileRunning(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	client := clientFor(t, configFor(t, s))
	ships := client.StarwarsV1().Starfighters("default")
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	ctx, factory := newFactory(t, client, 0)
	told, _ := handle(t, factory)
	startSynced(ctx, t, factory)

	removeDefinition(t, s)
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "deleted x-wing-1", "deleted x-wing-2")
	took := eventually(ctx, t, "the status says that it is gone", func() bool {
		return apierrors.IsNotFound(engine(t, factory).Status().Err)
	})
	wantWithin(t, healsWithin, "the status knew after", took)

	installDefinition(t, s)
	cured := time.Now()
	create(t, ships, ship("x-wing-3"))
	converge(ctx, t, factory, ships)
	wantWithin(t, healsWithin, "followed the new definition after", time.Since(cured))
	told.wantInAnyOrder(ctx, t, "found x-wing-1", "found x-wing-2", "deleted x-wing-1", "deleted x-wing-2", "added x-wing-3")
	if status := engine(t, factory).Status(); status.Err != nil || status.Objects != 1 {
		t.Errorf("status: %+v", status)
	}
}

// The end does not depend on whether the server is there.
func TestScenario19ShutdownWithoutTheServer(t *testing.T) {
	t.Parallel()
	for _, synced := range []bool{true, false} {
		s := server.New(t)
		client := clientFor(t, configFor(t, s))
		for _, e := range engines {
			ctx, factory := newFactory(t, client, 0, e.options...)
			if synced {
				startSynced(ctx, t, factory)
			} else {
				noError(t, s.Kill())
				factory.StartWithContext(ctx)
			}
			noError(t, s.Kill())
			if e.options == nil {
				eventually(ctx, t, "it was noticed", func() bool { return engine(t, factory).Status().Err != nil })
			}
			began := time.Now()
			err := factory.ShutdownWithContext(ctx)
			t.Logf("in sync: %t, %s: shutdown after %.2f s, %v", synced, e.name, time.Since(began).Seconds(), err)
			if e.options == nil && (err != nil || time.Since(began) > endsWithin+slack) {
				t.Errorf("it took %s, %v", time.Since(began), err)
			}
			if synced {
				noError(t, s.Restart())
			}
		}
	}
}

// A callback that does not return is nothing that anybody can end; but one can say
// whose it is.
func TestScenario19ShutdownNamesWhoBlocks(t *testing.T) {
	t.Parallel()
	ships, _ := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	ctx, factory, _ := sharedFactory(t, 0)
	entered, release := make(chan struct{}), make(chan struct{})
	_, err := engine(t, factory).Subscribe(ctx, starwarsinformers.StarfighterHandlerFuncs{AddFunc: func(*v1.Starfighter) {
		close(entered)
		<-release
	}}, informer.SubscribeOptions{Name: "docking control"})
	noError(t, err)
	factory.StartWithContext(ctx)
	<-entered

	const deadline = 200 * time.Millisecond
	short, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	began := time.Now()
	err = factory.ShutdownWithContext(short)
	wantWithin(t, deadline, "shutdown gave up after", time.Since(began))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `"docking control"`) {
		t.Errorf("shutdown says: %v", err)
	}
	close(release)
	noError(t, factory.ShutdownWithContext(ctx))
}

// What is done in the wrong order is an error, at once, or does nothing.
func TestScenario20OrderOfStartAndStop(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			config := configFor(t, sharedServer(t))
			asked := countRequests(config)
			ctx, factory := newFactory(t, clientFor(t, config), 0, append(slices.Clip(e.options), starwars.WithNamespace(namespace))...)
			told, _ := handle(t, factory)
			for name, wait := range map[string]func() error{
				"WaitForSync":                 func() error { return factory.WaitForSync(ctx) },
				"WaitForCacheSyncWithContext": func() error { return factory.WaitForCacheSyncWithContext(ctx).AsError() },
			} {
				if err := wait(); !errors.Is(err, informer.ErrNotStarted) {
					t.Errorf("%s before the start: %v", name, err)
				}
			}
			startSynced(ctx, t, factory)
			startSynced(ctx, t, factory)
			told.want(ctx, t, "found x-wing-1")

			noError(t, factory.ShutdownWithContext(ctx))
			noError(t, factory.ShutdownWithContext(ctx))
			factory.StartWithContext(ctx)
			if !factory.Starwars().V1().Starfighters().Informer().IsStopped() {
				t.Error("it runs again")
			}
			if _, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(newEvents()); err == nil {
				t.Error("a handler was added to what has ended")
			}
			asked.want(t, 0, 1)
		})
	}
}
