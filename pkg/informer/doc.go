// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package informer is a shared informer and its store, for objects of any API
// type. Both have the interfaces and the contracts of client-go's, whose reflector
// does the listing and watching; what is different is inside, and what there is
// beyond that.
//
// A [Store] keeps, for every value of an index, the objects themselves in a slice,
// so that questions by index cost one look-up and iterators copy nothing. Objects
// from a store are shared and read-only.
//
// An [Informer] writes what happens into one log that all event handlers read,
// each at its own pace, instead of copying it for each. With Subscribe a handler
// may be slow: at most one change per object waits for it. WaitForSync says why an
// informer does not get in sync, WaitForResourceVersion waits for one's own writes,
// Status tells how the informer and each consumer are doing, and Shutdown names the
// handlers that keep it from stopping.
//
// A resync shows the handlers the objects of the store again. It makes no request.
package informer
