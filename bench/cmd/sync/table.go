// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/report"
	"github.com/okontajneroch/starwars/bench/internal/trial"
	"github.com/okontajneroch/starwars/bench/internal/way"
)

// writeTable writes the medians. The ratios are those to the reference way, if
// it was run too.
func writeTable(to io.Writer, ships int, results []result) {
	cpu := func(r trial.Sync) time.Duration { return r.CPU.Total() }
	wall := func(r trial.Sync) time.Duration { return r.Wall }
	peak := func(r trial.Sync) uint64 { return r.PeakHeap }
	live := func(r trial.Sync) uint64 { return r.PeakLive }
	highWater := func(r trial.Sync) uint64 { return r.HighWater }
	retained := func(r trial.Sync) uint64 { return r.Retained }
	allocations := func(r trial.Sync) uint64 { return r.Allocations }
	allocated := func(r trial.Sync) uint64 { return r.Allocated }

	var reference []trial.Sync
	for _, result := range results {
		if result.Way == way.Reference {
			reference = result.Runs
		}
	}
	table := report.NewTable("way", "CPU", "×", "wall", "×", "peak heap", "×", "live", "RAM", "retained", "B/ship", "allocs/ship", "alloc B/ship")
	for _, result := range results {
		runs := result.Runs
		perShip := func(of func(trial.Sync) uint64) string { return report.Count(report.Median(runs, of) / uint64(ships)) }
		table.Row(result.Way,
			report.Seconds(report.Median(runs, cpu)), ratio(reference, runs, cpu),
			report.Seconds(report.Median(runs, wall)), ratio(reference, runs, wall),
			report.Bytes(report.Median(runs, peak)), ratio(reference, runs, peak),
			report.Bytes(report.Median(runs, live)),
			report.Bytes(report.Median(runs, highWater)),
			report.Bytes(report.Median(runs, retained)), perShip(retained),
			perShip(allocations), perShip(allocated))
	}
	table.Write(to)
}

// ratio says how many times less than in the reference something is.
func ratio[N ~int64 | ~uint64](reference, runs []trial.Sync, of func(trial.Sync) N) string {
	if reference == nil {
		return ""
	}
	return report.Ratio(report.Median(reference, of), report.Median(runs, of))
}
