// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"testing"
	"time"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func nothingShown(int) bool { return false }

func TestFactionsKeepTheirPlaces(t *testing.T) {
	f := newFactions()
	if f.of(v1.Rebellion) != 0 || f.of(v1.Empire) != 1 || f.of("republic") != otherFactions {
		t.Fatalf("places at the start: %v", f.list())
	}
	for i := range 10 {
		f.seen(v1.Faction(fmt.Sprint("faction-", i)))
	}
	if got := f.of("faction-5"); got != 7 {
		t.Errorf("the last that fits has place %d, want 7", got)
	}
	if got := f.of("faction-6"); got != otherFactions {
		t.Errorf("one too many has place %d", got)
	}

	// One goes; its place stays taken while a chart shows it.
	counts := map[v1.Faction]int{"faction-1": 1, "faction-2": 1, "faction-3": 1, "faction-4": 1, "faction-5": 1, "faction-6": 3, "faction-7": 9}
	f.settle(counts, func(place int) bool { return place == 2 })
	if f.of("faction-0") != 2 || f.of("faction-7") != otherFactions {
		t.Errorf("a place that is shown was given away: %v", f.list())
	}
	f.settle(counts, nothingShown)
	if f.of("faction-0") != otherFactions || f.of("faction-7") != 2 || f.of("faction-6") != otherFactions {
		t.Error("the largest faction without a place did not get the free one")
	}
	if f.of("faction-1") != 3 || f.of(v1.Rebellion) != 0 {
		t.Error("somebody else's place moved")
	}
}

func TestMeterCountsWhatChanges(t *testing.T) {
	b, client := newTestBoard(t, fleet()...)
	if got := b.meter.counted(); got != (tally{}) {
		t.Errorf("ships that were there before count as changes: %+v", got)
	}
	now := time.UnixMilli(1000)
	b.meter.take(now)
	create(t, client, newShip("default", "x-wing-9", v1.Rebellion, "Jek Porkins"))
	remove(t, client, fleet()[3])
	eventually(t, "both changes are counted", func() bool { return b.meter.counted().total() == 2 })
	b.meter.take(now.Add(time.Second))

	samples, taken := b.meter.since(0)
	if taken != 2 || len(samples) != 2 {
		t.Fatalf("%d samples, %d kept; want 2", taken, len(samples))
	}
	first, second := samples[0], samples[1]
	if first.Changes != 0 || first.total() != 5 || first.Ships[0] != 3 || first.Ships[1] != 1 || first.Ships[2] != 1 {
		t.Errorf("first sample %+v", first)
	}
	if second.Changes != 2 || second.total() != 5 || second.Ships[0] != 4 || second.Ships[1] != 0 || second.Time != 2000 {
		t.Errorf("second sample %+v", second)
	}
	if samples, _ := b.meter.since(taken); len(samples) != 0 {
		t.Errorf("new since the last: %v", samples)
	}
}

func TestMeterKnowsWhatWasListedAgain(t *testing.T) {
	m := newMeter(nil, newFactions(), newBell())
	before, again, after := fleet()[0], fleet()[0], fleet()[0]
	before.ResourceVersion, again.ResourceVersion, after.ResourceVersion = "7", "7", "8"
	m.OnUpdate(before, again)
	if got := m.counted().Updated; got != 0 {
		t.Errorf("a ship that was listed again counts as %d changes", got)
	}
	m.OnUpdate(again, after)
	if got := m.counted().Updated; got != 1 {
		t.Errorf("a change counts as %d", got)
	}
}

func TestMeterForgetsWhatIsOld(t *testing.T) {
	m := newMeter(nil, newFactions(), newBell())
	for i := range historyLength + 10 {
		m.add(time.UnixMilli(int64(i)), map[v1.Faction]int{v1.Empire: i})
	}
	samples, taken := m.since(0)
	if len(samples) != historyLength || samples[0].Time != 10 || taken != historyLength+10 {
		t.Errorf("%d samples from %d on, %d taken", len(samples), samples[0].Time, taken)
	}
}
