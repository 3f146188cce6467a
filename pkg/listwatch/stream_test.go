// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// The tests in this file go through net/http, from a server to the clientset's
// REST client.

type shipListerWatcher = listwatch.ListerWatcher[v1.Starfighter, *v1.Starfighter]

// serve returns a ListerWatcher on a server with this handler.
func serve(t *testing.T, handler http.HandlerFunc, change func(*listwatch.Config)) *shipListerWatcher {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return on(t, newClient(t, server.URL), change)
}

func on(t testing.TB, client versioned.Interface, change func(*listwatch.Config)) *shipListerWatcher {
	t.Helper()
	lw := newListerWatcher(t, func(c *listwatch.Config) {
		c.Client = client.StarwarsV1().RESTClient()
		c.Fallback = stock(client)
		if change != nil {
			change(c)
		}
	})
	lw.SetRetryDelay(time.Millisecond)
	return lw
}

// stock is client-go's way to the same ships.
func stock(client versioned.Interface) *cache.ListWatch {
	ships := client.StarwarsV1().Starfighters("")
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (apiruntime.Object, error) {
			return ships.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return ships.Watch(ctx, o) },
	}
}

// noLeak fails the test if it leaves goroutines of this package or of a watch.
func noLeak(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		for range 1000 {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if !strings.Contains(string(stacks), "pkg/listwatch.") && !strings.Contains(string(stacks), "StreamWatcher") {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Error("a goroutine of a watch is left")
	})
}

func names(t testing.TB, list apiruntime.Object) []string {
	t.Helper()
	var got []string
	if err := meta.EachListItem(list, func(o apiruntime.Object) error {
		got = append(got, o.(metav1.Object).GetName())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRequests(t *testing.T) {
	var got []string
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.RequestURI(), r.Header.Get("Accept"), r.Header.Get("User-Agent"))
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, listJSON(shipJSON(1), shipJSON(2)))
		}
	}, func(c *listwatch.Config) {
		c.Namespace = "fleet"
		c.TweakListOptions = func(o *metav1.ListOptions) { o.LabelSelector = "a=b" }
	})
	list, err := lw.List(metav1.ListOptions{ResourceVersion: "0", Limit: 500, Continue: "c"})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, list); !reflect.DeepEqual(got, []string{"ship-000001", "ship-000002"}) {
		t.Errorf("listed %v", got)
	}
	if m, err := meta.ListAccessor(list); err != nil || m.GetResourceVersion() != "12345" {
		t.Errorf("resource version of the list: %v, %v", m, err)
	}
	if c := list.DeepCopyObject(); !reflect.DeepEqual(c, list) || c == list {
		t.Error("the copy of the list is not like it")
	}
	send, seconds := true, int64(7)
	w, err := lw.Watch(metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: &send, ResourceVersionMatch: "NotOlderThan", TimeoutSeconds: &seconds})
	if err != nil {
		t.Fatal(err)
	}
	if e, open := <-w.ResultChan(); open {
		t.Errorf("event %v of a watch that ended", e)
	}
	const path = "/apis/starwars.okontajneroch.sk/v1/namespaces/fleet/starfighters?"
	agent := rest.DefaultKubernetesUserAgent()
	want := []string{
		path + "continue=c&labelSelector=a%3Db&limit=500&resourceVersion=0", "application/json", agent,
		path + "allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=7s&timeoutSeconds=7&watch=true", "application/json", agent,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("requests\n%q, want\n%q", got, want)
	}
}

func TestPagedList(t *testing.T) {
	var requests []string
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		requests = append(requests, q.Get("limit")+"/"+q.Get("continue"))
		page, _ := strconv.Atoi(q.Get("continue"))
		next := strconv.Itoa(page + 1)
		if page == 2 {
			next = ""
		}
		fmt.Fprintf(w, `{"kind":"StarfighterList","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"resourceVersion":"9","continue":%q},"items":[%s,%s]}`,
			next, shipJSON(2*page), shipJSON(2*page+1))
	}, nil)
	p := pager.New(lw.ListWithContext)
	p.PageSize = 2
	list, paged, err := p.List(t.Context(), metav1.ListOptions{})
	if err != nil || !paged {
		t.Fatal(paged, err)
	}
	if got := names(t, list); len(got) != 6 || got[5] != "ship-000005" {
		t.Errorf("listed %v", got)
	}
	if want := []string{"2/", "2/1", "2/2"}; !reflect.DeepEqual(requests, want) {
		t.Errorf("requests %v, want %v", requests, want)
	}
}

func TestGzip(t *testing.T) {
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Error("gzip is not asked for")
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(z, listJSON(shipJSON(1)))
			return
		}
		for n := range 3 {
			fmt.Fprint(z, frameJSON(watch.Added, shipJSON(n)))
			_ = z.Flush()
			flush(w)
		}
	}, nil)
	list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil || len(names(t, list)) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(w); !reflect.DeepEqual(got, []string{"ADDED ship-000000", "ADDED ship-000001", "ADDED ship-000002"}) {
		t.Errorf("events %v", got)
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// events reads a watch to its end.
func events(w watch.Interface) []string {
	var got []string
	for e := range w.ResultChan() {
		got = append(got, describe(e))
	}
	return got
}

func describe(e watch.Event) string {
	switch o := e.Object.(type) {
	case *metav1.Status:
		return fmt.Sprintf("%s %d %s: %s", e.Type, o.Code, o.Reason, o.Message)
	case metav1.Object:
		return string(e.Type) + " " + o.GetName()
	}
	return fmt.Sprintf("%s %T", e.Type, e.Object)
}

// statusJSON is an error as an API server sends it.
func statusJSON(code int, reason metav1.StatusReason) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":%q,"code":%d}`, reason, code)
}

func TestTypedErrors(t *testing.T) {
	for code, is := range map[int]struct {
		reason metav1.StatusReason
		test   func(error) bool
	}{
		401: {metav1.StatusReasonUnauthorized, apierrors.IsUnauthorized},
		403: {metav1.StatusReasonForbidden, apierrors.IsForbidden},
		404: {metav1.StatusReasonNotFound, apierrors.IsNotFound},
		410: {metav1.StatusReasonExpired, apierrors.IsResourceExpired},
		429: {metav1.StatusReasonTooManyRequests, apierrors.IsTooManyRequests},
		500: {metav1.StatusReasonInternalError, apierrors.IsInternalError},
		503: {metav1.StatusReasonServiceUnavailable, apierrors.IsServiceUnavailable},
		504: {metav1.StatusReasonTimeout, apierrors.IsTimeout},
	} {
		lw := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprint(w, statusJSON(code, is.reason))
		}, nil)
		if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); !is.test(err) {
			t.Errorf("%d: list returns %v", code, err)
		}
		if _, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{}); !is.test(err) {
			t.Errorf("%d: watch returns %v", code, err)
		}
	}
	// Though the server says that all is well.
	lw := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Replace(statusJSON(410, "Expired"), `"code"`, `"details":{"causes":[{"reason":"a"}]},"code"`, 1))
	}, nil)
	if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) || !apierrors.HasStatusCause(err, "a") {
		t.Errorf("list returns %v", err)
	}
}

// TestErrorEvent: an error in the stream reaches the reflector as it was sent.
func TestErrorEvent(t *testing.T) {
	lw := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, frameJSON(watch.Added, shipJSON(1))+frameJSON(watch.Error, statusJSON(410, "Expired")))
	}, nil)
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-w.ResultChan()
	if e := <-w.ResultChan(); e.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
		t.Errorf("got %v", e)
	}
	if e, open := <-w.ResultChan(); open {
		t.Errorf("got %v after the end", e)
	}
}

// TestNotJSON: what this package does not speak, client-go's decoding does.
func TestNotJSON(t *testing.T) {
	for _, answer := range []string{"k8s\x00\x0a", "\xd9\xd9\xf7\xa0", "apiVersion: v1"} {
		asked := map[string]int{}
		lw := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked["server"]++
			fmt.Fprint(w, answer)
		}, func(c *listwatch.Config) {
			c.Fallback = &cache.ListWatch{
				ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) {
					asked["list"]++
					return &v1.StarfighterList{}, nil
				},
				WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
					asked["watch"]++
					return watch.NewEmptyWatch(), nil
				},
			}
		})
		w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := events(w); len(got) != 1 || !strings.Contains(got[0], "does not answer in JSON for starfighters") {
			t.Errorf("events %v", got)
		}
		if _, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
		if list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil || !reflect.DeepEqual(list, &v1.StarfighterList{}) {
			t.Errorf("%v, %v", list, err)
		}
		if want := map[string]int{"server": 1, "watch": 1, "list": 1}; !reflect.DeepEqual(asked, want) {
			t.Errorf("asked %v, want %v", asked, want)
		}
	}
	asked := 0
	lw := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "k8s\x00") }, func(c *listwatch.Config) {
		c.Fallback = &cache.ListWatch{ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) {
			asked++
			return &v1.StarfighterList{}, nil
		}}
	})
	for range 2 {
		if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
	}
	if asked != 2 {
		t.Errorf("%d lists with client-go's decoding, want 2", asked)
	}
	// The page of a proxy is an error, and the next answer is decoded here again.
	page := true
	lw = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if page {
			fmt.Fprint(w, "<html>")
		} else {
			fmt.Fprint(w, listJSON())
		}
	}, func(c *listwatch.Config) { c.Fallback = cache.ToListerWatcherWithContext(&cache.ListWatch{}) })
	if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a list from a page")
	}
	page = false
	if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	good := listwatch.Config{Client: newClient(t, "http://127.0.0.1:1").StarwarsV1().RESTClient(), Resource: "starfighters", Fallback: &cache.ListWatch{}}
	for want, change := range map[string]func(*listwatch.Config){
		"Client":   func(c *listwatch.Config) { c.Client = nil },
		"Resource": func(c *listwatch.Config) { c.Resource = "" },
		"Fallback": func(c *listwatch.Config) { c.Fallback = nil },
	} {
		bad := good
		change(&bad)
		if _, err := listwatch.New[v1.Starfighter](bad); err == nil || !strings.Contains(err.Error(), "Config."+want+" is missing") {
			t.Errorf("without %s: %v", want, err)
		}
	}
	if _, err := listwatch.New[badTags](good); err == nil || !strings.Contains(err.Error(), "client-go's own list and watch") {
		t.Errorf("a type that cannot be decoded: %v", err)
	}
	lw, err := listwatch.New[v1.Starfighter](good)
	if err != nil || lw.IsWatchListSemanticsUnSupported() {
		t.Error("a watch-list is not preferred", err)
	}
	good.NoWatchList = true
	if lw, err = listwatch.New[v1.Starfighter](good); err != nil || !lw.IsWatchListSemanticsUnSupported() {
		t.Error("lists are not preferred", err)
	}
	good.Kind = "Destroyer"
	if lw, err = listwatch.New[v1.Starfighter](good); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lw.DecodeList(strings.NewReader(`{"kind":"DestroyerList","items":[]}`)); err != nil {
		t.Error(err)
	}
}

// badTags has a tag that encoding/json takes and its second version does not.
type badTags struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,"` //nolint:staticcheck // that is the point
}

func (b *badTags) DeepCopyObject() apiruntime.Object { panic("not needed") }
