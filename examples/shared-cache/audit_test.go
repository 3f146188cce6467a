// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

func xWing(edit func(*v1.Starfighter)) *v1.Starfighter {
	ship := &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "x-wing-1"},
		Spec:       v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing", Pilot: "Luke Skywalker"},
	}
	if edit != nil {
		edit(ship)
	}
	return ship
}

func TestAuditLog(t *testing.T) {
	ship := xWing(nil)
	tests := map[string]struct {
		event func(*auditLog)
		want  string // the line; empty for none
	}{
		"launched":        {func(a *auditLog) { a.OnAdd(ship, false) }, `default/x-wing-1 launched for "rebellion", flown by "Luke Skywalker"`},
		"there before":    {func(a *auditLog) { a.OnAdd(ship, true) }, ""},
		"nothing changed": {func(a *auditLog) { a.OnUpdate(ship, ship) }, ""},
		"changed twice": {func(a *auditLog) {
			a.OnUpdate(ship, xWing(func(s *v1.Starfighter) { s.Spec.Faction, s.Spec.Pilot = v1.Empire, "Darth Vader" }))
		}, `default/x-wing-1 defected from "rebellion" to "empire", passed from "Luke Skywalker" to "Darth Vader"`},
		"text of others": {func(a *auditLog) {
			a.OnUpdate(ship, xWing(func(s *v1.Starfighter) { s.Spec.Pilot = "\x1b[2Jgone\n" }))
		}, `default/x-wing-1 passed from "Luke Skywalker" to "\x1b[2Jgone\n"`},
		"lost": {func(a *auditLog) { a.OnDelete(starwarsinformers.DeletedStarfighter{OptionalObj: ship}) }, "default/x-wing-1 lost"},
		"lost unseen": {func(a *auditLog) {
			a.OnDelete(starwarsinformers.DeletedStarfighter{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "default/x-wing-1"}})
		}, "default/x-wing-1 lost"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out, text := output(t)
			a := newAuditLog(out)
			test.event(a)
			want := ""
			if test.want != "" {
				want = "audit: " + test.want + "\n"
			}
			if got := text(); got != want {
				t.Errorf("printed %q, want %q", got, want)
			}
			if got := strings.Join(a.lines(), "\n"); got != test.want {
				t.Errorf("the view shows %q, want %q", got, test.want)
			}
		})
	}
}

// TestAuditLogSumsUp has more changes than anyone could read.
func TestAuditLogSumsUp(t *testing.T) {
	out, text := output(t)
	a := newAuditLog(out)
	const changes = 1000
	for range changes {
		a.OnAdd(xWing(nil), false)
	}
	a.OnUpdate(xWing(nil), xWing(func(s *v1.Starfighter) { s.Status.Phases = []string{"docked"} }))
	lines := strings.Count(text(), "\n")
	if lines == 0 || lines > changes/2 {
		t.Errorf("%d lines for %d changes", lines, changes)
	}
	if got, want := a.sumUp(), english.Sprintf("1 docked, %d more changes", changes-lines); got != want {
		t.Errorf("summed up as %q, want %q", got, want)
	}
	if got := a.sumUp(); got != "" {
		t.Errorf("summed up again as %q", got)
	}
	if got := a.lines(); len(got) != 5 || slices.Contains(got, "") {
		t.Errorf("the view shows %q", got)
	}
}
