// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package query

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

const (
	factionField = "spec.faction"
	pilotField   = "spec.pilot"
)

// controllerRuntime is the cache of a controller-runtime manager, read as fast as
// it can be: without deep copies.
type controllerRuntime struct {
	cache.Cache
	informer clientgocache.SharedIndexInformer
	ended    chan struct{}
}

func startControllerRuntime(ctx context.Context, config *rest.Config) (Cache, error) {
	scheme := runtime.NewScheme()
	if err := starwarsv1.Install(scheme); err != nil {
		return nil, fmt.Errorf("register the API: %w", err)
	}
	version := schema.GroupVersion(starwarsv1.GroupVersion)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	mapper.Add(version.WithKind("Starfighter"), meta.RESTScopeNamespace)
	unsafe := true
	ships, err := cache.New(config, cache.Options{
		Scheme: scheme, Mapper: mapper,
		DefaultTransform:             cache.TransformStripManagedFields(),
		DefaultUnsafeDisableDeepCopy: &unsafe,
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	for field, value := range map[string]client.IndexerFunc{
		factionField: func(object client.Object) []string {
			return []string{string(object.(*starwarsv1.Starfighter).Spec.Faction)}
		},
		pilotField: func(object client.Object) []string { return []string{object.(*starwarsv1.Starfighter).Spec.Pilot} },
	} {
		if err := ships.IndexField(ctx, &starwarsv1.Starfighter{}, field, value); err != nil {
			return nil, fmt.Errorf("index %s: %w", field, err)
		}
	}
	found, err := ships.GetInformer(ctx, &starwarsv1.Starfighter{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("make the informer: %w", err)
	}
	informer, ok := found.(clientgocache.SharedIndexInformer)
	if !ok {
		return nil, fmt.Errorf("a %T is no shared informer", found)
	}
	c := &controllerRuntime{Cache: ships, informer: informer, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		_ = ships.Start(ctx) // its only error is that it was started twice
	}()
	return c, nil
}

func (c *controllerRuntime) WaitForSync(ctx context.Context) error {
	if !c.WaitForCacheSync(ctx) {
		return fmt.Errorf("fill the cache: %w", context.Cause(ctx))
	}
	return nil
}

func (c *controllerRuntime) AddIndexes() (bool, error) { return false, nil }

func (c *controllerRuntime) Store() clientgocache.Store { return c.informer.GetStore() }

func (c *controllerRuntime) Wait() { <-c.ended }

func (c *controllerRuntime) Questions(of Ships) []Question {
	ctx := context.Background() // a cache does not look at it
	list := func(options ...client.ListOption) ([]starwarsv1.Starfighter, error) {
		var ships starwarsv1.StarfighterList
		err := c.List(ctx, &ships, options...)
		return ships.Items, err
	}
	faction := func(n int) (int, error) {
		found, err := list(client.MatchingFields{factionField: string(of.faction(n))})
		return len(found), err
	}
	return append([]Question{
		{Name: FactionToRead, Ask: faction},
		{Name: FactionIterator, Ask: faction},
		{Name: FactionCopy, Ask: faction},
		{Name: FactionFields, Ask: func(n int) (count int, err error) {
			found, err := list(client.MatchingFields{factionField: string(of.faction(n))})
			for i := range found {
				count += matches(&found[i])
			}
			return count, err
		}},
		{Name: Pilot, Ask: func(n int) (int, error) {
			found, err := list(client.MatchingFields{pilotField: of.Sample[n%len(of.Sample)].Spec.Pilot})
			return len(found), err
		}},
		{Name: All, Ask: func(int) (int, error) {
			found, err := list()
			return len(found), err
		}},
		{Name: Get, Ask: func(n int) (int, error) {
			var ship starwarsv1.Starfighter
			return 1, c.Get(ctx, client.ObjectKeyFromObject(of.Sample[n%len(of.Sample)]), &ship)
		}},
	}, writes(c.Store(), of)...)
}
