// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package crd holds the CustomResourceDefinition of the API
// starwars.okontajneroch.sk, so that programs can install it without a file at
// hand. controller-gen makes the YAML beside this file from the types in
// pkg/apis/starwars/v1.
package crd

import _ "embed"

//go:embed starwars.okontajneroch.sk_starfighters.yaml
var starfighters string

// Starfighters returns the manifest of the CustomResourceDefinition
// starfighters.starwars.okontajneroch.sk as one YAML document. Each call
// returns a fresh slice, which the caller owns. It is safe for concurrent use.
func Starfighters() []byte {
	return []byte(starfighters)
}
