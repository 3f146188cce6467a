// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
)

func TestTrafficKeepsToItsOwnShips(t *testing.T) {
	theirs := newShip("default", "x-wing-1", v1.Rebellion, "Luke Skywalker") // a name that it would use too
	b, client := newTestBoard(t, theirs)
	tr := newTraffic(client, []string{"default", "outer-rim"}, 24)
	noError(t, tr.create(t.Context()))
	noError(t, newTraffic(client, []string{"default", "outer-rim"}, 24).create(t.Context())) // they are there already

	own := func() int {
		ships, err := b.lister.List(labels.SelectorFromSet(ours))
		noError(t, err)
		return len(ships)
	}
	ships := client.StarwarsV1().Starfighters(metav1.NamespaceAll)
	for range 400 {
		list, err := ships.List(t.Context(), metav1.ListOptions{LabelSelector: labels.SelectorFromSet(ours).String()})
		noError(t, err)
		eventually(t, "the cache has what the server has", func() bool {
			for _, ship := range list.Items {
				cached := b.get(ship.Namespace + "/" + ship.Name)
				if cached == nil || view(cached) != view(&ship) || len(cached.Status.Phases) != len(ship.Status.Phases) {
					return false
				}
			}
			return own() == len(list.Items)
		})
		if n := len(list.Items); n < 10 || n > 32 {
			t.Fatalf("the fleet of 24 has %d ships", n)
		}
		if err := tr.change(t.Context(), b.lister); err != nil {
			t.Fatal(err)
		}
	}
	happened := map[string]int{}
	for _, action := range client.Actions() {
		happened[strings.TrimSuffix(action.GetVerb()+" "+action.GetSubresource(), " ")]++
	}
	if happened["create"] <= 2*24+1 || happened["update"] < 40 || happened["update status"] < 100 || happened["delete"] == 0 {
		t.Errorf("a fleet to which little happens: %v", happened)
	}
	still, err := client.StarwarsV1().Starfighters("default").Get(t.Context(), "x-wing-1", metav1.GetOptions{})
	noError(t, err)
	if len(still.Labels) != 0 || still.Spec != theirs.Spec {
		t.Errorf("somebody else's ship was changed: %+v", still)
	}
}

func TestTrafficEndsWhereItMayNotCreate(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("create", "starfighters", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(v1.Resource("starfighters"), "", errors.New("no"))
	})
	err := newTraffic(client, []string{"default"}, 3).create(t.Context())
	if !apierrors.IsForbidden(err) {
		t.Errorf("error %v", err)
	}
}

func TestCrewsMakeValidShips(t *testing.T) {
	for _, c := range crews {
		for _, model := range c.types {
			name := slug(model) + "-1"
			if reasons := validation.IsDNS1123Subdomain(name); len(reasons) > 0 || !regexp.MustCompile(`^[a-z]`).MatchString(name) {
				t.Errorf("ship type %q makes the name %q: %v", model, name, reasons)
			}
		}
		if len(c.pilots) == 0 {
			t.Errorf("nobody flies for %s", c.faction)
		}
	}
	for _, i := range pattern {
		if i >= len(crews) {
			t.Errorf("there is no crew %d", i)
		}
	}
}

func TestPhasesGoRound(t *testing.T) {
	phases := []string{nextPhase(nil)}
	for range 4 {
		phases = append(phases, nextPhase(phases))
	}
	if phases[0] != "launched" || phases[3] != "docked" || phases[4] != "launched" {
		t.Errorf("phases %q", phases)
	}
	if got := nextPhase([]string{"somebody else's"}); got != "launched" {
		t.Errorf("after a phase of somebody else: %q", got)
	}
}
