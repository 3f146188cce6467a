// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
)

// stream is a watch that the source looks at on its way to the reflector.
type stream struct {
	*source
	in   watch.Interface
	out  chan watch.Event
	once sync.Once
	stop chan struct{}

	// Used by run alone.
	initial   bool // it is a watch-list that is not complete yet
	unordered bool // it may begin with objects in any order
}

// streamBuffer lets source and reflector work at the same time.
const streamBuffer = 64

func (s *source) observe(ctx context.Context, w watch.Interface, initial, unordered bool) watch.Interface {
	st := &stream{
		source: s, in: w, out: make(chan watch.Event, streamBuffer), stop: make(chan struct{}),
		initial: initial, unordered: unordered || initial,
	}
	s.streams.Go(func() { st.run(ctx) })
	return st
}

// ResultChan implements watch.Interface.
func (st *stream) ResultChan() <-chan watch.Event { return st.out }

// Stop implements watch.Interface.
func (st *stream) Stop() {
	st.once.Do(func() { close(st.stop) })
	st.in.Stop()
}

func (st *stream) run(ctx context.Context) {
	defer close(st.out)
	defer func() {
		if st.initial && !st.stopped() {
			st.cut(ctx)
		}
	}()
	defer st.in.Stop()
	var ticks <-chan time.Time
	if st.idle > 0 {
		ticker := time.NewTicker(max(st.idle/2, 1))
		defer ticker.Stop()
		ticks = ticker.C
	}
	quiet := 0 // ticks since the last event
	for {
		select {
		case event, ok := <-st.in.ResultChan():
			if !ok {
				return
			}
			quiet = 0
			event, last := st.look(ctx, event)
			select {
			case st.out <- event:
			case <-st.stop:
				return
			}
			if last {
				return
			}
		case <-ticks:
			// The third tick ends one and a half to two intervals of silence.
			if quiet++; quiet > 2 && (st.initial || st.expectsBookmarks()) {
				st.failed(ctx, verbWatch, fmt.Errorf("%w: neither event nor bookmark for %v", errSilent, st.idle))
				klog.FromContext(ctx).Info("Warning: a watch is silent and will be made anew", "informer", st.name, "namespace", st.namespace, "for", st.idle)
				return
			}
		case <-st.stop:
			return
		}
	}
}

func (st *stream) stopped() bool {
	select {
	case <-st.stop:
		return true
	default:
		return false
	}
}

func (s *source) expectsBookmarks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bookmarks
}

// look notes what an event tells about the stream. It returns the event that the
// reflector gets, and whether it is the last one.
func (st *stream) look(ctx context.Context, event watch.Event) (_ watch.Event, last bool) {
	if event.Type == watch.Error {
		st.failed(ctx, verbWatch, apierrors.FromObject(event.Object))
		return event, false
	}
	m, err := meta.Accessor(event.Object)
	if err != nil { // the reflector will complain
		return event, false
	}
	if event.Type == watch.Bookmark {
		st.mu.Lock()
		st.bookmarks = true
		st.mu.Unlock()
		if st.initial && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
			st.initial, st.unordered = false, false
			st.complete(m.GetResourceVersion())
			return event, false
		}
	}
	if st.initial {
		return event, false
	}
	if st.unordered = st.unordered && event.Type == watch.Added; st.unordered {
		return event, false
	}
	if before, back := st.advance(m.GetResourceVersion()); back {
		status := wentBack(ctx, st.source, before, m.GetResourceVersion()).Status()
		return watch.Event{Type: watch.Error, Object: &status}, true
	}
	return event, false
}

// advance notes the resourceVersion of an event, and tells if it is older than the
// one before.
func (s *source) advance(resourceVersion string) (before string, back bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.newest
	if order, err := resourceversion.CompareResourceVersion(resourceVersion, before); err == nil && order < 0 {
		s.rewound = true
		return before, true
	}
	s.newest = resourceVersion
	return before, false
}
