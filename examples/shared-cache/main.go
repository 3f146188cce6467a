// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command shared-cache shows several consumers that share one informer: one
// cache, one watch, and indexes that answer without asking the API server.
//
// It starts an API server of its own with a small fleet of Starfighters. A
// roster and an audit log follow the fleet from the start; a squadron counter
// joins late and is told first of every ship there is. While they watch, ships
// are built, change pilots and factions, and are lost. At the end it prints
// what each consumer was told, what the indexes answer, checked against the
// API server, and how many requests the API server counted.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/examples/internal/program"
	"github.com/okontajneroch/starwars/examples/internal/target"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

func main() {
	var seed bool
	os.Exit(program.Main(program.Program{
		Name:  "shared-cache",
		About: "Several consumers share one informer: one cache, one watch, and indexes over it.",
		AddFlags: func(flags *pflag.FlagSet) {
			flags.BoolVar(&seed, "seed", false, "with --kubeconfig or --cluster: create the sample fleet there and change it; without it nothing is written")
		},
		Run: func(ctx context.Context, server *target.Server) error {
			return run(ctx, server, seed || server.Embedded())
		},
	}))
}

// run follows the fleet; it also creates and changes it if it may write.
func run(ctx context.Context, server *target.Server, write bool) error {
	client, err := versioned.NewForConfig(server.Config)
	if err != nil {
		return fmt.Errorf("make the clientset: %w", err)
	}
	if write {
		if err := launchFleet(ctx, client); err != nil {
			return err
		}
	}
	before, countErr := countRequests(ctx, client)

	// All consumers get their informer here, so it is the same one for all.
	factory := starwars.NewSharedInformerFactory(client, 0)
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown() // waits for what cancel ends
	defer cancel()
	ships := factory.Starwars().V1().Starfighters()

	// The lister brings the indexes that the API type asks for. An index answers
	// "which ships fly for the rebellion" without looking at the others.
	lister := ships.Lister()

	factory.StartWithContext(ctx)
	roster, squadrons := newTally(faction), newTally(shipType)
	consumers := []*consumer{
		newConsumer("roster", roster.tell),
		newConsumer("audit log", logEvent),
		newConsumer("squadrons", squadrons.tell),
	}
	for _, early := range consumers[:2] {
		if err := early.join(ctx, ships.TypedInformer()); err != nil {
			return err
		}
	}

	fleet := &fleet{client: client, lister: lister, watchers: consumers[:2]}
	if write {
		if err := fleet.play(ctx, firstHalf); err != nil {
			return err
		}
	}
	if err := consumers[2].join(ctx, ships.TypedInformer()); err != nil {
		return err
	}
	fmt.Println("squadrons joined late, and was told of every ship in the cache")
	fleet.watchers = consumers
	if write {
		if err := fleet.play(ctx, secondHalf); err != nil {
			return err
		}
	} else {
		<-ctx.Done()
		ctx = context.WithoutCancel(ctx) // the report still has to ask for the metrics
	}

	var after requests
	if countErr == nil { // a cluster may keep its metrics to itself
		after, countErr = countRequests(ctx, client)
	}
	report(consumers, map[string]*tally{"ships by faction, as the roster counted": roster, "ships by type, as squadrons counted": squadrons})
	if err := reportIndexes(ctx, client, lister, write); err != nil {
		return err
	}
	reportRequests(after.since(before), countErr, len(consumers))
	return nil
}

// tally counts ships by one of their fields, from events alone. It can be read
// while events arrive.
type tally struct {
	field func(*v1.Starfighter) string

	mu    sync.Mutex
	count map[string]int
}

func faction(ship *v1.Starfighter) string  { return string(ship.Spec.Faction) }
func shipType(ship *v1.Starfighter) string { return ship.Spec.Type }

func newTally(field func(*v1.Starfighter) string) *tally {
	return &tally{field: field, count: map[string]int{}}
}

func (t *tally) tell(_ string, before, after *v1.Starfighter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before != nil {
		t.count[t.field(before)]--
	}
	if after != nil {
		t.count[t.field(after)]++
	}
}
