// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// ours are the labels of the ships that the board created. It leaves all others
// alone.
var ours = labels.Set{"app.kubernetes.io/managed-by": "fleet-board"}

// traffic creates a fleet and makes things happen to it.
type traffic struct {
	client     versioned.Interface
	namespaces []string
	size       int
	random     *rand.Rand
	numbers    map[string]int // the last one in a name, by ship type
	trouble    bool           // the last change failed
}

func newTraffic(client versioned.Interface, namespaces []string, size int) *traffic {
	return &traffic{
		client: client, namespaces: namespaces, size: size,
		random:  rand.New(rand.NewPCG(1977, 5)), // the same story each time
		numbers: map[string]int{},
	}
}

// create creates the fleet. Ships that are there from before stay as they are.
func (t *traffic) create(ctx context.Context) error {
	for i := range t.size {
		if err := t.launch(ctx, crews[pattern[i%len(pattern)]]); err != nil {
			return err
		}
	}
	return nil
}

// run changes the fleet at a rate a second until ctx ends. A change that fails is
// no error: the API server may be back for the next.
func (t *traffic) run(ctx context.Context, lister starwarslisters.StarfighterLister, often rate) {
	if often == 0 {
		return
	}
	for {
		wait := time.Duration((0.5 + t.random.Float64()) * float64(time.Second) / float64(often))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		t.report(ctx, t.change(ctx, lister))
	}
}

// report tells once that changes fail, and once that they do no more.
func (t *traffic) report(ctx context.Context, err error) {
	expected := apierrors.IsConflict(err) || apierrors.IsNotFound(err) // somebody else changed that ship
	switch {
	case ctx.Err() != nil || expected:
	case err != nil && !t.trouble:
		fmt.Fprintf(os.Stderr, "fleet-board: the fleet cannot be changed at present: %v\n", err)
		t.trouble = true
	case err == nil && t.trouble:
		fmt.Fprintln(os.Stderr, "fleet-board: the fleet changes again")
		t.trouble = false
	}
}

// change makes one thing happen.
func (t *traffic) change(ctx context.Context, lister starwarslisters.StarfighterLister) error {
	fleet, err := lister.List(labels.SelectorFromSet(ours))
	if err != nil {
		return err
	}
	what := t.random.IntN(100)
	switch {
	case len(fleet) == 0, what < 10 && len(fleet) < t.size+t.size/4+1:
		return t.launch(ctx, crews[pattern[t.random.IntN(len(pattern))]])
	case len(fleet) > t.size+t.size/4+1:
		what = 10
	}
	// Listers have no order; sorted, the same story is told each time.
	slices.SortFunc(fleet, func(a, b *v1.Starfighter) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	ship := fleet[t.random.IntN(len(fleet))].DeepCopy() // what comes from the cache belongs to everyone
	ships := t.client.StarwarsV1().Starfighters(ship.Namespace)
	switch {
	case what < 20 && len(fleet) > t.size/2:
		return ships.Delete(ctx, ship.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(ship.UID))})
	case what < 35:
		ship.Spec.Pilot = t.pilot(crewOf(ship))
	case what < 40:
		return t.changeSides(ctx, fleet)
	default:
		ship.Status.Phases = append(ship.Status.Phases, nextPhase(ship.Status.Phases))
		ship.Status.Phases = ship.Status.Phases[max(0, len(ship.Status.Phases)-8):]
		_, err = ships.UpdateStatus(ctx, ship, metav1.UpdateOptions{})
		return err
	}
	_, err = ships.Update(ctx, ship, metav1.UpdateOptions{})
	return err
}

// changeSides has a ship fly for another faction, or brings one home: of a fleet
// of deserters no board is of use.
func (t *traffic) changeSides(ctx context.Context, fleet []*v1.Starfighter) error {
	atHome := func(ship *v1.Starfighter) bool { return ship.Spec.Faction == crewOf(ship).faction }
	away := slices.DeleteFunc(slices.Clone(fleet), atHome)
	var ship *v1.Starfighter
	if len(away) > 2 {
		ship = away[t.random.IntN(len(away))].DeepCopy()
		ship.Spec.Faction = crewOf(ship).faction
	} else {
		ship = fleet[t.random.IntN(len(fleet))].DeepCopy()
		ship.Spec.Faction = crews[pattern[t.random.IntN(len(pattern))]].faction
	}
	_, err := t.client.StarwarsV1().Starfighters(ship.Namespace).Update(ctx, ship, metav1.UpdateOptions{})
	return err
}

// launch creates a ship under the next number. One that is there from before
// stays as it is.
func (t *traffic) launch(ctx context.Context, c crew) error {
	model := c.types[t.random.IntN(len(c.types))]
	t.numbers[model]++
	ship := &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: t.namespaces[t.random.IntN(len(t.namespaces))],
			Name:      fmt.Sprintf("%s-%d", slug(model), t.numbers[model]),
			Labels:    ours,
		},
		Spec: v1.StarfighterSpec{Faction: c.faction, Type: model, Pilot: t.pilot(c)},
	}
	_, err := t.client.StarwarsV1().Starfighters(ship.Namespace).Create(ctx, ship, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create ship %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	return nil
}

// pilot returns one of a crew.
func (t *traffic) pilot(c crew) string { return c.pilots[t.random.IntN(len(c.pilots))] }

// crewOf returns the crew that has ships of this type, whomever it flies for now.
func crewOf(ship *v1.Starfighter) crew {
	return crews[max(0, slices.IndexFunc(crews, func(c crew) bool { return slices.Contains(c.types, ship.Spec.Type) }))]
}

// slug makes of a ship type the beginning of an object's name.
func slug(model string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(model))
}

// nextPhase continues the daily round of a ship.
func nextPhase(phases []string) string {
	round := []string{"launched", "on patrol", "returning", "docked"}
	if len(phases) == 0 {
		return round[0]
	}
	return round[(slices.Index(round, phases[len(phases)-1])+1)%len(round)]
}

// crew is what flies for a faction. No other has ships of the same types.
type crew struct {
	faction v1.Faction
	types   []string
	pilots  []string
}

var crews = []crew{
	{v1.Rebellion, []string{"X-Wing", "X-Wing", "Y-Wing", "A-Wing", "B-Wing"}, []string{
		"Luke Skywalker", "Wedge Antilles", "Biggs Darklighter", "Jek Porkins", "Jon Vander", "Garven Dreis", "Arvel Crynyd",
		"Derek Klivian", "Wes Janson", "Hera Syndulla", "Evaan Verlaine", "Shara Bey", "Thane Kyrell", "Ibtisam", "Norra Wexley",
	}},
	{v1.Empire, []string{"TIE/LN", "TIE/LN", "TIE Interceptor", "TIE Bomber", "TIE Advanced x1"}, []string{
		"Darth Vader", "Soontir Fel", "Mauler Mithel", "Iden Versio", "Ciena Ree", "Maarek Stele", "Juno Eclipse", "Vult Skerris",
		"Gideon Hask", "Nash Windrider", "Howlrunner", "Night Beast", "Backstabber", "Dark Curse", "Rexler Brath",
	}},
	{"bounty-hunters", []string{"Firespray-31", "G-1A", "YV-666"}, []string{"Boba Fett", "Zuckuss", "4-LOM", "Bossk", "Dengar", "Fennec Shand"}},
	{"republic", []string{"N-1", "Eta-2", "Delta-7", "ARC-170"}, []string{"Anakin Skywalker", "Obi-Wan Kenobi", "Plo Koon", "Ahsoka Tano", "Ric Olié", "Odd Ball"}},
	{"hutt-cartel", []string{"Scyk", "Khihraxz"}, []string{"Quinn Jast", "Torani Kulda", "Viktor Hel", "Graz"}},
}

// pattern is how large the factions are beside each other: indexes of crews.
var pattern = []int{0, 1, 0, 2, 1, 3, 0, 1, 4, 0, 1, 3, 0, 1, 2, 1}
