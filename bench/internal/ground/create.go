// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package ground

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// writers is how many ships are created at a time.
const writers = 16

// create creates all ships and returns their digest as the server has them.
func create(ctx context.Context, client versioned.Interface, f fleet.Fleet) (fleet.Digest, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var digest fleet.Digest
	var all sync.WaitGroup
	numbers := make(chan int)
	for range writers {
		all.Go(func() {
			for i := range numbers {
				ship, err := createShip(ctx, client, f.Ship(i))
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				digest.Add(ship)
				mu.Unlock()
			}
		})
	}
	for i := range f.Ships {
		if ctx.Err() != nil {
			break
		}
		numbers <- i
	}
	close(numbers)
	all.Wait()
	return digest, context.Cause(ctx)
}

// createShip creates a ship through the hands of those who own its fields.
func createShip(ctx context.Context, client versioned.Interface, ship *starwarsv1.Starfighter) (*starwarsv1.Starfighter, error) {
	ships := client.StarwarsV1().Starfighters(ship.Namespace)
	wanted, managers := ship.DeepCopy(), ship.ManagedFields
	ship.ObjectMeta = metav1.ObjectMeta{Name: ship.Name, Namespace: ship.Namespace, Labels: ship.Labels, Annotations: ship.Annotations}
	created, err := ships.Create(ctx, ship, metav1.CreateOptions{FieldManager: managers[0].Manager})
	if err != nil {
		return nil, fmt.Errorf("create %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	inspected, err := json.Marshal(map[string]any{
		"apiVersion": wanted.APIVersion,
		"kind":       wanted.Kind,
		"metadata":   map[string]any{"annotations": map[string]string{"starwars.okontajneroch.sk/inspected-at": "2026-01-01T00:00:00Z"}},
	})
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	force := true
	_, err = ships.Patch(ctx, created.Name, types.ApplyPatchType, inspected, metav1.PatchOptions{FieldManager: managers[1].Manager, Force: &force})
	if err != nil {
		return nil, fmt.Errorf("apply %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	status, err := json.Marshal(map[string]any{"status": wanted.Status})
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	done, err := ships.Patch(ctx, created.Name, types.MergePatchType, status, metav1.PatchOptions{FieldManager: managers[2].Manager}, "status")
	if err != nil {
		return nil, fmt.Errorf("patch the status of %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	return done, nil
}
