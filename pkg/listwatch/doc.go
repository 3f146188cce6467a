// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package listwatch feeds informers: a ListerWatcher that decodes what the API
// server sends in one pass, from the network to the typed object, and
// transforms that keep a cache small. It knows no API type.
//
// client-go's own way passes over the text of each object of a watch about nine
// times: to find the end of the frame, to take the envelope apart, to see what
// kind it is, at two levels, and at last to decode it. When a process starts
// with many objects, that is what it waits for. [ListerWatcher] reads each byte
// once, holds no more of it in memory than one string or one object's
// managedFields, which it passes over without decoding them, and lets equal
// strings of one answer share memory as it reads them. It is an ordinary
// cache.ListerWatcher: client-go's informer works on it unchanged, with
// watch-list, paged lists, bookmarks and errors.
//
// # What stays client-go's
//
// Requests are sent with the clientset's own REST client, so that
// authentication, TLS, rate limit, retries, user agent, warnings and the metrics
// of requests are client-go's. (Its metrics of latency and of sizes, which it
// takes of lists but not of watches, do not count these lists.) Errors are the
// typed ones of k8s.io/apimachinery/pkg/api/errors. A server that does not
// answer in JSON is left to client-go's own decoding, from then on.
//
// Objects are decoded as client-go does it (sigs.k8s.io/json): names are
// case-sensitive, unknown fields are ignored, null empties maps, arrays and
// pointers and leaves other fields as they are, of a name that comes twice the
// last counts, for objects and maps member by member, invalid UTF-8 is replaced,
// and what is nested more than 10,000 deep is an error. Tests and fuzzers hold
// one against the other. The differences:
//
//   - Objects have no managedFields unless Config.KeepManagedFields is set, and
//     what is in them is not looked at but for its syntax. What a program reads
//     with the clientset has them as ever.
//   - An object that is not of the kind that was asked for is an error. client-go
//     takes another list for an empty one, and ignores another object in a watch;
//     and to tell a kind it takes "KIND" for "kind".
//   - A watch event that has its type or its object twice is an error, and so is
//     one of type ERROR whose object is no Status. Of a list that has items twice
//     the last ones count, and are not written over those before them.
//
// # Bounds
//
// An object of more than 16 MiB is an error, as with client-go, and so is a list
// of more than 8 GiB; see [ErrTooLarge]. A body that never ends is found out in
// this way, whatever it consists of.
//
// # Objects that do not fit
//
// An object that is JSON but does not fit its Go type, such as a number for a
// string, is an error that names it and says where in it the mistake is. By
// default it keeps a list or a watch from going on, since a cache without it
// would be wrong: the informer's watch error handler is told, and the reflector
// tries again, more and more slowly. With Config.SkipUndecodable the object is
// reported and passed over.
//
// # Transforms
//
// [StripManagedFields], [DropLastApplied] and [Intern] make what is in a cache
// smaller; [Chain] puts them and one's own together so that none of them can
// break the cache. client-go may pass an object through its informer's transform
// twice.
package listwatch
