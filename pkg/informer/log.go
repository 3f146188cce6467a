// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"sync"
	"sync/atomic"
)

// eventLog is what happened to the store, in order, once for all consumers. Each
// reads it at its own pace with a cursor; what all have read is garbage. Events
// are appended by one goroutine at a time, who holds the informer's mu.
type eventLog[T Object] struct {
	tail *chunk[T]
	// total counts the notifications that the events stand for.
	total atomic.Uint64

	// asleep tells that a consumer may be waiting on cond.
	asleep atomic.Bool
	mu     sync.Mutex
	cond   sync.Cond
}

const chunkSize = 256

type chunk[T Object] struct {
	events [chunkSize]event[T]
	filled atomic.Int32
	next   atomic.Pointer[chunk[T]]
}

type eventKind uint8

const (
	added    eventKind = iota // new
	updated                   // old, new
	deleted                   // old, in its final state
	lost                      // old, in the state last seen, and more.key
	filled                    // more.objs were added to an empty store
	resynced                  // more.objs are there, for more.only
	inSync                    // the events before this one are the initial list
)

// event is one change, or one for many objects. It must stay small: logs have
// many of them.
type event[T Object] struct {
	kind     eventKind
	initial  bool // of added and filled: part of the initial list
	old, new T
	more     *more[T]
}

// more is what few events have.
type more[T Object] struct {
	key  string
	objs []T
	only map[*consumer[T]]bool // who is told; nil for all
}

// weight is the number of notifications that the event stands for.
func (e *event[T]) weight() uint64 {
	switch e.kind {
	case filled, resynced:
		return uint64(len(e.more.objs))
	case inSync:
		return 0
	default:
		return 1
	}
}

// isFor tells whether a consumer is told.
func (e *event[T]) isFor(c *consumer[T]) bool {
	return e.more == nil || e.more.only == nil || e.more.only[c]
}

func newEventLog[T Object]() *eventLog[T] {
	l := &eventLog[T]{tail: &chunk[T]{}}
	l.cond.L = &l.mu
	return l
}

// append adds an event. It returns true when it began a new chunk.
func (l *eventLog[T]) append(e event[T]) (rolled bool) {
	c := l.tail
	n := c.filled.Load()
	if n == chunkSize {
		next := &chunk[T]{}
		c.next.Store(next)
		c, n, l.tail, rolled = next, 0, next, true
	}
	c.events[n] = e
	l.total.Add(e.weight())
	c.filled.Store(n + 1) // from here on readers see it
	if l.asleep.Load() {
		l.wake()
	}
	return rolled
}

// wake makes all waiting consumers look again.
func (l *eventLog[T]) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asleep.Store(false)
	l.cond.Broadcast()
}

// wait returns when ready does, which is asked again whenever something was
// appended, or wake called.
func (l *eventLog[T]) wait(ready func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		l.asleep.Store(true) // before looking, so that append cannot miss it
		if ready() {
			return
		}
		l.cond.Wait()
	}
}

// end is the cursor that reads what will be appended.
func (l *eventLog[T]) end() cursor[T] {
	return cursor[T]{chunk: l.tail, next: l.tail.filled.Load()}
}

// cursor is a place in the log.
type cursor[T Object] struct {
	chunk *chunk[T]
	next  int32
}

// read returns the next event, or nil if there is none yet.
func (c *cursor[T]) read() *event[T] {
	if !c.more() {
		return nil
	}
	e := &c.chunk.events[c.next]
	c.next++
	return e
}

// more tells whether there is an event to read.
func (c *cursor[T]) more() bool {
	if c.chunk == nil { // the zero value, of a consumer that has ended
		return false
	}
	if c.next < c.chunk.filled.Load() {
		return true
	}
	if c.next < chunkSize {
		return false
	}
	next := c.chunk.next.Load()
	if next == nil {
		return false
	}
	c.chunk, c.next = next, 0
	return next.filled.Load() > 0
}
