// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/measure"
	"github.com/okontajneroch/starwars/bench/internal/way"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// SyncQuestion asks for a trial of the first fill of a cache.
type SyncQuestion struct {
	Way    string
	Server Server
	// Want is what the cache must hold.
	Want fleet.Digest
	// Profile is the file for a CPU profile, if one is wanted.
	Profile string
}

// Sync is what it takes to fill a cache and to tell a handler.
type Sync struct {
	CPU measure.CPU `json:"cpu"`
	// Wall is from the start to the end of the handler's last call.
	Wall time.Duration `json:"wallNanoseconds"`
	// PeakHeap is the highest number of bytes in the Go heap, and PeakLive that
	// of a collection's live ones. HighWater is the process's most RAM.
	PeakHeap  uint64 `json:"peakHeapBytes"`
	PeakLive  uint64 `json:"peakLiveBytes"`
	HighWater uint64 `json:"highWaterBytes"`
	// Retained is what the cache adds to the heap when all garbage is gone.
	Retained uint64 `json:"retainedBytes"`
	// Allocations and Allocated are objects and bytes, garbage included.
	Allocations uint64 `json:"allocations"`
	Allocated   uint64 `json:"allocatedBytes"`
	Collections uint64 `json:"collections"`
}

const syncPart = "sync"

func init() { child.Register(syncPart, runSync) }

// RunSync runs a trial in a new process.
func RunSync(ctx context.Context, w way.Way, question SyncQuestion) (Sync, error) {
	question.Way = w.Name
	return call[Sync](ctx, syncPart, w, question)
}

func runSync(ctx context.Context, question SyncQuestion, answer func(Sync) error) error {
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
	var told atomic.Int64
	handler := way.Handler{Added: func(*starwarsv1.Starfighter) { told.Add(1) }, Updated: ignore}

	stopProfile, err := startProfile(question.Profile)
	if err != nil {
		return err
	}
	base := measure.Retained()
	meter, err := startMeter()
	if err != nil {
		return err
	}
	cache, err := w.Start(ctx, config, handler)
	if err != nil {
		return err
	}
	if err := cache.WaitForSync(ctx); err != nil {
		return err
	}

	read, err := meter.read()
	if err != nil {
		return err
	}
	result := Sync{
		CPU: read.cpu, Wall: read.wall,
		PeakHeap: read.peakHeap, PeakLive: read.peakLive, HighWater: measure.HighWater(),
		Allocations: read.allocations, Allocated: read.allocated, Collections: read.collections,
	}
	if err := stopProfile(); err != nil {
		return err
	}
	if retained := measure.Retained(); retained > base {
		result.Retained = retained - base
	}
	if !w.Plain {
		if told.Load() != int64(question.Want.Count) {
			return errMissed
		}
		if err := check(ctx, cache, question.Want); err != nil {
			return err
		}
	}
	runtime.KeepAlive(cache)
	cancel()
	cache.Wait()
	return answer(result)
}

// startProfile begins a CPU profile, if a file is named, and returns what ends
// it.
func startProfile(name string) (func() error, error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("profile: %w", err)
	}
	return func() error {
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		return nil
	}, nil
}
