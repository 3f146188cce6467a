// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars/examples/internal/console"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
)

// fleetLabel marks the ships that this program created. It changes no others.
const (
	fleetLabel = "fleet"
	fleetName  = "shared-cache"
)

func ofFleet(ship *v1.Starfighter) bool { return ship.Labels[fleetLabel] == fleetName }

// models are the kinds of ships, which a fleet has in equal numbers.
var models = []struct {
	name     string
	faction  v1.Faction
	squadron string
}{
	{"X-Wing", v1.Rebellion, "red"},
	{"TIE-Fighter", v1.Empire, "black"},
	{"Y-Wing", v1.Rebellion, "gold"},
	{"N-1", "republic", "bravo"},
	{"TIE-Interceptor", v1.Empire, "saber"},
	{"Firespray", "bounty-hunters", "cartel"},
}

// aces fly the first ships of a fleet, and take over others.
var aces = []string{
	"Luke Skywalker", "Darth Vader", "Jon Vander", "Padmé Amidala", "Soontir Fel", "Boba Fett",
	"Wedge Antilles", "Mauler Mithel", "Horton Salm", "Ric Olié", "Turr Phennir", "Jango Fett",
}

// fleet creates ships.
type fleet struct {
	client starwarsclient.StarfightersGetter
	// namespaces are where the ships are, in turn.
	namespaces []string
	next       atomic.Int64 // number of the ship that is launched next
}

// ship returns ship number i, which is always the same.
func (f *fleet) ship(i int) *v1.Starfighter {
	model := models[i%len(models)]
	pilot := fmt.Sprintf("%s %d", model.squadron, i)
	if i < len(aces) {
		pilot = aces[i]
	}
	return &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: f.namespaces[i%len(f.namespaces)],
			Name:      fmt.Sprintf("%s-%d", strings.ToLower(model.name), i),
			Labels:    map[string]string{fleetLabel: fleetName, squadronLabel: model.squadron},
		},
		Spec: v1.StarfighterSpec{Faction: model.faction, Type: model.name, Pilot: pilot},
	}
}

// sendIn creates a fleet, several ships at a time. Ships that are there already
// stay as they are.
func (f *fleet) sendIn(ctx context.Context, ships int, out *console.Console) error {
	const atOnce = 32
	sent := newProgress("Sending in the fleet", ships)
	err := sent.during(ctx, out, func(ctx context.Context) error {
		launches, launching := errgroup.WithContext(ctx)
		launches.SetLimit(atOnce)
		for i := 0; i < ships && launching.Err() == nil; i++ {
			launches.Go(func() error {
				defer sent.done.Add(1)
				return finish(launching, func(ctx context.Context) error {
					_, err := f.launch(ctx, f.ship(i))
					return err
				})
			})
		}
		if err := launches.Wait(); err != nil {
			return err
		}
		return ctx.Err() // then some are missing
	})
	if err != nil {
		return err
	}
	f.next.Store(int64(ships))
	out.Printf("%s", english.Sprintf("A fleet of %d ships came in, after %s.\n", ships, sent.took()))
	return nil
}

// launchNext creates one ship more.
func (f *fleet) launchNext(ctx context.Context) (*v1.Starfighter, error) {
	for {
		ship := f.ship(int(f.next.Add(1)) - 1)
		if created, err := f.launch(ctx, ship); created || err != nil {
			return ship, err
		}
	}
}

// launch creates a ship, if there is none of that name.
func (f *fleet) launch(ctx context.Context, ship *v1.Starfighter) (created bool, err error) {
	_, err = f.client.Starfighters(ship.Namespace).Create(ctx, ship, metav1.CreateOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		return false, nil
	case apierrors.IsForbidden(err):
		return false, fmt.Errorf("you may not create %s/%s: bind the role in config/rbac/starfighter-writer.yaml to your user, or leave out --seed: %w", ship.Namespace, ship.Name, err)
	case err != nil:
		return false, fmt.Errorf("create %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	return true, nil
}
