// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsapply "github.com/okontajneroch/starwars/pkg/generated/applyconfiguration/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
)

// TestScenario29FakeClientsetCreatesAndApplies covers what a fake clientset of a custom
// resource can only do when it was generated with the schema of the types.
func TestScenario29FakeClientsetCreatesAndApplies(t *testing.T) {
	ctx := t.Context()
	ships := fake.NewClientset().StarwarsV1().Starfighters("default")

	created, err := ships.Create(ctx, samples.XWing1(), metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	if created.Spec.Pilot != "Luke Skywalker" {
		t.Errorf("created with pilot %q", created.Spec.Pilot)
	}

	applied, err := ships.Apply(ctx,
		starwarsapply.Starfighter("x-wing-1", "default").
			WithLabels(map[string]string{"squadron": "red"}).
			WithSpec(starwarsapply.StarfighterSpec().WithPilot("Biggs Darklighter")),
		metav1.ApplyOptions{FieldManager: "squadron", Force: true})
	if err != nil {
		t.Fatalf("apply to an object that exists: %v", err)
	}
	want := v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing", Pilot: "Biggs Darklighter"}
	if applied.Spec != want || applied.Labels["squadron"] != "red" {
		t.Errorf("applied: spec %+v, labels %v; want spec %+v and the label squadron=red", applied.Spec, applied.Labels, want)
	}

	if _, err := ships.Apply(ctx,
		starwarsapply.Starfighter("x-wing-2", "default").
			WithSpec(starwarsapply.StarfighterSpec().WithFaction(v1.Rebellion).WithType("X-Wing").WithPilot("Wedge Antilles")),
		metav1.ApplyOptions{FieldManager: "squadron"}); err != nil {
		t.Fatalf("apply to an object that does not exist: %v", err)
	}

	docked, err := ships.ApplyStatus(ctx,
		starwarsapply.Starfighter("x-wing-2", "default").
			WithStatus(starwarsapply.StarfighterStatus().WithPhases("launched", "docked")),
		metav1.ApplyOptions{FieldManager: "docking"})
	if err != nil {
		t.Fatalf("apply the status: %v", err)
	}
	if len(docked.Status.Phases) != 2 || docked.Spec.Pilot != "Wedge Antilles" {
		t.Errorf("after the status was applied: %+v", docked)
	}

	list, err := ships.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	if len(list.Items) != 2 {
		t.Errorf("%d ships, want 2", len(list.Items))
	}
}
