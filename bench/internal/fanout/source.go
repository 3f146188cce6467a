// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fanout tells many handlers of the same changes: by client-go's informer,
// by this SDK's, and by its subscriptions. The changes are made before and come
// from memory, so that what is left is the informer's own work.
package fanout

import (
	"context"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// Source is a cache.ListerWatcher that has ships, and updates of them to send.
type Source struct {
	list    starwarsv1.StarfighterList
	updates []*starwarsv1.Starfighter
	start   chan struct{} // closed when the updates may come
	watched sync.Once
	watches int
}

// NewSource prepares as many updates of a fleet, over all ships in turn.
func NewSource(of fleet.Fleet, updates int) *Source {
	s := &Source{start: make(chan struct{}), updates: make([]*starwarsv1.Starfighter, updates)}
	s.list.ResourceVersion = strconv.Itoa(of.ResourceVersion())
	s.list.Items = make([]starwarsv1.Starfighter, of.Ships)
	for i := range s.list.Items {
		ship := of.Ship(i)
		ship.ManagedFields = nil
		s.list.Items[i] = *ship
	}
	for k := range s.updates {
		ship := s.list.Items[k%of.Ships] // but for these two, which are all that changes
		ship.ResourceVersion = strconv.Itoa(of.UpdatedResourceVersion(k))
		ship.Generation++
		s.updates[k] = &ship
	}
	return s
}

// Last returns the resourceVersion of the last update.
func (s *Source) Last() string { return s.updates[len(s.updates)-1].ResourceVersion }

// Send lets the updates come.
func (s *Source) Send() { close(s.start) }

// Watches returns how often the source was watched, once nobody does any more.
func (s *Source) Watches() int { return s.watches }

// IsWatchListSemanticsUnSupported makes reflectors list first.
func (s *Source) IsWatchListSemanticsUnSupported() bool { return true }

// List returns the ships.
func (s *Source) List(metav1.ListOptions) (runtime.Object, error) { return s.list.DeepCopy(), nil }

// Watch sends the updates as fast as they are read, and then nothing.
func (s *Source) Watch(metav1.ListOptions) (watch.Interface, error) {
	s.watches++
	ctx, cancel := context.WithCancel(context.Background())
	w := &stream{events: make(chan watch.Event), stop: cancel}
	s.watched.Do(func() { go s.send(ctx, w.events) })
	return w, nil
}

func (s *Source) send(ctx context.Context, to chan<- watch.Event) {
	defer close(to)
	select {
	case <-s.start:
	case <-ctx.Done():
		return
	}
	for _, ship := range s.updates {
		select {
		case to <- watch.Event{Type: watch.Modified, Object: ship}:
		case <-ctx.Done():
			return
		}
	}
	<-ctx.Done()
}

type stream struct {
	events chan watch.Event
	stop   context.CancelFunc
}

func (s *stream) ResultChan() <-chan watch.Event { return s.events }
func (s *stream) Stop()                          { s.stop() }
