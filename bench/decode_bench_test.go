// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/wire"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// ships is how many ships are decoded over and over: as many as there are in a
// page of a reflector's.
const ships = 500

// body returns an answer of an API server to a GET of all ships.
func body(tb testing.TB, query string) []byte {
	tb.Helper()
	handler, err := wire.NewHandler(wire.Config{Fleet: fleet.Fleet{Ships: ships, Seed: 1138}})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	cancel() // a watch ends after its initial events
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, "/apis/starwars.okontajneroch.sk/v1/starfighters?"+query, http.NoBody))
	if recorder.Code != http.StatusOK {
		tb.Fatal(recorder.Body)
	}
	return recorder.Body.Bytes()
}

// network answers every request with a body of its own, without a network.
type network func() io.Reader

func (n network) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {runtime.ContentTypeJSON}},
		Body:          io.NopCloser(n()),
		ContentLength: -1,
		Request:       request,
	}, nil
}

// endless is the same text again and again.
type endless struct {
	text []byte
	rest []byte
}

func (e *endless) Read(to []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.text
	}
	n := copy(to, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// decoder is a way to read ships from a network.
type decoder struct {
	name string
	cache.ListerWatcherWithContext
}

func decoders(tb testing.TB, n network) []decoder {
	tb.Helper()
	client, err := versioned.NewForConfigAndClient(&rest.Config{Host: "http://127.0.0.1", QPS: -1}, &http.Client{Transport: n})
	if err != nil {
		tb.Fatal(err)
	}
	all := client.StarwarsV1().Starfighters("")
	stock := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return all.List(ctx, options)
		},
		WatchFuncWithContext: all.Watch,
	}
	own := func(keepManagedFields bool) cache.ListerWatcherWithContext {
		lw, err := listwatch.New[starwarsv1.Starfighter](listwatch.Config{
			Client:            client.StarwarsV1().RESTClient(),
			Resource:          "starfighters",
			Fallback:          stock,
			KeepManagedFields: keepManagedFields,
		})
		if err != nil {
			tb.Fatal(err)
		}
		return lw
	}
	return []decoder{{"client-go", stock}, {"starwars", own(false)}, {"starwars-full", own(true)}}
}

// BenchmarkWatchEvent decodes a watch event per operation.
func BenchmarkWatchEvent(b *testing.B) {
	text := body(b, "watch=true&sendInitialEvents=true")
	for _, decoder := range decoders(b, func() io.Reader { return &endless{text: text} }) {
		b.Run(decoder.name, func(b *testing.B) {
			w, err := decoder.WatchWithContext(b.Context(), metav1.ListOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Stop()
			b.SetBytes(int64(len(text) / ships))
			b.ReportAllocs()
			for b.Loop() {
				if event := <-w.ResultChan(); event.Type != watch.Added && event.Type != watch.Bookmark {
					b.Fatalf("%+v", event)
				}
			}
		})
	}
}

// BenchmarkListItem decodes an item of a list per operation, a whole page at a
// time.
func BenchmarkListItem(b *testing.B) {
	text := body(b, "")
	for _, decoder := range decoders(b, func() io.Reader { return bytes.NewReader(text) }) {
		b.Run(decoder.name, func(b *testing.B) {
			b.SetBytes(int64(len(text) / ships))
			b.ReportAllocs()
			for done := 0; done < b.N; done += ships {
				list, err := decoder.ListWithContext(b.Context(), metav1.ListOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if read, ok := list.(*starwarsv1.StarfighterList); ok && len(read.Items) != ships {
					b.Fatalf("%d items", len(read.Items))
				}
			}
		})
	}
}
