// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1 is version v1 of the API group starwars.okontajneroch.sk. It has
// one kind, [Starfighter]: a ship with its faction, its type and its pilot.
//
// Objects that come from an informer's cache are shared by everyone who reads
// that cache. Treat them as read-only and call DeepCopy before changing one.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=starwars.okontajneroch.sk
package v1
