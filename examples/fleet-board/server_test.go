// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	"github.com/okontajneroch/starwars/pkg/informer"
)

func TestEveryAnswerIsGuarded(t *testing.T) {
	b, _ := newTestBoard(t)
	_, server := newTestSite(t, b)
	for _, path := range []string{"/", "/static/board.js", "/api/v1/starfighters", "/nowhere", "/metrics"} {
		response, err := http.Get(server.URL + path)
		noError(t, err)
		response.Body.Close()
		policy := response.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestOtherSitesAreKeptOut(t *testing.T) {
	b, _ := newTestBoard(t)
	_, server := newTestSite(t, b)
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	fetch := func(site, mode string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", site)
			r.Header.Set("Sec-Fetch-Mode", mode)
		}
	}
	tests := []struct {
		name string
		edit func(*http.Request)
		want int
	}{
		{"by address", host("127.0.0.1:8080"), 200},
		{"by another port", host("localhost:9000"), 200},
		{"without a port", host("LOCALHOST"), 200},
		{"by IPv6", host("[::1]:8080"), 200},
		{"by IPv6 without a port", host("[::1]"), 200},
		{"by a name that leads here", host("evil.example"), 421},
		{"by a name like ours", host("localhost.evil.example:8080"), 421},
		{"by an address like ours", host("127.0.0.1.evil.example"), 421},
		{"by another address", host("192.0.2.1:8080"), 421},
		{"its own page", fetch("same-origin", "cors"), 200},
		{"typed by hand", fetch("none", "navigate"), 200},
		{"a link elsewhere", fetch("cross-site", "navigate"), 200},
		{"a script elsewhere", fetch("cross-site", "no-cors"), 403},
		{"another port of this computer", fetch("same-site", "cors"), 403},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, body := get(t, server, "/healthz", test.edit); got != test.want {
				t.Errorf("status %d, %s; want %d", got, body, test.want)
			}
		})
	}
}

func TestRoutes(t *testing.T) {
	b, _ := newTestBoard(t, fleet()...)
	s, server := newTestSite(t, b)
	tests := []struct {
		path   string
		status int
		want   string
	}{
		{"/healthz", 200, "ok\n"},
		{"/readyz", 200, "ok: the cache is filled and follows the API server\n"},
		{"/static/board.css", 200, "prefers-color-scheme: dark"},
		{"/static/board.js", 200, "textContent"},
		{"/static/", 404, ""},
		{"/templates/board.html", 404, ""},
		{"/nowhere", 404, ""},
		{"/?pilot=" + longer(maxValue), 400, "pilot has to be"},
		{"/?pilot=%ff", 400, "pilot has to be"},
	}
	for _, test := range tests {
		t.Run(test.path[:min(len(test.path), 30)], func(t *testing.T) {
			status, body := get(t, server, test.path)
			if status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("status %d, body %.300s; want %d and %q", status, body, test.status, test.want)
			}
		})
	}
	response, err := http.Post(server.URL+"/api/v1/starfighters", "application/json", strings.NewReader("{}"))
	noError(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", response.StatusCode)
	}
	if got := testutil.ToFloat64(s.metrics.requests.WithLabelValues("GET /healthz", "200")); got != 1 {
		t.Errorf("%v requests of /healthz are counted", got)
	}
	if got := testutil.ToFloat64(s.metrics.requests.WithLabelValues("", "404")); got != 3 {
		t.Errorf("%v requests without a route are counted", got)
	}
}

func TestPageIsReadableWithoutScripts(t *testing.T) {
	b, _ := newTestBoard(t, append(fleet(), newShip("default", "trap", "<i>sith</i>", `<img src=x onerror=alert(1)>"'`))...)
	_, server := newTestSite(t, b)
	_, all := get(t, server, "/")
	for _, want := range []string{
		"<h2>rebellion</h2>", "<h2>empire</h2>", "Luke Skywalker", "outer-rim/x-wing-1", ">6 ships<",
		"<h2>&lt;i&gt;sith&lt;/i&gt;</h2>", "&lt;img src=x onerror=alert(1)&gt;",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	for _, bad := range []string{"<i>sith", "<img src=x", "<script>", "style="} {
		if strings.Contains(all, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	_, found := get(t, server, "/?pilot=SKYW")
	if !strings.Contains(found, "2 of 6 ships") || !strings.Contains(found, `value="SKYW"`) || strings.Contains(found, "Wedge Antilles") {
		t.Errorf("search for a pilot:\n%s", found)
	}
	_, hostile := get(t, server, "/?pilot=%22%3E%3Cscript%3E")
	if strings.Contains(hostile, `"><script>`) {
		t.Error("the text that is searched for becomes HTML")
	}
}

func TestPageHasAnEndForLargeFleets(t *testing.T) {
	ships := fleet()
	for range 2 * pageRows {
		ships = append(ships, newShip("default", "more-"+string(v1.Empire)+"-"+strings.Repeat("x", len(ships)), v1.Empire, "Crew"))
	}
	for i := range 20 {
		ships = append(ships, newShip("default", "odd-"+strings.Repeat("x", i+1), v1.Faction(strings.Repeat("odd", i+1)), "Crew"))
	}
	b, _ := newTestBoard(t, ships...)
	p, err := b.page("", time.Now())
	noError(t, err)
	if p.Ships != len(ships) || len(p.Columns) != maxFactions+1 {
		t.Fatalf("%d ships in %d columns, want %d in %d", p.Ships, len(p.Columns), len(ships), maxFactions+1)
	}
	empire, others := p.Columns[1], p.Columns[maxFactions]
	if empire.Ships != 2*pageRows+1 || len(empire.Rows) != pageRows || empire.More() != pageRows+1 {
		t.Errorf("%d ships, %d rows, %d more", empire.Ships, len(empire.Rows), empire.More())
	}
	if !others.Others || others.Ships != 20+3-maxFactions {
		t.Errorf("others: %+v", others)
	}
}

func TestHealthInWords(t *testing.T) {
	refused := errors.New("connection refused")
	slow := informer.ConsumerStatus{Name: "slow"}
	tests := []struct {
		status           informer.Status
		ready            bool
		unready, trouble string
	}{
		{informer.Status{}, false, "the API server has not sent all ships", ""},
		{informer.Status{Err: refused}, false, "connection refused", "for 1m15s the API server could not be followed: connection refused"},
		{informer.Status{Synced: true, Consumers: []informer.ConsumerStatus{slow}}, false, "not all consumers", ""},
		{informer.Status{Synced: true, Err: refused}, true, "", "for 1m15s the API server could not be followed: connection refused"},
		{informer.Status{Synced: true}, true, "", ""},
	}
	for _, test := range tests {
		test.status.Since = time.Unix(0, 0)
		h := health{test.status}
		if got := h.trouble(time.Unix(75, 0)); h.ready() != test.ready || got != test.trouble {
			t.Errorf("%+v: ready %v, trouble %q; want %v, %q", test.status, h.ready(), got, test.ready, test.trouble)
		}
		if got := h.unready(); !test.ready && !strings.Contains(got, test.unready) {
			t.Errorf("%+v: not ready since %q; want %q", test.status, got, test.unready)
		}
	}
}

// A board whose API server is away says so, and becomes ready when it comes.
func TestBoardIsNotReadyWithoutTheAPIServer(t *testing.T) {
	client := fake.NewClientset()
	var away atomic.Bool
	away.Store(true)
	client.PrependReactor("list", "starfighters", func(clienttesting.Action) (bool, runtime.Object, error) {
		return away.Load(), nil, apierrors.NewServiceUnavailable("gone to Dagobah")
	})
	ctx, cancel := context.WithCancel(t.Context())
	b, err := newBoard(ctx, client, "", nil)
	t.Cleanup(func() { cancel(); noError(t, b.shutdown(ctx)) })
	noError(t, err)
	_, server := newTestSite(t, b)
	var body string
	eventually(t, "the cause is known", func() bool {
		var status int
		status, body = get(t, server, "/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "gone to Dagobah")
	})
	if status, body := get(t, server, "/api/v1/starfighters"); status != http.StatusServiceUnavailable || !strings.Contains(body, "gone to Dagobah") {
		t.Errorf("the API: status %d, %s", status, body)
	}
	if _, body := get(t, server, "/"); !strings.Contains(body, "gone to Dagobah") {
		t.Error("the page does not say why it is empty")
	}
	away.Store(false)
	eventually(t, "the board is ready", func() bool { status, _ := get(t, server, "/readyz"); return status == http.StatusOK })
}

// Stopping does not wait for streams, nor for connections that do nothing.
func TestServeEndsWithItsContext(t *testing.T) {
	b, _ := newTestBoard(t, fleet()...)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- newSite(b, newMetrics()).serve(ctx, listener) }()

	idle, err := net.Dial("tcp", listener.Addr().String())
	noError(t, err)
	defer idle.Close()
	stream, err := http.Get("http://" + listener.Addr().String() + "/events")
	noError(t, err)
	defer stream.Body.Close()
	first := make([]byte, 16)
	_, err = io.ReadFull(stream.Body, first)
	noError(t, err)
	if !bytes.HasPrefix(first, []byte("retry: ")) {
		t.Errorf("the stream begins with %q", first)
	}

	begin := time.Now()
	cancel()
	select {
	case err = <-ended:
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if took := time.Since(begin); err != nil || took > 2*time.Second {
		t.Errorf("ended after %s with %v", took, err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestServeSaysWhyItEndsByItself(t *testing.T) {
	b, _ := newTestBoard(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	noError(t, listener.Close())
	if err := newSite(b, newMetrics()).serve(t.Context(), listener); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
