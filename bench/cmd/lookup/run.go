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
	"github.com/okontajneroch/starwars/bench/internal/ground"
	"github.com/okontajneroch/starwars/bench/internal/query"
	"github.com/okontajneroch/starwars/bench/internal/trial"
)

const usage = `lookup syncs a cache of Starfighters with a server in another process, adds an
index by faction and one by pilot, and asks and changes it: client-go's informer,
controller-runtime's cache without deep copies, this SDK's informer. Each run is in
a new process; it prints the medians.

Usage:
  lookup [flags]

Flags:
`

// settings is what the command line says.
type settings struct {
	ground ground.Config
	sizes  []int
	runs   int
	during time.Duration
	json   bool
}

func parseFlags(args []string, stdout io.Writer) (settings, error) {
	s := settings{ground: ground.Config{Server: ground.Wire}}
	s.ground.Fleet.FewPerPilot = true
	flags := command.NewFlags("lookup")
	flags.IntSliceVar(&s.sizes, "ships", []int{1_000, 10_000, 100_000}, "how many ships there are, for each table")
	flags.IntVar(&s.runs, "runs", 7, "how often to run each")
	flags.DurationVar(&s.during, "for", 200*time.Millisecond, "how long to ask each question, again and again")
	flags.Uint64Var(&s.ground.Fleet.Seed, "seed", 1138, "what makes the fleet")
	flags.BoolVar(&s.json, "json", false, "print the results of all runs as JSON")
	if err := command.Parse(flags, args, usage, stdout); err != nil {
		return s, err
	}
	if s.runs < 1 || s.during <= 0 || len(s.sizes) == 0 {
		return s, errors.New("--runs and --for must be more than 0, and --ships must say how many")
	}
	return s, nil
}

// result is all runs with one number of ships, by peer.
type result struct {
	Ships int                      `json:"ships"`
	Runs  map[string][]trial.Query `json:"runs"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseFlags(args, stdout)
	if err != nil {
		return err
	}
	var results []result
	for _, size := range s.sizes {
		s.ground.Fleet.Ships = size
		fmt.Fprintf(stderr, "preparing %d ships\n", size)
		server, err := ground.Start(ctx, s.ground)
		if err != nil {
			return err
		}
		compared, err := compare(ctx, s, server, stderr)
		if err := errors.Join(err, server.Stop()); err != nil {
			return err
		}
		if !s.json {
			writeTable(stdout, compared)
		}
		results = append(results, compared)
	}
	if s.json {
		return command.WriteJSON(stdout, results)
	}
	return nil
}

// compare runs all peers in turn.
func compare(ctx context.Context, s settings, server *ground.Server, stderr io.Writer) (result, error) {
	r := result{Ships: s.ground.Fleet.Ships, Runs: map[string][]trial.Query{}}
	for run := range s.runs {
		for _, peer := range query.Peers() {
			began := time.Now()
			measured, err := trial.RunQuery(ctx, trial.QueryQuestion{Peer: peer.Name, Server: server.Address, Fleet: s.ground.Fleet, For: s.during})
			if err != nil {
				return r, err
			}
			fmt.Fprintf(stderr, "run %d of %d: %-18s %.0f s\n", run+1, s.runs, peer.Name, time.Since(began).Seconds())
			r.Runs[peer.Name] = append(r.Runs[peer.Name], measured)
		}
	}
	return r, nil
}
