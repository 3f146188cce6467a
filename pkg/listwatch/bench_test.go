// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	restwatch "k8s.io/client-go/rest/watch"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/scheme"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// shipJSON is a ship of about 2.6 kB as an API server sends it: with
// managedFields of three managers.
func shipJSON(n int) string {
	manager := func(name, fields string) string {
		return `{"apiVersion":"starwars.okontajneroch.sk/v1","fieldsType":"FieldsV1","fieldsV1":` + fields +
			`,"manager":"` + name + `","operation":"Apply","time":"2026-05-04T12:00:00Z"}`
	}
	var annotations []string
	for i := range 16 {
		annotations = append(annotations, fmt.Sprintf(`"f:example.com/annotation-%d":{}`, i))
	}
	return fmt.Sprintf(`{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"Starfighter","metadata":{`+
		`"annotations":{"example.com/hangar":"hangar %[1]d","example.com/squadron":"red"},`+
		`"creationTimestamp":"2026-05-04T12:00:00Z","generation":3,`+
		`"labels":{"app.kubernetes.io/name":"fleet","app.kubernetes.io/part-of":"starwars","tier":"front"},"managedFields":[%[2]s],`+
		`"name":"ship-%06[1]d","namespace":"fleet-%02[3]d","resourceVersion":"%[4]d","uid":"6ba7b810-9dad-11d1-80b4-%012[1]d"},`+
		`"spec":{"faction":"rebellion","pilot":"Luke Skywalker %[1]d","type":"X-Wing"},"status":{"phases":["launched","docked","launched"]}}`,
		n, strings.Join([]string{
			manager("fleetctl", `{"f:metadata":{"f:annotations":{".":{},`+strings.Join(annotations, ",")+`},"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/part-of":{},"f:tier":{}}},"f:spec":{"f:faction":{},"f:pilot":{},"f:type":{}}}`),
			manager("hangar-controller", `{"f:metadata":{"f:annotations":{`+strings.Join(annotations, ",")+`},"f:finalizers":{".":{},"v:\"example.com/hangar\"":{}}}}`),
			manager("flight-controller", `{"f:metadata":{"f:labels":{"f:example.com/wing":{},"f:example.com/flight":{},"f:example.com/deck":{},"f:example.com/crew":{},"f:example.com/sector":{}}},"f:status":{".":{},"f:phases":{}}}`),
		}, ","), n%10, 1000+n)
}

func listJSON(items ...string) string {
	return `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"StarfighterList","metadata":{"resourceVersion":"12345"},"items":[` +
		strings.Join(items, ",") + `]}` + "\n"
}

func frameJSON(kind watch.EventType, object string) string {
	return `{"type":"` + string(kind) + `","object":` + object + "}\n"
}

// newListerWatcher returns one that has no server.
func newListerWatcher(t testing.TB, change func(*listwatch.Config)) *listwatch.ListerWatcher[v1.Starfighter, *v1.Starfighter] {
	t.Helper()
	config := listwatch.Config{Client: newClient(t, "http://127.0.0.1:1").StarwarsV1().RESTClient(), Resource: "starfighters", Fallback: cache.ToListerWatcherWithContext(&cache.ListWatch{})}
	if change != nil {
		change(&config)
	}
	lw, err := listwatch.New[v1.Starfighter](config)
	if err != nil {
		t.Fatal(err)
	}
	return lw
}

func newClient(t testing.TB, url string) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(&rest.Config{Host: url, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// stockWatch is client-go's way from the body of a watch to events, as
// rest.Request.Watch puts it together for the generated clientset.
func stockWatch(t testing.TB, r io.ReadCloser) watch.Decoder {
	t.Helper()
	negotiator := runtime.NewClientNegotiator(stockSerializer(), groupVersion)
	object, serializer, framer, err := negotiator.StreamDecoder(runtime.ContentTypeJSON, nil)
	if err != nil {
		t.Fatal(err)
	}
	return restwatch.NewDecoder(streaming.NewDecoder(framer.NewFrameReader(r), serializer), object)
}

var groupVersion = schema.GroupVersion{Group: v1.GroupName, Version: "v1"}

func stockSerializer() runtime.NegotiatedSerializer {
	return rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).WithoutConversion()
}

// stockList is client-go's way from the body of a list to the list, as
// rest.Request.Do and Into do it for the generated clientset.
func stockList(body []byte) (*v1.StarfighterList, error) {
	decoder, err := runtime.NewClientNegotiator(stockSerializer(), groupVersion).Decoder(runtime.ContentTypeJSON, nil)
	if err != nil {
		return nil, err
	}
	list := &v1.StarfighterList{}
	out, _, err := decoder.Decode(body, nil, list)
	if err == nil && out != list {
		err = fmt.Errorf("decoded a %T", out)
	}
	return list, err
}

// BenchmarkDecode is the cost of one object, from the body of a list or a watch.
func BenchmarkDecode(b *testing.B) {
	const objects = 500
	var frames, ships []string
	for n := range objects {
		ships = append(ships, shipJSON(n))
		frames = append(frames, frameJSON(watch.Added, shipJSON(n)))
	}
	list, stream := []byte(listJSON(ships...)), []byte(strings.Join(frames, ""))
	b.Logf("%d bytes in an object", len(ships[0]))

	perObject := func(b *testing.B, run func(b *testing.B) int) {
		b.ReportAllocs()
		for done := 0; done < b.N; {
			done += run(b)
		}
	}
	watchAll := func(b *testing.B, d watch.Decoder) int {
		for n := 0; ; n++ {
			if _, _, err := d.Decode(); errors.Is(err, io.EOF) {
				return n
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("list/listwatch", func(b *testing.B) {
		lw := newListerWatcher(b, nil)
		perObject(b, func(b *testing.B) int {
			_, items, err := lw.DecodeList(reader(list))
			if err != nil {
				b.Fatal(err)
			}
			return len(items)
		})
	})
	b.Run("list/client-go", func(b *testing.B) {
		perObject(b, func(b *testing.B) int {
			body, _ := io.ReadAll(reader(list)) // as rest.Request does
			l, err := stockList(body)
			if err != nil {
				b.Fatal(err)
			}
			return len(l.Items)
		})
	})
	b.Run("watch/listwatch", func(b *testing.B) {
		lw := newListerWatcher(b, nil)
		perObject(b, func(b *testing.B) int { return watchAll(b, lw.WatchDecoder(reader(stream))) })
	})
	b.Run("watch/client-go", func(b *testing.B) {
		perObject(b, func(b *testing.B) int { return watchAll(b, stockWatch(b, reader(stream))) })
	})
	b.Run("transforms", func(b *testing.B) {
		transform := listwatch.Chain(nil, listwatch.StripManagedFields, internShip())
		_, items, err := newListerWatcher(b, nil).DecodeList(reader(list))
		if err != nil {
			b.Fatal(err)
		}
		copies := make([]*v1.Starfighter, len(items))
		b.ReportAllocs()
		for done := 0; b.Loop(); done++ {
			if done%objects == 0 {
				b.StopTimer()
				for i, item := range items {
					copies[i] = item.DeepCopy()
				}
				b.StartTimer()
			}
			if _, err := transform(copies[done%objects]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// reader hands out bytes as a body does: it is not a bytes.Buffer, of which a
// decoder might know.
func reader(body []byte) io.ReadCloser {
	return io.NopCloser(struct{ io.Reader }{bytes.NewReader(body)})
}

// internShip interns what the SDK does.
func internShip() cache.TransformFunc {
	return listwatch.Intern(func(ship *v1.Starfighter, intern func(string) string) {
		ship.Spec.Faction = v1.Faction(intern(string(ship.Spec.Faction)))
		ship.Spec.Type = intern(ship.Spec.Type)
		for i, phase := range ship.Status.Phases {
			ship.Status.Phases[i] = intern(phase)
		}
	})
}

var _ metav1.Object = &v1.Starfighter{}
