// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

func TestDocked(t *testing.T) {
	many := make([]string, phasesKept)
	for i := range many {
		many[i] = fmt.Sprintf("phase %d", i)
	}
	tests := map[string]struct {
		faction v1.Faction
		phases  []string
		want    []string
	}{
		"new":          {v1.Rebellion, nil, []string{"launched", "docked at Yavin 4"}},
		"neutral":      {"bounty-hunters", nil, []string{"launched", "docked at Mos Eisley"}},
		"docked":       {v1.Empire, []string{"docked at Death Star"}, []string{"docked at Death Star"}},
		"defected":     {v1.Empire, []string{"docked at Yavin 4"}, []string{"docked at Yavin 4", "docked at Death Star"}},
		"came back":    {v1.Empire, []string{"docked at Death Star", "lost"}, []string{"docked at Death Star", "lost", "docked at Death Star"}},
		"long history": {v1.Empire, many, slices.Concat(many[1:], []string{"docked at Death Star"})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(test.phases)
			ship := &v1.Starfighter{Spec: v1.StarfighterSpec{Faction: test.faction}, Status: v1.StarfighterStatus{Phases: test.phases}}
			if got := docked(ship); !slices.Equal(got, test.want) {
				t.Errorf("docked is %q, want %q", got, test.want)
			}
			if !slices.Equal(ship.Status.Phases, before) {
				t.Errorf("the ship itself was changed to %q", ship.Status.Phases)
			}
		})
	}
}

// TestReconcileEndsWithItsOwnWrite: what the controller wrote comes back as an
// event, and has to give it nothing more to do.
func TestReconcileEndsWithItsOwnWrite(t *testing.T) {
	ship := &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "x-wing-1"},
		Spec:       v1.StarfighterSpec{Faction: v1.Rebellion},
	}
	client := fake.NewClientset(ship).StarwarsV1()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	d := newDocking(client, starwarslisters.NewStarfighterLister(indexer))
	defer d.queue.ShutDown()
	name := cache.MetaObjectToName(ship)

	reconcile := func(want int64) {
		t.Helper()
		now, err := client.Starfighters("default").Get(t.Context(), "x-wing-1", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := indexer.Update(now); err != nil {
			t.Fatal(err)
		}
		if err := d.reconcile(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if got := d.written.Load(); got != want {
			t.Errorf("%d statuses written so far, want %d", got, want)
		}
	}
	reconcile(1) // "launched" and "docked at Yavin 4"
	reconcile(1)

	defector, err := client.Starfighters("default").Get(t.Context(), "x-wing-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defector.Spec.Faction = v1.Empire
	if _, err := client.Starfighters("default").Update(t.Context(), defector, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	reconcile(2)
	reconcile(2)

	if err := indexer.Delete(defector); err != nil {
		t.Fatal(err)
	}
	if err := d.reconcile(t.Context(), name); err != nil {
		t.Errorf("of a ship that is lost: %v", err)
	}
}

func TestDockingLeavesShipsOfOthersAlone(t *testing.T) {
	d := newDocking(nil, nil)
	defer d.queue.ShutDown()
	d.OnAdd(&v1.Starfighter{ObjectMeta: metav1.ObjectMeta{Name: "yours"}}, false)
	ours := &v1.Starfighter{ObjectMeta: metav1.ObjectMeta{Name: "ours", Labels: map[string]string{fleetLabel: fleetName}}}
	d.OnUpdate(ours, ours)
	if d.queue.Len() != 1 {
		t.Fatalf("%d ships in the queue, want 1", d.queue.Len())
	}
	if name, _ := d.queue.Get(); name.Name != "ours" {
		t.Errorf("the ship in the queue is %s", name)
	}
}
