// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package starwars is the root of the Go SDK for the Kubernetes API
// starwars.okontajneroch.sk/v1, kind Starfighter. It holds this overview; the
// parts are:
//
//   - pkg/apis/starwars/v1: the API types.
//   - pkg/generated/clientset/versioned: the clientset, and a fake of it for
//     tests.
//   - pkg/generated/informers/externalversions: the shared informer factory.
//   - pkg/generated/listers/starwars/v1: the listers.
//   - pkg/generated/applyconfiguration: builders for server-side apply.
//   - config/crd: the CustomResourceDefinition, as YAML and as a Go package.
//
// # Sharing one cache
//
// All consumers in a process share one informer: ask one factory for it as
// often as you like. However many handlers, listers and indexes there are, the
// API server sees one watch, and the process holds one copy of each object.
//
// That copy is shared by everyone. Objects from listers, indexes and handlers
// are read-only: call DeepCopy before changing one.
//
// Handlers see changes of the cache, not of the cluster. When a process starts,
// every object that exists is "added"; a resync passes every cached object
// through the update handlers again, from the cache, without asking the API
// server.
package starwars
