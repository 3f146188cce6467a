// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package listwatch feeds informers: a ListerWatcher that decodes what the API
// server sends in one pass, from the network to the typed object, and
// transforms that keep a cache small.
//
// client-go's own way passes over the text of each object of a watch about nine
// times: to find the end of the frame, to take the envelope apart, to see what
// kind it is, at two levels, and at last to decode it. When a process starts
// with many objects, that is what it waits for. [ListerWatcher] reads each byte
// once, holds no body or frame in memory, and passes over managedFields without
// decoding them. It is an ordinary cache.ListerWatcher: client-go's informer
// works on it unchanged, with watch-list, paged lists, bookmarks and errors.
//
// It sends its requests with the clientset's own REST client, so that
// authentication, TLS, rate limit, retries, user agent and metrics are those of
// client-go, and it decodes as client-go does (sigs.k8s.io/json): names are
// case-sensitive, unknown fields are ignored. A server that does not answer in
// JSON is left to client-go's own decoding.
//
// Objects that come from it have no managedFields unless Config.KeepManagedFields
// is set. What a program reads with the clientset, to update it, has them as
// ever.
//
// The package knows no API type.
package listwatch
