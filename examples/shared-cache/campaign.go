// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// campaign changes the fleet, so that the consumers have something to follow.
type campaign struct {
	fleet  *fleet
	lister starwarslisters.StarfighterLister
	rate   float64 // changes per second

	ships  []cache.ObjectName // that can be changed
	random *rand.Rand
	made   atomic.Int64 // changes
}

// run launches a ship, hands another to a new pilot, has one defect and loses one,
// again and again until ctx ends.
func (c *campaign) run(ctx context.Context) error {
	if c.rate == 0 {
		<-ctx.Done()
		return nil
	}
	cached, err := c.lister.List(labels.Set{fleetLabel: fleetName}.AsSelector())
	if err != nil {
		return err
	}
	for _, ship := range cached {
		c.ships = append(c.ships, cache.MetaObjectToName(ship))
	}
	// The same changes in every run: the cache lists ships in no particular order.
	slices.SortFunc(c.ships, func(a, b cache.ObjectName) int { return strings.Compare(a.String(), b.String()) })
	c.random = rand.New(rand.NewPCG(4, 5))

	changes := []func(context.Context) error{c.launch, c.transfer, c.defect, c.lose}
	pace := rate.NewLimiter(rate.Limit(c.rate), 1)
	for i := 0; pace.Wait(ctx) == nil; i++ {
		if err := finish(ctx, changes[i%len(changes)]); err != nil {
			return err
		}
		c.made.Add(1)
	}
	return nil
}

func (c *campaign) launch(ctx context.Context) error {
	ship, err := c.fleet.launchNext(ctx)
	if err == nil {
		c.ships = append(c.ships, cache.MetaObjectToName(ship))
	}
	return err
}

func (c *campaign) transfer(ctx context.Context) error {
	return c.change(ctx, func(spec *v1.StarfighterSpec) { spec.Pilot = aces[c.random.IntN(len(aces))] })
}

func (c *campaign) defect(ctx context.Context) error {
	return c.change(ctx, func(spec *v1.StarfighterSpec) {
		if spec.Faction == v1.Rebellion {
			spec.Faction = v1.Empire
		} else {
			spec.Faction = v1.Rebellion
		}
	})
}

func (c *campaign) lose(ctx context.Context) error {
	i, ok := c.pick()
	if !ok {
		return nil
	}
	name := c.ships[i]
	c.forget(i)
	err := c.fleet.client.Starfighters(name.Namespace).Delete(ctx, name.Name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// change changes some ship. The cache may be a moment behind: then it does not
// have the ship yet that was launched just now, or has it from before the docking
// controller wrote its status, which the API server answers with a conflict.
func (c *campaign) change(ctx context.Context, edit func(*v1.StarfighterSpec)) error {
	i, ok := c.pick()
	if !ok {
		return nil
	}
	name := c.ships[i]
	behind := func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }
	err := retry.OnError(retry.DefaultBackoff, behind, func() error {
		cached, err := c.lister.Starfighters(name.Namespace).Get(name.Name)
		if err != nil {
			return err
		}
		ship := cached.DeepCopy() // what comes from the cache belongs to everyone
		edit(&ship.Spec)
		_, err = c.fleet.client.Starfighters(ship.Namespace).Update(ctx, ship, metav1.UpdateOptions{})
		return err
	})
	switch {
	case apierrors.IsNotFound(err): // somebody else deleted it
		c.forget(i)
	case err != nil && !apierrors.IsConflict(err):
		return fmt.Errorf("update %s: %w", name, err)
	}
	return nil
}

// pick chooses some ship; there may be none.
func (c *campaign) pick() (i int, ok bool) {
	if len(c.ships) == 0 {
		return 0, false
	}
	return c.random.IntN(len(c.ships)), true
}

// forget takes a ship out of those that can be changed.
func (c *campaign) forget(i int) {
	last := len(c.ships) - 1
	c.ships[i] = c.ships[last]
	c.ships = c.ships[:last]
}
