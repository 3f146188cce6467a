// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// SubscribeOptions are what a subscription may be told; the zero value will do.
type SubscribeOptions struct {
	// Name is what it is called in Status and in errors.
	Name string
	// ResyncPeriod is after what time it sees all objects again; nil stands for
	// the informer's, 0 for never.
	ResyncPeriod *time.Duration
	// Isolate keeps a panic in the handler from ending the process: Report is
	// told, and the handler goes on with what comes next.
	Isolate bool
	// Report is told of panics; nil stands for an error in klog. It must not
	// panic.
	Report func(err error)
}

// Subscription is a consumer that may be slow. It is a
// cache.ResourceEventHandlerRegistration too.
type Subscription[T Object] struct {
	consumer[T]
	handler cache.TypedResourceEventHandler[T]
	options SubscribeOptions
	newUID  bool // see Options.DeleteOnNewUID

	delivered, coalesced atomic.Uint64

	// mu guards what waits for the handler. It is not held during callbacks.
	mu      sync.Mutex
	at      cursor[T]
	rest    []T // initial adds; they come before what is pending
	pending pending[T]
	// last is the sequence number of the last pending change of the initial list,
	// once all of that is known.
	last  uint64
	ready bool
}

// Subscribe adds a handler that is told, in a goroutine of its own, what became of
// each object, but not every step on the way: while a change waits for the handler,
// later ones of the same object are added to it. So at most one change per object
// waits, however slow the handler is; it costs the others nothing, and it may take
// its time. Deletes are never lost; an object that comes and goes meanwhile is not
// mentioned. Changes come in the order in which the first of each waited.
//
// The subscription ends with the context, when the informer stops, or with
// RemoveEventHandler. After Done no callback runs; a callback may end its own
// subscription.
func (i *Informer[T]) Subscribe(ctx context.Context, handler cache.TypedResourceEventHandler[T], options SubscribeOptions) (*Subscription[T], error) {
	if handler == nil {
		return nil, errNoHandler
	}
	if options.Name == "" {
		options.Name = nameOf(handler)
	}
	s := &Subscription[T]{handler: handler, options: options, newUID: i.options.DeleteOnNewUID}
	s.pending.changes = map[string]*change[T]{}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == ended {
		return nil, fmt.Errorf("cannot subscribe %s: %w", options.Name, errEnded)
	}
	s.init(i.log, i.name, options.Name, klog.FromContext(ctx))
	s.at = i.log.end()
	s.rest, _, s.ready = i.present()
	i.bounded[s] = true
	if i.join(&s.consumer, 0, options.ResyncPeriod) {
		i.consumers.Go(s.run)
	}
	release := context.AfterFunc(ctx, func() { i.unsubscribe(s) })
	go func() {
		<-s.finished
		release()
	}()
	return s, nil
}

func (i *Informer[T]) unsubscribe(s *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.bounded[s] {
		delete(i.bounded, s)
		i.targets = nil
		s.end()
	}
}

// end also drops what waits: a handler that does not return, or somebody who keeps
// the subscription, must not keep the log.
func (s *Subscription[T]) end() {
	s.consumer.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.rest, s.pending, s.ready = cursor[T]{}, nil, pending[T]{}, false
}

// Done is closed when no callback runs any more.
func (s *Subscription[T]) Done() <-chan struct{} { return s.finished }

// Status returns how the subscription is doing.
func (s *Subscription[T]) Status() ConsumerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	waiting, merged := len(s.rest)+len(s.pending.changes), 0
	if len(s.pending.changes) > 0 {
		for _, obj := range s.rest { // take will make one of two, or nothing
			switch c := s.pending.find(obj); {
			case c == nil:
			case c.gone:
				merged += 2
			default:
				merged++
			}
		}
	}
	return ConsumerStatus{
		Name:      s.name,
		Synced:    s.HasSynced(),
		Delivered: s.delivered.Load(),
		Coalesced: s.coalesced.Load() + uint64(merged),
		Pending:   waiting - merged,
	}
}

// catchUp keeps the log from growing behind a handler that does not return. The
// informer calls it with its mu held.
func (s *Subscription[T]) catchUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
}

func (s *Subscription[T]) run() {
	defer close(s.finished)
	for !s.deliver() {
		if !s.options.Isolate {
			s.afterPanic()
		}
	}
}

// deliver is as that of registration.
func (s *Subscription[T]) deliver() (done bool) {
	if s.options.Isolate {
		defer s.isolate()
	} else {
		defer utilruntime.HandleCrashWithLogger(s.logger)
	}
	for !s.stop.Load() {
		obj, c, inSync := s.take()
		if inSync {
			close(s.synced)
		}
		switch {
		case c != nil:
			s.delivered.Add(1)
			s.tell(c)
		case obj != nil:
			s.delivered.Add(1)
			s.handler.OnAdd(*obj, true)
		case !inSync:
			s.log.wait(func() bool { return s.stop.Load() || s.behind() })
		}
	}
	return true
}

func (s *Subscription[T]) isolate() {
	p := recover()
	if p == nil {
		return
	}
	err := fmt.Errorf("handler %s panicked: %v", s.name, p)
	if s.options.Report != nil {
		s.options.Report(err)
		return
	}
	s.logger.Error(err, "An event handler panicked; it goes on with the next event")
}

func (s *Subscription[T]) behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Somebody else may have read the log already: Status, or the informer.
	return s.ready || len(s.rest) > 0 || len(s.pending.changes) > 0 || s.at.more()
}

// take returns what the handler is to be told next: of an object of the initial
// list, of a change, that it is in sync now, or nothing.
func (s *Subscription[T]) take() (obj *T, c *change[T], inSync bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	for len(s.rest) > 0 {
		obj, s.rest = &s.rest[0], s.rest[1:]
		switch c := s.pending.withdraw(*obj); {
		case c == nil:
			return obj, nil, false
		case c.gone: // and the handler never knew it
			s.coalesced.Add(2)
		default:
			s.coalesced.Add(1)
			return &c.now, nil, false
		}
	}
	s.rest = nil
	if s.ready && s.pending.first() > s.last {
		s.ready = false
		return nil, nil, true
	}
	return nil, s.pending.pop(), false
}

// collect brings what is in the log together with what is pending. s.mu is held.
func (s *Subscription[T]) collect() {
	for e := s.at.read(); e != nil; e = s.at.read() {
		if !e.isFor(&s.consumer) {
			continue
		}
		switch e.kind {
		case inSync:
			s.ready, s.last = true, s.pending.sequence
		case filled:
			if len(s.rest) == 0 && len(s.pending.changes) == 0 && e.initial {
				s.rest = e.more.objs
				continue
			}
			for _, obj := range e.more.objs {
				s.coalesced.Add(s.pending.add(obj, e.initial))
			}
		case resynced:
			for _, obj := range e.more.objs {
				s.pending.resync(obj)
			}
		case added:
			s.coalesced.Add(s.pending.add(e.new, e.initial))
		case updated:
			s.coalesced.Add(s.pending.update(e.old, e.new))
		case deleted:
			s.coalesced.Add(s.pending.remove(keyFor(e.old), e.old, false))
		case lost:
			s.coalesced.Add(s.pending.remove(e.more.key, e.old, true))
		}
	}
}

func (s *Subscription[T]) tell(c *change[T]) {
	switch {
	case c.gone && c.lost:
		s.handler.OnDelete(cache.DeletedObject[T]{
			OptionalObj:       c.now,
			FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: c.key, Obj: c.now},
		})
	case c.gone:
		s.handler.OnDelete(cache.DeletedObject[T]{OptionalObj: c.now})
	case !c.known:
		s.handler.OnAdd(c.now, c.initial)
	case s.newUID && c.seen.GetUID() != c.now.GetUID():
		s.handler.OnDelete(cache.DeletedObject[T]{
			OptionalObj:       c.seen,
			FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: c.key, Obj: c.seen},
		})
		s.delivered.Add(1)
		s.coalesced.Add(^uint64(0)) // after all, both are told
		s.handler.OnAdd(c.now, false)
	default:
		s.handler.OnUpdate(c.seen, c.now)
	}
}
