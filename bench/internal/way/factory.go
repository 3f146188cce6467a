// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package way

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	informersv1 "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// constructor makes an informer factory.
type constructor func(client versioned.Interface) externalversions.SharedInformerFactory

// start starts the factory's informer with one handler.
func (c constructor) start(ctx context.Context, config *rest.Config, handler Handler) (Cache, error) {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	factory := c(client)
	informer := factory.Starwars().V1().Starfighters().TypedInformer()
	registration, err := informer.AddTypedEventHandler(informersv1.StarfighterHandlerFuncs{
		AddFunc:    handler.Added,
		UpdateFunc: func(_, ship *starwarsv1.Starfighter) { handler.Updated(ship) },
	})
	if err != nil {
		return nil, fmt.Errorf("add the handler: %w", err)
	}
	factory.StartWithContext(ctx)
	return &factoryCache{factory: factory, store: informer.GetStore(), registration: registration}, nil
}

// factoryCache is the cache of an informer from a generated factory.
type factoryCache struct {
	factory      externalversions.SharedInformerFactory
	store        cache.Store
	registration cache.ResourceEventHandlerRegistration
}

func (c *factoryCache) WaitForSync(ctx context.Context) error {
	if err := c.factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		return fmt.Errorf("fill the cache: %w", err)
	}
	if !cache.WaitFor(ctx, "", c.registration.HasSyncedChecker()) {
		return fmt.Errorf("tell the handler: %w", context.Cause(ctx))
	}
	return nil
}

func (c *factoryCache) Each(_ context.Context, do func(*starwarsv1.Starfighter)) error {
	for _, object := range c.store.List() {
		ship, ok := object.(*starwarsv1.Starfighter)
		if !ok {
			return fmt.Errorf("a %T is in the cache", object)
		}
		do(ship)
	}
	return nil
}

func (c *factoryCache) Wait() { c.factory.Shutdown() }
