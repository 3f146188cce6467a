// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/okontajneroch/starwars/bench/internal/command"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/ground"
	"github.com/okontajneroch/starwars/bench/internal/trial"
	"github.com/okontajneroch/starwars/bench/internal/way"
)

const usage = `sync fills a cache of Starfighters from a server in another process, in every way
and several times, each time in a new process, and prints the medians.

Usage:
  sync [flags]

Flags:
`

// settings is what the command line says.
type settings struct {
	ground  ground.Config
	runs    int
	ways    []string
	json    bool
	profile string
}

func parseFlags(args []string, stdout io.Writer) (settings, error) {
	var s settings
	flags := command.NewFlags("sync")
	flags.IntVar(&s.ground.Fleet.Ships, "ships", 20_000, "how many ships there are")
	flags.IntVar(&s.runs, "runs", 5, "how often to run each way")
	flags.StringSliceVar(&s.ways, "ways", []string{"*"}, "`patterns` of the names of the ways to run")
	flags.StringVar(&s.ground.Server, "server", ground.Wire, "`which` server: wire, prepared bytes over HTTP; or testenv, a Kubernetes API server")
	flags.BoolVar(&s.ground.Gzip, "gzip", false, "let wire compress lists, as API servers do")
	flags.Uint64Var(&s.ground.Fleet.Seed, "seed", 1138, "what makes the fleet")
	flags.BoolVar(&s.json, "json", false, "print the results of all runs as JSON")
	flags.StringVar(&s.profile, "pprof", "", "write a CPU profile of the one way, run once, to this `file` and print its top")
	if err := command.Parse(flags, args, usage, stdout); err != nil {
		return s, err
	}
	if s.runs < 1 {
		return s, errors.New("--runs must be at least 1")
	}
	return s, nil
}

// result is all runs of one way.
type result struct {
	Way  string       `json:"way"`
	Runs []trial.Sync `json:"runs"`
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
	if s.profile != "" && len(ways) != 1 {
		return errors.New("--pprof needs --ways with one way")
	}
	s.ground.CBOR = slices.ContainsFunc(ways, func(w way.Way) bool { return w.CBOR })
	fmt.Fprintf(stderr, "preparing %d ships on %s\n", s.ground.Fleet.Ships, s.ground.Server)
	server, err := ground.Start(ctx, s.ground)
	if err != nil {
		return err
	}
	if s.profile != "" {
		err = profile(ctx, ways[0], server, s.profile, stdout)
	} else {
		err = compare(ctx, s, ways, server, stdout, stderr)
	}
	return errors.Join(err, server.Stop())
}

// compare runs all ways in turn, so that what disturbs the machine for a while
// disturbs them all.
func compare(ctx context.Context, s settings, ways []way.Way, server *ground.Server, stdout, stderr io.Writer) error {
	results := make([]result, len(ways))
	for run := range s.runs {
		for i, w := range ways {
			if w.Paged && s.ground.Server != ground.Wire {
				continue // this server has a watch cache
			}
			measured, err := trial.RunSync(ctx, w, question(server, ""))
			if err != nil {
				return err
			}
			fmt.Fprintf(stderr, "run %d of %d: %-18s %6.2f s CPU, %6.2f s\n", run+1, s.runs, w.Name, measured.CPU.Total().Seconds(), measured.Wall.Seconds())
			results[i].Way = w.Name
			results[i].Runs = append(results[i].Runs, measured)
		}
	}
	results = slices.DeleteFunc(results, func(r result) bool { return len(r.Runs) == 0 })
	if s.json {
		return command.WriteJSON(stdout, struct {
			Fleet   fleet.Fleet `json:"fleet"`
			Server  string      `json:"server"`
			Results []result    `json:"results"`
		}{s.ground.Fleet, s.ground.Server, results})
	}
	writeTable(stdout, s.ground.Fleet.Ships, results)
	return nil
}

func question(server *ground.Server, profile string) trial.SyncQuestion {
	return trial.SyncQuestion{Server: server.Address, Want: server.Before, Profile: profile}
}

// profile runs one way once, under the profiler.
func profile(ctx context.Context, w way.Way, server *ground.Server, file string, stdout io.Writer) error {
	if _, err := trial.RunSync(ctx, w, question(server, file)); err != nil {
		return err
	}
	top := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount=10", file)
	top.Stdout, top.Stderr = stdout, os.Stderr
	if err := top.Run(); err != nil {
		return fmt.Errorf("go tool pprof: %w", err)
	}
	return nil
}
