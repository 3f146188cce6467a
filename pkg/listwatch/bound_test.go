// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// endless is a body that begins in some way and never ends.
type endless struct {
	begin   io.Reader
	pattern []byte
	at      int
	read    int64
}

func (e *endless) Read(p []byte) (int, error) {
	n, _ := e.begin.Read(p)
	if n == 0 {
		n = copy(p, e.pattern[e.at:])
		e.at = (e.at + n) % len(e.pattern)
	}
	e.read += int64(n)
	return n, nil
}

func newEndless(begin, pattern string) *endless {
	return &endless{begin: strings.NewReader(begin), pattern: []byte(strings.Repeat(pattern, 10_000))}
}

// sized is a ship whose JSON has just this size.
func sized(name string, size int) string {
	const mark = "MARK"
	ship := strings.Replace(named(name, "1"), "Luke", mark, 1)
	return strings.Replace(ship, mark, strings.Repeat("L", size-len(ship)+len(mark)), 1)
}

// TestEndless: whatever does not end is an error, before it fills the memory.
func TestEndless(t *testing.T) {
	const most, ahead = 1 << 20, 128 << 10 // of an object, and what buffers read on
	lw := newListerWatcher(t, func(c *listwatch.Config) {
		c.SkipUndecodable = func(o metav1.Object, err error) { t.Errorf("skipped %v: %v", o, err) }
	})
	lw.SetMax(most, 2*most)
	good, frame := named("a", "1"), frameJSON(watch.Added, named("a", "1"))
	for name, c := range map[string]struct {
		list           bool
		begin, pattern string
		objects        int64 // as large as how many of the largest
	}{
		"watch, white space":          {false, "", " ", 1},
		"watch, white space after":    {false, frame, "\n", 1},
		"watch, string":               {false, frame + `{"type":"ADDED","object":{"metadata":{"name":"`, "x", 1},
		"watch, escapes":              {false, `{"type":"ADDED","object":{"metadata":{"name":"`, `\u00e9`, 1},
		"watch, number":               {false, `{"type":"ADDED","object":{"metadata":{"generation":`, "1", 1},
		"watch, unknown member":       {false, `{"type":"ADDED","object":{"unknown":[`, `{},`, 1},
		"watch, managed fields":       {false, `{"type":"ADDED","object":{"metadata":{"managedFields":[`, `{},`, 1},
		"watch, members":              {false, `{"type":"ADDED","object":{`, `"a":1,`, 1},
		"watch, labels":               {false, `{"type":"ADDED","object":{"metadata":{"labels":{`, `"a":"b",`, 1},
		"watch, after the object":     {false, `{"type":"ADDED","object":` + good + `,`, `"a":1,`, 1},
		"watch, object before type":   {false, `{"object":{`, `"a":1,`, 1},
		"watch, undecodable":          {false, `{"type":"ADDED","object":{"spec":5,`, `"a":1,`, 1},
		"watch, type":                 {false, `{"type":"`, "x", 1},
		"watch, error":                {false, `{"type":"ERROR","object":{"message":"`, "x", 1},
		"list, white space":           {true, "", " ", 1},
		"list, member":                {true, `{"a":[`, `1,`, 1},
		"list, metadata":              {true, `{"metadata":{`, `"a":1,`, 1},
		"list, string":                {true, `{"items":[` + good + `,{"metadata":{"name":"`, "x", 1},
		"list, unknown member":        {true, `{"items":[` + good + `,{"unknown":[`, "1,", 1},
		"list, white space in items":  {true, `{"items":[` + good + `,`, " ", 1},
		"list, undecodable":           {true, `{"items":[{"spec":5,"x":[`, `1,`, 1},
		"list, items":                 {true, `{"items":[` + good, "," + good, 2},
		"list, small items":           {true, `{"items":[null`, ", null        ", 2},
		"list, members after items":   {true, `{"items":[` + good + `],`, `"a":1,`, 1},
		"list, white space after all": {true, `{"items":[]}`, ` `, 1},
	} {
		t.Run(name, func(t *testing.T) {
			body := newEndless(c.begin, c.pattern)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var err error
			if c.list {
				_, _, err = lw.DecodeList(body)
			} else {
				_, err = decodeWatch(lw.WatchDecoder(io.NopCloser(body)))
			}
			runtime.ReadMemStats(&after)
			if !errors.Is(err, listwatch.ErrTooLarge) {
				t.Errorf("got %v", err)
			}
			if limit := c.objects*most + int64(len(c.begin)) + ahead; body.read > limit {
				t.Errorf("read %d bytes, more than %d", body.read, limit)
			}
			if got := after.TotalAlloc - before.TotalAlloc; c.objects == 1 && got > 8*most {
				t.Errorf("allocated %d bytes", got)
			}
		})
	}
}

// TestLargest: what may be is decoded, one byte more is not, and a large object
// makes no difference for those after it.
func TestLargest(t *testing.T) {
	t.Parallel()
	const most = listwatch.MaxObjectBytes
	lw := newListerWatcher(t, nil)
	envelope := len(`{"type":"ADDED","object":}`)
	good := strings.TrimSpace(frameJSON(watch.Added, sized("a", most-envelope)))
	small := strings.TrimSpace(frameJSON(watch.Added, named("b", "1")))
	large := strings.TrimSpace(frameJSON(watch.Added, sized("c", most-envelope+1)))
	if len(good) != most || len(large) != most+1 {
		t.Fatal("sizes", len(good), len(large))
	}
	got, err := decodeWatch(lw.WatchDecoder(reader([]byte(good + small + good + small + large + small))))
	if len(got) != 4 || !errors.Is(err, listwatch.ErrTooLarge) {
		t.Fatalf("%d events, %v", len(got), err)
	}
	if n := len(got[2].Object.(*v1.Starfighter).Spec.Pilot); n < most-1000 {
		t.Errorf("a pilot of %d bytes", n)
	}
	body := []byte(listJSON(sized("a", most-1), named("b", "1"), sized("c", most-1)))
	if _, items, err := lw.DecodeList(bytes.NewReader(body)); err != nil || len(items) != 3 {
		t.Errorf("%d items, %v", len(items), err)
	}
	body = []byte(listJSON(sized("a", most-1), named("b", "1"), sized("c", most+1)))
	if _, items, err := lw.DecodeList(bytes.NewReader(body)); !errors.Is(err, listwatch.ErrTooLarge) {
		t.Errorf("%d items, %v", len(items), err)
	}
}

// TestTooLargeEvent: the reflector is told.
func TestTooLargeEvent(t *testing.T) {
	lw := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, frameJSON(watch.Added, sized("a", 1<<20)))
	}, nil)
	lw.SetMax(1<<20, 1<<20)
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(w); len(got) != 1 || !strings.Contains(got[0], "an object is too large: more than 1048576 bytes") {
		t.Errorf("events %v", got)
	}
}
