// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"cmp"
	"slices"
	"time"
)

// Status is how an informer is doing.
type Status struct {
	// Synced tells whether the store has been filled once.
	Synced bool
	// Err is what keeps the informer from following the API server at present, a
	// *RequestError, or nil. With Synced it means that the store is getting old.
	Err error
	// Since is when that began.
	Since time.Time
	// ResourceVersion is up to where the informer has followed the API server.
	ResourceVersion string
	// Objects is how many are stored.
	Objects int
	// Consumers are the event handlers and subscriptions, sorted by name.
	Consumers []ConsumerStatus
}

// ConsumerStatus is how an event handler or a subscription is doing.
type ConsumerStatus struct {
	// Name is the subscription's, or what is known of the handler: its type, or
	// the name of its first function.
	Name string
	// Synced tells whether it was told of the initial list.
	Synced bool
	// Delivered is the number of notifications that it got.
	Delivered uint64
	// Coalesced is the number of those that it did not get, since a later one of
	// the same object took their place. Only subscriptions have any.
	Coalesced uint64
	// Pending is the number of notifications that wait for it.
	Pending int
}

// Status returns how the informer is doing.
func (i *Informer[T]) Status() Status {
	since, _, err := i.health.current()
	i.mu.Lock()
	defer i.mu.Unlock()
	s := Status{
		Synced:          i.HasSynced(),
		Err:             err,
		Since:           since,
		ResourceVersion: i.reached(nil),
		Objects:         i.store.count(),
	}
	for r := range i.handlers {
		s.Consumers = append(s.Consumers, r.status())
	}
	for b := range i.bounded {
		s.Consumers = append(s.Consumers, b.Status())
	}
	slices.SortFunc(s.Consumers, func(a, b ConsumerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

func (r *registration[T]) status() ConsumerStatus {
	joined := r.joined.Load() // first, as it follows consumed
	consumed := r.consumed.Load()
	return ConsumerStatus{
		Name:      r.name,
		Synced:    r.HasSynced(),
		Delivered: consumed - joined,
		Pending:   int(r.log.total.Load() - consumed),
	}
}
