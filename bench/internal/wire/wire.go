// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wire serves a fleet over HTTP as an API server does, from bytes that
// were made before: LIST, whole or in pages, and WATCH with or without initial
// events, in JSON or CBOR. It costs next to nothing beside what it measures, and
// runs in a process of its own (see [Start]).
package wire

import (
	"fmt"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
)

// Config says what is served.
type Config struct {
	// Fleet is what there is.
	Fleet fleet.Fleet
	// Updates is how many changes follow, to one watch at a time, when a POST
	// to [UpdatesPath] asks for them.
	Updates int
	// CBOR is served to those who ask for it; it takes a while to prepare.
	CBOR bool
	// Gzip compresses lists for those who accept it, as API servers do.
	Gzip bool
}

// UpdatesPath is where a POST starts the updates, for a watch that is open and
// past its initial events, or for the next one that is. The answer comes when
// they start.
const UpdatesPath = "/updates"

// PagedPath before the path of an API request gives the behaviour of an API
// server without a watch cache: a limit holds for a list at
// resourceVersion 0 too.
const PagedPath = "/paged"

// encoded is a fleet in one encoding.
type encoded struct {
	encoding encoding
	ships    [][]byte
	added    [][]byte // their initial events
	updates  [][]byte // events
}

// encode makes all ships and updates of the configuration.
func encode(config Config, e encoding) (*encoded, error) {
	out := &encoded{
		encoding: e,
		ships:    make([][]byte, config.Fleet.Ships),
		added:    make([][]byte, config.Fleet.Ships),
		updates:  make([][]byte, config.Updates),
	}
	for i := range out.ships {
		content, err := fleet.Content(config.Fleet.Ship(i))
		if err != nil {
			return nil, err
		}
		if out.ships[i], err = e.object(content); err != nil {
			return nil, fmt.Errorf("encode ship %d: %w", i, err)
		}
		if out.added[i], err = e.frame("ADDED", out.ships[i]); err != nil {
			return nil, fmt.Errorf("frame ship %d: %w", i, err)
		}
	}
	for k := range out.updates {
		content, err := fleet.Content(config.Fleet.Update(k))
		if err != nil {
			return nil, err
		}
		object, err := e.object(content)
		if err != nil {
			return nil, fmt.Errorf("encode update %d: %w", k, err)
		}
		if out.updates[k], err = e.frame("MODIFIED", object); err != nil {
			return nil, fmt.Errorf("frame update %d: %w", k, err)
		}
	}
	return out, nil
}
