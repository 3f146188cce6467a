// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command starwars-apiserver runs the Starfighter API on this machine, for
// kubectl and for programs under development: a real Kubernetes API server in
// one process, with nothing else to install. See its --help.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, signals, os.Exit))
}
