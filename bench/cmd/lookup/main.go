// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command lookup measures what questions to a full cache of Starfighters cost,
// and what its indexes do. See its --help.
package main

import "github.com/okontajneroch/starwars/bench/internal/command"

func main() { command.Main("lookup", run) }
