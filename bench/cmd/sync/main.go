// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sync measures what the first fill of a cache of Starfighters takes:
// CPU, time and memory of a process of its own for each way and run. See its
// --help.
package main

import "github.com/okontajneroch/starwars/bench/internal/command"

func main() { command.Main("sync", run) }
