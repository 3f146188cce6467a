// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// apiServer is what an informer sees of an API server, with lists, watches and,
// if asked, watch-lists, and with the faults that a test wants.
type apiServer struct {
	mu        sync.Mutex
	version   int
	ships     map[string]*v1.Starfighter
	history   []watch.Event
	compacted int // a watch from before that has expired
	watches   map[*fakeWatch]bool

	// To be set before anything runs; fault is called without the lock.
	watchLists bool                          // knows them
	fault      func(r request) error         // instead of an answer
	meddle     func(r request, w *fakeWatch) // with a watch that has been answered

	requests []request
}

// request is one that the server got.
type request struct {
	verb string // list, watch, watch-list
	metav1.ListOptions
}

func newAPIServer(ships ...*v1.Starfighter) *apiServer {
	s := &apiServer{ships: map[string]*v1.Starfighter{}, watches: map[*fakeWatch]bool{}, version: 10}
	for _, ship := range ships {
		s.put(ship)
	}
	return s
}

// put creates or updates a ship, and returns its resourceVersion.
func (s *apiServer) put(ship *v1.Starfighter) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	ship = ship.DeepCopy()
	ship.ResourceVersion = strconv.Itoa(s.version)
	kind := watch.Added
	if s.ships[keyFor(ship)] != nil {
		kind = watch.Modified
	}
	s.ships[keyFor(ship)] = ship
	s.send(watch.Event{Type: kind, Object: ship})
	return ship.ResourceVersion
}

// remove deletes a ship, if there is one.
func (s *apiServer) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ship := s.ships[key]
	if ship == nil {
		return
	}
	s.version++
	delete(s.ships, key)
	ship = ship.DeepCopy()
	ship.ResourceVersion = strconv.Itoa(s.version)
	s.send(watch.Event{Type: watch.Deleted, Object: ship})
}

func (s *apiServer) send(event watch.Event) {
	s.history = append(s.history, event)
	for w := range s.watches {
		w.send(event)
	}
}

// bookmark tells all watches up to where they have followed.
func (s *apiServer) bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.send(bookmarkAt(s.version, nil))
	}
}

func bookmarkAt(version int, annotations map[string]string) watch.Event {
	return watch.Event{Type: watch.Bookmark, Object: &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.Itoa(version), Annotations: annotations},
	}}
}

// cut ends all watches, after an event if there is one.
func (s *apiServer) cut(last ...watch.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		for _, event := range last {
			w.send(event)
		}
		w.end()
	}
	clear(s.watches)
}

// silence makes all watches miss what happens from now on, until they are cut.
func (s *apiServer) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.die()
	}
}

// expire forgets what happened, so that watches that want to know have to list.
func (s *apiServer) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history, s.compacted = nil, s.version
}

// restore makes the server one with other data, at an older resourceVersion, as
// one that has lost its own. The watches go on or end as they are.
func (s *apiServer) restore(version int, ships ...*v1.Starfighter) {
	s.mu.Lock()
	s.version, s.history, s.compacted = version, nil, 0
	clear(s.ships)
	s.mu.Unlock()
	for _, ship := range ships {
		s.put(ship)
	}
}

// count returns how many requests there were with a verb, or with any.
func (s *apiServer) count(verb string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if verb == "" || r.verb == verb {
			n++
		}
	}
	return n
}

// has fails the test unless the store has the server's ships, as they are.
func (s *apiServer) has(t *testing.T, i shipInformer) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	want := map[string]string{}
	for key, ship := range s.ships {
		want[key] = ship.Spec.Pilot + " at " + ship.ResourceVersion
	}
	got := map[string]string{}
	for _, obj := range i.GetStore().List() {
		ship := obj.(*v1.Starfighter)
		got[keyFor(ship)] = ship.Spec.Pilot + " at " + ship.ResourceVersion
	}
	if !maps.Equal(got, want) {
		t.Errorf("stored is %v, the server has %v", got, want)
	}
}

func (s *apiServer) note(verb string, options metav1.ListOptions) error {
	r := request{verb, options}
	s.mu.Lock()
	s.requests = append(s.requests, r)
	fault := s.fault
	s.mu.Unlock()
	if fault != nil {
		return fault(r)
	}
	return nil
}

// setFault changes what is wrong, nil for nothing.
func (s *apiServer) setFault(fault func(r request) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// IsWatchListSemanticsUnSupported is asked by the reflector.
func (s *apiServer) IsWatchListSemanticsUnSupported() bool { return !s.watchLists }

// List implements cache.ListerWatcher.
func (s *apiServer) List(options metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), options)
}

// Watch implements cache.ListerWatcher.
func (s *apiServer) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), options)
}

// ListWithContext implements cache.ListerWatcherWithContext.
func (s *apiServer) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if err := s.note("list", options); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh(options); err != nil {
		return nil, err
	}
	list := &v1.StarfighterList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(s.version)}}
	for _, key := range slices.Sorted(maps.Keys(s.ships)) {
		list.Items = append(list.Items, *s.ships[key].DeepCopy())
	}
	return list, nil
}

// fresh is the answer to a request for a resourceVersion that there is not yet.
func (s *apiServer) fresh(options metav1.ListOptions) error {
	if version, err := strconv.Atoi(options.ResourceVersion); err == nil && version > s.version {
		err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, s.version), 1)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
		return err
	}
	return nil
}

// WatchWithContext implements cache.ListerWatcherWithContext.
func (s *apiServer) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	initial := options.SendInitialEvents != nil && *options.SendInitialEvents
	verb := "watch"
	if initial {
		verb = "watch-list"
	}
	if err := s.note(verb, options); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &fakeWatch{events: make(chan watch.Event, 4096)}
	if initial {
		if err := s.fresh(options); err != nil {
			return nil, err
		}
		for _, key := range slices.Sorted(maps.Keys(s.ships)) {
			w.send(watch.Event{Type: watch.Added, Object: s.ships[key]})
		}
		w.send(bookmarkAt(s.version, map[string]string{metav1.InitialEventsAnnotationKey: "true"}))
		w.from = s.version
	} else {
		w.from, _ = strconv.Atoi(options.ResourceVersion)
		if w.from < s.compacted {
			return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", w.from, s.compacted))
		}
		for _, event := range s.history {
			w.send(event)
		}
	}
	s.watches[w] = true
	context.AfterFunc(ctx, w.Stop)
	if s.meddle != nil {
		s.meddle(request{verb, options}, w)
	}
	return w, nil
}

// fakeWatch is a watch of an apiServer. One from a resourceVersion that the server
// has not reached waits in silence until it has.
type fakeWatch struct {
	from   int
	mu     sync.Mutex
	ended  bool
	dead   bool // says nothing any more
	events chan watch.Event
}

// ResultChan implements watch.Interface.
func (w *fakeWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop implements watch.Interface.
func (w *fakeWatch) Stop() { w.end() }

func (w *fakeWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.ended = true
		close(w.events)
	}
}

// send sends what the watch is for.
func (w *fakeWatch) send(event watch.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || w.dead {
		return
	}
	if ship, ok := event.Object.(*v1.Starfighter); ok {
		version, _ := strconv.Atoi(ship.ResourceVersion)
		if version <= w.from && (event.Type != watch.Bookmark || version < w.from) {
			return
		}
		event.Object = ship.DeepCopy()
	}
	w.events <- event
}

// die makes the watch silent, though it stays open.
func (w *fakeWatch) die() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
}
