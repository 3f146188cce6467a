// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"cmp"
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// scope is what one reflector follows: all namespaces, or one. It is the queue
// that client-go's controller fills, but nothing queues: a change is in the store
// and in the consumers' log when the reflector's call returns.
type scope[T Object] struct {
	*Informer[T]
	namespace string // "" for all
	source    *source
	control   cache.Controller
	closed    chan struct{}

	// transformed are the objects of a watch-list that is under way, which the
	// reflector has transformed. Used by the reflector alone.
	transformed map[T]struct{}

	// Guarded by the informer's mu.
	listed   bool
	progress string // the resourceVersion that the reflector has reached
}

var (
	_ cache.Queue                  = (*scope[*metav1.PartialObjectMetadata])(nil)
	_ cache.TransformingStore      = (*scope[*metav1.PartialObjectMetadata])(nil)
	_ cache.ReflectorBookmarkStore = (*scope[*metav1.PartialObjectMetadata])(nil)
	_ cache.ResourceVersionUpdater = (*scope[*metav1.PartialObjectMetadata])(nil)
)

func newScope[T Object](i *Informer[T], namespace string, lw cache.ListerWatcher) *scope[T] {
	s := &scope[T]{Informer: i, namespace: namespace, closed: make(chan struct{})}
	s.source = newSource(i.name, namespace, lw, i.options.IdleTimeout, i.health)
	return s
}

func compare(a, b string) int { return cmp.Compare(a, b) }

// prepare makes the controller. i.mu is held.
func (s *scope[T]) prepare() {
	s.control = cache.New(&cache.Config{
		Queue:                        s,
		ListerWatcher:                s.source,
		ObjectType:                   s.example,
		ObjectDescription:            s.options.ObjectDescription,
		WatchErrorHandlerWithContext: s.onError,
	})
}

func (s *scope[T]) run(ctx context.Context) {
	s.control.RunWithContext(ctx)
	s.source.streams.Wait()
}

// Pop waits for the end, as there is nothing to pop.
func (s *scope[T]) Pop(cache.PopProcessFunc) (any, error) {
	<-s.closed
	return nil, cache.ErrFIFOClosed
}

// Close is called once, by the controller.
func (s *scope[T]) Close() { close(s.closed) }

// Transformer implements cache.TransformingStore, so that the objects of a
// watch-list are small while the reflector collects them. Replace does not
// transform these again.
func (s *scope[T]) Transformer() cache.TransformFunc {
	if s.transform == nil {
		return nil
	}
	s.transformed = map[T]struct{}{}
	return func(obj any) (any, error) {
		obj, err := s.transform(obj)
		if typed, ok := obj.(T); ok && err == nil {
			s.transformed[typed] = struct{}{}
		}
		return obj, err
	}
}

// prepared returns an object as it is to be stored.
func (s *scope[T]) prepared(obj any) (T, error) {
	if typed, ok := obj.(T); ok {
		if _, done := s.transformed[typed]; done {
			return typed, nil
		}
	}
	if s.transform != nil {
		var err error
		if obj, err = s.transform(obj); err != nil { // never: see listwatch.Chain
			var none T
			return none, err
		}
	}
	return s.store.typed(obj)
}

// Add stores an object and tells the consumers.
func (s *scope[T]) Add(obj any) error {
	typed, err := s.prepared(obj)
	if err != nil {
		return err
	}
	if s.metrics != nil {
		return s.metrics.process(func() { s.put(typed) })
	}
	s.put(typed)
	return nil
}

func (s *scope[T]) put(obj T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, old, had := s.store.put(obj)
	s.observe(obj, old, had)
}

// Update is Add.
func (s *scope[T]) Update(obj any) error { return s.Add(obj) }

// Delete removes an object and tells the consumers.
func (s *scope[T]) Delete(obj any) error {
	typed, err := s.prepared(obj)
	if err != nil {
		return err
	}
	if s.metrics != nil {
		return s.metrics.process(func() { s.remove(typed) })
	}
	s.remove(typed)
	return nil
}

func (s *scope[T]) remove(obj T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.remove(keyFor(obj), obj)
	s.append(event[T]{kind: deleted, old: obj})
}

// Replace puts a list in place of all that was there, and tells the consumers of
// the differences.
func (s *scope[T]) Replace(list []any, resourceVersion string) error {
	defer func() { s.transformed = nil }()
	objs := make([]T, 0, len(list))
	for _, obj := range list {
		typed, err := s.prepared(obj)
		if err != nil {
			return err
		}
		objs = append(objs, typed)
	}
	if s.metrics != nil {
		return s.metrics.process(func() { s.replace(objs, resourceVersion) })
	}
	s.replace(objs, resourceVersion)
	return nil
}

func (s *scope[T]) replace(objs []T, resourceVersion string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.scopes) == 1 {
		s.replaceAll(objs, resourceVersion)
	} else {
		s.replaceNamespace(objs, resourceVersion)
	}
	s.setProgress(resourceVersion)
	if s.listed {
		return
	}
	s.listed = true
	for _, other := range s.scopes {
		if !other.listed {
			return
		}
	}
	close(s.synced)
	s.append(event[T]{kind: inSync})
}

// replaceAll is Replace for the only scope.
func (s *scope[T]) replaceAll(objs []T, resourceVersion string) {
	before := s.store.replace(objs, resourceVersion)
	now := s.store.t // changed under i.mu only
	if len(before.items) == 0 {
		if len(objs) == 0 {
			return
		}
		for _, obj := range now.all.objs {
			s.tracker.AddObject(obj)
		}
		s.append(event[T]{kind: filled, initial: !s.HasSynced(), more: &more[T]{objs: s.store.snapshot()}})
		return
	}
	for _, e := range before.all.ents {
		if now.items[e.key] == nil {
			s.append(event[T]{kind: lost, old: e.obj, more: &more[T]{key: e.key}})
		}
	}
	for _, e := range now.all.ents {
		var old T
		was := before.items[e.key]
		if was != nil {
			old = was.obj
		}
		s.observe(e.obj, old, was != nil)
	}
}

// replaceNamespace is Replace for one scope of several.
func (s *scope[T]) replaceNamespace(objs []T, resourceVersion string) {
	listed := make(map[string]bool, len(objs))
	for _, obj := range objs {
		listed[keyFor(obj)] = true
	}
	for _, e := range s.store.entries(s.namespace) {
		if !listed[e.key] {
			obj := e.obj
			s.store.remove(e.key, nil)
			s.append(event[T]{kind: lost, old: obj, more: &more[T]{key: e.key}})
		}
	}
	for _, obj := range objs {
		_, old, had := s.store.put(obj)
		s.observe(obj, old, had)
	}
	s.store.Bookmark(resourceVersion)
}

// observe tells the consumers of an object that was stored. i.mu is held.
func (s *scope[T]) observe(obj, old T, had bool) {
	s.tracker.AddObject(obj)
	switch {
	case !had:
		s.append(event[T]{kind: added, new: obj, initial: !s.HasSynced()})
	case s.options.DeleteOnNewUID && old.GetUID() != obj.GetUID():
		s.append(event[T]{kind: lost, old: old, more: &more[T]{key: keyFor(old)}})
		s.append(event[T]{kind: added, new: obj, initial: !s.HasSynced()})
	case old.GetResourceVersion() == obj.GetResourceVersion():
		e := event[T]{kind: updated, old: old, new: obj}
		if only := s.resyncing(); only != nil {
			e.more = &more[T]{only: only}
		}
		s.append(e)
	default:
		s.append(event[T]{kind: updated, old: old, new: obj})
	}
}

// append tells the consumers. i.mu is held.
func (i *Informer[T]) append(e event[T]) {
	if len(i.handlers) == 0 && len(i.bounded) == 0 {
		return
	}
	if i.log.append(e) {
		for s := range i.bounded {
			s.catchUp()
		}
	}
}

// Resync does nothing: resyncLoop does it.
func (s *scope[T]) Resync() error { return nil }

// HasSynced and HasSyncedChecker are the informer's.

// Bookmark implements cache.ReflectorBookmarkStore.
func (s *scope[T]) Bookmark(resourceVersion string) error {
	s.store.Bookmark(resourceVersion)
	return nil
}

// UpdateResourceVersion implements cache.ResourceVersionUpdater: the reflector
// calls it after each event.
func (s *scope[T]) UpdateResourceVersion(resourceVersion string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setProgress(resourceVersion)
}

func (s *scope[T]) String() string {
	if s.namespace == "" {
		return s.name
	}
	return fmt.Sprintf("%s in namespace %s", s.name, s.namespace)
}
