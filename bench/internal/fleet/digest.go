// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// Digest tells two sets of ships apart, whatever their order. It covers what a
// cache may not lose: everything but the managed fields and the annotation of
// kubectl's last apply.
type Digest struct {
	// Count is the number of ships.
	Count int `json:"count"`
	// Sum is the sum of the hashes of the ships.
	Sum uint64 `json:"sum"`
}

// Add adds a ship.
func (d *Digest) Add(ship *starwarsv1.Starfighter) {
	hash := fnv.New64a()
	field := func(text string) { _, _ = io.WriteString(hash, text+"\x00") }
	field(ship.Namespace)
	field(ship.Name)
	field(string(ship.UID))
	field(ship.ResourceVersion)
	field(fmt.Sprint(ship.Generation, ship.CreationTimestamp.Unix()))
	field(string(ship.Spec.Faction))
	field(ship.Spec.Type)
	field(ship.Spec.Pilot)
	field(strings.Join(ship.Status.Phases, "\x01"))
	for _, key := range slices.Sorted(maps.Keys(ship.Labels)) {
		field(key + "=" + ship.Labels[key])
	}
	for _, key := range slices.Sorted(maps.Keys(ship.Annotations)) {
		if key != lastAppliedAnnotation {
			field(key + "=" + ship.Annotations[key])
		}
	}
	d.Count++
	d.Sum += hash.Sum64()
}

// Digest is that of all ships.
func (f Fleet) Digest() Digest {
	var digest Digest
	for i := range f.Ships {
		digest.Add(f.Ship(i))
	}
	return digest
}

// DigestAfter is that of all ships after the given number of updates.
func (f Fleet) DigestAfter(updates int) Digest {
	var digest Digest
	for i := range f.Ships {
		ship := f.Ship(i)
		if last := lastUpdate(i, f.Ships, updates); last >= 0 {
			ship = f.Update(last)
		}
		digest.Add(ship)
	}
	return digest
}

// lastUpdate is the last of the updates that concerns ship i, or -1.
func lastUpdate(i, ships, updates int) int {
	if i >= updates {
		return -1
	}
	return i + (updates-1-i)/ships*ships
}
