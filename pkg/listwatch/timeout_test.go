// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// TestTimeoutSparesWatches: rest.Config.Timeout limits lists, which end, and not
// watches, which do not. In all else the client of watches is the clientset's.
func TestTimeoutSparesWatches(t *testing.T) {
	noLeak(t)
	const timeout = 200 * time.Millisecond
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			var watches atomic.Int32
			var mu sync.Mutex
			sent := map[string]http.Header{}
			stuck, outlived := make(chan struct{}), make(chan struct{})
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				query := r.URL.Query()
				verb := "list"
				if query.Has("watch") {
					verb = "watch"
				}
				mu.Lock()
				sent[verb] = r.Header.Clone()
				mu.Unlock()
				w.Header().Set("Warning", `299 - "`+verb+` is old"`)
				switch {
				case query.Get("labelSelector") == "stuck":
					close(stuck)
					<-r.Context().Done()
				case verb == "list":
					fmt.Fprint(w, listJSON(shipJSON(1)))
				case watches.Add(1) == 1:
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusTooManyRequests)
				default:
					fmt.Fprint(w, frameJSON(watch.Added, shipJSON(1)))
					flush(w)
					<-outlived
					fmt.Fprint(w, frameJSON(watch.Added, shipJSON(2)))
				}
			}))
			server.EnableHTTP2 = http2
			server.StartTLS()
			t.Cleanup(server.Close)

			var warned warnings
			var limit countingLimiter
			client, err := versioned.NewForConfig(&rest.Config{
				Host:                      server.URL,
				TLSClientConfig:           rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
				BearerToken:               "r2-d2",
				UserAgent:                 "hangar/1.0",
				Impersonate:               rest.ImpersonationConfig{UserName: "luke", Groups: []string{"rebels"}},
				RateLimiter:               &limit,
				WarningHandlerWithContext: &warned,
				Timeout:                   timeout,
			})
			if err != nil {
				t.Fatal(err)
			}
			lw := on(t, client, nil)

			w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			if waits := limit.waits.Load(); watches.Load() != 2 || waits != 1 {
				t.Errorf("%d watches with %d waits for the rate limit; want two, of which the second waits", watches.Load(), waits)
			}
			if list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil || len(names(t, list)) != 1 {
				t.Errorf("list: %v, %v", list, err)
			}
			if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{LabelSelector: "stuck"}); !utilnet.IsTimeout(err) {
				t.Errorf("a list without an answer: %v, want a timeout", err)
			}
			<-stuck
			close(outlived) // more than the timeout after the watch began
			if got, want := events(w), []string{"ADDED ship-000001", "ADDED ship-000002"}; !slices.Equal(got, want) {
				t.Errorf("events %q, want %q", got, want)
			}

			if !reflect.DeepEqual(sent["watch"], sent["list"]) {
				t.Errorf("a watch sends %v, a list %v", sent["watch"], sent["list"])
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer r2-d2", "User-Agent": "hangar/1.0", "Impersonate-User": "luke", "Impersonate-Group": "rebels", "Accept": "application/json",
			} {
				if got := sent["watch"].Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			for _, verb := range []string{"watch", "list"} {
				if got := warned.get(); !slices.Contains(got, verb+" is old") {
					t.Errorf("the user's handler got the warnings %q, not that of a %s", got, verb)
				}
			}
		})
	}
}

// TestUsersOwnClientWatches: a client of the user's own kind is used as it is.
func TestUsersOwnClientWatches(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, frameJSON(watch.Added, shipJSON(1)))
	}))
	t.Cleanup(server.Close)
	client, err := versioned.NewForConfig(&rest.Config{Host: server.URL, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	own := &ownClient{Interface: client.StarwarsV1().RESTClient()}
	w, err := newListerWatcher(t, func(c *listwatch.Config) { c.Client = own }).WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(w); len(got) != 1 || own.requests.Load() != 1 {
		t.Errorf("events %q, %d requests of the user's client", got, own.requests.Load())
	}
}

type ownClient struct {
	rest.Interface
	requests atomic.Int32
}

func (c *ownClient) Get() *rest.Request {
	c.requests.Add(1)
	return c.Interface.Get()
}

// warnings keeps the warnings that the server sent.
type warnings struct {
	mu   sync.Mutex
	text []string
}

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

func (w *warnings) get() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.text)
}

// countingLimiter counts who waits.
type countingLimiter struct {
	flowcontrol.RateLimiter // nothing else is called
	waits                   atomic.Int32
}

func (l *countingLimiter) Wait(context.Context) error {
	l.waits.Add(1)
	return nil
}
