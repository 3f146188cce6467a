// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// consumer is what event handlers and subscriptions have in common.
type consumer[T Object] struct {
	log      *eventLog[T]
	name     string
	source   string // the informer's name
	logger   klog.Logger
	consumed atomic.Uint64 // notifications of the log that need no more attention
	joined   atomic.Uint64 // those of them that were not for it, or before it came

	stop     atomic.Bool
	stopping chan struct{} // closed with stop
	finished chan struct{} // closed when no callback will run any more
	synced   chan struct{} // closed when the initial list was delivered

	// Guarded by the informer's mu.
	started      bool
	resyncPeriod time.Duration // 0: never
	nextResync   time.Time
	resyncing    bool // is told of updates that change nothing
}

func (c *consumer[T]) init(log *eventLog[T], source, name string, logger klog.Logger) {
	*c = consumer[T]{
		log: log, name: name, source: source, logger: logger, resyncing: true,
		stopping: make(chan struct{}), finished: make(chan struct{}), synced: make(chan struct{}),
	}
	c.consumed.Store(log.total.Load())
}

// HasSynced tells whether the informer is in sync and everything that was there
// by then has been delivered.
func (c *consumer[T]) HasSynced() bool { return cache.IsDone(syncedChecker[T]{c}) }

// HasSyncedChecker is HasSynced, to wait for.
func (c *consumer[T]) HasSyncedChecker() cache.DoneChecker { return syncedChecker[T]{c} }

// ShutdownChan is closed when no callback runs any more. It is what
// cache.ShutDownEventHandler waits for.
func (c *consumer[T]) ShutdownChan() <-chan struct{} { return c.finished }

// end makes the consumer stop after the callback that is running. The informer's
// mu is held.
func (c *consumer[T]) end() {
	if c.stop.Swap(true) {
		return
	}
	close(c.stopping)
	if !c.started {
		close(c.finished)
		return
	}
	c.log.wake()
}

// afterPanic waits as client-go does before it goes on after a panic, should
// panics not end the process.
func (c *consumer[T]) afterPanic() {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.stopping:
	}
}

type syncedChecker[T Object] struct{ c *consumer[T] }

func (s syncedChecker[T]) Name() string          { return s.c.source + " + event handler " + s.c.name }
func (s syncedChecker[T]) Done() <-chan struct{} { return s.c.synced }

// untypedHandler is a typed handler as the informer calls all of them.
type untypedHandler[T Object] struct {
	cache.TypedResourceEventHandler[T]
}

func (h untypedHandler[T]) OnAdd(obj any, initial bool) {
	h.TypedResourceEventHandler.OnAdd(obj.(T), initial)
}

func (h untypedHandler[T]) OnUpdate(old, new any) {
	h.TypedResourceEventHandler.OnUpdate(old.(T), new.(T))
}

func (h untypedHandler[T]) OnDelete(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		last, _ := tombstone.Obj.(T)
		h.TypedResourceEventHandler.OnDelete(cache.DeletedObject[T]{OptionalObj: last, FinalStateUnknown: &tombstone})
		return
	}
	h.TypedResourceEventHandler.OnDelete(cache.DeletedObject[T]{OptionalObj: obj.(T)})
}

// nameOf says who a handler is, by its type or, if it consists of functions, by
// where the first of them is from. It looks through what client-go puts in front:
// filters and types.
func nameOf(handler any) string { return nameOfValue(reflect.ValueOf(handler)) }

func nameOfValue(handler reflect.Value) string {
	v := reflect.Indirect(handler)
	if !v.IsValid() {
		return "nil"
	}
	if v.Kind() != reflect.Struct || !strings.HasPrefix(v.Type().PkgPath(), "k8s.io/client-go/") {
		return handler.Type().String()
	}
	name := handler.Type().String()
	for n := v.NumField() - 1; n >= 0; n-- { // so that the first is what is left
		field := v.Field(n)
		switch field.Kind() {
		case reflect.Interface:
			if !field.IsNil() {
				return nameOfValue(field.Elem())
			}
		case reflect.Func:
			if f := runtime.FuncForPC(field.Pointer()); f != nil {
				name = f.Name()
			}
		}
	}
	return name
}
