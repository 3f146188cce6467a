// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package v1_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatalf("register the API types: %v", err)
	}
	return scheme
}

// TestRoundTrip fills objects at random and requires that JSON, YAML and CBOR
// give them back unchanged, and that encoding leaves them alone.
func TestRoundTrip(t *testing.T) {
	scheme := newScheme(t)
	codecs := serializer.NewCodecFactory(scheme)
	filler := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(1138), codecs)
	roundtrip.RoundTripExternalTypesWithoutProtobuf(t, scheme, codecs, filler, nil)
}

func TestRoundTripToUnstructured(t *testing.T) {
	scheme := newScheme(t)
	external := sets.New[schema.GroupVersionKind]()
	for gvk := range scheme.AllKnownTypes() {
		external.Insert(gvk)
	}
	roundtrip.RoundtripToUnstructured(t, scheme, metafuzzer.Funcs, nil, external)
}

func TestDeepCopySharesNothing(t *testing.T) {
	original := &v1.StarfighterList{Items: []v1.Starfighter{{
		ObjectMeta: metav1.ObjectMeta{
			Name:   "x-wing-1",
			Labels: map[string]string{"squadron": "red"},
		},
		Status: v1.StarfighterStatus{Phases: []string{"docked"}},
	}}}

	copied := original.DeepCopy()
	copied.Items[0].Name = "x-wing-2"
	copied.Items[0].Labels["squadron"] = "gold"
	copied.Items[0].Status.Phases[0] = "launched"

	ship := original.Items[0]
	if ship.Name != "x-wing-1" || ship.Labels["squadron"] != "red" || ship.Status.Phases[0] != "docked" {
		t.Errorf("a change to the copy reached the original: %+v", ship)
	}
}

func TestSchemeKnowsTheKinds(t *testing.T) {
	scheme := newScheme(t)
	for _, kind := range []string{"Starfighter", "StarfighterList"} {
		if !scheme.Recognizes(v1.SchemeGroupVersion.WithKind(kind)) {
			t.Errorf("%s is not registered", kind)
		}
	}
}

// The three fields of the spec are required by the API server: they are
// written even when empty. An empty status is left out.
func ExampleStarfighter() {
	ship := v1.Starfighter{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Starfighter"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "x-wing-1"},
		Spec:       v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing"},
	}
	text, err := json.Marshal(ship)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))
	// Output: {"kind":"Starfighter","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"name":"x-wing-1","namespace":"default"},"spec":{"faction":"rebellion","type":"X-Wing","pilot":""}}
}
