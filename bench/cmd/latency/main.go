// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command latency measures the time from a write to a Kubernetes API server to
// the handler of a synced cache of Starfighters. See its --help.
package main

import "github.com/okontajneroch/starwars/bench/internal/command"

func main() { command.Main("latency", run) }
