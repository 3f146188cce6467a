// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"github.com/okontajneroch/starwars/pkg/informer"
)

// health is what the informer says of itself.
type health struct {
	informer.Status
}

func (b *board) health() health { return health{b.informer.Status()} }

// ready tells whether the cache was filled and all consumers know what is in it.
func (h health) ready() bool {
	for _, consumer := range h.Consumers {
		if !consumer.Synced {
			return false
		}
	}
	return h.Synced
}

// unready says in words why the board is not ready.
func (h health) unready() string {
	switch {
	case h.Err != nil:
		return "the cache is not filled yet: " + h.Err.Error()
	case !h.Synced:
		return "the cache is not filled yet: the API server has not sent all ships"
	}
	return "the cache is filled, but not all consumers know what is in it"
}

// trouble says in words why the cache may be behind the API server; nothing if it
// is not.
func (h health) trouble(now time.Time) string {
	if h.Err == nil {
		return ""
	}
	return fmt.Sprintf("for %s the API server could not be followed: %v", now.Sub(h.Since).Round(time.Second), h.Err)
}
