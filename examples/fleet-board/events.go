// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// streams sends the fleet and its changes to browsers, as server-sent events.
//
// A stream begins with the whole fleet: a "reset", then "ships" until one that
// says there are no more. From then on "ships" brings those that changed, as they
// are now, and "samples" what the charts show. A browser that comes back within
// journalSize changes goes on where it was; all others begin again.
//
// A stream holds its place in the journal, and the events of one write. One that
// reads slowly gets fewer, larger events; one that does not read at all is cut.
type streams struct {
	board   *board
	metrics *streamMetrics

	most         int           // how many there may be at once
	batch        int           // most ships in an event
	pause        time.Duration // between events: what changes meanwhile goes out together
	writeTimeout time.Duration // how long a browser may leave an event unread

	mu   sync.Mutex
	open map[*stream]struct{}
}

func newStreams(b *board, m *streamMetrics) *streams {
	return &streams{
		board: b, metrics: m,
		most: 64, batch: 500, pause: 200 * time.Millisecond, writeTimeout: 10 * time.Second,
		open: map[*stream]struct{}{},
	}
}

// ServeHTTP implements http.Handler: one stream, until its reader or the server
// has enough.
func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	st := &stream{streams: s, w: w, control: http.NewResponseController(w)}
	if !s.admit(st) {
		s.metrics.refused.Inc()
		w.Header().Set("Retry-After", "5")
		http.Error(w, fmt.Sprintf("There are %d streams already, which is all there may be. Close another page.", s.most), http.StatusServiceUnavailable)
		return
	}
	defer s.leave(st)
	// A stream lasts; the deadline of an ordinary request would cut it.
	if err := st.control.SetReadDeadline(time.Time{}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")

	// A browser that lost its connection says itself where it was; a page that
	// closed the stream says it in the query.
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("after")
	}
	err := st.run(r.Context(), last)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		s.metrics.cut.Inc()
	}
}

func (s *streams) admit(st *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= s.most {
		return false
	}
	st.place.Store(s.board.journal.now())
	s.open[st] = struct{}{}
	return true
}

func (s *streams) leave(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, st)
}

// lag returns how many streams there are, and how many changes the slowest of
// them is behind.
func (s *streams) lag() (open int, behind uint64) {
	now := s.board.journal.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.open {
		if place := st.place.Load(); place < now {
			behind = max(behind, now-place)
		}
	}
	return len(s.open), behind
}

// stream is one reader.
type stream struct {
	*streams
	w       http.ResponseWriter
	control *http.ResponseController
	place   atomic.Uint64 // in the journal
	samples int           // how many of the meter's it has had
	columns columns       // as it knows them
	told    bool          // that it knows them
	buffer  bytes.Buffer
}

// columns are the factions by place; nil where there is none.
type columns = [maxFactions]*v1.Faction

func (st *stream) run(ctx context.Context, last string) error {
	place, resumes := st.board.journal.parse(last)
	if _, err := st.w.Write([]byte("retry: 1000\n\n")); err != nil {
		return err
	}
	for {
		news := st.board.bell.rung()
		if resumes {
			st.place.Store(place)
			var err error
			if resumes, err = st.sendChanges(place); err != nil {
				return err
			}
		}
		if !resumes {
			if err := st.sendAll(); err != nil {
				return err
			}
			resumes = true
		}
		if err := st.sendSamples(); err != nil {
			return err
		}
		place = st.place.Load()
		select {
		case <-news:
		case <-ctx.Done():
			return nil
		}
		select {
		case <-time.After(st.pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// shipsEvent is the data of a "ships" event.
type shipsEvent struct {
	Columns *columns `json:"columns,omitempty"` // if they changed
	Set     []ship   `json:"set,omitempty"`
	Gone    []string `json:"gone,omitempty"` // keys, namespace/name
	More    bool     `json:"more,omitempty"` // the rest follows at once
}

// sendAll sends the whole fleet. Its place is asked for before the fleet is read,
// so that what changes meanwhile is sent once too often rather than never.
func (st *stream) sendAll() error {
	next := st.board.journal.now()
	ships := st.board.all()
	st.told = false
	st.metrics.resets.Inc()
	// The empty id makes a browser forget where it was: half a fleet is no
	// state to go on from.
	if err := st.send("reset", "", struct{}{}); err != nil {
		return err
	}
	for first := 0; ; first += st.batch {
		batch := ships[first:min(first+st.batch, len(ships))]
		event := shipsEvent{Set: make([]ship, 0, len(batch)), More: first+len(batch) < len(ships)}
		for _, cached := range batch {
			event.Set = append(event.Set, view(cached))
		}
		if err := st.sendShips(&event, next); err != nil || !event.More {
			return err
		}
	}
}

// sendChanges sends the ships that changed after the stream's place, each as it
// is now. It reports false if the journal does not know them any more.
func (st *stream) sendChanges(place uint64) (bool, error) {
	keys, next, ok := st.board.journal.since(place)
	if !ok {
		return false, nil
	}
	for len(keys) > 0 {
		batch := keys[:min(st.batch, len(keys))]
		keys = keys[len(batch):]
		event := shipsEvent{More: len(keys) > 0}
		for _, key := range batch {
			if cached := st.board.get(key); cached != nil {
				event.Set = append(event.Set, view(cached))
			} else {
				event.Gone = append(event.Gone, key)
			}
		}
		if err := st.sendShips(&event, next); err != nil {
			return true, err
		}
	}
	return true, nil
}

// sendShips sends an event, and moves the stream's place if it is the last of its
// kind.
func (st *stream) sendShips(event *shipsEvent, next uint64) error {
	if columns := st.board.factions.list(); !st.told || columns != st.columns {
		st.told, st.columns = true, columns
		event.Columns = &columns
	}
	if event.More {
		return st.send("ships", noID, event)
	}
	if err := st.send("ships", st.board.journal.id(next), event); err != nil {
		return err
	}
	st.place.Store(next)
	return nil
}

// samplesEvent is the data of a "samples" event.
type samplesEvent struct {
	Samples []sample `json:"samples"`
	Trouble string   `json:"trouble,omitempty"` // why ships may be out of date
}

func (st *stream) sendSamples() error {
	samples, taken := st.board.meter.since(st.samples)
	if len(samples) == 0 {
		return nil
	}
	st.samples = taken
	return st.send("samples", noID, samplesEvent{Samples: samples, Trouble: st.board.health().trouble(time.Now())})
}

// noID leaves it to the browser what it comes back with.
const noID = "-"

// send writes one event and waits until the connection has taken it.
func (st *stream) send(event, id string, data any) error {
	st.buffer.Reset()
	fmt.Fprintf(&st.buffer, "event: %s\n", event)
	if id != noID {
		fmt.Fprintf(&st.buffer, "id: %s\n", id)
	}
	st.buffer.WriteString("data: ")
	if err := json.NewEncoder(&st.buffer).Encode(data); err != nil { // one line, and its end
		return err
	}
	st.buffer.WriteByte('\n')
	if err := st.control.SetWriteDeadline(time.Now().Add(st.writeTimeout)); err != nil {
		return err
	}
	if _, err := st.w.Write(st.buffer.Bytes()); err != nil {
		return err
	}
	return st.control.Flush()
}
