// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bench compares this SDK's informer with its peers: client-go's and
// controller-runtime's. Its README tells how, and what comes of it. Here are
// only the Go benchmarks of the decoding of single objects; the commands in cmd
// measure whole processes.
package bench
