// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"time"

	"github.com/okontajneroch/starwars/bench/internal/measure"
)

// meter measures what the process does from startMeter to read.
type meter struct {
	heap  measure.Memory
	peak  *measure.Peak
	cpu   measure.CPU
	began time.Time
}

// reading is what a meter shows.
type reading struct {
	wall                                time.Duration
	cpu                                 measure.CPU
	peakHeap, peakLive                  uint64
	allocations, allocated, collections uint64
}

func startMeter() (*meter, error) {
	m := &meter{heap: measure.Heap(), peak: measure.StartPeak()}
	var err error
	if m.cpu, err = measure.UsedCPU(); err != nil {
		return nil, err
	}
	m.began = time.Now()
	return m, nil
}

// read stops the meter.
func (m *meter) read() (reading, error) {
	r := reading{wall: time.Since(m.began)}
	used, err := measure.UsedCPU()
	if err != nil {
		return r, err
	}
	r.cpu = used.Since(m.cpu)
	r.peakHeap, r.peakLive = m.peak.Stop()
	after := measure.Heap()
	r.allocations = after.Allocations - m.heap.Allocations
	r.allocated = after.Allocated - m.heap.Allocated
	r.collections = after.Collections - m.heap.Collections
	return r, nil
}
