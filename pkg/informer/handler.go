// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
)

// registration is an event handler that is told everything, in one goroutine.
type registration[T Object] struct {
	consumer[T]
	handler cache.ResourceEventHandler
	at      cursor[T]

	// rest is what is left of an event for many objects, or of the objects that
	// were there when the handler came.
	rest          []T
	restIsResync  bool
	restIsInitial bool
	inSync        bool // to be told when nothing is left of rest
}

// end also drops what waits, unless a callback may be running.
func (r *registration[T]) end() {
	r.consumer.end()
	if !r.started {
		r.drop()
	}
}

// drop keeps somebody who keeps the registration from keeping the log.
func (r *registration[T]) drop() { r.at, r.rest = cursor[T]{}, nil }

func (r *registration[T]) run() {
	defer close(r.finished)
	defer r.drop()
	for !r.deliver() {
		r.afterPanic()
	}
}

// deliver calls the handler until it is stopped, when it returns true. It returns
// false when the handler panicked and that is not the end of the process; the
// notification that it panicked at will not come again.
func (r *registration[T]) deliver() (done bool) {
	defer utilruntime.HandleCrashWithLogger(r.logger)
	for !r.stop.Load() {
		if len(r.rest) > 0 {
			obj := r.rest[0]
			if r.rest = r.rest[1:]; len(r.rest) == 0 {
				r.rest = nil // or it would keep the objects
			}
			r.consumed.Add(1)
			if r.restIsResync {
				r.handler.OnUpdate(obj, obj)
			} else {
				r.handler.OnAdd(obj, r.restIsInitial)
			}
			continue
		}
		if r.inSync {
			r.inSync, r.rest = false, nil
			close(r.synced)
		}
		e := r.at.read()
		if e == nil {
			r.log.wait(func() bool { return r.stop.Load() || r.at.more() })
			continue
		}
		r.tell(e)
	}
	return true
}

func (r *registration[T]) tell(e *event[T]) {
	if !e.isFor(&r.consumer) {
		r.consumed.Add(e.weight())
		r.joined.Add(e.weight())
		return
	}
	switch e.kind {
	case filled, resynced:
		r.rest, r.restIsResync, r.restIsInitial = e.more.objs, e.kind == resynced, e.initial
		return
	case inSync:
		r.inSync = true
		return
	}
	r.consumed.Add(1)
	switch e.kind {
	case added:
		r.handler.OnAdd(e.new, e.initial)
	case updated:
		r.handler.OnUpdate(e.old, e.new)
	case deleted:
		r.handler.OnDelete(e.old)
	case lost:
		r.handler.OnDelete(cache.DeletedFinalStateUnknown{Key: e.more.key, Obj: e.old})
	}
}
