// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/okontajneroch/starwars/testenv"
)

func TestFeatureGates(t *testing.T) {
	const gate = "CBORServingAndStorage" // off by default
	const mediaType = "application/cbor"
	expectNothingLeft(t)
	servesCBOR := func(e *testenv.Environment) bool {
		raw, err := getRaw(t, e.RESTConfig(), "/apis/starwars.okontajneroch.sk/v1/starfighters", mediaType)
		return err == nil && strings.HasPrefix(string(raw), "\xd9\xd9\xf7") // the tag of CBOR data
	}
	dir := t.TempDir()
	on := testenv.New(t, testenv.Options{Dir: dir, FeatureGates: map[string]bool{gate: true}})
	if !servesCBOR(on) {
		t.Error("the gate is on and has no effect")
	}
	create(t, newClient(t, on), "x-wing-1")

	// All servers of the process share the gates.
	_, err := testenv.Start(t.Context(), testenv.Options{FeatureGates: map[string]bool{gate: false}})
	if err == nil || !strings.Contains(err.Error(), gate+"=true") {
		t.Errorf("a second server with the gate off: %v", err)
	}
	testenv.New(t, testenv.Options{FeatureGates: map[string]bool{gate: true}}).Stop()
	if err := on.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
		t.Fatal(err)
	}
	if !servesCBOR(on) {
		t.Error("the gate is off after a restart")
	}
	if err := on.Stop(); err != nil {
		t.Fatal(err)
	}
	if utilfeature.DefaultFeatureGate.Enabled(gate) || utilfeature.DefaultMutableFeatureGate.ExplicitlySet(gate) {
		t.Error("the gate is set after the last server has stopped")
	}

	off := testenv.New(t, testenv.Options{Dir: dir, FeatureGates: map[string]bool{gate: false}})
	if servesCBOR(off) {
		t.Error("the gate is off and has no effect")
	}
	if got := names(t, newClient(t, off)); len(got) != 1 {
		t.Errorf("objects stored with the gate on are read as %q with the gate off", got)
	}
}
