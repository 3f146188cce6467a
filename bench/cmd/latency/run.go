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

const usage = `latency syncs a cache of Starfighters with a Kubernetes API server in another
process, writes a ship many times, one write after the other, and measures from
the sending of each write to the handler's call. Each run is in a new process; it
prints the medians of the runs.

Usage:
  latency [flags]

Flags:
`

// settings is what the command line says.
type settings struct {
	ground ground.Config
	writes int
	runs   int
	ways   []string
	json   bool
}

func parseFlags(args []string, stdout io.Writer) (settings, error) {
	s := settings{ground: ground.Config{Server: ground.Testenv}}
	flags := command.NewFlags("latency")
	flags.IntVar(&s.ground.Fleet.Ships, "ships", 1_000, "how many ships there are")
	flags.IntVar(&s.writes, "writes", 1_000, "how many writes to measure in a run")
	flags.IntVar(&s.runs, "runs", 5, "how often to run each way")
	flags.StringSliceVar(&s.ways, "ways", []string{way.Reference, "controller-runtime", "starwars"}, "`patterns` of the names of the ways to run")
	flags.Uint64Var(&s.ground.Fleet.Seed, "seed", 1138, "what makes the fleet")
	flags.BoolVar(&s.json, "json", false, "print the results of all runs as JSON")
	if err := command.Parse(flags, args, usage, stdout); err != nil {
		return s, err
	}
	if s.runs < 1 || s.writes < 1 {
		return s, errors.New("--runs and --writes must be at least 1")
	}
	return s, nil
}

// result is all runs of one way.
type result struct {
	Way  string          `json:"way"`
	Runs []trial.Latency `json:"runs"`
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
	ways = slices.DeleteFunc(ways, func(w way.Way) bool { return w.Plain || w.Paged })
	s.ground.CBOR = slices.ContainsFunc(ways, func(w way.Way) bool { return w.CBOR })
	fmt.Fprintf(stderr, "preparing %d ships on an API server\n", s.ground.Fleet.Ships)
	server, err := ground.Start(ctx, s.ground)
	if err != nil {
		return err
	}
	return errors.Join(compare(ctx, s, ways, server, stdout, stderr), server.Stop())
}

// compare runs all ways in turn.
func compare(ctx context.Context, s settings, ways []way.Way, server *ground.Server, stdout, stderr io.Writer) error {
	results := make([]result, len(ways))
	written := s.ground.Fleet.Ship(0)
	for run := range s.runs {
		for i, w := range ways {
			measured, err := trial.RunLatency(ctx, w, trial.LatencyQuestion{
				Server:    server.Address,
				Ships:     s.ground.Fleet.Ships,
				Writes:    s.writes,
				Namespace: written.Namespace,
				Name:      written.Name,
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(stderr, "run %d of %d: %-18s %s\n", run+1, s.runs, w.Name, report.Milliseconds(measured.Handler.P50))
			results[i].Way = w.Name
			results[i].Runs = append(results[i].Runs, measured)
		}
	}
	if s.json {
		return command.WriteJSON(stdout, results)
	}
	table := report.NewTable("way", "handler p50", "handler p99", "answer p50", "answer p99")
	for _, result := range results {
		cell := func(of func(trial.Latency) time.Duration) string {
			return report.Milliseconds(report.Median(result.Runs, of))
		}
		table.Row(result.Way,
			cell(func(l trial.Latency) time.Duration { return l.Handler.P50 }),
			cell(func(l trial.Latency) time.Duration { return l.Handler.P99 }),
			cell(func(l trial.Latency) time.Duration { return l.Write.P50 }),
			cell(func(l trial.Latency) time.Duration { return l.Write.P99 }))
	}
	table.Write(stdout)
	return nil
}
