// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package starwars is the Go SDK for the Kubernetes API
// starwars.okontajneroch.sk/v1, kind Starfighter:
//
//	factory := starwars.NewSharedInformerFactory(client, 0)
//	ships := factory.Starwars().V1().Starfighters()
//	lister := ships.Lister()
//
//	ships.TypedInformer().AddTypedEventHandler(roster) // as many handlers as you like
//	factory.StartWithContext(ctx)
//	err := factory.WaitForSync(ctx) // or why not, within two seconds
//
//	rebels, err := lister.ByIndex("faction", "rebellion")
//	luke, err := lister.Starfighters("default").ByPilot("Luke Skywalker")
//
// The factory is the generated one (pkg/generated/informers/externalversions),
// with the same interfaces; what it adds is below. The other parts are
//
//   - pkg/apis/starwars/v1: the API types.
//   - pkg/generated/clientset/versioned: the clientset, and a fake of it for
//     tests.
//   - pkg/generated/listers/starwars/v1: the listers, and the indexes that they
//     can be asked by.
//   - pkg/generated/applyconfiguration: builders for server-side apply.
//   - pkg/informer: the shared informer and the store inside the factory, for any
//     API.
//   - pkg/listwatch: the list and watch inside it.
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
//
// # Start, sync and stop
//
// [Factory.WaitForSync] waits until the cache is full and the handlers were told, and
// otherwise says why not: no such resource, forbidden, unauthorized, unreachable.
// [Factory.ShutdownWithContext] names the handler that does not return. What else the
// informer can do beyond client-go's, informer.From finds: handlers that may be slow,
// waiting for one's own writes, how each consumer is doing. [WithNamespaces] serves
// several namespaces from one cache.
//
// # Lean and fast by default
//
// [NewSharedInformerFactory] decodes what the API server sends in one pass, and
// caches objects without metadata.managedFields ([WithManagedFields] keeps them)
// and with repeated strings shared. A copy of a cached object may be sent back
// with Update all the same: the API server takes missing managedFields for
// unchanged. Server-side apply that starts from what was applied before does need
// them: pass ExtractStarfighter a ship that the clientset returned, not one from
// the cache, or set [WithManagedFields]. From a ship without them it extracts
// nothing, without an error, and applying that gives up the manager's fields.
// [WithStockDecoding] leaves decoding to client-go.
package starwars
