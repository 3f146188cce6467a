// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/query"
	"github.com/okontajneroch/starwars/bench/internal/report"
	"github.com/okontajneroch/starwars/bench/internal/trial"
)

// writeTable writes the medians. The columns with × say how many times less this
// SDK's informer takes.
func writeTable(to io.Writer, r result) {
	ours, clientGo, controllerRuntime := r.Runs[query.Starwars], r.Runs[query.ClientGo], r.Runs[query.ControllerRuntime]
	fmt.Fprintf(to, "%d ships:\n\n", r.Ships)
	table := report.NewTable("", "found", query.ClientGo, query.ControllerRuntime, query.Starwars, "×", "× c.-r.", "allocs", "starwars", "alloc B", "starwars")
	for _, answer := range ours[0].Answers {
		name := answer.Question
		table.Row(name, report.Count(uint64(answer.Found)),
			nanoseconds(clientGo, name), nanoseconds(controllerRuntime, name), nanoseconds(ours, name),
			ratio(clientGo, ours, name), ratio(controllerRuntime, ours, name),
			number(clientGo, name, allocations), number(ours, name, allocations),
			number(clientGo, name, allocated), number(ours, name, allocated))
	}
	memory := func(q trial.Query) uint64 { return q.IndexMemory }
	took := func(q trial.Query) time.Duration { return q.IndexTime }
	perShip := func(q trial.Query) string { return fmt.Sprintf("%d B/ship", q.IndexMemory/uint64(r.Ships)) }
	median := func(runs []trial.Query) trial.Query {
		return trial.Query{IndexMemory: report.Median(runs, memory), IndexTime: report.Median(runs, took)}
	}
	theirs, own := median(clientGo), median(ours)
	table.Row("memory of both indexes", "", perShip(theirs), "", perShip(own), report.Ratio(theirs.IndexMemory, own.IndexMemory), "", "", "", "", "")
	table.Row("adding both", "", report.Milliseconds(theirs.IndexTime), "", report.Milliseconds(own.IndexTime), report.Ratio(theirs.IndexTime, own.IndexTime), "", "", "", "", "")
	table.Write(to)
	fmt.Fprintln(to)
}

func allocations(a trial.Answer) float64 { return a.Allocations }
func allocated(a trial.Answer) float64   { return a.Allocated }
func took(a trial.Answer) float64        { return a.Nanoseconds }

// median returns the median of what is asked of the answers to a question, and
// whether there are any.
func median(runs []trial.Query, name string, of func(trial.Answer) float64) (float64, bool) {
	var answers []trial.Answer
	for _, run := range runs {
		for _, answer := range run.Answers {
			if answer.Question == name {
				answers = append(answers, answer)
			}
		}
	}
	if len(answers) == 0 {
		return 0, false
	}
	return report.Median(answers, of), true
}

func nanoseconds(runs []trial.Query, name string) string {
	n, ok := median(runs, name, took)
	switch {
	case !ok:
		return ""
	case n < 1e4:
		return fmt.Sprintf("%.0f ns", n)
	case n < 1e7:
		return report.Microseconds(time.Duration(n))
	default:
		return report.Milliseconds(time.Duration(n))
	}
}

func number(runs []trial.Query, name string, of func(trial.Answer) float64) string {
	n, ok := median(runs, name, of)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.0f", n)
}

func ratio(reference, runs []trial.Query, name string) string {
	theirs, ok := median(reference, name, took)
	own, _ := median(runs, name, took)
	if !ok || own == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f×", theirs/own)
}
