// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressSaysHowLongItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, text := output(t)
		p := newProgress("Sending in the fleet", 100_000)
		failed := errors.New("failed")
		err := p.during(t.Context(), out, func(context.Context) error {
			time.Sleep(time.Second / 2) // never at the moment when the progress is printed
			for range 12 {
				p.done.Add(2_000)
				time.Sleep(time.Second)
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("error %v, want that of the work", err)
		}
		const want = "Sending in the fleet: 10,000 of 100,000 ships, 2,000/s, 45s left\n" +
			"Sending in the fleet: 20,000 of 100,000 ships, 2,000/s, 40s left\n"
		if got := text(); got != want {
			t.Errorf("printed\n%swant\n%s", got, want)
		}
		if got, want := p.took(), "12.5s"; got != want {
			t.Errorf("it took %s, want %s", got, want)
		}
	})
}

func TestProgressAtItsEnds(t *testing.T) {
	p := newProgress("Filling the cache", 3)
	for done, want := range []string{
		"Filling the cache: 0 of 3 ships",
		"Filling the cache: 1 of 3 ships, 1/s, 2s left",
		"Filling the cache: 2 of 3 ships, 2/s, 1s left",
		"Filling the cache: 3 of 3 ships, 3/s, 0s left",
		"Filling the cache: 3 of 3 ships, 4/s, 0s left", // one more came since
	} {
		p.done.Store(int64(done))
		if got := p.at(p.begin.Add(time.Second)); got != want {
			t.Errorf("with %d done: %q, want %q", done, got, want)
		}
	}
}
