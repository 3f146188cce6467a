// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// events is a handler that keeps what it is told, in words: "found x-wing-1"
// for a ship that was there before, then "added", "updated" and "deleted";
// "resynced" for an update without a change, and "lost" for a delete that
// nobody saw.
type events struct {
	mu   sync.Mutex
	all  []string
	more chan struct{} // closed and replaced at every event
}

func newEvents() *events { return &events{more: make(chan struct{})} }

func (e *events) OnAdd(s *v1.Starfighter, isInInitialList bool) {
	if isInInitialList {
		e.record("found " + s.Name)
	} else {
		e.record("added " + s.Name)
	}
}

func (e *events) OnUpdate(before, after *v1.Starfighter) {
	if before.ResourceVersion == after.ResourceVersion {
		e.record("resynced " + after.Name)
	} else {
		e.record("updated " + after.Name)
	}
}

func (e *events) OnDelete(deleted starwarsinformers.DeletedStarfighter) {
	if deleted.FinalStateUnknown != nil {
		e.record("lost " + deleted.GetName())
	} else {
		e.record("deleted " + deleted.GetName())
	}
}

func (e *events) record(event string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
	close(e.more)
	e.more = make(chan struct{})
}

func (e *events) seen() ([]string, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all), e.more
}

// want waits for as many events and requires that they are these, in order,
// from the first event on.
func (e *events) want(ctx context.Context, t *testing.T, want ...string) {
	t.Helper()
	if got := e.await(ctx, t, want, anything); !slices.Equal(got, want) {
		t.Fatalf("events %q, want %q", got, want)
	}
}

// wantInAnyOrder is want for ships that are told of in no particular order.
func (e *events) wantInAnyOrder(ctx context.Context, t *testing.T, want ...string) {
	t.Helper()
	wantSame(t, e.await(ctx, t, want, anything), want)
}

// wantChanges is wantInAnyOrder for what has changed: who lists again after a
// fault tells of every ship.
func (e *events) wantChanges(ctx context.Context, t *testing.T, want ...string) {
	t.Helper()
	wantSame(t, e.await(ctx, t, want, isChange), want)
}

func anything(string) bool { return true }

func isChange(event string) bool { return !strings.HasPrefix(event, "resynced ") }

func wantSame(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("events %q, want %q in any order", got, want)
	}
}

func (e *events) await(ctx context.Context, t *testing.T, want []string, counts func(string) bool) []string {
	t.Helper()
	for {
		got, more := e.seen()
		got = slices.DeleteFunc(got, func(event string) bool { return !counts(event) })
		if len(got) >= len(want) {
			return got
		}
		select {
		case <-more:
		case <-ctx.Done():
			t.Fatalf("events %q, want %q: %v", got, want, context.Cause(ctx))
		}
	}
}

// requests counts what a client asks the API server, by verb.
type requests struct {
	mu         sync.Mutex
	count      map[string]int
	watchLists int // how many of the WATCH asked for all ships first
}

func newRequests() *requests { return &requests{count: map[string]int{}} }

// of returns how many requests with a verb there were.
func (r *requests) of(verb string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count[verb]
}

// watchListed returns how many watch-lists there were.
func (r *requests) watchListed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.watchLists
}

// countRequests makes the clients of a configuration count.
func countRequests(config *rest.Config) *requests {
	r := newRequests()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			r.record(request)
			return next.RoundTrip(request)
		})
	})
	return r
}

func (r *requests) record(request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	query := request.URL.Query()
	switch {
	case request.Method != http.MethodGet || !strings.HasSuffix(request.URL.Path, "/starfighters"):
		r.count[request.Method]++
	case !query.Has("watch"):
		r.count["LIST"]++
	default:
		r.count["WATCH"]++
		if query.Get("sendInitialEvents") == "true" {
			r.watchLists++
		}
	}
}

func (r *requests) want(t *testing.T, lists, watches int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count["LIST"] != lists || r.count["WATCH"] != watches || len(r.count) > 2 {
		t.Errorf("requests %v, want LIST %d, WATCH %d", r.count, lists, watches)
	}
}

// wantWatchExpired requires that a watch went on from a version that the server
// did not have any more, so that all ships were asked for a second time.
func (r *requests) wantWatchExpired(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watchLists != 2 || r.count["WATCH"] < 3 {
		t.Errorf("requests %v with %d watch-lists: no watch expired, this test shows nothing", r.count, r.watchLists)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
