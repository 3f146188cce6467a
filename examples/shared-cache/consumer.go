// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// consumer is one of several that share the cache. It counts what it is told,
// and passes every event on to its own part of the program. It can be asked
// from any goroutine.
type consumer struct {
	name string
	// tell is called for every event, one at a time, with the ship before and
	// after it: nil before an add, nil after a delete. The ships are shared and
	// read-only.
	tell func(event string, before, after *v1.Starfighter)

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every event
	counts  counts
}

// counts is what a consumer was told.
type counts struct {
	Initial int // ships that were in the cache when the consumer came
	Added   int
	Updated int
	Deleted int
}

func (c counts) total() int { return c.Initial + c.Added + c.Updated + c.Deleted }

func newConsumer(name string, tell func(event string, before, after *v1.Starfighter)) *consumer {
	return &consumer{name: name, tell: tell, changed: make(chan struct{})}
}

// join registers the consumer with the shared informer and returns when it has
// been told of every ship in the cache. It works before and after the informer
// was started, but waits for the start.
func (c *consumer) join(ctx context.Context, informer starwarsinformers.StarfighterIndexInformer) error {
	registration, err := informer.AddTypedEventHandler(c)
	if err != nil {
		return fmt.Errorf("register %s: %w", c.name, err)
	}
	if !cache.WaitFor(ctx, "", registration.HasSyncedChecker()) {
		return fmt.Errorf("%s was not told of the ships there are: %w", c.name, context.Cause(ctx))
	}
	return nil
}

// OnAdd, OnUpdate and OnDelete are called by the informer, one at a time.
func (c *consumer) OnAdd(ship *v1.Starfighter, isInInitialList bool) {
	event, count := "added", &c.counts.Added
	if isInInitialList {
		event, count = "found", &c.counts.Initial
	}
	c.record(event, count, nil, ship)
}

func (c *consumer) OnUpdate(before, after *v1.Starfighter) {
	c.record("updated", &c.counts.Updated, before, after)
}

func (c *consumer) OnDelete(deleted starwarsinformers.DeletedStarfighter) {
	ship := deleted.OptionalObj
	if ship == nil { // the watch was down meanwhile; the name is all that is known
		name := deleted.GetObjectName()
		ship = &v1.Starfighter{}
		ship.Namespace, ship.Name = name.Namespace, name.Name
	}
	c.record("deleted", &c.counts.Deleted, ship, nil)
}

func (c *consumer) record(event string, count *int, before, after *v1.Starfighter) {
	c.tell(event, before, after)

	c.mu.Lock()
	defer c.mu.Unlock()
	*count++
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *consumer) seen() (counts, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts, c.changed
}

// waitFor returns when the consumer has been told of at least so many events.
func (c *consumer) waitFor(ctx context.Context, events int) error {
	for {
		seen, changed := c.seen()
		if seen.total() >= events {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s was told of %d events, not of %d: %w", c.name, seen.total(), events, context.Cause(ctx))
		}
	}
}
