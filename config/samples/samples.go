// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package samples holds the manifests beside this file as typed objects, for
// examples, demonstrations and tests.
package samples

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

var (
	//go:embed x-wing-1.yaml
	xWing1 []byte
	//go:embed fleet.yaml
	fleet []byte
)

// XWing1 returns Luke Skywalker's ship, namespace default, name x-wing-1. Each
// call returns a new object, which the caller owns. It is safe for concurrent
// use.
func XWing1() *v1.Starfighter {
	return decode(xWing1)[0]
}

// Fleet returns a small fleet of several factions over the namespaces default
// and outer-rim, in which some pilots fly more than one ship; x-wing-1 is not
// part of it. Each call returns new objects, which the caller owns. It is safe
// for concurrent use.
func Fleet() []*v1.Starfighter {
	return decode(fleet)
}

// decode panics on a manifest that does not parse: the manifests are compiled
// in, and the package's tests parse them all.
func decode(manifest []byte) []*v1.Starfighter {
	var ships []*v1.Starfighter
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), len(manifest))
	for {
		var ship v1.Starfighter
		switch err := decoder.Decode(&ship); {
		case errors.Is(err, io.EOF):
			return ships
		case err != nil:
			panic(fmt.Sprintf("samples: %v", err))
		}
		ships = append(ships, &ship)
	}
}
