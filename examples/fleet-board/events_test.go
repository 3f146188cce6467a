// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// reader is a browser as far as streams go: it knows the fleet from events.
type reader struct {
	t       *testing.T
	lines   *bufio.Scanner
	close   func()
	last    string // id
	ships   map[string]ship
	columns columns
	samples []sample
	events  int
	resets  int
	sending bool // the whole fleet, of which more is to come
}

func read(t *testing.T, server *httptest.Server, header, after string) *reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/events?after="+after, nil)
	noError(t, err)
	if header != "" {
		request.Header.Set("Last-Event-ID", header)
	}
	response, err := http.DefaultClient.Do(request)
	noError(t, err)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %s, type %q", response.Status, response.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	r := &reader{t: t, lines: lines, close: func() { cancel(); _ = response.Body.Close() }, ships: map[string]ship{}}
	t.Cleanup(r.close)
	return r
}

// next takes one event.
func (r *reader) next() (event string) {
	r.t.Helper()
	var data string
	for r.lines.Scan() {
		field, value, _ := strings.Cut(r.lines.Text(), ": ")
		switch field {
		case "event":
			event = value
		case "id":
			r.last = value
		case "data":
			data = value
		case "":
			if event == "" {
				continue
			}
			r.events++
			r.take(event, data)
			return event
		}
	}
	r.t.Fatalf("the stream has ended: %v", r.lines.Err())
	return ""
}

func (r *reader) take(event, data string) {
	r.t.Helper()
	switch event {
	case "reset":
		r.ships, r.sending = map[string]ship{}, true
		r.resets++
	case "ships":
		var got shipsEvent
		noError(r.t, json.Unmarshal([]byte(data), &got))
		for _, ship := range got.Set {
			r.ships[ship.Namespace+"/"+ship.Name] = ship
		}
		for _, key := range got.Gone {
			delete(r.ships, key)
		}
		if got.Columns != nil {
			r.columns = *got.Columns
		}
		r.sending = r.sending && got.More
	case "samples":
		var got samplesEvent
		noError(r.t, json.Unmarshal([]byte(data), &got))
		r.samples = append(r.samples, got.Samples...)
	default:
		r.t.Fatalf("unknown event %q", event)
	}
}

// until takes events until a condition holds.
func (r *reader) until(holds func() bool) {
	r.t.Helper()
	for r.sending || !holds() {
		r.next()
	}
}

// wantAll waits until the reader knows the fleet as the board does.
func (r *reader) wantAll(b *board) {
	r.t.Helper()
	r.until(func() bool {
		all := b.all()
		for _, cached := range all {
			if r.ships[cached.Namespace+"/"+cached.Name] != view(cached) {
				return false
			}
		}
		return len(r.ships) == len(all) && r.events > 0
	})
}

func quick(s *streams) { s.pause = time.Millisecond }

func TestStreamSendsTheFleetThenItsChanges(t *testing.T) {
	b, client := newTestBoard(t, fleet()...)
	b.meter.take(time.Now())
	_, server := newTestSite(t, b, quick, func(s *streams) { s.batch = 2 })
	r := read(t, server, "", "")
	if event := r.next(); event != "reset" || r.last != "" {
		t.Errorf("the first event is %q with id %q; want a reset that forgets the id", event, r.last)
	}
	if r.next(); r.last != "" || !r.sending {
		t.Errorf("a part of the fleet has the id %q", r.last)
	}
	r.until(func() bool { return true })
	if len(r.ships) != 5 || r.last == "" || *r.columns[0] != v1.Rebellion || *r.columns[2] != "bounty-hunters" || r.columns[3] != nil {
		t.Errorf("the fleet: %v, id %q, columns %v", r.ships, r.last, r.columns)
	}
	r.until(func() bool { return len(r.samples) == 1 })

	create(t, client, newShip("default", "n-1", "republic", "Anakin Skywalker"))
	r.until(func() bool { return len(r.ships) == 6 })
	if r.columns[3] == nil || *r.columns[3] != "republic" {
		t.Errorf("a ship of a new faction came without the faction's column: %v", r.columns)
	}
	gone := fleet()[0]
	remove(t, client, gone)
	r.until(func() bool { return len(r.ships) == 5 })
	if _, there := r.ships["default/x-wing-1"]; there || r.resets != 1 {
		t.Errorf("%v after %d resets", r.ships, r.resets)
	}
}

func TestStreamGoesOnWhereItWas(t *testing.T) {
	b, client := newTestBoard(t, fleet()...)
	_, server := newTestSite(t, b, quick)
	first := read(t, server, "", "")
	first.wantAll(b)
	first.close()
	remove(t, client, fleet()[0])
	create(t, client, newShip("default", "x-wing-9", v1.Rebellion, "Jek Porkins"))
	eventually(t, "the board knows", func() bool { return len(b.all()) == 5 && b.get("default/x-wing-9") != nil && b.journal.now() == 7 })

	for name, r := range map[string]*reader{
		"by header": read(t, server, first.last, ""),
		"by query":  read(t, server, "", first.last),
	} {
		r.ships = map[string]ship{}
		r.next()
		_, joined := r.ships["default/x-wing-9"]
		if r.resets != 0 || len(r.ships) != 1 || !joined {
			t.Errorf("%s: %d resets, ships %v; want the change alone", name, r.resets, r.ships)
		}
	}
	for name, id := range map[string]string{"of another run": "AAAAAAAA-3", "of the future": b.journal.id(1000), "of nobody": "<script>"} {
		r := read(t, server, id, "")
		r.wantAll(b)
		if r.resets != 1 {
			t.Errorf("an id %s: %d resets, want the whole fleet", name, r.resets)
		}
	}
}

func TestStreamBeginsAgainAfterAGap(t *testing.T) {
	b, client := newTestBoard(t, fleet()...)
	_, server := newTestSite(t, b, quick)
	first := read(t, server, "", "")
	first.wantAll(b)
	first.close()
	for range journalSize + 1 {
		b.journal.record("default/x-wing-2")
	}
	remove(t, client, fleet()[0])
	eventually(t, "the board knows", func() bool { return len(b.all()) == 4 })
	r := read(t, server, first.last, "")
	r.wantAll(b)
	if r.resets != 1 {
		t.Errorf("%d resets, want one", r.resets)
	}
}

// A reader that is slow for a while gets fewer events, not all of them later.
func TestStreamSendsTogetherWhatChangesTogether(t *testing.T) {
	b, client := newTestBoard(t, fleet()...)
	_, server := newTestSite(t, b, func(s *streams) { s.pause = 100 * time.Millisecond })
	r := read(t, server, "", "")
	r.wantAll(b)
	ships := client.StarwarsV1().Starfighters("default")
	const changes = 300
	for i := range changes {
		ship := newShip("default", "x-wing-2", v1.Rebellion, fmt.Sprint("Red ", i))
		_, err := ships.Update(t.Context(), ship, metav1.UpdateOptions{})
		noError(t, err)
	}
	before := r.events
	r.until(func() bool { return r.ships["default/x-wing-2"].Pilot == fmt.Sprint("Red ", changes-1) })
	if got := r.events - before; got > changes/2 {
		t.Errorf("%d events for %d changes of one ship", got, changes)
	}
}

// A reader that reads nothing is cut, and others do not notice.
func TestStreamThatNobodyReadsIsCut(t *testing.T) {
	ships := make([]*v1.Starfighter, 2000) // more than the buffers of a connection hold
	for i := range ships {
		ships[i] = newShip("default", fmt.Sprint("x-wing-", i), v1.Rebellion, strings.Repeat("x", 1000))
	}
	b, _ := newTestBoard(t, ships...)
	eventually(t, "the board knows", func() bool { return len(b.all()) == 2000 })
	s, server := newTestSite(t, b, quick, func(s *streams) { s.writeTimeout = 100 * time.Millisecond })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/events", nil)
	noError(t, err)
	stuck, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer stuck.Body.Close()

	// Its kernel's buffers fill as events come.
	eventually(t, "the stream is cut", func() bool {
		for range journalSize + 1 { // it has to begin again
			b.journal.record("")
		}
		return testutil.ToFloat64(s.metrics.streams.cut) == 1
	})
	if open, _ := s.streams.lag(); open != 0 {
		t.Errorf("%d streams are open", open)
	}
	if _, err := io.Copy(io.Discard, stuck.Body); err == nil {
		t.Error("a stream that was cut seems to have ended well")
	}
}

func TestStreamsAreBounded(t *testing.T) {
	b, _ := newTestBoard(t, fleet()...)
	s, server := newTestSite(t, b, quick, func(s *streams) { s.most = 2 })
	first := read(t, server, "", "")
	first.wantAll(b)
	read(t, server, "", "").wantAll(b)
	status, _ := get(t, server, "/events")
	if status != http.StatusServiceUnavailable || testutil.ToFloat64(s.metrics.streams.refused) != 1 {
		t.Errorf("the third of two: status %d", status)
	}
	first.close()
	eventually(t, "a place is free", func() bool { open, _ := s.streams.lag(); return open == 1 })
	read(t, server, "", "").wantAll(b)
}
