// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ground puts a fleet on a server in a process of its own, for ways to
// reach.
package ground

import (
	"context"
	"fmt"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/trial"
	"github.com/okontajneroch/starwars/bench/internal/wire"
)

// The kinds of servers.
const (
	// Wire serves prepared bytes: see package wire.
	Wire = "wire"
	// Testenv is a Kubernetes API server.
	Testenv = "testenv"
)

// Config says what is where.
type Config struct {
	// Server is the kind of server.
	Server string
	wire.Config
}

// Server is a server that runs.
type Server struct {
	// Address is how to reach it.
	Address trial.Server
	// Before and After are the digests of its ships, before and after the
	// updates that [wire.Config] asks for.
	Before, After fleet.Digest
	// Stop ends it.
	Stop func() error
}

// Start starts a server and gives it its ships.
func Start(ctx context.Context, config Config) (*Server, error) {
	if config.Fleet.Ships < 1 {
		return nil, fmt.Errorf("%d ships are no fleet", config.Fleet.Ships)
	}
	switch config.Server {
	case Wire:
		ready, process, err := wire.Start(ctx, config.Config)
		if err != nil {
			return nil, err
		}
		return &Server{Address: trial.Server{URL: ready.URL}, Before: ready.Before, After: ready.After, Stop: process.Stop}, nil
	case Testenv:
		return startAPIServer(ctx, config)
	default:
		return nil, fmt.Errorf("there is no server %q: the servers are %s and %s", config.Server, Wire, Testenv)
	}
}
