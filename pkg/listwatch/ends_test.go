// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// TestBrokenConnection: what breaks before there is an answer is tried again.
func TestBrokenConnection(t *testing.T) {
	var requests atomic.Int32
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%4 != 0 {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, listJSON(shipJSON(1)))
		} else {
			fmt.Fprint(w, frameJSON(watch.Added, shipJSON(1)))
		}
	}, nil)
	if list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil || len(names(t, list)) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(w); len(got) != 1 {
		t.Errorf("events %v", got)
	}
	// As client-go: a list is an error in the end, a watch one without events.
	lw = serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1); panic(http.ErrAbortHandler) }, nil)
	requests.Store(0)
	if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); !errors.Is(err, io.EOF) || requests.Load() != 11 {
		t.Errorf("%v after %d requests, want EOF after 11", err, requests.Load())
	}
	requests.Store(0)
	w, err = lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil || requests.Load() != 11 {
		t.Fatalf("%v after %d requests, want 11", err, requests.Load())
	}
	if got := events(w); len(got) != 0 {
		t.Errorf("events %v", got)
	}
}

// TestCutConnection: a list that was cut is an error, whatever it had.
func TestCutConnection(t *testing.T) {
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := listJSON(shipJSON(1), shipJSON(2))
		if r.URL.Query().Get("watch") != "" {
			body = frameJSON(watch.Added, shipJSON(1)) + frameJSON(watch.Added, shipJSON(2))
		}
		fmt.Fprint(w, body[:len(body)-10])
		flush(w)
		panic(http.ErrAbortHandler)
	}, nil)
	if list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, %v", list, err)
	}
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(w); !reflect.DeepEqual(got, []string{"ADDED ship-000001"}) {
		t.Errorf("events %v", got)
	}
}

// TestEndsAsClientGo: however a watch or a list ends, a reflector is told what
// client-go's own clientset would tell it.
func TestEndsAsClientGo(t *testing.T) {
	noLeak(t)
	frame := frameJSON(watch.Added, shipJSON(1))
	for _, http2 := range []bool{false, true} {
		for name, end := range map[string]func(w http.ResponseWriter, r *http.Request){
			"clean":        func(http.ResponseWriter, *http.Request) {},
			"cut":          func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"half a frame": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, frame[:100]) },
			"half a frame cut": func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, frame[:100])
				flush(w)
				panic(http.ErrAbortHandler)
			},
			"garbage":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "garbage") },
			"cancelled": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %t", name, http2), func(t *testing.T) {
				first, arrived := "", make(chan struct{}, 1)
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if (r.ProtoMajor == 2) != http2 {
						t.Error(r.Proto)
					}
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprint(w, first)
					flush(w)
					arrived <- struct{}{}
					end(w, r)
				}))
				server.EnableHTTP2 = http2
				server.StartTLS()
				defer server.Close()
				client, err := versioned.NewForConfigAndClient(&rest.Config{Host: server.URL, QPS: -1}, server.Client())
				if err != nil {
					t.Fatal(err)
				}
				outcome := func(lw cache.ListerWatcherWithContext) (watched []string, listErr error) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					first = frame
					w, err := lw.WatchWithContext(ctx, metav1.ListOptions{})
					if err != nil {
						t.Fatal(err)
					}
					<-arrived
					for e := range w.ResultChan() {
						if name == "cancelled" {
							if cancel(); e.Type == watch.Error {
								continue // or not: it depends on who sees it first
							}
						}
						if s, ok := e.Object.(*metav1.Status); ok {
							s.Message, s.Details.Causes = "", nil
						}
						watched = append(watched, describe(e))
					}
					ctx, cancel = context.WithCancel(t.Context())
					defer cancel()
					if name == "cancelled" {
						go func() { <-arrived; cancel() }()
					}
					first = listJSON(shipJSON(1))[:100]
					_, listErr = lw.ListWithContext(ctx, metav1.ListOptions{})
					select {
					case <-arrived:
					default:
					}
					return watched, listErr
				}
				want, wantErr := outcome(stock(client))
				got, gotErr := outcome(on(t, client, nil))
				if !reflect.DeepEqual(got, want) {
					t.Errorf("events %q, want %q", got, want)
				}
				if wantErr == nil || gotErr == nil {
					t.Errorf("lists return %v, with client-go %v", gotErr, wantErr)
				}
			})
		}
	}
}

func TestReaders(t *testing.T) {
	list := listJSON(shipJSON(1), shipJSON(2))
	stream := frameJSON(watch.Added, shipJSON(1)) + frameJSON(watch.Deleted, shipJSON(2))
	lw := newListerWatcher(t, nil)
	for name, slow := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader,
		"half":     iotest.HalfReader,
		"data err": iotest.DataErrReader,
		"13 bytes": func(r io.Reader) io.Reader { return stepReader{r} },
	} {
		if _, items, err := lw.DecodeList(slow(strings.NewReader(list))); err != nil || len(items) != 2 {
			t.Errorf("%s: %d items, %v", name, len(items), err)
		}
		got, err := decodeWatch(lw.WatchDecoder(io.NopCloser(slow(strings.NewReader(stream)))))
		if !errors.Is(err, io.EOF) || len(got) != 2 || got[1].Type != watch.Deleted {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
	}
	// An error of the network reaches client-go as it is.
	broken := errors.New("broken")
	for cut := range stream {
		body := io.MultiReader(strings.NewReader(stream[:cut]), iotest.ErrReader(broken))
		if got, err := decodeWatch(lw.WatchDecoder(io.NopCloser(body))); any(err) != any(broken) || len(got) > 2 {
			t.Fatalf("cut at %d: %d events, %v", cut, len(got), err)
		}
	}
	for cut := range list {
		if _, _, err := lw.DecodeList(io.MultiReader(strings.NewReader(list[:cut]), iotest.ErrReader(broken))); any(err) != any(broken) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// stepReader reads a few bytes at once, and now and then none.
type stepReader struct{ io.Reader }

func (r stepReader) Read(p []byte) (int, error) {
	if time.Now().UnixNano()%3 == 0 {
		return 0, nil
	}
	return r.Reader.Read(p[:min(13, len(p))])
}

// TestIdleWatch: a watch on which nothing happens begins, and can be stopped.
func TestIdleWatch(t *testing.T) {
	noLeak(t)
	ended := make(chan struct{}, 2)
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		flush(w)
		<-r.Context().Done()
		ended <- struct{}{}
	}, nil)
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
	w.Stop()
	for e := range w.ResultChan() {
		// As with client-go, the reader that is closed may show.
		t.Logf("after Stop: %s", describe(e))
	}
	<-ended

	ctx, cancel := context.WithCancel(t.Context())
	if w, err = lw.WatchWithContext(ctx, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for e := range w.ResultChan() {
		if e.Type != watch.Error {
			t.Errorf("after the end of the context: %s", describe(e))
		}
	}
	<-ended
}

// TestStopWhileSending: nobody takes the event, and the watch is stopped.
func TestStopWhileSending(t *testing.T) {
	noLeak(t)
	ended := make(chan struct{})
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for n := 0; ; n++ {
			if _, err := fmt.Fprint(w, frameJSON(watch.Added, shipJSON(n))); err != nil {
				return
			}
			flush(w)
		}
	}, nil)
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-w.ResultChan()
	w.Stop()
	<-ended
}
