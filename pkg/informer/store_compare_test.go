// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// compare asks both all the questions that leave no trace.
func (p *pair) compare() {
	if got, want := p.store.LastStoreSyncResourceVersion(), p.model.LastStoreSyncResourceVersion(); got != want {
		p.t.Errorf("LastStoreSyncResourceVersion %q, but client-go's is %q", got, want)
	}
	sameSet(p.t, p.store.ListKeys(), p.model.ListKeys(), "ListKeys")
	sameSet(p.t, slices.Collect(maps.Keys(p.store.GetIndexers())), p.index, "GetIndexers")
	p.compareObjects()
	for _, name := range append([]string{missingIndex}, p.index...) {
		values := p.model.ListIndexFuncValues(name)
		sameSet(p.t, p.store.ListIndexFuncValues(name), values, "ListIndexFuncValues", name)
		for _, value := range p.ask(name, values) {
			p.compareValue(name, value)
		}
		for i, probe := range probes {
			want, wantErr := p.model.Index(name, probe)
			got, err := p.store.Index(name, probe)
			p.sameError(err, wantErr, "Index", name, probeNames[i])
			sameSet(p.t, got, want, "Index", name, probeNames[i])
			typed, err := p.store.TypedIndex(name, probe)
			p.sameError(err, wantErr, "TypedIndex", name, probeNames[i])
			sameSet(p.t, untyped(typed), want, "TypedIndex", name, probeNames[i])
		}
	}
}

func (p *pair) compareValue(name, value string) {
	want, wantErr := p.model.ByTypedIndex(name, value)
	got, err := p.store.ByTypedIndex(name, value)
	p.sameError(err, wantErr, "ByTypedIndex", name, value)
	sameSet(p.t, got, want, "ByTypedIndex", name, value)
	n, err := p.store.CountByIndex(name, value)
	p.sameError(err, wantErr, "CountByIndex", name, value)
	if n != len(want) {
		p.t.Errorf("CountByIndex %s %q: %d, want %d", name, value, n, len(want))
	}
	wantKeys, wantErr := p.model.IndexKeys(name, value)
	keys, err := p.store.IndexKeys(name, value)
	p.sameError(err, wantErr, "IndexKeys", name, value)
	if !slices.Equal(keys, wantKeys) {
		p.t.Errorf("IndexKeys %s %q: %q, but client-go's are %q", name, value, keys, wantKeys)
	}
}

// compareObjects asks for every object there can be, if these are few.
func (p *pair) compareObjects() {
	for i := range min(p.names, 64) {
		for _, namespace := range namespaces {
			obj := newShip(namespace, "x-wing-"+strconv.Itoa(i))
			want, wantExists, _ := p.model.Get(obj)
			if got, exists, err := p.store.Get(obj); got != want || exists != wantExists || err != nil {
				p.t.Errorf("Get %s/%s: %v, %v, %v, but client-go's is %v", namespace, obj.Name, got, exists, err, want)
			}
			key := cache.MetaObjectToName(obj).String()
			if got, exists, err := p.store.GetByKey(key); got != want || exists != wantExists || err != nil {
				p.t.Errorf("GetByKey %s: %v, %v, %v, but client-go's is %v", key, got, exists, err, want)
			}
			if got, exists, err := p.store.Get(cache.ExplicitKey(key)); got != want || exists != wantExists || err != nil {
				p.t.Errorf("Get of the key %s: %v, %v, %v, but client-go's is %v", key, got, exists, err, want)
			}
		}
	}
}

// compareIterators asks the questions that mark what they answer from as shared.
func (p *pair) compareIterators() {
	want := p.model.List()
	sameSet(p.t, p.store.List(), want, "List")
	sameSet(p.t, untyped(p.store.ListTyped()), want, "ListTyped")
	sameSet(p.t, untyped(slices.Collect(p.store.AllTyped())), want, "AllTyped")
	for _, name := range append([]string{missingIndex}, p.index...) {
		for _, value := range p.ask(name, p.model.ListIndexFuncValues(name)) {
			want, wantErr := p.model.ByIndex(name, value)
			got, err := p.store.ByIndex(name, value)
			p.sameError(err, wantErr, "ByIndex", name, value)
			sameSet(p.t, got, want, "ByIndex", name, value)
			snapshot, err := p.store.SnapshotByTypedIndex(name, value)
			p.sameError(err, wantErr, "SnapshotByTypedIndex", name, value)
			sameSet(p.t, untyped(snapshot), want, "SnapshotByTypedIndex", name, value)
			seq, err := p.store.AllByTypedIndex(name, value)
			p.sameError(err, wantErr, "AllByTypedIndex", name, value)
			if err != nil {
				continue
			}
			sameSet(p.t, untyped(slices.Collect(seq)), want, "AllByTypedIndex", name, value)
			at := [2]string{name, value}
			if p.seqs[at] == nil {
				p.seqs[at] = seq
			}
			sameSet(p.t, untyped(slices.Collect(p.seqs[at])), want, "AllByTypedIndex, held", name, value)
		}
	}
}

// ask returns which values to ask an index for that has these: all of them if
// they are few, and some that it may not have.
func (p *pair) ask(name string, values []string) []string {
	if name == missingIndex {
		return smallValues[:1]
	}
	asked := append([]string{"endor", "everywhere", "x-wing-1"}, smallValues...)
	if len(values) < 50 {
		asked = append(asked, values...)
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

// probes are objects to ask Index for, with all kinds of values.
var probes, probeNames = func() ([]*v1.Starfighter, []string) {
	none, many := newShip("", "probe"), newShip("hoth", "probe")
	many.Spec = v1.StarfighterSpec{Faction: "a", Type: "b", Pilot: "c"}
	many.Status.Phases = []string{"a", "b", "a", ""}
	twice, unknown := newShip("mustafar", "probe"), newShip("endor", "x-wing-0")
	twice.Status.Phases = []string{"b", "b"}
	unknown.Spec = v1.StarfighterSpec{Faction: "nobody", Type: "nobody", Pilot: "nobody"}
	unknown.Status.Phases = []string{"nobody", "c"}
	return []*v1.Starfighter{none, many, twice, unknown}, []string{"no values", "many values", "a value twice", "an unknown value"}
}()

// sameError wants an error where client-go has one. What it is about is only
// put together when it is told: the fuzzer gets further.
func (p *pair) sameError(got, want error, what ...string) {
	if (got == nil) != (want == nil) || (got != nil && !errors.Is(got, ErrNoIndex)) {
		p.t.Errorf("%q: error %v, but client-go's is %v", what, got, want)
	}
}

// sameSet wants the same elements, each of them once, in any order.
func sameSet[E comparable](t testing.TB, got, want []E, what ...string) {
	left := make(map[E]bool, len(want))
	for _, e := range want {
		left[e] = true
	}
	same := len(got) == len(want)
	for _, e := range got {
		same = same && left[e]
		delete(left, e)
	}
	if !same || len(left) > 0 {
		t.Helper()
		t.Errorf("%q: %v, want %v", what, got, want)
	}
}
