// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// The tests in this file and in fuzz_test.go hold what this package makes of
// some text against what client-go makes of it. client-go is the specification;
// where it is not, sameAsStock... say so.

type decoded struct {
	Type   watch.EventType
	Object runtime.Object
}

// decodeWatch decodes to the end.
func decodeWatch(d watch.Decoder) ([]decoded, error) {
	var events []decoded
	for {
		kind, obj, err := d.Decode()
		if err != nil {
			return events, err
		}
		events = append(events, decoded{kind, obj})
	}
}

// pair is the two ways that this package decodes.
type pair struct {
	drop, keep *listwatch.ListerWatcher[v1.Starfighter, *v1.Starfighter]
}

func newPair(t testing.TB) pair {
	return pair{
		drop: newListerWatcher(t, nil),
		keep: newListerWatcher(t, func(c *listwatch.Config) { c.KeepManagedFields = true }),
	}
}

// compareWatch fails if a watch with this body is not for an informer what it
// is with client-go.
func (p pair) compareWatch(t *testing.T, body []byte) {
	t.Helper()
	want, wantErr := decodeWatch(stockWatch(t, reader(body)))
	keep, keepErr := decodeWatch(p.keep.WatchDecoder(reader(body)))
	drop, dropErr := decodeWatch(p.drop.WatchDecoder(reader(body)))
	if errors.Is(keepErr, io.ErrUnexpectedEOF) && !errors.Is(wantErr, io.EOF) {
		// A mistake at the very end, where more text could have made it good for
		// a decoder that does not look at each byte by itself: "{t".
		keepErr = wantErr
		if errors.Is(dropErr, io.ErrUnexpectedEOF) {
			dropErr = wantErr
		}
	}
	if !sameError(wantErr, keepErr) {
		t.Errorf("watch: client-go ends with %v, this package with %v\n%q", wantErr, keepErr, short(body))
	}
	compareEvents(t, "watch", want, keep, body)
	if bytes.Contains(body, []byte("managed")) && !errors.Is(keepErr, io.EOF) && len(drop) >= len(want) {
		// The mistake may be in managedFields, and that is not looked at.
		drop, dropErr = drop[:len(want)], keepErr
	}
	if !sameError(keepErr, dropErr) {
		t.Errorf("watch: %v with managedFields, %v without\n%q", keepErr, dropErr, short(body))
	}
	for _, e := range want {
		dropManagedFields(e.Object)
	}
	compareEvents(t, "watch without managedFields", want, drop, body)
}

func compareEvents(t *testing.T, what string, want, got []decoded, body []byte) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %d events with client-go, %d with this package\n%q", what, len(want), len(got), short(body))
		return
	}
	for i := range want {
		if !reflect.DeepEqual(want[i], got[i]) {
			t.Errorf("%s: client-go has\n%s\nthis package\n%s\nof %q", what, dump(want[i].Object), dump(got[i].Object), short(body))
		}
	}
}

// compareList does for the body of a list what compareWatch does.
func (p pair) compareList(t *testing.T, body []byte) {
	t.Helper()
	want, wantErr := stockList(body)
	keepList, keep, keepErr := p.keep.DecodeList(reader(body))
	dropList, drop, dropErr := p.drop.DecodeList(reader(body))
	if (wantErr == nil) != (keepErr == nil) {
		t.Errorf("list: client-go returns %v, this package %v\n%q", wantErr, keepErr, short(body))
		return
	}
	if (keepErr == nil) != (dropErr == nil) && (dropErr != nil || !bytes.Contains(body, []byte("managed"))) {
		t.Errorf("list: %v with managedFields, %v without\n%q", keepErr, dropErr, short(body))
		return
	}
	if wantErr != nil {
		return
	}
	compareItems(t, "list", want, keepList, keep, body)
	for i := range want.Items {
		dropManagedFields(&want.Items[i])
	}
	compareItems(t, "list without managedFields", want, dropList, drop, body)
}

func compareItems(t *testing.T, what string, want *v1.StarfighterList, list runtime.Object, items []*v1.Starfighter, body []byte) {
	t.Helper()
	if gvk := list.GetObjectKind().GroupVersionKind(); gvk != want.GroupVersionKind() {
		t.Errorf("%s: kind %v, want %v", what, gvk, want.GroupVersionKind())
	}
	if meta := list.(metav1.ListMetaAccessor).GetListMeta(); !reflect.DeepEqual(meta, want.GetListMeta()) {
		t.Errorf("%s: metadata %v, want %v\n%q", what, meta, want.GetListMeta(), short(body))
	}
	if len(items) != len(want.Items) || (items == nil) != (want.Items == nil) {
		t.Errorf("%s: %d items (nil: %t), want %d (nil: %t)\n%q", what, len(items), items == nil, len(want.Items), want.Items == nil, short(body))
		return
	}
	for i := range items {
		if !reflect.DeepEqual(items[i], &want.Items[i]) {
			t.Errorf("%s: client-go has\n%s\nthis package\n%s\nof %q", what, dump(&want.Items[i]), dump(items[i]), short(body))
		}
	}
}

// sameError tells whether two ends of a watch are the same for watch.StreamWatcher.
func sameError(a, b error) bool {
	how := func(err error) string {
		// watch.StreamWatcher compares; it does not look at what is wrapped.
		switch any(err) {
		case nil:
			return "none"
		case any(io.EOF):
			return "EOF"
		case any(io.ErrUnexpectedEOF):
			return "unexpected EOF"
		}
		return "error"
	}
	return how(a) == how(b)
}

func dropManagedFields(obj runtime.Object) {
	if o, ok := obj.(metav1.Object); ok {
		o.SetManagedFields(nil)
	}
}

func dump(obj any) string {
	return strings.ReplaceAll(fmt.Sprintf("%#v", obj), `"`, `'`)
}

func short(body []byte) []byte {
	if len(body) > 2000 {
		return append(body[:1000:1000], body[len(body)-1000:]...)
	}
	return body
}

func TestObjectsAsClientGo(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for name, object := range objects() {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []watch.EventType{watch.Added, watch.Bookmark} {
				p.compareWatch(t, []byte(frameJSON(kind, object)))
			}
			p.compareWatch(t, []byte(`{"object":`+object+`,"type":"ADDED"}`))
			// What comes after is not disturbed.
			p.compareWatch(t, []byte(frameJSON(watch.Added, shipJSON(1))+frameJSON(watch.Modified, object)+frameJSON(watch.Added, shipJSON(2))))
			p.compareList(t, []byte(listJSON(object)))
			p.compareList(t, []byte(listJSON(shipJSON(1), object, shipJSON(2))))
		})
	}
}

func TestListsAsClientGo(t *testing.T) {
	p := newPair(t)
	for name, body := range lists() {
		t.Run(name, func(t *testing.T) {
			p.compareList(t, []byte(body))
			for cut := range body {
				p.compareList(t, []byte(body[:cut]))
			}
		})
	}
}

func TestWatchesAsClientGo(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	status := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","code":410,"details":{"causes":[{"reason":"a"}]}}`
	object := ship(``, ``)
	for name, body := range map[string]string{
		"nothing":               ``,
		"white space":           " \n\t\r\n",
		"two without a line":    strings.TrimSpace(frameJSON(watch.Added, object)) + frameJSON(watch.Deleted, object),
		"blank lines":           "\n\n" + frameJSON(watch.Added, object) + "\n \r\n" + frameJSON(watch.Modified, object) + "\n",
		"garbage between":       frameJSON(watch.Added, object) + "x" + frameJSON(watch.Added, object),
		"comma between":         frameJSON(watch.Added, object) + "," + frameJSON(watch.Added, object),
		"brace between":         frameJSON(watch.Added, object) + "}" + frameJSON(watch.Added, object),
		"NUL between":           frameJSON(watch.Added, object) + "\x00" + frameJSON(watch.Added, object),
		"null between":          frameJSON(watch.Added, object) + "null" + frameJSON(watch.Added, object),
		"number between":        frameJSON(watch.Added, object) + "5\n" + frameJSON(watch.Added, object),
		"array between":         frameJSON(watch.Added, object) + "[]" + frameJSON(watch.Added, object),
		"error":                 frameJSON(watch.Added, object) + frameJSON(watch.Error, status),
		"error and more":        frameJSON(watch.Error, status) + frameJSON(watch.Added, object),
		"error early":           `{"object":` + status + `,"type":"ERROR"}`,
		"error empty":           frameJSON(watch.Error, `{}`),
		"error null":            frameJSON(watch.Error, `null`),
		"error string":          frameJSON(watch.Error, `"a"`),
		"error code string":     frameJSON(watch.Error, `{"kind":"Status","apiVersion":"v1","code":"410"}`),
		"object missing":        `{"type":"ADDED"}`,
		"object null":           `{"type":"ADDED","object":null}`,
		"object null early":     `{"object":null,"type":"ADDED"}`,
		"type missing":          `{"object":` + object + `}`,
		"type empty":            frameJSON("", object),
		"type null":             `{"type":null,"object":` + object + `}`,
		"type number":           `{"type":1,"object":` + object + `}`,
		"type unknown":          frameJSON("CHANGED", object),
		"type in lower case":    frameJSON("added", object),
		"type unknown, then ok": frameJSON("CHANGED", object) + frameJSON(watch.Added, object),
		"Type":                  `{"Type":"ADDED","TYPE":"ADDED","object":` + object + `}`,
		"Object":                `{"type":"ADDED","Object":` + object + `}`,
		"escaped names":         `{"t\u0079pe":"ADD\u0045D","\u006fbject":` + object + `}`,
		"more members":          `{"a":[{}],"type":"ADDED","b":null,"object":` + object + `,"c":{"d":"e"}}`,
		"empty":                 `{}`,
		"a list":                listJSON(object),
		"an object":             object,
		"bookmark":              frameJSON(watch.Bookmark, `{"kind":"Starfighter","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"resourceVersion":"9","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"faction":"","type":"","pilot":""}}`),
		"a page":                `<html></html>`,
	} {
		t.Run(name, func(t *testing.T) {
			p.compareWatch(t, []byte(body))
			for cut := range body {
				p.compareWatch(t, []byte(body[:cut]))
			}
		})
	}
}

// TestStricterThanClientGo is where client-go does what nobody can want.
func TestStricterThanClientGo(t *testing.T) {
	lw := newListerWatcher(t, nil)
	object := ship(``, ``)
	for name, body := range map[string]string{
		"two types":             `{"type":"ADDED","type":"DELETED","object":` + object + `}`,
		"two objects":           `{"type":"ADDED","object":` + object + `,"object":` + object + `}`,
		"two objects, one null": `{"type":"ADDED","object":` + object + `,"object":null}`,
		"kind in another case":  frameJSON(watch.Added, `{"KIND":"Starfighter","APIVersion":"starwars.okontajneroch.sk/v1"}`),
		"error without Status":  frameJSON(watch.Error, object),
		// client-go's decoder hands it on, and the reflector ignores it.
		"a Status as object": frameJSON(watch.Added, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`),
	} {
		if events, err := decodeWatch(lw.WatchDecoder(reader([]byte(body)))); len(events) > 0 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: %d events and %v, want an error", name, len(events), err)
		}
	}
	for name, body := range map[string]string{
		// client-go takes them for an empty list.
		"null":            `null`,
		"one object":      object,
		"Status, success": `{"kind":"Status","apiVersion":"v1","status":"Success"}`,
		"options":         `{"kind":"ListOptions","apiVersion":"v1"}`,
	} {
		if _, items, err := lw.DecodeList(reader([]byte(body))); err == nil {
			t.Errorf("%s: a list of %d, want an error", name, len(items))
		}
	}
	// The last counts; client-go writes the last over the one before it, member
	// by member.
	if _, items, err := lw.DecodeList(reader([]byte(`{"items":[{"metadata":{"name":"a","uid":"b"}}],"items":[{"metadata":{"name":"c"}}]}`))); err != nil || len(items) != 1 || items[0].UID != "" {
		t.Errorf("items twice: %v, %v", items, err)
	}
}

// everything is a type with what an API type may have and ships do not.
type everything struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Bool     bool              `json:"bool"`
	Int      int               `json:"int"`
	Int8     int8              `json:"int8"`
	Int32    *int32            `json:"int32,omitempty"`
	Uint16   uint16            `json:"uint16"`
	Float    float64           `json:"float"`
	Float32  float32           `json:"float32"`
	Bytes    []byte            `json:"bytes"`
	Array    [2]string         `json:"array"`
	Pointer  **string          `json:"pointer"`
	Struct   *inner            `json:"struct,omitempty"`
	Structs  []inner           `json:"structs"`
	ByName   map[string]inner  `json:"byName"`
	Pointers map[string]*inner `json:"pointers"`
	ByInt    map[int]string    `json:"byInt"`
	Lists    map[string][]byte `json:"lists"`
	Any      any               `json:"any"`
	Map      map[string]any    `json:"map"`
	Quoted   int64             `json:"quoted,string"`
	Ignored  string            `json:"-"`
	Untagged string

	Micro    metav1.MicroTime     `json:"micro"`
	Time     *metav1.Time         `json:"time"`
	Duration *metav1.Duration     `json:"duration"`
	Port     intstr.IntOrString   `json:"port"`
	Amount   resource.Quantity    `json:"amount"`
	Raw      runtime.RawExtension `json:"raw"`
	Fields   *metav1.FieldsV1     `json:"fields"`
	Selector metav1.LabelSelector `json:"selector"`
}

type inner struct {
	A string  `json:"a"`
	B *string `json:"b"`
	C []inner `json:"c"`
}

func (e *everything) DeepCopyObject() runtime.Object { panic("not needed") }

// compareEverything holds one object against client-go's serializer.
func compareEverything(t *testing.T, lw *listwatch.ListerWatcher[everything, *everything], data []byte) {
	t.Helper()
	want := &everything{}
	serializer := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, nil, runtime.NewScheme(), jsonserializer.SerializerOptions{})
	_, _, wantErr := serializer.Decode(data, nil, want)
	_, items, err := lw.DecodeList(reader([]byte(`{"items":[` + string(data) + `]}`)))
	if (wantErr == nil) != (err == nil) {
		t.Errorf("client-go returns %v, this package %v\n%q", wantErr, err, short(data))
		return
	}
	if wantErr == nil && !reflect.DeepEqual(items[0], want) {
		t.Errorf("client-go has\n%s\nthis package\n%s\nof %q", dump(want), dump(items[0]), short(data))
	}
}

func newEverything(t testing.TB) *listwatch.ListerWatcher[everything, *everything] {
	t.Helper()
	lw, err := listwatch.New[everything](listwatch.Config{
		Client: &rest.RESTClient{}, Resource: "everything", KeepManagedFields: true,
		Fallback: cache.ToListerWatcherWithContext(&cache.ListWatch{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return lw
}

func TestTypesAsClientGo(t *testing.T) {
	t.Parallel()
	lw := newEverything(t)
	for _, member := range typeMembers {
		for _, value := range typeValues {
			compareEverything(t, lw, []byte(`{"`+member+`":`+value+`}`))
			for _, again := range typeValues {
				compareEverything(t, lw, []byte(`{"`+member+`":`+value+`,"`+member+`":`+again+`}`))
			}
		}
	}
	compareEverything(t, lw, []byte(shipJSON(1)))
	if !json.Valid([]byte(shipJSON(1))) {
		t.Error("the ship is no JSON")
	}
}
