// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fanout"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/measure"
	"github.com/okontajneroch/starwars/bench/internal/way"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// FanoutQuestion asks for a trial of telling many handlers.
type FanoutQuestion struct {
	Peer     string
	Fleet    fleet.Fleet
	Updates  int
	Handlers int
	// Blocked lets one more handler not return from its first call before the
	// others have been told of everything.
	Blocked bool
}

// Fanout is what it takes.
type Fanout struct {
	CPU measure.CPU `json:"cpu"`
	// Wall is from the first update until each handler was told of the last.
	Wall        time.Duration `json:"wallNanoseconds"`
	Allocations uint64        `json:"allocations"`
	Allocated   uint64        `json:"allocatedBytes"`
	// Told is how many updates handlers were told of, all together.
	Told int64 `json:"told"`
	// Growth is what the heap grew by while a handler was blocked, and Pending the
	// changes that wait for it then; -1 if nobody knows.
	Growth  int64 `json:"growthBytes"`
	Pending int   `json:"pending"`
	// Watches is how many watches there were.
	Watches int `json:"watches"`
}

const fanoutPart = "fanout"

func init() { child.Register(fanoutPart, runFanout) }

// RunFanout runs a trial in a new process.
func RunFanout(ctx context.Context, question FanoutQuestion) (Fanout, error) {
	return call[Fanout](ctx, fanoutPart, way.Way{Name: question.Peer}, question)
}

const blockedName = "blocked"

func runFanout(ctx context.Context, question FanoutQuestion, answer func(Fanout) error) error {
	ctx, cancel := begin(ctx)
	defer cancel()
	source := fanout.NewSource(question.Fleet, question.Updates)
	handlers, err := fanout.New(question.Peer, source)
	if err != nil {
		return err
	}
	var told atomic.Int64
	var last sync.WaitGroup
	for i := range question.Handlers {
		last.Add(1)
		updates, want := int64(0), source.Last() // of one handler, which is called by one goroutine
		err := handlers.Add(ctx, fmt.Sprint("handler ", i), cache.TypedResourceEventHandlerDetailedFuncs[*starwarsv1.Starfighter]{
			UpdateFunc: func(_, ship *starwarsv1.Starfighter) {
				if updates++; ship.ResourceVersion == want {
					told.Add(updates)
					last.Done()
				}
			},
		})
		if err != nil {
			return err
		}
	}
	release := make(chan struct{})
	if question.Blocked {
		err := handlers.Add(ctx, blockedName, cache.TypedResourceEventHandlerDetailedFuncs[*starwarsv1.Starfighter]{
			UpdateFunc: func(_, _ *starwarsv1.Starfighter) { <-release },
		})
		if err != nil {
			return err
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		handlers.Informer.RunWithContext(ctx)
	}()
	if !cache.WaitFor(ctx, "", handlers.Informer.HasSyncedChecker()) {
		return context.Cause(ctx)
	}

	before := measure.Retained()
	meter, err := startMeter()
	if err != nil {
		return err
	}
	source.Send()
	last.Wait()
	read, err := meter.read()
	if err != nil {
		return err
	}
	result := Fanout{CPU: read.cpu, Wall: read.wall, Allocations: read.allocations, Allocated: read.allocated, Told: told.Load(), Pending: -1}
	if question.Blocked {
		result.Growth = int64(measure.Retained()) - int64(before)
		if handlers.Pending != nil {
			result.Pending = handlers.Pending(blockedName)
		}
	}
	if most := int64(question.Updates * question.Handlers); result.Told > most || question.Peer != fanout.Subscribe && result.Told != most {
		return fmt.Errorf("handlers were told of %d updates, not %d", result.Told, most)
	}
	runtime.KeepAlive(source)
	close(release)
	cancel()
	<-ended
	result.Watches = source.Watches()
	return answer(result)
}
