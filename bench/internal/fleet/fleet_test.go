// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func TestShipsAreAsAPIServersWriteThem(t *testing.T) {
	f := Fleet{Ships: 200, Seed: 1}
	size := 0
	for i := range f.Ships {
		ship := f.Ship(i)
		text, err := JSON(ship)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		var read starwarsv1.Starfighter
		if strict, err := json.UnmarshalStrict(text, &read); err != nil || len(strict) > 0 {
			t.Fatal(err, strict)
		}
		normalize(&read)
		normalize(ship)
		if !reflect.DeepEqual(&read, ship) {
			t.Fatalf("ship %d is %+v, read back as %+v", i, ship, read)
		}
		if len(read.ManagedFields) != 3 || read.UID == "" || read.Annotations[lastAppliedAnnotation] == "" {
			t.Fatalf("not all there: %s", text)
		}
	}
	if mean := size / f.Ships; mean < 2400 || mean > 2800 {
		t.Errorf("%d bytes each, want some 2600", mean)
	}
}

// normalize forgets the time zones.
func normalize(ship *starwarsv1.Starfighter) {
	ship.CreationTimestamp = metav1.NewTime(ship.CreationTimestamp.UTC())
	for i := range ship.ManagedFields {
		at := metav1.NewTime(ship.ManagedFields[i].Time.UTC())
		ship.ManagedFields[i].Time = &at
	}
}

func TestSameSeedSameFleet(t *testing.T) {
	f := Fleet{Ships: 50, Seed: 7}
	for i := range f.Ships {
		one, err := JSON(f.Ship(i))
		if err != nil {
			t.Fatal(err)
		}
		two, err := JSON(f.Ship(i))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Fatalf("%s\n%s", one, two)
		}
	}
	if other := (Fleet{Ships: 50, Seed: 8}); f.Digest() == other.Digest() {
		t.Error("the digest does not tell fleets apart")
	}
}

func TestDigestAfterUpdates(t *testing.T) {
	f := Fleet{Ships: 7, Seed: 1}
	for _, updates := range []int{0, 1, 6, 7, 8, 13, 14, 15, 30} {
		ships := map[int]*starwarsv1.Starfighter{}
		for i := range f.Ships {
			ships[i] = f.Ship(i)
		}
		for k := range updates {
			ships[k%f.Ships] = f.Update(k)
		}
		var want Digest
		for _, ship := range ships {
			want.Add(ship)
		}
		if got := f.DigestAfter(updates); got != want {
			t.Errorf("after %d updates %v, want %v", updates, got, want)
		}
	}
}
