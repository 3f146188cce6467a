// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/command"
	"github.com/okontajneroch/starwars/bench/internal/fanout"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/report"
	"github.com/okontajneroch/starwars/bench/internal/trial"
)

const usage = `fanout sends prepared updates through a synced informer to many handlers, which
count them: client-go's informer, which is that of controller-runtime too, this
SDK's, and this SDK's with subscriptions in place of handlers. Then the same with
one handler more that does not return. Each run is in a new process; it prints the
medians.

Usage:
  fanout [flags]

Flags:
`

// settings is what the command line says.
type settings struct {
	fleet    fleet.Fleet
	updates  int
	handlers []int
	runs     int
	json     bool
}

func parseFlags(args []string, stdout io.Writer) (settings, error) {
	var s settings
	flags := command.NewFlags("fanout")
	flags.IntVar(&s.fleet.Ships, "ships", 1_000, "how many ships there are")
	flags.IntVar(&s.updates, "updates", 200_000, "how many updates there are, over all ships in turn")
	flags.IntSliceVar(&s.handlers, "handlers", []int{1, 8, 64}, "how many handlers are told, for each row")
	flags.IntVar(&s.runs, "runs", 7, "how often to run each")
	flags.Uint64Var(&s.fleet.Seed, "seed", 1138, "what makes the fleet")
	flags.BoolVar(&s.json, "json", false, "print the results of all runs as JSON")
	if err := command.Parse(flags, args, usage, stdout); err != nil {
		return s, err
	}
	if s.runs < 1 || s.updates < 1 || s.fleet.Ships < 1 {
		return s, errors.New("--runs, --updates and --ships must be at least 1")
	}
	for _, n := range s.handlers {
		if n < 1 {
			return s, errors.New("--handlers must be at least 1 each")
		}
	}
	return s, nil
}

// result is all runs of one row.
type result struct {
	Peer     string         `json:"peer"`
	Handlers int            `json:"handlers"`
	Blocked  bool           `json:"blocked"`
	Runs     []trial.Fanout `json:"runs"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseFlags(args, stdout)
	if err != nil {
		return err
	}
	var results []result
	for _, handlers := range s.handlers {
		for _, peer := range fanout.Peers() {
			results = append(results, result{Peer: peer, Handlers: handlers})
		}
	}
	for _, peer := range fanout.Peers() {
		results = append(results, result{Peer: peer, Handlers: 1, Blocked: true})
	}
	for run := range s.runs {
		for i := range results {
			r := &results[i]
			measured, err := trial.RunFanout(ctx, trial.FanoutQuestion{Peer: r.Peer, Fleet: s.fleet, Updates: s.updates, Handlers: r.Handlers, Blocked: r.Blocked})
			if err != nil {
				return err
			}
			fmt.Fprintf(stderr, "run %d of %d: %-20s %2d handlers %6.2f s CPU, %6.2f s\n", run+1, s.runs, r.Peer, r.Handlers, measured.CPU.Total().Seconds(), measured.Wall.Seconds())
			r.Runs = append(r.Runs, measured)
		}
	}
	if s.json {
		return command.WriteJSON(stdout, results)
	}
	writeTables(stdout, s.updates, results)
	return nil
}

// writeTables writes the medians, each beside client-go's with as many handlers.
func writeTables(to io.Writer, updates int, results []result) {
	told := report.NewTable("informer", "handlers", "CPU", "CPU/delivery", "×", "alloc B/update", "×", "allocs/update", "watches")
	blocked := report.NewTable("informer", "pending", "heap growth", "CPU", "wall")
	var reference []trial.Fanout
	cpu := func(r trial.Fanout) time.Duration { return r.CPU.Total() }
	allocated := func(r trial.Fanout) uint64 { return r.Allocated }
	for _, r := range results {
		if r.Peer == fanout.ClientGo {
			reference = r.Runs
		}
		median := report.Median(r.Runs, cpu)
		if r.Blocked {
			pending := "?"
			if n := report.Median(r.Runs, func(r trial.Fanout) int { return r.Pending }); n >= 0 {
				pending = report.Count(uint64(n))
			}
			growth := float64(report.Median(r.Runs, func(r trial.Fanout) int64 { return r.Growth })) / (1 << 20)
			blocked.Row(r.Peer, pending, fmt.Sprintf("%.1f MiB", growth), report.Seconds(median),
				report.Seconds(report.Median(r.Runs, func(r trial.Fanout) time.Duration { return r.Wall })))
			continue
		}
		told.Row(r.Peer, report.Count(uint64(r.Handlers)), report.Seconds(median),
			fmt.Sprintf("%.0f ns", float64(median)/float64(updates*r.Handlers)),
			report.Ratio(report.Median(reference, cpu), median),
			report.Count(report.Median(r.Runs, allocated)/uint64(updates)),
			report.Ratio(report.Median(reference, allocated), report.Median(r.Runs, allocated)),
			fmt.Sprintf("%.1f", float64(report.Median(r.Runs, func(r trial.Fanout) uint64 { return r.Allocations }))/float64(updates)),
			report.Count(uint64(report.Median(r.Runs, func(r trial.Fanout) int { return r.Watches }))))
	}
	told.Write(to)
	fmt.Fprintf(to, "\nWith one handler more, which does not return, after %d updates:\n\n", updates)
	blocked.Write(to)
}
