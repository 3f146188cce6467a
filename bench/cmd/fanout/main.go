// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command fanout measures what it takes an informer to tell many handlers of
// changes, and what a handler that does not return costs. See its --help.
package main

import "github.com/okontajneroch/starwars/bench/internal/command"

func main() { command.Main("fanout", run) }
