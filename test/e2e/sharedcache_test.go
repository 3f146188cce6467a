// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// sharedCacheOutput is all that shared-cache prints about its sample fleet: every change waits until
// it was noticed, so the order is always the same.
const sharedCacheOutput = `audit: added default/x-wing-5: faction "rebellion", pilot "Garven Dreis"
audit: updated default/x-wing-2: pilot "Wedge Antilles" -> "Derek Klivian"
audit: updated default/tie-fighter-1: faction "empire" -> "rebellion"
audit: deleted default/tie-fighter-2
audit: deleted outer-rim/x-wing-4
squadrons joined late, and was told of every ship in the cache
audit: added outer-rim/millennium-falcon: faction "rebellion", pilot "Han Solo"
audit: updated default/x-wing-1: pilot "Luke Skywalker" -> "Red Five"
audit: updated outer-rim/slave-1: faction "bounty-hunters" -> "empire"
audit: deleted default/x-wing-5

What each consumer was told:
  roster     14 found, 2 added, 4 updated, 3 deleted
  audit log  14 found, 2 added, 4 updated, 3 deleted
  squadrons  13 found, 1 added, 2 updated, 1 deleted
  ships by faction, as the roster counted: "empire" 3, "rebellion" 8, "republic" 2
  ships by type, as squadrons counted: "A-Wing" 1, "Eta-2" 1, "Firespray-31" 1, "N-1" 1, "T-47" 1, "TIE Advanced x1" 1, "TIE/IN" 1, "TIE/LN" 1, "X-Wing" 3, "Y-Wing" 1, "YT-1300" 1

Index "faction":
  "empire"             3  default/tie-advanced-1 outer-rim/slave-1 outer-rim/tie-interceptor-1
  "rebellion"          8  default/a-wing-1 default/tie-fighter-1 default/x-wing-1 default/x-wing-2 default/x-wing-3 default/y-wing-1 outer-rim/millennium-falcon outer-rim/snowspeeder-1
  "republic"           2  default/n-1-1 outer-rim/eta-2-1

Index "pilot":
  "Anakin Skywalker"   2  default/n-1-1 outer-rim/eta-2-1
  "Arvel Crynyd"       1  default/a-wing-1
  "Biggs Darklighter"  1  default/x-wing-3
  "Boba Fett"          1  outer-rim/slave-1
  "Darth Vader"        1  default/tie-advanced-1
  "Derek Klivian"      1  default/x-wing-2
  "Han Solo"           1  outer-rim/millennium-falcon
  "Jon Vander"         1  default/y-wing-1
  "Luke Skywalker"     1  outer-rim/snowspeeder-1
  "Mauler Mithel"      1  default/tie-fighter-1
  "Red Five"           1  default/x-wing-1
  "Soontir Fel"        1  outer-rim/tie-interceptor-1
  The API server gives the same answers.

Requests for Starfighters that the API server counted for the informer of these 3 consumers:
  LIST 0, WATCH 1
`

func TestSharedCache(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T) []string{
		"embedded": func(*testing.T) []string { return nil },
		"cluster": func(t *testing.T) []string {
			t.Helper()
			return []string{"--kubeconfig", server.New(t).Kubeconfig, "--seed"}
		},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := launch(t, binaries.SharedCache, args(t)...)
			wantQuietEnd(t, p)
			if got := p.Stdout.String(); got != sharedCacheOutput {
				t.Errorf("stdout:\n%swant:\n%s", got, sharedCacheOutput)
			}
		})
	}
}

func TestSharedCacheEndsCleanlyMidway(t *testing.T) {
	t.Parallel()
	p := launch(t, binaries.SharedCache)
	_, err := p.Await(&p.Stdout, "first change", func(text string) bool { return strings.Contains(text, "audit: ") })
	noError(t, err)
	interrupt(t, p)
	for line := range strings.Lines(p.Stderr.String()) {
		// The API server's etcd client complains of what was cut, through a
		// logger that nobody can reach.
		if !strings.Contains(line, `"logger":"etcd-client"`) {
			t.Errorf("stderr: %s", line)
		}
	}
}

// In someone's cluster the example only looks, until it is interrupted.
func TestSharedCacheWritesNothingUnasked(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	create(t, ships, ship("x-wing-1"), ship("x-wing-2", flownBy("Wedge Antilles")), ship("tie-fighter-1", flyingFor(v1.Empire), flownBy("Mauler Mithel")))

	p := launch(t, binaries.SharedCache, "--kubeconfig", s.Kubeconfig)
	_, err := p.Await(&p.Stdout, "third consumer", func(text string) bool { return strings.Contains(text, "squadrons joined late") })
	noError(t, err)
	change(t, ships, "x-wing-2", flyingFor(v1.Empire))
	_, err = p.Await(&p.Stdout, "change", func(text string) bool { return strings.Contains(text, "audit: updated") })
	noError(t, err)
	before, err := ships.List(t.Context(), metav1.ListOptions{})
	noError(t, err)

	interrupt(t, p)
	wantQuietEnd(t, p)
	after, err := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("").List(t.Context(), metav1.ListOptions{})
	noError(t, err)
	if after.ResourceVersion != before.ResourceVersion || !reflect.DeepEqual(after.Items, before.Items) {
		t.Errorf("the ships were changed from\n%+v\nto\n%+v", before, after)
	}
	const want = `squadrons joined late, and was told of every ship in the cache
audit: updated default/x-wing-2: faction "rebellion" -> "empire"

What each consumer was told:
  roster      3 found, 0 added, 1 updated, 0 deleted
  audit log   3 found, 0 added, 1 updated, 0 deleted
  squadrons   3 found, 0 added, 1 updated, 0 deleted
  ships by faction, as the roster counted: "empire" 2, "rebellion" 1
  ships by type, as squadrons counted: "X-Wing" 3

Index "faction":
  "empire"             2  default/tie-fighter-1 default/x-wing-2
  "rebellion"          1  default/x-wing-1

Index "pilot":
  "Luke Skywalker"     1  default/x-wing-1
  "Mauler Mithel"      1  default/tie-fighter-1
  "Wedge Antilles"     1  default/x-wing-2
`
	if got, _, _ := strings.Cut(p.Stdout.String(), "\nRequests"); got != want {
		t.Errorf("stdout:\n%swant:\n%s", got, want)
	}
}
