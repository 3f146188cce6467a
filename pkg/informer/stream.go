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
	initial   bool      // it is a watch-list that is not complete yet
	unordered bool      // it may begin with objects in any order
	until     time.Time // when the server is to end it; zero if it is not
	err       error     // what the server ended it with
}

// streamBuffer lets source and reflector work at the same time.
const streamBuffer = 64

func (s *source) observe(ctx context.Context, w watch.Interface, began time.Time, options metav1.ListOptions) watch.Interface {
	st := &stream{source: s, in: w, out: make(chan watch.Event, streamBuffer), stop: make(chan struct{})}
	st.initial = options.SendInitialEvents != nil && *options.SendInitialEvents
	st.unordered = st.initial || options.ResourceVersion == "" || options.ResourceVersion == "0"
	if options.TimeoutSeconds != nil {
		st.until = began.Add(time.Duration(*options.TimeoutSeconds) * time.Second)
	}
	s.streams.Go(func() {
		// The reflector waits for ctx too, for each event: to do the same here would
		// make them wait for each other.
		defer context.AfterFunc(ctx, st.quit)()
		st.run(ctx)
	})
	return st
}

// ResultChan implements watch.Interface.
func (st *stream) ResultChan() <-chan watch.Event { return st.out }

// Stop implements watch.Interface.
func (st *stream) Stop() {
	st.quit()
	st.in.Stop()
}

func (st *stream) quit() { st.once.Do(func() { close(st.stop) }) }

func (st *stream) run(ctx context.Context) {
	defer close(st.out)
	defer st.in.Stop()
	var ticks <-chan time.Time
	if st.idle > 0 {
		ticker := time.NewTicker(max(st.idle/2, 1))
		defer ticker.Stop()
		ticks = ticker.C
	}
	events := st.in.ResultChan()
	quiet := 0 // ticks since the last event
	for {
		var event watch.Event
		var ok bool
		select { // alone it costs a fraction of what it does among others
		case event, ok = <-events:
		default:
			select {
			case event, ok = <-events:
			case <-ticks:
				// The third tick ends one to one and a half times st.idle of silence.
				if quiet++; quiet > 2 && (st.initial || st.expectsBookmarks()) {
					st.silent(ctx)
					return
				}
				continue
			case <-st.stop:
				return
			}
		}
		if !ok {
			st.ended(ctx)
			return
		}
		quiet = 0
		event, last := st.look(ctx, event)
		if last {
			st.ended(ctx)
		}
		if !st.pass(event) || last {
			return
		}
	}
}

// pass gives an event to the reflector. It returns false if that wants no more.
func (st *stream) pass(event watch.Event) bool {
	select {
	case st.out <- event:
		return true
	default:
	}
	select {
	case st.out <- event:
		return true
	case <-st.stop:
		return false
	}
}

// silent ends a watch that is taken for dead.
func (st *stream) silent(ctx context.Context) {
	st.err = fmt.Errorf("%w: neither event nor bookmark for %v", errSilent, st.idle)
	st.failed(ctx, verbWatch, st.err)
	st.ended(ctx)
	klog.FromContext(ctx).Info("Warning: a watch is silent and will be made anew", "informer", st.name, "namespace", st.namespace, "for", st.idle)
}

// ended notes what it tells about the server that the stream ended by itself.
func (st *stream) ended(ctx context.Context) {
	switch {
	case st.stopped():
	case st.initial && st.err != nil:
		st.cut(ctx, st.err)
	case st.initial:
		st.cut(ctx, errCut)
	case time.Now().Before(st.until):
		st.doubt()
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
		st.err = apierrors.FromObject(event.Object)
		st.failed(ctx, verbWatch, st.err)
		return event, true
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
