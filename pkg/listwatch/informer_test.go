// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// The tests in this file have client-go's own informer on a ListerWatcher, and
// in place of the network a function, so that time is that of synctest: what
// takes an hour takes no time, and what is left over at the end is found.

// transport answers requests; nil stands for a connection that breaks.
type transport func(r *http.Request) *http.Response

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if response := f(r); response != nil {
		return response, nil
	}
	return nil, io.EOF
}

func answer(code int, body io.ReadCloser, header ...string) *http.Response {
	response := &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
	for i := 0; i < len(header); i += 2 {
		response.Header.Set(header[i], header[i+1])
	}
	return response
}

func text(body string) io.ReadCloser { return io.NopCloser(strings.NewReader(body)) }

// stream is the body of a watch that is still going on: first some text, then
// what is written to it.
func stream(r *http.Request, first string) (io.ReadCloser, *io.PipeWriter) {
	body, w := io.Pipe()
	stop := context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
	return &streamBody{io.MultiReader(strings.NewReader(first), body), func() { stop(); body.Close() }}, w
}

type streamBody struct {
	io.Reader
	close func()
}

func (b *streamBody) Close() error { b.close(); return nil }

// bookmark ends the initial events of a watch-list.
func bookmark(resourceVersion string) string {
	return frameJSON(watch.Bookmark, `{"kind":"Starfighter","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"resourceVersion":"`+
		resourceVersion+`","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"faction":"","pilot":"","type":""}}`)
}

// named is a ship with some name and resource version.
func named(name, resourceVersion string) string {
	return `{"kind":"Starfighter","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"namespace":"fleet","name":"` + name +
		`","uid":"u-` + name + `","resourceVersion":"` + resourceVersion + `"},"spec":{"faction":"rebellion","pilot":"Luke","type":"X-Wing"}}`
}

// run is an informer that runs.
type run struct {
	cache.SharedIndexInformer
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	events []string
	errs   []error
}

// newClientOf returns a clientset whose server is a function.
func newClientOf(t *testing.T, server transport, limit flowcontrol.RateLimiter) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfigAndClient(&rest.Config{Host: "http://ships", QPS: -1, RateLimiter: limit}, &http.Client{Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// start runs client-go's informer on the answers. Requests get the number of
// those before them.
func start(t *testing.T, change func(*listwatch.Config), resync time.Duration, transform cache.TransformFunc, answer func(n int, r *http.Request) *http.Response) *run {
	t.Helper()
	var mu sync.Mutex
	n := 0
	lw := on(t, newClientOf(t, func(r *http.Request) *http.Response {
		mu.Lock()
		defer mu.Unlock()
		n++
		return answer(n-1, r)
	}, nil), change)
	lw.SetRetryDelay(time.Second)
	i := &run{
		SharedIndexInformer: cache.NewSharedIndexInformerWithOptions(lw, &v1.Starfighter{}, cache.SharedIndexInformerOptions{ResyncPeriod: resync}),
		done:                make(chan struct{}),
	}
	if transform != nil {
		if err := i.SetTransform(transform); err != nil {
			t.Fatal(err)
		}
	}
	if err := i.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.errs = append(i.errs, err)
	}); err != nil {
		t.Fatal(err)
	}
	log := func(what string, obj any) {
		if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = d.Obj
		}
		o := obj.(*v1.Starfighter)
		i.mu.Lock()
		defer i.mu.Unlock()
		i.events = append(i.events, what+" "+o.Name+"@"+o.ResourceVersion)
	}
	if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { log("add", obj) },
		UpdateFunc: func(_, obj any) { log("update", obj) },
		DeleteFunc: func(obj any) { log("delete", obj) },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	i.cancel = cancel
	go func() {
		defer close(i.done)
		i.RunWithContext(ctx)
	}()
	return i
}

func (i *run) stop() {
	i.cancel()
	<-i.done
	synctest.Wait()
}

// expect fails if the events since the last time are other ones.
func (i *run) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	slices.Sort(want)
	slices.Sort(i.events)
	if !slices.Equal(i.events, want) {
		t.Errorf("events %q, want %q", i.events, want)
	}
	i.events = nil
}

func isList(r *http.Request) bool { return r.URL.Query().Get("watch") == "" }

func isWatchList(q url.Values) bool { return q.Get("sendInitialEvents") == "true" }

func TestWatchList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *io.PipeWriter
		i := start(t, nil, 0, nil, func(n int, r *http.Request) *http.Response {
			if q := r.URL.Query(); n > 0 || !isWatchList(q) || q.Get("allowWatchBookmarks") != "true" {
				t.Errorf("request %d: %s", n, r.URL)
			}
			var body io.ReadCloser
			body, w = stream(r, frameJSON(watch.Added, named("a", "1"))+frameJSON(watch.Added, named("b", "2")))
			return answer(200, body)
		})
		synctest.Wait()
		if i.HasSynced() {
			t.Error("synced before the bookmark")
		}
		fmt.Fprint(w, bookmark("5"))
		i.expect(t, "add a@1", "add b@2")
		if !i.HasSynced() || i.LastSyncResourceVersion() != "5" {
			t.Error("not synced to 5 but to", i.LastSyncResourceVersion())
		}
		fmt.Fprint(w, frameJSON(watch.Modified, named("a", "6"))+frameJSON(watch.Deleted, named("b", "7"))+frameJSON(watch.Added, named("c", "8")))
		i.expect(t, "update a@6", "delete b@7", "add c@8")
		fmt.Fprint(w, frameJSON(watch.Bookmark, named("", "20")))
		synctest.Wait()
		if got := i.LastSyncResourceVersion(); got != "20" {
			t.Errorf("resource version %s after a bookmark at 20", got)
		}
		i.stop()
	})
}

// TestWatchEnds: a watch that ends goes on where it was.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := start(t, nil, 0, nil, func(n int, r *http.Request) *http.Response {
			switch n {
			case 0: // to the end of the server's time
				return answer(200, text(frameJSON(watch.Added, named("a", "1"))+bookmark("5")+frameJSON(watch.Modified, named("a", "6"))))
			case 1: // cut
				if got := r.URL.Query().Get("resourceVersion"); got != "6" {
					t.Errorf("the watch goes on at %s", got)
				}
				return answer(200, text(frameJSON(watch.Modified, named("a", "7"))+frameJSON(watch.Modified, named("a", "8"))[:50]))
			}
			if q := r.URL.Query(); isList(r) || isWatchList(q) || q.Get("resourceVersion") != "7" {
				t.Errorf("request %d: %s", n, r.URL)
			}
			body, _ := stream(r, frameJSON(watch.Modified, named("a", "8")))
			return answer(200, body)
		})
		time.Sleep(time.Minute)
		i.expect(t, "add a@1", "update a@6", "update a@7", "update a@8")
		i.stop()
	})
}

// TestCutBeforeBookmark: the cache is not taken for complete, and fills in the
// end.
func TestCutBeforeBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := start(t, nil, 0, nil, func(n int, r *http.Request) *http.Response {
			first := frameJSON(watch.Added, named("a", "1"))
			if n < 3 {
				return answer(200, text(first+first[:20*n]))
			}
			body, _ := stream(r, first+frameJSON(watch.Added, named("b", "2"))+bookmark("5"))
			return answer(200, body)
		})
		time.Sleep(10 * time.Minute)
		i.expect(t, "add a@1", "add b@2")
		if !i.HasSynced() {
			t.Error("not synced")
		}
		i.stop()
	})
}

// TestExpired: from a resource version that the server no longer has, the
// reflector starts anew.
func TestExpired(t *testing.T) {
	for name, expired := range map[string]func() *http.Response{
		"event":  func() *http.Response { return answer(200, text(frameJSON(watch.Error, statusJSON(410, "Expired")))) },
		"answer": func() *http.Response { return answer(410, text(statusJSON(410, "Expired"))) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := start(t, nil, 0, nil, func(n int, r *http.Request) *http.Response {
					switch n {
					case 0:
						return answer(200, text(frameJSON(watch.Added, named("a", "1"))+frameJSON(watch.Added, named("b", "2"))+bookmark("5")))
					case 1:
						return expired()
					}
					if n == 2 && !isWatchList(r.URL.Query()) {
						t.Errorf("request %d: %s", n, r.URL)
					}
					body, _ := stream(r, frameJSON(watch.Added, named("a", "7"))+bookmark("9"))
					return answer(200, body)
				})
				time.Sleep(10 * time.Minute)
				i.expect(t, "add a@1", "add b@2", "update a@7", "delete b@2")
				i.stop()
			})
		})
	}
}

// TestInternalErrorEvent: any error in the stream starts the reflector anew.
func TestInternalErrorEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := start(t, nil, 0, nil, func(n int, r *http.Request) *http.Response {
			if n == 0 {
				return answer(200, text(frameJSON(watch.Added, named("a", "1"))+bookmark("5")+frameJSON(watch.Error, statusJSON(500, "InternalError"))))
			}
			body, _ := stream(r, frameJSON(watch.Added, named("a", "7"))+bookmark("9"))
			return answer(200, body)
		})
		time.Sleep(10 * time.Minute)
		i.expect(t, "add a@1", "update a@7")
		i.stop()
	})
}

func TestPagedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := start(t, func(c *listwatch.Config) { c.NoWatchList = true }, 0, nil, func(n int, r *http.Request) *http.Response {
			switch q := r.URL.Query(); {
			case n == 0 && isList(r):
				return answer(200, text(`{"kind":"StarfighterList","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"resourceVersion":"5","continue":"c"},"items":[`+named("a", "1")+`]}`))
			case n == 1 && isList(r) && q.Get("continue") == "c":
				return answer(200, text(listJSON(named("b", "2"))))
			case n == 2 && !isList(r) && q.Get("resourceVersion") == "5":
				body, _ := stream(r, frameJSON(watch.Deleted, named("a", "20000")))
				return answer(200, body)
			}
			t.Errorf("request %d: %s", n, r.URL)
			return answer(500, text(""))
		})
		i.expect(t, "add a@1", "add b@2", "delete a@20000")
		i.stop()
	})
}

// TestNoRequestStorm: a server that is too busy is left in peace as long as it
// asks for, and as client-go does.
func TestNoRequestStorm(t *testing.T) {
	for name, busy := range map[string]func() *http.Response{
		"429 with Retry-After": func() *http.Response {
			return answer(429, text(statusJSON(429, "TooManyRequests")), "Retry-After", "1")
		},
		"503": func() *http.Response { return answer(503, text(statusJSON(503, "ServiceUnavailable"))) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				i := start(t, nil, 0, nil, func(n int, r *http.Request) *http.Response {
					at = append(at, time.Now())
					if n < 20 {
						return busy()
					}
					if isList(r) {
						return answer(200, text(listJSON(named("a", "1"))))
					}
					body, _ := stream(r, frameJSON(watch.Added, named("a", "1"))+bookmark("5"))
					return answer(200, body)
				})
				time.Sleep(time.Hour)
				i.expect(t, "add a@1")
				i.stop()
				// A reflector may list at once after a watch-list that failed, so
				// two requests may be close, but never more.
				for n := 2; n < 20; n++ {
					if gap := at[n].Sub(at[n-2]); gap < 700*time.Millisecond {
						t.Errorf("requests %d to %d within %v", n-2, n, gap)
					}
				}
				t.Logf("20 requests in %v", at[19].Sub(at[0]))
			})
		})
	}
}

// TestFallback: a server that answers in something else than JSON.
func TestFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := start(t, func(c *listwatch.Config) {
			c.Fallback = &cache.ListWatch{
				ListWithContextFunc: cache.ListWithContextFunc(c.Fallback.ListWithContext), WatchFuncWithContext: c.Fallback.WatchWithContext,
			}
		}, 0, nil, func(n int, r *http.Request) *http.Response {
			if n == 0 {
				return answer(200, text("k8s\x00 and so on"))
			}
			if isList(r) {
				return answer(200, text(listJSON(named("a", "1"))))
			}
			body, _ := stream(r, "")
			return answer(200, body)
		})
		time.Sleep(time.Minute)
		i.expect(t, "add a@1")
		i.stop()
	})
}

// TestForbidden: what client-go's watch error handler is told is the API
// server's own error.
func TestForbidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := start(t, nil, 0, nil, func(int, *http.Request) *http.Response { return answer(403, text(statusJSON(403, "Forbidden"))) })
		time.Sleep(time.Second)
		i.stop()
		if len(i.errs) == 0 || !apierrors.IsForbidden(i.errs[0]) {
			t.Errorf("errors %v", i.errs)
		}
	})
}

// TestListTimeout: the server may take as long for a list as the options say.
func TestListTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lw := on(t, newClientOf(t, func(r *http.Request) *http.Response {
			body, _ := stream(r, `{"items":[`)
			return answer(200, body)
		}, nil), nil)
		begin, seconds := time.Now(), int64(7)
		_, err := lw.ListWithContext(t.Context(), metav1.ListOptions{TimeoutSeconds: &seconds})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 7*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		synctest.Wait()
	})
}

// TestBrokenConnectionDelay: what breaks is tried again as slowly as client-go
// does, and not when nobody waits for it any more.
func TestBrokenConnectionDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClientOf(t, func(*http.Request) *http.Response { return nil }, nil)
		lw, stock := on(t, client, nil), stock(client)
		lw.SetRetryDelay(time.Second)
		outcome := func(ctx context.Context, l cache.ListerWatcherWithContext) string {
			begin := time.Now()
			_, listErr := l.ListWithContext(ctx, metav1.ListOptions{})
			listed := time.Since(begin)
			_, watchErr := l.WatchWithContext(ctx, metav1.ListOptions{})
			return fmt.Sprintf("%t after %v, %t after %v", listErr == nil, listed, watchErr == nil, time.Since(begin))
		}
		if got, want := outcome(t.Context(), lw), outcome(t.Context(), stock); got != want {
			t.Errorf("%s, with client-go %s", got, want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if got, want := outcome(ctx, lw), "false after 2.5s, false after 2.5s"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// limiter counts.
type limiter struct {
	flowcontrol.RateLimiter
	waits int
}

func (l *limiter) Wait(context.Context) error { l.waits++; return nil }

// TestRateLimit: a list waits for the client's rate limit, a watch only to try
// again, as with client-go.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &limiter{RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter()}
		busy := 0
		client := newClientOf(t, func(r *http.Request) *http.Response {
			if busy > 0 {
				busy--
				return answer(429, text(statusJSON(429, "TooManyRequests")), "Retry-After", "1")
			}
			if isList(r) {
				return answer(200, text(listJSON()))
			}
			return answer(200, text(""))
		}, limit)
		lw, stock := on(t, client, nil), stock(client)
		for _, retries := range []int{0, 3} {
			count := func(do func() error) int {
				limit.waits, busy = 0, retries
				if err := do(); err != nil {
					t.Error(err)
				}
				return limit.waits
			}
			list := func(l cache.ListerWithContext) func() error {
				return func() error { _, err := l.ListWithContext(t.Context(), metav1.ListOptions{}); return err }
			}
			watches := func(l cache.WatcherWithContext) func() error {
				return func() error {
					w, err := l.WatchWithContext(t.Context(), metav1.ListOptions{})
					if err == nil {
						events(w)
					}
					return err
				}
			}
			if got, want := count(list(lw)), count(list(stock)); got != want || got != retries+1 {
				t.Errorf("%d waits for a list, %d with client-go", got, want)
			}
			if got, want := count(watches(lw)), count(watches(stock)); got != want || got != retries {
				t.Errorf("%d waits for a watch, %d with client-go", got, want)
			}
		}
	})
}
