// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command latency measures the time from a write to a Kubernetes API server to
// the handler of a synced cache of Starfighters. See its --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/okontajneroch/starwars/bench/internal/child"
)

func main() {
	child.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "latency: %s\n", err)
		os.Exit(1)
	}
}
