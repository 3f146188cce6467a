// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/okontajneroch/starwars/examples/internal/console"
)

// view shows what the consumers know while the fleet changes: on a terminal in
// place, in a log as a few lines every other second.
type view struct {
	out       *console.Console
	campaign  *campaign
	roster    roster
	pilots    pilots
	squadrons *squadrons
	docking   *docking
	audit     *auditLog
	lag       *lag
}

// run returns when ctx ends.
func (v *view) run(ctx context.Context) {
	interval, show := 2*time.Second, v.log()
	if v.out.Live {
		interval, show = 200*time.Millisecond, v.draw(ctx)
	}
	shows, measures := time.NewTicker(interval), time.NewTicker(100*time.Millisecond)
	defer shows.Stop()
	defer measures.Stop()
	show()
	for {
		select {
		case <-measures.C:
			v.lag.measure()
		case <-shows.C:
			show()
		case <-ctx.Done():
			show()
			v.out.Erase()
			return
		}
	}
}

// log returns a function that prints what has changed since it was last called.
func (v *view) log() func() {
	var roster, pilots string
	printNew := func(what, text string, last *string) {
		if text != *last {
			v.out.Printf("%s: %s\n", what, text)
			*last = text
		}
	}
	return func() {
		printNew("roster", v.roster.String(), &roster)
		printNew("pilots", v.pilots.String(), &pilots)
		if text := v.audit.sumUp(); text != "" {
			v.out.Printf("audit: %s\n", text)
		}
	}
}

// draw returns a function that draws what there is.
func (v *view) draw(ctx context.Context) func() {
	begin := time.Now()
	end := func() string { return "Ctrl-C ends it" }
	if deadline, ok := ctx.Deadline(); ok {
		end = func() string { return time.Until(deadline).Round(time.Second).String() + " left" }
	}
	return func() {
		var notified, waiting []string
		for _, c := range v.lag.measure() {
			notified = append(notified, english.Sprintf("%s %d", c.name, c.Delivered))
			waiting = append(waiting, english.Sprintf("%s %d", c.name, c.Pending))
		}
		changes := v.campaign.made.Load()
		rows := []console.Row{
			row("changes", english.Sprintf("%d, %.0f per second, %s", changes, float64(changes)/time.Since(begin).Seconds(), end())),
			row("roster", v.roster.String()),
			row("pilots", v.pilots.String()),
			row("squadrons", v.squadrons.String()),
			row("docking", v.docking.String()),
			row("notified", strings.Join(notified, ", ")),
			row("waiting", strings.Join(waiting, ", ")),
		}
		label := "audit"
		for _, line := range v.audit.lines() {
			rows = append(rows, row(label, line))
			label = ""
		}
		v.out.Draw(rows...)
	}
}

func row(label, text string) console.Row {
	return console.Row{Label: fmt.Sprintf("%-11s", label), Text: text}
}
