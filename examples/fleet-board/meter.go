// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"sync"
	"time"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// historyLength is how many samples are kept, one a second: two minutes.
const historyLength = 120

// sample is the fleet at one moment.
type sample struct {
	Time    int64                `json:"t"` // milliseconds since 1970
	Changes int                  `json:"n"` // since the sample before
	Ships   [maxFactions + 1]int `json:"s"` // by place of their faction
}

func (s *sample) total() (n int) {
	for _, ships := range s.Ships {
		n += ships
	}
	return n
}

// tally is how many changes of each kind there were.
type tally struct{ Added, Updated, Deleted int }

func (t tally) total() int { return t.Added + t.Updated + t.Deleted }

// meter is the consumer behind the charts: it counts changes as they come, and
// takes a sample of the fleet each second. It can be read while it counts.
type meter struct {
	lister   starwarslisters.StarfighterLister
	factions *factions
	bell     *bell

	mu      sync.Mutex
	changes tally
	sampled int // changes that are in samples
	samples []sample
	taken   int // number of samples there were
}

func newMeter(lister starwarslisters.StarfighterLister, factions *factions, bell *bell) *meter {
	return &meter{lister: lister, factions: factions, bell: bell}
}

// OnAdd implements the handler. Ships that were there before the board are no
// change.
func (m *meter) OnAdd(_ *v1.Starfighter, isInInitialList bool) {
	if !isInInitialList {
		m.count(&m.changes.Added)
	}
}

// OnUpdate implements the handler. A ship of the same version was listed again.
func (m *meter) OnUpdate(before, after *v1.Starfighter) {
	if before.ResourceVersion != after.ResourceVersion {
		m.count(&m.changes.Updated)
	}
}

// OnDelete implements the handler.
func (m *meter) OnDelete(starwarsinformers.DeletedStarfighter) { m.count(&m.changes.Deleted) }

func (m *meter) count(of *int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*of++
}

// run takes samples until ctx ends. The first comes after the cache had the time
// to fill.
func (m *meter) run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			m.take(now)
		case <-ctx.Done():
			return
		}
	}
}

// take adds a sample. The index knows the factions and the ships of each.
func (m *meter) take(now time.Time) {
	counts := map[v1.Faction]int{}
	names, err := m.lister.IndexValues(starwarslisters.StarfighterFactionIndex)
	if err != nil { // the lister brings the index along
		panic(err)
	}
	for _, name := range names {
		faction := v1.Faction(name)
		if n := m.lister.CountByFaction(faction); n > 0 {
			counts[faction] = n
		}
	}
	m.add(now, counts)
	m.bell.ring()
}

func (m *meter) add(now time.Time, counts map[v1.Faction]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.factions.settle(counts, func(place int) bool {
		return slices.ContainsFunc(m.samples, func(s sample) bool { return s.Ships[place] > 0 })
	})
	s := sample{Time: now.UnixMilli(), Changes: m.changes.total() - m.sampled}
	m.sampled = m.changes.total()
	for faction, n := range counts {
		s.Ships[m.factions.of(faction)] += n
	}
	if len(m.samples) == historyLength {
		m.samples = slices.Delete(m.samples, 0, 1)
	}
	m.samples = append(m.samples, s)
	m.taken++
}

// since returns the samples after the first n, as far as they are kept, and how
// many there were in all.
func (m *meter) since(n int) (samples []sample, taken int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := min(m.taken-n, len(m.samples))
	return slices.Clone(m.samples[len(m.samples)-fresh:]), m.taken
}

// counted returns the changes there were since the start.
func (m *meter) counted() tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}
