// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// Big seeds make a fuzzer slow; the tests have them.
const maxSeed = 4 << 10

// FuzzObject puts JSON of any kind where an object is expected.
func FuzzObject(f *testing.F) {
	for _, object := range objects() {
		if len(object) < maxSeed {
			f.Add([]byte(object))
		}
	}
	p := newPair(f)
	f.Fuzz(func(t *testing.T, object []byte) {
		if !json.Valid(object) {
			t.Skip("FuzzWatch and FuzzList are for that")
		}
		if oddCase(members(object), "kind", "apiVersion") == "" {
			p.compareWatch(t, []byte(frameJSON(watch.Added, shipJSON(1))+frameJSON(watch.Modified, string(object))+frameJSON(watch.Deleted, shipJSON(2))))
			p.compareWatch(t, []byte(`{"object":`+string(object)+`,"type":"ADDED"}`))
		}
		p.compareList(t, []byte(listJSON(shipJSON(1), string(object), shipJSON(2))))
		checkSkipping(t, object)
	})
}

// checkSkipping fails if what comes after an object that does not fit is lost.
func checkSkipping(t *testing.T, object []byte) {
	t.Helper()
	skipped := 0
	lw := newListerWatcher(t, func(c *listwatch.Config) {
		c.SkipUndecodable = func(metav1.Object, error) { skipped++ }
	})
	events, err := decodeWatch(lw.WatchDecoder(reader([]byte(
		frameJSON(watch.Added, shipJSON(1)) + frameJSON(watch.Modified, string(object)) + `{"object":` + string(object) + `,"type":"ADDED"}` + frameJSON(watch.Added, shipJSON(2))))))
	if !errors.Is(err, io.EOF) || len(events)+skipped != 4 || skipped%2 != 0 || events[len(events)-1].Object.(*v1.Starfighter).Name != "ship-000002" {
		t.Errorf("watch: %d events, %d skipped, %v\n%q", len(events), skipped, err, short(object))
	}
	skipped = 0
	_, items, err := lw.DecodeList(reader([]byte(listJSON(shipJSON(1), string(object), shipJSON(2)))))
	if err != nil || len(items)+skipped != 3 || items[len(items)-1].Name != "ship-000002" {
		t.Errorf("list: %d items, %d skipped, %v\n%q", len(items), skipped, err, short(object))
	}
}

// FuzzWatch decodes any text as the body of a watch.
func FuzzWatch(f *testing.F) {
	for _, object := range objects() {
		if len(object) < maxSeed {
			f.Add([]byte(frameJSON(watch.Added, object)))
			f.Add([]byte(frameJSON(watch.Modified, object) + `{"object":` + object + `,"type":"ADDED"}`))
			f.Add([]byte(frameJSON(watch.Error, object)))
		}
	}
	f.Add([]byte(frameJSON(watch.Error, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"details":{"causes":[{"reason":"a"}]}}`)))
	f.Add([]byte(frameJSON(watch.Bookmark, ship(`,"annotations":{"k8s.io/initial-events-end":"true"}`, ``))))
	p := newPair(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if why := watchQuirk(t, body); why != "" {
			t.Skip(why)
		}
		p.compareWatch(t, body)
	})
}

// watchQuirk tells why this package is stricter than client-go with a body, if
// it is; TestStricterThanClientGo has an example of each.
func watchQuirk(t *testing.T, body []byte) string {
	if len(body) > 0 && !bytes.ContainsAny(body[:1], " \t\r\n{[\"-0123456789tfn<") {
		return "no JSON: left to client-go"
	}
	frames := json.NewDecoder(bytes.NewReader(body))
	for {
		var frame json.RawMessage
		if frames.Decode(&frame) != nil {
			break
		}
		envelope := members(frame)
		for _, m := range envelope {
			if strings.EqualFold(m.name, "kind") || strings.EqualFold(m.name, "apiVersion") {
				return "the frame says that it is something else"
			}
			if m.name == "object" {
				if why := oddCase(members(m.value), "kind", "apiVersion"); why != "" {
					return why
				}
			}
		}
		if twice(envelope, "type") || twice(envelope, "object") {
			return "a member twice"
		}
	}
	events, _ := decodeWatch(stockWatch(t, reader(body)))
	for _, e := range events {
		_, isStatus := e.Object.(*metav1.Status)
		_, isShip := e.Object.(*v1.Starfighter)
		if isStatus != (e.Type == watch.Error) || isShip == isStatus {
			return "an object of another kind"
		}
	}
	return ""
}

// FuzzList decodes any text as the body of a list.
func FuzzList(f *testing.F) {
	for _, object := range objects() {
		if len(object) < maxSeed {
			f.Add([]byte(listJSON(object)))
		}
	}
	for _, body := range lists() {
		f.Add([]byte(body))
	}
	p := newPair(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		list := members(body)
		if why := oddCase(list, "kind", "apiVersion"); why != "" {
			t.Skip(why)
		}
		if twice(list, "items") || bytes.Equal(bytes.TrimSpace(body), []byte("null")) || bytes.Contains(body, []byte(`"starwars.okontajneroch.sk/"`)) {
			t.Skip("stricter than client-go")
		}
		p.compareList(t, body)
	})
}

// FuzzTypes decodes JSON into a type with one field of each sort.
func FuzzTypes(f *testing.F) {
	for _, object := range objects() {
		if len(object) < maxSeed {
			f.Add([]byte(object))
		}
	}
	var all []string
	for _, member := range typeMembers {
		for _, value := range typeValues {
			f.Add([]byte(`{"` + member + `":` + value + `}`))
		}
		all = append(all, `"`+member+`":`+typeValues[len(all)%len(typeValues)])
	}
	f.Add([]byte(`{` + strings.Join(all, ",") + `}`))
	lw := newEverything(f)
	f.Fuzz(func(t *testing.T, object []byte) {
		if !json.Valid(object) {
			t.Skip("FuzzWatch and FuzzList are for that")
		}
		for _, m := range members(object) {
			if strings.EqualFold(m.name, "kind") || strings.EqualFold(m.name, "apiVersion") {
				t.Skip("of a list's items client-go does not look at the kind")
			}
		}
		compareEverything(t, lw, object)
	})
}

type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order, as far as the text
// can be read.
func members(object []byte) []member {
	d := json.NewDecoder(bytes.NewReader(object))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	var found []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		m := member{}
		m.name, _ = name.(string)
		if d.Decode(&m.value) != nil {
			break
		}
		found = append(found, m)
	}
	return found
}

func twice(in []member, name string) bool {
	return len(slices.DeleteFunc(slices.Clone(in), func(m member) bool { return m.name != name })) > 1
}

// oddCase tells of a member whose name is one of these but for the case. To
// find out of what kind something is, client-go looks at them too.
func oddCase(in []member, names ...string) string {
	for _, m := range in {
		for _, name := range names {
			if m.name != name && strings.EqualFold(m.name, name) {
				return "a member named " + m.name
			}
		}
	}
	return ""
}

func TestMembers(t *testing.T) {
	got := members([]byte(`{"a":1,"b":{"c":[]},"a":2`))
	want := []member{{"a", json.RawMessage(`1`)}, {"b", json.RawMessage(`{"c":[]}`)}, {"a", json.RawMessage(`2`)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
