// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/way"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// LatencyQuestion asks for a trial of the time from a write to the handler.
type LatencyQuestion struct {
	Way    string
	Server Server
	// Ships is how many ships the cache must hold.
	Ships int
	// Writes is how many writes to measure, one after the other.
	Writes int
	// Namespace and Name are those of the ship that is written.
	Namespace, Name string
}

// Latency is the times from the sending of a write to the handler's call.
type Latency struct {
	// Write is the same for the answer to the write, which does not depend on
	// the way.
	Write Percentiles `json:"write"`
	// Handler is from the sending of the write too.
	Handler Percentiles `json:"handler"`
}

// Percentiles are of a set of durations.
type Percentiles struct {
	P50 time.Duration `json:"p50Nanoseconds"`
	P99 time.Duration `json:"p99Nanoseconds"`
}

func percentiles(durations []time.Duration) Percentiles {
	slices.Sort(durations)
	at := func(percent int) time.Duration { return durations[(len(durations)-1)*percent/100] }
	return Percentiles{P50: at(50), P99: at(99)}
}

const latencyPart = "latency"

func init() { child.Register(latencyPart, runLatency) }

// RunLatency runs a trial in a new process.
func RunLatency(ctx context.Context, w way.Way, question LatencyQuestion) (Latency, error) {
	question.Way = w.Name
	return call[Latency](ctx, latencyPart, w, question)
}

func runLatency(ctx context.Context, question LatencyQuestion, answer func(Latency) error) error {
	ctx, cancel := begin(ctx)
	defer cancel()
	w, err := way.Find(question.Way)
	if err != nil {
		return err
	}
	config, err := question.Server.config(w)
	if err != nil {
		return err
	}
	type sight struct {
		resourceVersion string
		at              time.Time
	}
	sights := make(chan sight, 1)
	cache, err := w.Start(ctx, config, way.Handler{Added: ignore, Updated: func(ship *starwarsv1.Starfighter) {
		sights <- sight{ship.ResourceVersion, time.Now()}
	}})
	if err != nil {
		return err
	}
	if err := cache.WaitForSync(ctx); err != nil {
		return err
	}
	var digest fleet.Digest
	if err := cache.Each(ctx, digest.Add); err != nil {
		return err
	}
	if digest.Count != question.Ships {
		return fmt.Errorf("the cache has %d ships, the server %d", digest.Count, question.Ships)
	}

	client, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	ships := client.StarwarsV1().Starfighters(question.Namespace)
	writes, handlers := make([]time.Duration, question.Writes), make([]time.Duration, question.Writes)
	for i := range question.Writes {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"starwars.okontajneroch.sk/last-seen":"%d"}}}`, time.Now().UnixNano())
		sent := time.Now()
		ship, err := ships.Patch(ctx, question.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		writes[i] = time.Since(sent)
		select {
		case seen := <-sights:
			if seen.resourceVersion != ship.ResourceVersion {
				return fmt.Errorf("the handler was told of version %s, written was %s", seen.resourceVersion, ship.ResourceVersion)
			}
			handlers[i] = seen.at.Sub(sent)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	cancel()
	cache.Wait()
	return answer(Latency{Write: percentiles(writes), Handler: percentiles(handlers)})
}
