// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sync measures what the first fill of a cache of Starfighters takes:
// CPU, time and memory of a process of its own for each way and run. See its
// --help.
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
		fmt.Fprintf(os.Stderr, "sync: %s\n", err)
		os.Exit(1)
	}
}
