// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/okontajneroch/starwars/config/crd"
)

func TestCallersOwnWhatTheyGet(t *testing.T) {
	first := crd.Starfighters()
	want := string(first)
	clear(first)
	if got := string(crd.Starfighters()); got != want {
		t.Error("a change to the returned manifest changed the next one")
	}
}

func ExampleStarfighters() {
	var definition unstructured.Unstructured
	if err := yaml.Unmarshal(crd.Starfighters(), &definition.Object); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(definition.GetKind(), definition.GetName())
	// Output: CustomResourceDefinition starfighters.starwars.okontajneroch.sk
}
