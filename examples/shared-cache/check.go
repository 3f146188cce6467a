// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// check compares the consumers' view of the fleet with the API server's.
type check struct {
	client    starwarsclient.StarfighterInterface
	lister    starwarslisters.StarfighterLister
	squadrons *squadrons
}

// indexes are the generated ones, each with what it files a ship under.
var indexes = []struct {
	name  string
	value func(*v1.Starfighter) string
}{
	{starwarslisters.StarfighterFactionIndex, func(ship *v1.Starfighter) string { return string(ship.Spec.Faction) }},
	{starwarslisters.StarfighterPilotIndex, func(ship *v1.Starfighter) string { return ship.Spec.Pilot }},
	{starwarslisters.StarfighterFactionTypeIndex, func(ship *v1.Starfighter) string {
		return starwarslisters.StarfighterFactionTypeKey(ship.Spec.Faction, ship.Spec.Type)
	}},
}

// errDiffers is the error of a cache that does not have what the API server has.
var errDiffers = errors.New("the cache differs from the API server")

// run asks every index for every value, and fails if the API server has other
// ships there than the cache. The last changes may still be on their way: it asks
// again until ctx ends. It returns what to say if all is well.
func (c *check) run(ctx context.Context) (string, error) {
	for {
		served, err := c.list(ctx)
		if err != nil {
			return "", err
		}
		result, err := c.compareAll(served)
		if err == nil {
			return result, nil
		}
		if pause(ctx, 100*time.Millisecond); ctx.Err() != nil {
			return "", err
		}
	}
}

func (c *check) compareAll(served []*v1.Starfighter) (string, error) {
	var result strings.Builder
	result.WriteString(english.Sprintf("Compared with the %d ships that the API server has, the answers are the same:\n", len(served)))
	for _, index := range indexes {
		values, err := c.compare(index.name, served, index.value)
		if err != nil {
			return "", err
		}
		result.WriteString(english.Sprintf("  index %-14q %9d values\n", index.name, values))
	}
	values, err := c.compareSquadrons(served)
	result.WriteString(english.Sprintf("  %-20s %9d values\n", "squadrons", values))
	return result.String(), err
}

// list asks the API server for all ships, in pieces.
func (c *check) list(ctx context.Context) ([]*v1.Starfighter, error) {
	var ships []*v1.Starfighter
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return c.client.List(ctx, options)
	})
	pages.PageSize = 5000
	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
		ship := obj.(*v1.Starfighter)
		ship.ManagedFields = nil // larger than the rest, and of no use here
		ships = append(ships, ship)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the ships at the API server: %w", err)
	}
	return ships, nil
}

// compare returns how many values the index has.
func (c *check) compare(index string, served []*v1.Starfighter, value func(*v1.Starfighter) string) (int, error) {
	want := map[string][]*v1.Starfighter{}
	for _, ship := range served {
		want[value(ship)] = append(want[value(ship)], ship)
	}
	values, err := c.lister.IndexValues(index)
	if err != nil {
		return 0, err
	}
	for _, value := range slices.Concat(values, slices.Collect(maps.Keys(want))) {
		cached, err := c.lister.ByIndex(index, value)
		if err != nil {
			return 0, err
		}
		if got, want := revisions(cached), revisions(want[value]); !slices.Equal(got, want) {
			return 0, fmt.Errorf("%w: index %q has %d ships for %q, the API server has %d; the first few are %q and %q", errDiffers, index, len(got), value, len(want), got[:min(5, len(got))], want[:min(5, len(want))])
		}
	}
	return len(want), nil
}

func (c *check) compareSquadrons(served []*v1.Starfighter) (int, error) {
	want := map[string]int{}
	for _, ship := range served {
		want[ship.Labels[squadronLabel]]++
	}
	if got := c.squadrons.count(); !maps.Equal(got, want) {
		return 0, fmt.Errorf("%w: squadrons counted %v, the API server has %v", errDiffers, got, want)
	}
	return len(want), nil
}

// revisions tells ships apart, and versions of them, in an order of its own.
func revisions(ships []*v1.Starfighter) []string {
	var revisions []string
	for _, ship := range ships {
		revisions = append(revisions, ship.Namespace+"/"+ship.Name+"@"+ship.ResourceVersion)
	}
	slices.Sort(revisions)
	return revisions
}
