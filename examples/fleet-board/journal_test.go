// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"testing"
)

func TestJournalTellsOfEachShipOnce(t *testing.T) {
	j := newJournal(8, newBell())
	start := j.now()
	for _, key := range []string{"a", "b", "a", "c", "a"} {
		j.record(key)
	}
	keys, next, ok := j.since(start)
	if want := []string{"a", "b", "c"}; !ok || next != 5 || !slices.Equal(keys, want) {
		t.Errorf("since the start: %q, next %d, %v; want %q, 5, true", keys, next, ok, want)
	}
	keys, next, ok = j.since(next)
	if !ok || next != 5 || len(keys) != 0 {
		t.Errorf("since then: %q, next %d, %v; want nothing", keys, next, ok)
	}
}

func TestJournalForgetsAndSaysSo(t *testing.T) {
	j := newJournal(4, newBell())
	for i := range 10 {
		j.record(fmt.Sprint(i))
	}
	if _, _, ok := j.since(5); ok {
		t.Error("it claims to know the fifth change before the last of four")
	}
	if keys, _, ok := j.since(6); !ok || !slices.Equal(keys, []string{"6", "7", "8", "9"}) {
		t.Errorf("the last four: %q, %v", keys, ok)
	}
	if _, _, ok := j.since(11); ok {
		t.Error("it claims to know what has not happened")
	}
}

func TestJournalKnowsItsOwnIDs(t *testing.T) {
	j, other := newJournal(4, newBell()), newJournal(4, newBell())
	if place, ok := j.parse(j.id(7)); !ok || place != 7 {
		t.Errorf("its own id: %d, %v", place, ok)
	}
	for _, id := range []string{"", "7", "-7", other.id(7), j.id(7) + "x", j.epoch + "--7"} {
		if place, ok := j.parse(id); ok {
			t.Errorf("%q is taken for place %d", id, place)
		}
	}
}

func TestBellWakesWhoAskedBefore(t *testing.T) {
	b := newBell()
	first, second := b.rung(), b.rung()
	b.ring()
	<-first
	<-second
	select {
	case <-b.rung():
		t.Error("a bell rings on")
	default:
	}
}
