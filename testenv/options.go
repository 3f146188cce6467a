// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/okontajneroch/starwars/config/crd"
)

// Options says what [Start] starts. The zero value is good for a test: fresh
// data in a temporary directory, a free port, the Starfighter API installed,
// and every authenticated request allowed.
type Options struct {
	// Dir is the directory for the data and the credentials. It is made if it
	// is missing; if it exists it must be empty or come from an earlier Start.
	// Stop keeps it, so that a later Start with the same Dir finds the objects,
	// and with the same Port too serves clients that hold the old kubeconfig.
	// One environment at a time can use a directory, across all processes.
	//
	// The credentials are in the sub-directory "pki", readable by the owner
	// only. Whoever can read them is admin of the API.
	//
	// Empty means a temporary directory, which Stop removes.
	Dir string

	// Port is the TCP port on 127.0.0.1. Zero means a free one, which stays
	// the same over Halt and Restart.
	Port int

	// CRDs are the manifests of the CustomResourceDefinitions to install:
	// apiextensions.k8s.io/v1, in YAML (several documents in one are fine) or
	// JSON. Nil means the Starfighter API, which is [crd.Starfighters]; an
	// empty slice that is not nil means none.
	CRDs [][]byte

	// FeatureGates turns features of the API server on or off, by the names
	// of k8s.io/apiserver and k8s.io/apiextensions-apiserver, for instance
	// "CBORServingAndStorage". An unknown gate, or one locked to the other
	// value, is an error, and so are the groups AllAlpha and AllBeta.
	//
	// Kubernetes keeps its server gates in one variable per process
	// (k8s.io/apiserver/pkg/util/feature.DefaultFeatureGate), so all
	// environments of a process share them: Start refuses a setting that
	// differs from what another running environment uses, and Stop of the
	// last environment puts the old values back. Feature gates of client-go
	// (for instance WatchListClient) are others and are not touched.
	FeatureGates map[string]bool

	// Authorizer decides about every request of RESTConfig and of the
	// kubeconfig, whose user is "admin" in the group "system:authenticated".
	// NoOpinion counts as a refusal. The group "system:masters" is allowed
	// everything without asking: the server's own requests come from it.
	// It is called concurrently. Nil allows everything.
	Authorizer authorizer.Authorizer
}

// complete returns a copy of the options that shares nothing mutable with the
// caller's, with the CRD manifests parsed.
func (o Options) complete() (Options, []crdManifest, error) {
	if o.Port < 0 || o.Port > 65535 {
		return o, nil, fmt.Errorf("port %d does not exist: use 1 to 65535, or 0 for a free one", o.Port)
	}
	o.FeatureGates = maps.Clone(o.FeatureGates)
	o.CRDs = slices.Clone(o.CRDs)
	if o.CRDs == nil {
		o.CRDs = [][]byte{crd.Starfighters()}
	}
	var manifests []crdManifest
	var errs []error
	for i, data := range o.CRDs {
		m, err := parseCRDs(data)
		if err != nil {
			errs = append(errs, fmt.Errorf("Options.CRDs[%d]: %w", i, err))
		}
		manifests = append(manifests, m...)
	}
	return o, manifests, errors.Join(errs...)
}
