// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// launchFleet creates the sample ships, and leaves those that are there alone.
func launchFleet(ctx context.Context, client versioned.Interface) error {
	for _, ship := range append(samples.Fleet(), samples.XWing1()) {
		_, err := client.StarwarsV1().Starfighters(ship.Namespace).Create(ctx, ship, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %s/%s: %w", ship.Namespace, ship.Name, err)
		}
	}
	return nil
}

// change is something that happens to one ship.
type change struct {
	namespace, name string
	happens         func(ctx context.Context, f *fleet, c change) error
}

var firstHalf = []change{
	{"default", "x-wing-5", built(v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing", Pilot: "Garven Dreis"})},
	{"default", "x-wing-2", transferred("Derek Klivian")},
	{"default", "tie-fighter-1", defected(v1.Rebellion)},
	{"default", "tie-fighter-2", lost},
	{"outer-rim", "x-wing-4", lost},
}

var secondHalf = []change{
	{"outer-rim", "millennium-falcon", built(v1.StarfighterSpec{Faction: v1.Rebellion, Type: "YT-1300", Pilot: "Han Solo"})},
	{"default", "x-wing-1", transferred("Red Five")},
	{"outer-rim", "slave-1", defected(v1.Empire)},
	{"default", "x-wing-5", lost},
}

// fleet makes changes to ships and sees to it that they were noticed.
type fleet struct {
	client   versioned.Interface
	lister   starwarslisters.StarfighterLister
	watchers []*consumer
}

// play makes the changes one after the other, each when all watchers have been
// told of the one before.
func (f *fleet) play(ctx context.Context, changes []change) error {
	for _, c := range changes {
		events := make([]int, len(f.watchers))
		for i, watcher := range f.watchers {
			seen, _ := watcher.seen()
			events[i] = seen.total() + 1
		}
		if err := c.happens(ctx, f, c); err != nil {
			return fmt.Errorf("change %s/%s: %w", c.namespace, c.name, err)
		}
		for i, watcher := range f.watchers {
			if err := watcher.waitFor(ctx, events[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func built(spec v1.StarfighterSpec) func(context.Context, *fleet, change) error {
	return func(ctx context.Context, f *fleet, c change) error {
		ship := &v1.Starfighter{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: c.name}, Spec: spec}
		_, err := f.client.StarwarsV1().Starfighters(c.namespace).Create(ctx, ship, metav1.CreateOptions{})
		return err
	}
}

func transferred(pilot string) func(context.Context, *fleet, change) error {
	return updated(func(spec *v1.StarfighterSpec) { spec.Pilot = pilot })
}

func defected(to v1.Faction) func(context.Context, *fleet, change) error {
	return updated(func(spec *v1.StarfighterSpec) { spec.Faction = to })
}

func updated(edit func(*v1.StarfighterSpec)) func(context.Context, *fleet, change) error {
	return func(ctx context.Context, f *fleet, c change) error {
		cached, err := f.lister.Starfighters(c.namespace).Get(c.name)
		if err != nil {
			return err
		}
		ship := cached.DeepCopy() // what comes from the cache belongs to everyone
		edit(&ship.Spec)
		_, err = f.client.StarwarsV1().Starfighters(c.namespace).Update(ctx, ship, metav1.UpdateOptions{})
		return err
	}
}

func lost(ctx context.Context, f *fleet, c change) error {
	return f.client.StarwarsV1().Starfighters(c.namespace).Delete(ctx, c.name, metav1.DeleteOptions{})
}
