// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package way has the ways to fill and follow a cache of Starfighters that are
// compared: client-go's informer, controller-runtime's cache, this SDK's
// informer, each in several settings.
package way

import (
	"context"
	"fmt"
	"path"
	"strings"

	"k8s.io/client-go/rest"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// Way is one way to the ships.
type Way struct {
	// Name is how it is asked for.
	Name string
	// About says what it is, in a few words.
	About string
	// Variables are those of the environment that its process needs, as in
	// "KEY=value".
	Variables []string
	// Paged says that it is measured against a server that gives lists in
	// pages even at resourceVersion 0.
	Paged bool
	// CBOR says that it asks for CBOR.
	CBOR bool
	// Plain says that there is no cache, so nothing to check or to follow.
	Plain bool

	start func(ctx context.Context, config *rest.Config, handler Handler) (Cache, error)
}

// Start starts the way. It goes on until the context ends.
func (w Way) Start(ctx context.Context, config *rest.Config, handler Handler) (Cache, error) {
	cache, err := w.start(ctx, config, handler)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", w.Name, err)
	}
	return cache, nil
}

// Handler is told of changes, by one goroutine at a time.
type Handler struct {
	Added, Updated func(*starwarsv1.Starfighter)
}

// Cache is what a way fills.
type Cache interface {
	// WaitForSync waits until the cache has all ships and the handler was told
	// of each.
	WaitForSync(ctx context.Context) error
	// Each calls do with each ship of the cache, without copying.
	Each(ctx context.Context, do func(*starwarsv1.Starfighter)) error
	// Wait waits for the end, after that of the context of Start.
	Wait()
}

// Reference is the way whose figures the others' are compared with.
const Reference = "client-go"

// All returns all ways.
func All() []Way {
	return append(append(append(downloads(), clientGo()...), controllerRuntime()), sdk()...)
}

// Find returns the way of that name.
func Find(name string) (Way, error) {
	for _, way := range All() {
		if way.Name == name {
			return way, nil
		}
	}
	return Way{}, fmt.Errorf("there is no way %q: the ways are %s", name, names(All()))
}

// Select returns the ways whose names match one of the patterns of path.Match.
func Select(patterns []string) ([]Way, error) {
	chosen := map[string]bool{}
	for _, pattern := range patterns {
		found := false
		for _, way := range All() {
			matches, err := path.Match(pattern, way.Name)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			if matches {
				chosen[way.Name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no way matches %q: the ways are %s", pattern, names(All()))
		}
	}
	var ways []Way
	for _, way := range All() {
		if chosen[way.Name] {
			ways = append(ways, way)
		}
	}
	return ways, nil
}

func names(ways []Way) string {
	all := make([]string, len(ways))
	for i, way := range ways {
		all[i] = way.Name
	}
	return strings.Join(all, ", ")
}
