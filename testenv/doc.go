// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package testenv runs a real Kubernetes API server in the process: for tests,
// for examples and for trying things out, with nothing to install or download.
//
// It is k8s.io/apiextensions-apiserver, the part of kube-apiserver that serves
// custom resources, on an embedded etcd. Everything that a client does with a
// custom resource is the real thing: validation, defaulting, server-side
// apply, status, field selectors, watches with bookmarks, expired
// resourceVersions. Start takes about a quarter of a second, Stop less than a
// tenth.
//
// In a test, [New] is all that is needed:
//
//	func TestController(t *testing.T) {
//		env := testenv.New(t, testenv.Options{})
//		client, err := versioned.NewForConfig(env.RESTConfig())
//		...
//	}
//
// # What is not there
//
// There is only the group apiextensions.k8s.io and what the installed CRDs
// define. There are no namespaces (objects can be created in any), no Events,
// no RBAC, no access reviews, no garbage collection of owned objects, and no
// admission plug-ins or webhooks.
//
// # Faults
//
// [Environment.Halt], [Environment.Restart] and
// [Environment.DropConnections] make what clients meet in production: a server
// that is away, one that has come back with the watch cache empty or with the
// data of another life, cut connections. [Options.Authorizer] can refuse any
// request at any time.
//
// # Security
//
// The server listens on 127.0.0.1 only, with TLS and a CA of its own, and
// requires a token of 128 random bits; there is no anonymous user. etcd listens
// on a unix socket in a directory that only the user can enter.
//
// # Process-wide effects
//
// Several environments in one process are independent of each other, but for
// the feature gates ([Options.FeatureGates]) and the figures of /metrics.
//
// The server logs through klog, a few lines at verbosity 0 for every start and
// stop. To silence it a test binary can say in its TestMain, before the first
// Start:
//
//	klog.LogToStderr(false)
//	klog.SetOutput(io.Discard)
//
// What this package itself logs goes to the logger of Start's context
// (klog.FromContext), from verbosity 2 on.
//
// # Goroutines
//
// When Stop returns, the server's port, sockets, files and connections are
// gone, and so are its goroutines, up to a few that are on their way out. Two
// kinds take longer: timers of 3 s after a LIST, and of 1 s after a change of
// a CRD. A leak check that does not wait as long should ignore the functions
//
//	k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2
//	k8s.io/apiextensions-apiserver/pkg/apiserver.(*crdHandler).tearDown
package testenv
