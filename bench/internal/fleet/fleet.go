// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fleet makes any number of Starfighters as an API server returns them:
// with uid, labels, annotations and the managed fields of three managers, some
// 2.6 kB of JSON each. The same seed makes the same fleet in every process.
package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// firstResourceVersion is the resourceVersion of the first ship.
const firstResourceVersion = 100_000

// Fleet is a number of ships that exist only when they are asked for.
type Fleet struct {
	// Ships is how many ships there are.
	Ships int
	// Seed decides what they are.
	Seed uint64
	// FewPerPilot gives no pilot more than two ships. Otherwise there are 1,600
	// pilots, however many ships there are.
	FewPerPilot bool
}

// ResourceVersion is that of a list of all ships.
func (f Fleet) ResourceVersion() int { return firstResourceVersion + f.Ships - 1 }

// Ship makes ship i of [0, Ships).
func (f Fleet) Ship(i int) *starwarsv1.Starfighter {
	random := rand.New(rand.NewPCG(f.Seed, uint64(i)))
	kind := pick(random, shipTypes)
	faction := pick(random, factions)
	squadron := pick(random, squadrons)
	pilot := pick(random, firstNames) + " " + pick(random, lastNames)
	if f.FewPerPilot {
		pilot = fmt.Sprintf("%s %s %d", firstNames[i/2%len(firstNames)], lastNames[i/2%len(lastNames)], i/2)
	}
	created := epoch.Add(time.Duration(random.IntN(300*24*3600)) * time.Second)

	ship := &starwarsv1.Starfighter{
		TypeMeta: metav1.TypeMeta{APIVersion: starwarsv1.GroupVersion.String(), Kind: "Starfighter"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              fmt.Sprintf("%s-%s-%06d", slug(kind), squadron, i),
			Namespace:         namespaces[i%len(namespaces)],
			UID:               uid(random),
			ResourceVersion:   fmt.Sprint(firstResourceVersion + i),
			Generation:        1 + random.Int64N(9),
			CreationTimestamp: metav1.NewTime(created),
			Labels: map[string]string{
				"app.kubernetes.io/managed-by":       "hangar-operator",
				"app.kubernetes.io/part-of":          "fleet-" + string(faction),
				"starwars.okontajneroch.sk/squadron": squadron,
			},
			Annotations: map[string]string{
				"starwars.okontajneroch.sk/hangar":       fmt.Sprintf("bay-%d/dock-%d", random.IntN(64), random.IntN(32)),
				"starwars.okontajneroch.sk/flight-plan":  flightPlan(random),
				"starwars.okontajneroch.sk/inspected-at": created.Add(36 * time.Hour).Format(time.RFC3339),
			},
		},
		Spec:   starwarsv1.StarfighterSpec{Faction: faction, Type: kind, Pilot: pilot},
		Status: starwarsv1.StarfighterStatus{Phases: append([]string(nil), phases[:1+random.IntN(len(phases))]...)},
	}
	if random.IntN(2) == 0 {
		ship.Labels["starwars.okontajneroch.sk/sector"] = pick(random, sectors)
	}
	ship.Annotations[lastAppliedAnnotation] = lastApplied(ship)
	ship.ManagedFields = managedFields(created, created.Add(time.Duration(random.IntN(90*24*3600))*time.Second))
	return ship
}

// Update makes what ship k%Ships is after the k-th update of the fleet, for k
// from 0: another phase and a higher resourceVersion.
func (f Fleet) Update(k int) *starwarsv1.Starfighter {
	ship := f.Ship(k % f.Ships)
	ship.ResourceVersion = fmt.Sprint(f.UpdatedResourceVersion(k))
	ship.Status.Phases = append(ship.Status.Phases, fmt.Sprintf("patrol-%d", k))
	written := metav1.NewTime(ship.ManagedFields[0].Time.Add(100*24*time.Hour + time.Duration(k)*time.Second))
	ship.ManagedFields[len(ship.ManagedFields)-1].Time = &written
	return ship
}

// UpdatedResourceVersion is that of the fleet after its k-th update.
func (f Fleet) UpdatedResourceVersion(k int) int { return f.ResourceVersion() + 1 + k }

// Factions returns those of all ships.
func Factions() []starwarsv1.Faction { return slices.Clone(factions) }

// epoch is when the first ships were built.
var epoch = time.Date(2025, time.May, 25, 6, 0, 0, 0, time.UTC)

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func slug(kind string) string {
	return strings.ToLower(strings.NewReplacer(" ", "-", "/", "-").Replace(kind))
}

// flightPlan makes a route of several legs.
func flightPlan(random *rand.Rand) string {
	legs := make([]string, 6+random.IntN(3))
	for i := range legs {
		legs[i] = fmt.Sprintf("%s:%05d/%05d", pick(random, sectors), random.IntN(100_000), random.IntN(100_000))
	}
	return strings.Join(legs, " - ")
}

// uid makes a random UUID of version 4.
func uid(random *rand.Rand) types.UID {
	high, low := random.Uint64(), random.Uint64()
	high = high&^0xf000 | 0x4000
	low = low&^(0xc0<<56) | 0x80<<56
	return types.UID(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xffff, low>>48, low&(1<<48-1)))
}
