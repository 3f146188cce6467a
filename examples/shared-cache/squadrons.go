// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/examples/internal/console"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// squadronLabel names the squadron that a ship belongs to.
const squadronLabel = "squadron"

// squadrons counts the ships of each squadron, from events alone. It joins when the
// informer has been running for a while, and misses nothing: it is told of the
// ships that are in the cache, then of what changes.
type squadrons struct {
	mu    sync.Mutex
	ships map[string]int
}

func newSquadrons() *squadrons { return &squadrons{ships: map[string]int{}} }

// join registers the counter, and says so when it was told of all ships.
func (s *squadrons) join(ctx context.Context, ships starwarsinformers.StarfighterIndexInformer, out *console.Console) error {
	registration, err := ships.AddTypedEventHandler(s)
	if err != nil {
		return fmt.Errorf("register the squadron counter: %w", err)
	}
	if cache.WaitFor(ctx, "", registration.HasSyncedChecker()) {
		out.Printf("The squadron counter joined late, and was told of every ship too.\n")
	}
	return nil
}

func (s *squadrons) OnAdd(ship *v1.Starfighter, _ bool) { s.move(nil, ship) }

func (s *squadrons) OnUpdate(before, after *v1.Starfighter) { s.move(before, after) }

// OnDelete is told the last known state of a ship. There is none only if the
// cache never had the ship, and then the squadron never had it either.
func (s *squadrons) OnDelete(deleted starwarsinformers.DeletedStarfighter) {
	s.move(deleted.OptionalObj, nil)
}

func (s *squadrons) move(before, after *v1.Starfighter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before != nil {
		s.ships[before.Labels[squadronLabel]]--
	}
	if after != nil {
		s.ships[after.Labels[squadronLabel]]++
	}
}

// count returns the number of ships of each squadron that has any.
func (s *squadrons) count() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.ships, func(_ string, n int) bool { return n == 0 })
	return maps.Clone(s.ships)
}

func (s *squadrons) String() string { return counts(s.count()) }
