// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package way

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// controllerRuntime is the cache of a controller-runtime manager.
func controllerRuntime() Way {
	return Way{Name: "controller-runtime", About: "controller-runtime's cache as it comes: watch-list, JSON", start: startControllerRuntime}
}

func startControllerRuntime(ctx context.Context, config *rest.Config, handler Handler) (Cache, error) {
	scheme := runtime.NewScheme()
	if err := starwarsv1.Install(scheme); err != nil {
		return nil, fmt.Errorf("register the API: %w", err)
	}
	version := schema.GroupVersion(starwarsv1.GroupVersion)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	mapper.Add(version.WithKind("Starfighter"), meta.RESTScopeNamespace)
	ships, err := cache.New(config, cache.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	informer, err := ships.GetInformer(ctx, &starwarsv1.Starfighter{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("make the informer: %w", err)
	}
	ship := func(object any) *starwarsv1.Starfighter {
		ship, _ := object.(*starwarsv1.Starfighter)
		return ship
	}
	registration, err := informer.AddEventHandler(clientgocache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { handler.Added(ship(object)) },
		UpdateFunc: func(_, object any) { handler.Updated(ship(object)) },
	})
	if err != nil {
		return nil, fmt.Errorf("add the handler: %w", err)
	}
	c := &controllerRuntimeCache{ships: ships, registration: registration, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		_ = ships.Start(ctx) // its only error is that it was started twice
	}()
	return c, nil
}

type controllerRuntimeCache struct {
	ships        cache.Cache
	registration clientgocache.ResourceEventHandlerRegistration
	ended        chan struct{}
}

func (c *controllerRuntimeCache) WaitForSync(ctx context.Context) error {
	if !c.ships.WaitForCacheSync(ctx) {
		return fmt.Errorf("fill the cache: %w", context.Cause(ctx))
	}
	if !clientgocache.WaitFor(ctx, "", c.registration.HasSyncedChecker()) {
		return fmt.Errorf("tell the handler: %w", context.Cause(ctx))
	}
	return nil
}

func (c *controllerRuntimeCache) Each(ctx context.Context, do func(*starwarsv1.Starfighter)) error {
	var list starwarsv1.StarfighterList
	if err := c.ships.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list the cache: %w", err)
	}
	for i := range list.Items {
		do(&list.Items[i])
	}
	return nil
}

func (c *controllerRuntimeCache) Wait() { <-c.ended }
