// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"github.com/okontajneroch/starwars/examples/internal/console"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// auditLog writes down who flies what for whom: a line for every change, but not
// more than so many a second. What others wrote is quoted, so that it cannot do
// anything to a terminal.
type auditLog struct {
	out   *console.Console
	limit *rate.Limiter

	mu      sync.Mutex
	latest  []string // the last lines, for the view
	docked  int      // changes of the status, since the last summary
	skipped int      // lines beyond the limit, since the last summary
}

const linesPerSecond = 5

func newAuditLog(out *console.Console) *auditLog {
	return &auditLog{out: out, limit: rate.NewLimiter(linesPerSecond, 2*linesPerSecond)}
}

// OnAdd logs ships that are launched, not those that were there before the log.
func (a *auditLog) OnAdd(ship *v1.Starfighter, isInInitialList bool) {
	if !isInInitialList {
		a.log(ship.Namespace, ship.Name, "launched for %s, flown by %s", console.Quote(string(ship.Spec.Faction)), console.Quote(ship.Spec.Pilot))
	}
}

// OnUpdate logs what a change is about.
func (a *auditLog) OnUpdate(before, after *v1.Starfighter) {
	var changes []string
	if before.Spec.Faction != after.Spec.Faction {
		changes = append(changes, fmt.Sprintf("defected from %s to %s", console.Quote(string(before.Spec.Faction)), console.Quote(string(after.Spec.Faction))))
	}
	if before.Spec.Pilot != after.Spec.Pilot {
		changes = append(changes, fmt.Sprintf("passed from %s to %s", console.Quote(before.Spec.Pilot), console.Quote(after.Spec.Pilot)))
	}
	switch {
	case changes != nil:
		a.log(after.Namespace, after.Name, "%s", strings.Join(changes, ", "))
	case !slices.Equal(before.Status.Phases, after.Status.Phases):
		a.mu.Lock()
		a.docked++
		a.mu.Unlock()
	}
}

// OnDelete knows the name of a ship also when the rest is unknown.
func (a *auditLog) OnDelete(deleted starwarsinformers.DeletedStarfighter) {
	a.log(deleted.GetNamespace(), deleted.GetName(), "lost")
}

func (a *auditLog) log(namespace, name, format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.limit.Allow() {
		a.skipped++
		return
	}
	line := namespace + "/" + name + " " + fmt.Sprintf(format, args...)
	if !a.out.Live {
		a.out.Printf("audit: %s\n", line)
	}
	a.latest = append(a.latest, line)
	a.latest = a.latest[max(0, len(a.latest)-5):]
}

// lines returns the last few lines.
func (a *auditLog) lines() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.latest)
}

// sumUp returns what happened since it was last asked and has no line of its own;
// the empty string if there is nothing.
func (a *auditLog) sumUp() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var parts []string
	if a.docked > 0 {
		parts = append(parts, english.Sprintf("%d docked", a.docked))
	}
	if a.skipped > 0 {
		parts = append(parts, english.Sprintf("%d more changes", a.skipped))
	}
	a.docked, a.skipped = 0, 0
	return strings.Join(parts, ", ")
}
