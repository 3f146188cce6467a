// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command stream measures what it takes a synced cache of Starfighters and a
// handler to follow many updates in a row. See its --help.
package main

import "github.com/okontajneroch/starwars/bench/internal/command"

func main() { command.Main("stream", run) }
