// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"
)

// Memory is a set of readings of the Go heap. All but Live are exact.
type Memory struct {
	// Objects is the bytes of all objects, dead ones that are not yet swept too.
	Objects uint64
	// Live is the bytes that the last collection marked.
	Live uint64
	// Allocations and Allocated count all objects ever allocated, and their bytes.
	Allocations, Allocated uint64
	// Collections counts the garbage collections.
	Collections uint64
}

// Heap reads the heap now.
func Heap() Memory {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples)
	return Memory{
		Objects:     samples[0].Value.Uint64(),
		Live:        samples[1].Value.Uint64(),
		Allocations: samples[2].Value.Uint64(),
		Allocated:   samples[3].Value.Uint64(),
		Collections: samples[4].Value.Uint64(),
	}
}

// Retained is the bytes of the heap after what is not used has been collected.
func Retained() uint64 {
	runtime.GC()
	runtime.GC() // finalizers and pools have let go
	return Heap().Objects
}

// Peak follows the heap until it is stopped.
type Peak struct {
	stop    chan struct{}
	stopped sync.WaitGroup
	objects uint64
	live    uint64
}

// period is between two readings of the heap: short beside a collection's, and
// without weight on the CPU.
const period = 5 * time.Millisecond

// StartPeak begins to follow the heap.
func StartPeak() *Peak {
	p := &Peak{stop: make(chan struct{})}
	p.stopped.Go(func() {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.read()
			case <-p.stop:
				p.read()
				return
			}
		}
	})
	return p
}

func (p *Peak) read() {
	heap := Heap()
	p.objects = max(p.objects, heap.Objects)
	p.live = max(p.live, heap.Live)
}

// Stop returns the highest reading of all objects, and of those that a
// collection found alive.
func (p *Peak) Stop() (objects, live uint64) {
	close(p.stop)
	p.stopped.Wait()
	return p.objects, p.live
}

// HighWater is the most memory that this process ever had in RAM, or 0 where
// the system does not tell.
func HighWater() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, found := bytes.CutPrefix(line, []byte("VmHWM:")); found {
			number, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			kilobytes, err := strconv.ParseUint(string(number), 10, 64)
			if err != nil {
				return 0
			}
			return kilobytes << 10
		}
	}
	return 0
}
