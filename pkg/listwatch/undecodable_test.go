// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// wrong is a ship that is JSON, but has a number for a pilot.
func wrong(name, resourceVersion string) string {
	return strings.Replace(named(name, resourceVersion), `"Luke"`, `5`, 1)
}

// TestUndecodable: without leave to pass over it, an object that does not fit
// its type keeps the cache from filling, and the cause is told.
func TestUndecodable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var corrected atomic.Bool
		i := start(t, nil, 0, nil, func(_ int, r *http.Request) *http.Response {
			ship := wrong("b", "2")
			if corrected.Load() {
				ship = named("b", "3")
			}
			if isList(r) {
				return answer(200, text(listJSON(named("a", "1"), ship)))
			}
			body, _ := stream(r, frameJSON(watch.Added, named("a", "1"))+frameJSON(watch.Added, ship)+bookmark("5"))
			return answer(200, body)
		})
		time.Sleep(time.Minute)
		i.expect(t)
		if i.HasSynced() || len(i.errs) == 0 {
			t.Fatalf("synced: %t, with errors %v", i.HasSynced(), i.errs)
		}
		for _, err := range i.errs {
			for _, want := range []string{"starfighters", "fleet/b", "/spec/pilot", "SkipUndecodable"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %s: %v", want, err)
				}
			}
		}
		corrected.Store(true)
		time.Sleep(time.Minute)
		i.expect(t, "add a@1", "add b@3")
		i.stop()
	})
}

func TestSkipUndecodable(t *testing.T) {
	for _, list := range []bool{false, true} {
		t.Run(fmt.Sprintf("list %t", list), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var skipped []string
				var w *io.PipeWriter
				i := start(t, func(c *listwatch.Config) {
					c.NoWatchList = list
					c.SkipUndecodable = func(o metav1.Object, err error) {
						skipped = append(skipped, o.GetName()+"@"+o.GetResourceVersion())
						if !strings.Contains(err.Error(), "of starfighters") {
							t.Error(err)
						}
					}
				}, 0, nil, func(_ int, r *http.Request) *http.Response {
					if isList(r) {
						return answer(200, text(listJSON(named("a", "1"), wrong("b", "2"), `"no object"`, named("c", "3"))))
					}
					first := ""
					if isWatchList(r.URL.Query()) {
						first = frameJSON(watch.Added, named("a", "1")) + frameJSON(watch.Added, wrong("b", "2")) + frameJSON(watch.Added, `"no object"`) + frameJSON(watch.Added, named("c", "3")) + bookmark("5")
					}
					body, pipe := stream(r, first)
					w = pipe
					return answer(200, body)
				})
				i.expect(t, "add a@1", "add c@3")
				if want := []string{"b@2", "@"}; !reflect.DeepEqual(skipped, want) {
					t.Errorf("skipped %q, want %q", skipped, want)
				}
				// What is in the cache stays as it was; but what is deleted goes.
				fmt.Fprint(w, frameJSON(watch.Modified, wrong("a", "6"))+`{"object":`+wrong("c", "7")+`,"type":"MODIFIED"}`+frameJSON(watch.Deleted, wrong("c", "8"))+frameJSON(watch.Modified, named("a", "9")))
				i.expect(t, "delete c@8", "update a@9")
				if want := []string{"b@2", "@", "a@6", "c@7", "c@8"}; !reflect.DeepEqual(skipped, want) {
					t.Errorf("skipped %q, want %q", skipped, want)
				}
				i.stop()
			})
		})
	}
}

// TestSkipNever: what is not an object of the kind is never passed over: an
// error, and a bookmark, which a reflector waits for.
func TestSkipNever(t *testing.T) {
	lw := newListerWatcher(t, func(c *listwatch.Config) {
		c.SkipUndecodable = func(o metav1.Object, err error) { t.Errorf("skipped %v: %v", o, err) }
	})
	for _, body := range []string{
		frameJSON(watch.Error, `{"kind":"Status","apiVersion":"v1","code":"x"}`),
		frameJSON(watch.Bookmark, wrong("a", "1")),
		frameJSON("CHANGED", named("a", "1")),
		`{"type":5,"object":` + named("a", "1") + `}`,
		`{"type":"ADDED"}`,
		`"a"`,
	} {
		if got, err := decodeWatch(lw.WatchDecoder(reader([]byte(body + frameJSON(watch.Added, named("b", "1")))))); len(got) > 0 || errors.Is(err, io.EOF) {
			t.Errorf("%d events and %v of %q", len(got), err, body)
		}
	}
	for _, body := range []string{`{"items":{}}`, `{"metadata":5,"items":[]}`, listJSON(named("a", "1"), `{`)} {
		if _, items, err := lw.DecodeList(strings.NewReader(body)); err == nil {
			t.Errorf("%d items of %q", len(items), body)
		}
	}
}

// moody is a value that decodes itself, or does not.
type moody struct{ err string }

var moods = map[string]error{
	"EOF":            io.EOF,
	"unexpected EOF": io.ErrUnexpectedEOF,
	"syntax":         &json.SyntaxError{Offset: 1},
	"unsupported":    errors.ErrUnsupported,
	"too large":      listwatch.ErrTooLarge,
}

func (m *moody) UnmarshalJSON(data []byte) error {
	m.err = strings.Trim(string(data), `"`)
	return moods[m.err]
}

type crew struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Mood  moody            `json:"mood"`
	Moods map[string]moody `json:"moods"`
}

func (c *crew) DeepCopyObject() runtime.Object { panic("not needed") }

// TestSkipCustom: an object that is at fault is never taken for a stream that
// is, whatever error its own decoding has.
func TestSkipCustom(t *testing.T) {
	skipped := 0
	lw, err := listwatch.New[crew](listwatch.Config{
		Client: newClient(t, "http://127.0.0.1:1").StarwarsV1().RESTClient(), Resource: "crews", Kind: "Crew", Fallback: &cache.ListWatch{},
		SkipUndecodable: func(o metav1.Object, err error) {
			skipped++
			if o.GetName() != "x" || !strings.Contains(err.Error(), "fleet/x of crews") {
				t.Errorf("skipped %v: %v", o, err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for mood := range moods {
		for _, member := range []string{`"mood":"` + mood + `"`, `"moods":{"a":"` + mood + `","b":[1]}`} {
			object := strings.Replace(ship(``, `,`+member+`,"more":{"a":[1]}`), "Starfighter", "Crew", 1)
			good := strings.Replace(ship(``, ``), "Starfighter", "Crew", 1)
			skipped = 0
			events, err := decodeWatch(lw.WatchDecoder(reader([]byte(frameJSON(watch.Added, object) + frameJSON(watch.Added, good)))))
			if len(events) != 1 || skipped != 1 || !errors.Is(err, io.EOF) {
				t.Errorf("%s: %d events, %d skipped, %v", member, len(events), skipped, err)
			}
			_, items, err := lw.DecodeList(strings.NewReader(`{"items":[` + object + `,` + good + `,` + object + `]}`))
			if len(items) != 1 || skipped != 3 || err != nil {
				t.Errorf("%s: %d items, %d skipped, %v", member, len(items), skipped, err)
			}
		}
	}
}
