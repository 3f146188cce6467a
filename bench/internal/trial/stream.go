// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/measure"
	"github.com/okontajneroch/starwars/bench/internal/way"
	"github.com/okontajneroch/starwars/bench/internal/wire"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// StreamQuestion asks for a trial of following many updates in a row.
type StreamQuestion struct {
	Way    string
	Server Server
	// Updates is how many updates the server sends, and Last the
	// resourceVersion of the last one.
	Updates, Last int
	// Before and After are what the cache must hold before and after them.
	Before, After fleet.Digest
}

// Stream is what it takes to follow the updates with the cache and a handler.
type Stream struct {
	CPU measure.CPU `json:"cpu"`
	// Wall is from the request for the updates until the handler saw the last.
	Wall        time.Duration `json:"wallNanoseconds"`
	PeakHeap    uint64        `json:"peakHeapBytes"`
	Allocations uint64        `json:"allocations"`
	Allocated   uint64        `json:"allocatedBytes"`
	// Seen is how many updates the handler was told of.
	Seen int64 `json:"seen"`
}

const streamPart = "stream"

func init() { child.Register(streamPart, runStream) }

// RunStream runs a trial in a new process.
func RunStream(ctx context.Context, w way.Way, question StreamQuestion) (Stream, error) {
	question.Way = w.Name
	return call[Stream](ctx, streamPart, w, question)
}

func runStream(ctx context.Context, question StreamQuestion, answer func(Stream) error) error {
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
	var seen int64
	last := strconv.Itoa(question.Last)
	over := make(chan struct{})
	cache, err := w.Start(ctx, config, way.Handler{Added: ignore, Updated: func(ship *starwarsv1.Starfighter) {
		seen++
		if ship.ResourceVersion == last {
			close(over)
		}
	}})
	if err != nil {
		return err
	}
	if err := cache.WaitForSync(ctx); err != nil {
		return err
	}
	if err := check(ctx, cache, question.Before); err != nil {
		return err
	}

	measure.Retained()
	meter, err := startMeter()
	if err != nil {
		return err
	}
	if err := askForUpdates(ctx, question.Server.URL+wire.UpdatesPath); err != nil {
		return err
	}
	select {
	case <-over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	read, err := meter.read()
	if err != nil {
		return err
	}
	result := Stream{
		CPU: read.cpu, Wall: read.wall, PeakHeap: read.peakHeap,
		Allocations: read.allocations, Allocated: read.allocated, Seen: seen,
	}

	if result.Seen != int64(question.Updates) {
		return fmt.Errorf("the handler was told of %d updates, the server sent %d", result.Seen, question.Updates)
	}
	if err := check(ctx, cache, question.After); err != nil {
		return err
	}
	cancel()
	cache.Wait()
	return answer(result)
}

// askForUpdates makes the server send them.
func askForUpdates(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask for updates: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask for updates: %w", err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask for updates: %s", response.Status)
	}
	return nil
}
