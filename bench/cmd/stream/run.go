// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/command"
	"github.com/okontajneroch/starwars/bench/internal/ground"
	"github.com/okontajneroch/starwars/bench/internal/report"
	"github.com/okontajneroch/starwars/bench/internal/trial"
	"github.com/okontajneroch/starwars/bench/internal/way"
)

const usage = `stream syncs a cache of Starfighters with a server in another process, lets the
server send updates as fast as they are read, and stops the clock when the
handler has seen the last. Each run is in a new process; it prints the medians.

Usage:
  stream [flags]

Flags:
`

// settings is what the command line says.
type settings struct {
	ground ground.Config
	runs   int
	ways   []string
	json   bool
}

func parseFlags(args []string, stdout io.Writer) (settings, error) {
	s := settings{ground: ground.Config{Server: ground.Wire}}
	flags := command.NewFlags("stream")
	flags.IntVar(&s.ground.Fleet.Ships, "ships", 10_000, "how many ships there are")
	flags.IntVar(&s.ground.Updates, "updates", 200_000, "how many updates there are, over all ships in turn")
	flags.IntVar(&s.runs, "runs", 5, "how often to run each way")
	flags.StringSliceVar(&s.ways, "ways", []string{way.Reference, "client-go-cbor", "controller-runtime", "starwars", "starwars-full"}, "`patterns` of the names of the ways to run")
	flags.Uint64Var(&s.ground.Fleet.Seed, "seed", 1138, "what makes the fleet")
	flags.BoolVar(&s.json, "json", false, "print the results of all runs as JSON")
	if err := command.Parse(flags, args, usage, stdout); err != nil {
		return s, err
	}
	if s.runs < 1 || s.ground.Updates < 1 {
		return s, errors.New("--runs and --updates must be at least 1")
	}
	return s, nil
}

// result is all runs of one way.
type result struct {
	Way  string         `json:"way"`
	Runs []trial.Stream `json:"runs"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseFlags(args, stdout)
	if err != nil {
		return err
	}
	ways, err := way.Select(s.ways)
	if err != nil {
		return err
	}
	ways = slices.DeleteFunc(ways, func(w way.Way) bool { return w.Plain })
	s.ground.CBOR = slices.ContainsFunc(ways, func(w way.Way) bool { return w.CBOR })
	fmt.Fprintf(stderr, "preparing %d ships and %d updates\n", s.ground.Fleet.Ships, s.ground.Updates)
	server, err := ground.Start(ctx, s.ground)
	if err != nil {
		return err
	}
	return errors.Join(compare(ctx, s, ways, server, stdout, stderr), server.Stop())
}

// compare runs all ways in turn.
func compare(ctx context.Context, s settings, ways []way.Way, server *ground.Server, stdout, stderr io.Writer) error {
	results := make([]result, len(ways))
	for run := range s.runs {
		for i, w := range ways {
			measured, err := trial.RunStream(ctx, w, trial.StreamQuestion{
				Server:  server.Address,
				Updates: s.ground.Updates,
				Last:    s.ground.Fleet.UpdatedResourceVersion(s.ground.Updates - 1),
				Before:  server.Before,
				After:   server.After,
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(stderr, "run %d of %d: %-18s %6.2f s CPU, %6.2f s\n", run+1, s.runs, w.Name, measured.CPU.Total().Seconds(), measured.Wall.Seconds())
			results[i].Way = w.Name
			results[i].Runs = append(results[i].Runs, measured)
		}
	}
	if s.json {
		return command.WriteJSON(stdout, results)
	}
	writeTable(stdout, s.ground.Updates, results)
	return nil
}

// writeTable writes the medians. The ratios are those to the reference way, if
// it was run too.
func writeTable(to io.Writer, updates int, results []result) {
	wall := func(r trial.Stream) time.Duration { return r.Wall }
	cpu := func(r trial.Stream) time.Duration { return r.CPU.Total() }
	var reference []trial.Stream
	for _, result := range results {
		if result.Way == way.Reference {
			reference = result.Runs
		}
	}
	ratio := func(runs []trial.Stream, of func(trial.Stream) time.Duration) string {
		if reference == nil {
			return ""
		}
		return report.Ratio(report.Median(reference, of), report.Median(runs, of))
	}
	table := report.NewTable("way", "updates/s", "×", "CPU", "×", "CPU/update", "allocs/update", "alloc B/update", "peak heap")
	for _, result := range results {
		runs := result.Runs
		table.Row(result.Way,
			report.Count(uint64(float64(updates)/report.Median(runs, wall).Seconds())), ratio(runs, wall),
			report.Seconds(report.Median(runs, cpu)), ratio(runs, cpu),
			report.Microseconds(report.Median(runs, cpu)/time.Duration(updates)),
			report.Count(report.Median(runs, func(r trial.Stream) uint64 { return r.Allocations })/uint64(updates)),
			report.Count(report.Median(runs, func(r trial.Stream) uint64 { return r.Allocated })/uint64(updates)),
			report.Bytes(report.Median(runs, func(r trial.Stream) uint64 { return r.PeakHeap })))
	}
	table.Write(to)
}
