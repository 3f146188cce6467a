// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// minimumResyncPeriod is client-go's.
const minimumResyncPeriod = time.Second

// AddEventHandler adds a handler with the informer's resync period.
func (i *Informer[T]) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, cache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod adds a handler with a resync period of its own,
// 0 for none. It gets that whether or not the informer has one, and whether or not
// it has started, but for periods of less than a second, which become a second.
func (i *Informer[T]) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, cache.HandlerOptions{ResyncPeriod: &resync})
}

// AddTypedEventHandler adds a typed handler; of the options, one set may be given.
func (i *Informer[T]) AddTypedEventHandler(handler cache.TypedResourceEventHandler[T], options ...cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	if len(options) > 1 {
		return nil, fmt.Errorf("at most one HandlerOptions may be passed, got %d", len(options))
	}
	if handler == nil {
		return nil, errNoHandler
	}
	return i.register(untypedHandler[T]{handler}, nameOf(handler), append(options, cache.HandlerOptions{})[0])
}

// AddEventHandlerWithOptions adds a handler, which is told of each change, one
// after the other, in a goroutine of its own. One that comes late is first told of
// the objects that are there.
func (i *Informer[T]) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	if handler == nil {
		return nil, errNoHandler
	}
	return i.register(handler, nameOf(handler), options)
}

var errNoHandler = errors.New("there is no event handler in what was passed")

func (i *Informer[T]) register(handler cache.ResourceEventHandler, name string, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == ended {
		return nil, fmt.Errorf("cannot add event handler %s: %w", name, errEnded)
	}
	r := &registration[T]{handler: handler, at: i.log.end()}
	logger := klog.Background()
	if options.Logger != nil {
		logger = *options.Logger
	}
	r.init(i.log, i.name, name, logger)
	r.rest, r.restIsInitial, r.inSync = i.present()
	i.handlers[r] = true
	if i.join(&r.consumer, len(r.rest), options.ResyncPeriod) {
		i.consumers.Go(r.run)
	}
	return r, nil
}

// present returns what a consumer that comes now begins with. i.mu is held.
func (i *Informer[T]) present() (objs []T, initial, inSync bool) {
	return i.store.snapshot(), true, i.HasSynced()
}

// join gives a consumer its place among the others. It returns whether to let it
// begin. i.mu is held.
func (i *Informer[T]) join(c *consumer[T], backlog int, resync *time.Duration) (begin bool) {
	i.targets = nil
	c.joined.Store(c.consumed.Add(-uint64(backlog)))
	c.resyncPeriod = i.options.ResyncPeriod
	if resync != nil {
		c.resyncPeriod = *resync
	}
	if c.resyncPeriod > 0 {
		c.resyncPeriod = max(c.resyncPeriod, minimumResyncPeriod)
		c.nextResync = time.Now().Add(c.resyncPeriod)
		select {
		case i.resync <- struct{}{}:
		default:
		}
	}
	c.started = i.phase == running
	return c.started
}

// RemoveEventHandler removes a handler. A callback that is running is not waited
// for; cache.ShutDownEventHandler does. To remove one twice is no error.
func (i *Informer[T]) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	switch c := handle.(type) {
	case *registration[T]:
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.handlers[c] {
			delete(i.handlers, c)
			i.targets = nil
			c.end()
		}
		return nil
	case *Subscription[T]:
		i.unsubscribe(c)
		return nil
	default:
		return fmt.Errorf("%T is no registration of this informer", handle)
	}
}

// resyncLoop lets consumers see the store's objects again, each after its period,
// once the informer is in sync. No request is made for it.
func (i *Informer[T]) resyncLoop(ctx context.Context) {
	select {
	case <-i.synced:
	case <-ctx.Done():
		return
	}
	i.mu.Lock()
	for _, c := range i.all() { // periods count from the first list on
		c.nextResync = time.Now().Add(c.resyncPeriod)
	}
	i.mu.Unlock()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-i.resync:
		case <-timer.C:
			i.resyncDue(time.Now())
		}
		if wait, ok := i.untilResync(time.Now()); ok {
			timer.Reset(wait)
		}
	}
}

func (i *Informer[T]) untilResync(now time.Time) (wait time.Duration, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.all() {
		if c.resyncPeriod > 0 && (!ok || c.nextResync.Sub(now) < wait) {
			wait, ok = c.nextResync.Sub(now), true
		}
	}
	return wait, ok
}

func (i *Informer[T]) resyncDue(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	due := false
	for _, c := range i.all() {
		if c.resyncPeriod > 0 && !now.Before(c.nextResync) {
			due = true
		}
	}
	if !due {
		return
	}
	for _, c := range i.all() {
		if c.resyncing = c.resyncPeriod > 0 && !now.Before(c.nextResync); c.resyncing {
			c.nextResync = now.Add(c.resyncPeriod)
		}
	}
	i.targets = nil
	i.append(event[T]{kind: resynced, more: &more[T]{objs: i.store.snapshot(), only: i.resyncing()}})
}

// targets is who is told of updates that change nothing.
type targets[T Object] struct{ only map[*consumer[T]]bool }

// resyncing returns who is told of updates that change nothing; nil for all. i.mu
// is held.
func (i *Informer[T]) resyncing() map[*consumer[T]]bool {
	if i.targets == nil {
		i.targets = &targets[T]{map[*consumer[T]]bool{}}
		all := i.all()
		for _, c := range all {
			if c.resyncing {
				i.targets.only[c] = true
			}
		}
		if len(i.targets.only) == len(all) {
			i.targets.only = nil
		}
	}
	return i.targets.only
}
