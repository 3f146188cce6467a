// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

func TestConsumerCountsEachKindOfEvent(t *testing.T) {
	var told []string
	c := newConsumer("test", func(event string, _, _ *v1.Starfighter) { told = append(told, event) })
	ship := samples.XWing1()

	c.OnAdd(ship, true)
	c.OnAdd(ship, false)
	c.OnUpdate(ship, ship)
	c.OnDelete(starwarsinformers.DeletedStarfighter{OptionalObj: ship})

	seen, _ := c.seen()
	if want := (counts{Initial: 1, Added: 1, Updated: 1, Deleted: 1}); seen != want {
		t.Errorf("counted %+v, want %+v", seen, want)
	}
	if len(told) != 4 {
		t.Errorf("told of %q, want four events", told)
	}
}

func TestConsumerKnowsTheNameOfADeletedShipThatIsGone(t *testing.T) {
	var gone *v1.Starfighter
	c := newConsumer("test", func(_ string, before, _ *v1.Starfighter) { gone = before })

	c.OnDelete(starwarsinformers.DeletedStarfighter{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "default/x-wing-1"}})

	if gone == nil || gone.Namespace != "default" || gone.Name != "x-wing-1" {
		t.Errorf("told that %v is gone, want default/x-wing-1", gone)
	}
}

func TestWaitForEndsWithTheContext(t *testing.T) {
	c := newConsumer("test", func(string, *v1.Starfighter, *v1.Starfighter) {})
	go c.OnAdd(samples.XWing1(), false)
	if err := c.waitFor(t.Context(), 1); err != nil {
		t.Errorf("waiting for one event: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := c.waitFor(ctx, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for an event that never comes: %v", err)
	}
}

func TestTallyFollowsMovesBetweenFactions(t *testing.T) {
	rebel := samples.XWing1()
	imperial := rebel.DeepCopy()
	imperial.Spec.Faction = v1.Empire

	tally := newTally(faction)
	tally.tell("added", nil, rebel)
	tally.tell("updated", rebel, imperial)
	tally.tell("added", nil, rebel)
	tally.tell("deleted", rebel, nil)

	if got, want := tally.String(), `"empire" 1`; got != want {
		t.Errorf("tally %s, want %s", got, want)
	}
}
