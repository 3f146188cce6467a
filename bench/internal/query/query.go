// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package query has caches of Starfighters with an index by faction and one by
// pilot, and the same questions to each: client-go's informer,
// controller-runtime's cache, this SDK's informer.
package query

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// The names of the questions.
const (
	FactionToRead   = "faction, to read"
	FactionIterator = "faction, iter.Seq"
	FactionFields   = "faction, reading each"
	FactionCopy     = "faction, a copy"
	FactionUntyped  = "faction, []any"
	Pilot           = "pilot"
	All             = "List(Everything)"
	Get             = "Get by name"
	Update          = "update in place"
	Move            = "move to another faction"
)

// Question is one that can be asked again and again.
type Question struct {
	Name string
	// Ask asks for the n-th time, and returns how many ships were found. It may
	// be called by several goroutines, unless it Writes.
	Ask    func(n int) (int, error)
	Writes bool
}

// Cache is a cache that can be asked.
type Cache interface {
	// WaitForSync waits until the cache has all ships.
	WaitForSync(ctx context.Context) error
	// AddIndexes adds the indexes to a cache that is full; false if they have
	// been there from the start.
	AddIndexes() (bool, error)
	// Questions returns those that this cache answers.
	Questions(of Ships) []Question
	// Store is what can be written to.
	Store() cache.Store
	// Wait waits for the end, after that of the context of Start.
	Wait()
}

// Peer is a kind of cache.
type Peer struct {
	Name  string
	start func(ctx context.Context, config *rest.Config) (Cache, error)
}

// The peers' names.
const (
	ClientGo          = "client-go"
	ControllerRuntime = "controller-runtime"
	Starwars          = "starwars"
)

// Peers returns all peers.
func Peers() []Peer {
	return []Peer{{ClientGo, startClientGo}, {ControllerRuntime, startControllerRuntime}, {Starwars, startStarwars}}
}

// Start starts a cache of a peer. It goes on until the context ends.
func Start(ctx context.Context, peer string, config *rest.Config) (Cache, error) {
	for _, p := range Peers() {
		if p.Name != peer {
			continue
		}
		c, err := p.start(ctx, config)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", peer, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("there is no peer %q", peer)
}

// Ships are what is asked for.
type Ships struct {
	// Factions are all there are. Questions go through them in turn, as the same
	// one again and again would find its answer in the processor's caches.
	Factions []starwarsv1.Faction
	// Sample is ships all over the fleet, Updated are the same after a change of
	// status, and Moved in another faction.
	Sample, Updated, Moved []*starwarsv1.Starfighter
}

func (s Ships) faction(n int) starwarsv1.Faction { return s.Factions[n%len(s.Factions)] }

// sampled is how many ships there are in a sample: so many that neither a peer's
// look-ups nor its answers stay in the processor's caches by themselves.
const sampled = 10_000

// NewShips takes a sample of the ships of a fleet, as they are in a cache.
func NewShips(of fleet.Fleet) Ships {
	n := min(of.Ships, sampled)
	ships := Ships{Factions: fleet.Factions()}
	for i := range n {
		ship := of.Ship(i * (of.Ships / n))
		ship.ManagedFields = nil
		updated := ship.DeepCopy()
		updated.Status.Phases = append(updated.Status.Phases, "inspected")
		moved := ship.DeepCopy()
		if moved.Spec.Faction = starwarsv1.Empire; ship.Spec.Faction == starwarsv1.Empire {
			moved.Spec.Faction = starwarsv1.Rebellion
		}
		ships.Sample = append(ships.Sample, ship)
		ships.Updated = append(ships.Updated, updated)
		ships.Moved = append(ships.Moved, moved)
	}
	return ships
}

// between returns the n-th of the ships, in turn: the others first.
func between(n int, ships, others []*starwarsv1.Starfighter) *starwarsv1.Starfighter {
	if n/len(ships)%2 == 0 {
		return others[n%len(ships)]
	}
	return ships[n%len(ships)]
}

// writes are the questions that are none.
func writes(store cache.Store, of Ships) []Question {
	to := func(others []*starwarsv1.Starfighter) func(int) (int, error) {
		return func(n int) (int, error) { return 1, store.Update(between(n, of.Sample, others)) }
	}
	return []Question{{Update, to(of.Updated), true}, {Move, to(of.Moved), true}}
}
