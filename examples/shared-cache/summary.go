// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"time"

	"github.com/okontajneroch/starwars/examples/internal/console"
)

// summary is what there is to say when the fleet was followed for long enough.
type summary struct {
	lag      *lag
	docking  *docking
	check    check
	requests *requestCount
}

// print fails if the consumers do not know what the API server has. Nobody who
// pressed Ctrl-C waits long for it.
func (s *summary) print(ctx context.Context, out *console.Console, interrupted bool) error {
	patience := 30 * time.Second
	if interrupted {
		patience = 2 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.requests.stop(ctx) // before the check makes some of its own
	result, err := s.check.run(ctx)
	if interrupted && err != nil && !errors.Is(err, errDiffers) {
		result, err = "Ctrl-C left no time to compare them with the API server.\n", nil
	}
	out.Printf("\n%s\ndocking: %s\n\n%s\n%s", s.lag, s.docking, result, s.requests)
	return err
}
