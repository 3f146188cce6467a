// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// oneWatch is what shared-cache prints of the requests for all of its consumers.
const oneWatch = "  LIST 0, WATCH 1, of these watch-lists 1\n"

// sharedCacheSummary is what shared-cache prints at its end, in words of its own.
type sharedCacheSummary struct {
	notified, coalesced, waiting, most map[string]int // by consumer
	looked, wrote                      int            // of the docking controller
}

var (
	consumerLine = regexp.MustCompile(`(?m)^(\w+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)$`)
	dockingLine  = regexp.MustCompile(`(?m)^docking: looked at a ship ([\d,]+) times, wrote ([\d,]+) statuses, [\d,]+ ships in the queue$`)
)

func sharedCacheSummaryIn(t *testing.T, text string) sharedCacheSummary {
	t.Helper()
	number := func(text string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		noError(t, err)
		return n
	}
	s := sharedCacheSummary{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0, 0}
	for _, line := range consumerLine.FindAllStringSubmatch(text, -1) {
		for column, values := range []map[string]int{s.notified, s.coalesced, s.waiting, s.most} {
			values[line[1]] = number(line[2+column])
		}
	}
	if line := dockingLine.FindStringSubmatch(text); line != nil {
		s.looked, s.wrote = number(line[1]), number(line[2])
	}
	return s
}

func TestSharedCache(t *testing.T) {
	t.Parallel()
	const ships, rate, seconds = 24, 20, 3
	flags := []string{"--ships", strconv.Itoa(ships), "--rate", strconv.Itoa(rate), "--for", strconv.Itoa(seconds) + "s"}
	for _, where := range []string{"embedded", "cluster"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			args := flags
			var cluster *server.Server
			if where == "cluster" {
				cluster = server.New(t)
				args = slices.Concat(flags, []string{"--kubeconfig", cluster.Kubeconfig, "--seed"})
			}
			p := launch(t, binaries.SharedCache, args...)
			wantExit(t, p, 0)
			text := p.Stdout.String()
			for _, line := range []string{
				`A fleet of 24 ships came in`,
				`The cache is filled, and its consumers were told of every ship`,
				`roster: "(rebellion|empire)" \d+, "(rebellion|empire)" \d+, "\S+" \d, "\S+" \d$`,
				`pilots: Luke Skywalker flies .+; Darth Vader flies .+; Jon Vander flies .+$`,
				`audit: \S+ launched for ".+", flown by ".+"`,
				`audit: \S+ passed from ".+" to ".+"`,
				`audit: \S+ defected from ".+" to ".+"`,
				`audit: \S+ lost`,
				`audit: .*\d+ docked`,
				`The squadron counter joined late, and was told of every ship too.`,
				`Compared with the \d+ ships that the API server has, the answers are the same:`,
				`  index "faction" +4 values`,
				`  index "pilot" +\d+ values`,
				`  index "faction-type" +\d+ values`,
				`  squadrons +6 values`,
			} {
				if !regexp.MustCompile(`(?m)^` + line).MatchString(text) {
					t.Errorf("no line that begins with %s", line)
				}
			}
			if !strings.Contains(text, oneWatch) {
				t.Errorf("no line %q", oneWatch)
			}

			s := sharedCacheSummaryIn(t, text)
			const changes = rate * (seconds + 1) // at most
			all := s.notified["auditLog"]
			if all < ships+changes/4 {
				t.Errorf("the audit log was told of %d changes", all)
			}
			if s.notified["squadrons"] >= all {
				t.Errorf("the squadron counter was told of %d changes, and joined late; the audit log of %d", s.notified["squadrons"], all)
			}
			// The slow one is behind, but never by more than the ships there are.
			if s.waiting["archive"] == 0 || s.coalesced["archive"] == 0 || s.notified["archive"] >= all/2 || s.most["archive"] > ships+changes {
				t.Errorf("the archive is not slow, or more waited for it than ships: %+v", s)
			}
			// What the controller wrote gave it nothing more to do: it wrote once when a
			// ship came, and once when one changed sides.
			if s.wrote < ships/2 || s.wrote > ships+changes/2 || s.looked > all {
				t.Errorf("with %d changes of %d ships the docking controller looked %d times and wrote %d times", changes, ships, s.looked, s.wrote)
			}
			if cluster != nil {
				wantDocked(t, cluster, ships/2)
			}
		})
	}
}

// wantDocked requires that some ships of a cluster have a status that the docking
// controller applied.
func wantDocked(t *testing.T, s *server.Server, least int) {
	t.Helper()
	ships, err := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("").List(t.Context(), metav1.ListOptions{})
	noError(t, err)
	docked := 0
	for _, ship := range ships.Items {
		applied := slices.ContainsFunc(ship.ManagedFields, func(fields metav1.ManagedFieldsEntry) bool {
			return fields.Manager == "docking-controller" && fields.Operation == metav1.ManagedFieldsOperationApply && fields.Subresource == "status"
		})
		if applied && slices.ContainsFunc(ship.Status.Phases, func(phase string) bool { return strings.HasPrefix(phase, "docked at ") }) {
			docked++
		}
	}
	if docked < least {
		t.Errorf("%d of %d ships are docked, want at least %d", docked, len(ships.Items), least)
	}
}

func TestSharedCacheEndsCleanlyMidway(t *testing.T) {
	t.Parallel()
	p := launch(t, binaries.SharedCache)
	_, err := p.Await(&p.Stdout, "first change", func(text string) bool { return strings.Contains(text, "audit: ") })
	noError(t, err)
	begin := time.Now()
	interrupt(t, p)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if text := p.Stdout.String(); !strings.HasSuffix(text, oneWatch) {
		t.Errorf("there is no summary, or there were more requests, in:\n%s", text)
	}
	wantOnlyHints(t, p)
}

// In someone's cluster the example only looks, until it is interrupted.
func TestSharedCacheWritesNothingUnasked(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	client := clientFor(t, configFor(t, s)).StarwarsV1()
	ships := client.Starfighters("default")
	create(t, ships, ship("x-wing-1"), ship("x-wing-2", flownBy("Wedge Antilles")), ship("tie-fighter-1", flyingFor(v1.Empire), flownBy("Mauler\x1b[2JMithel")))

	p := launch(t, binaries.SharedCache, "--kubeconfig", s.Kubeconfig, "--for", "0")
	_, err := p.Await(&p.Stdout, "third consumer", func(text string) bool { return strings.Contains(text, "squadron counter joined late") })
	noError(t, err)
	change(t, ships, "x-wing-2", flyingFor(v1.Empire))
	change(t, ships, "tie-fighter-1", flownBy("Luke Skywalker"))
	_, err = p.Await(&p.Stdout, "change", func(text string) bool { return strings.Contains(text, "audit: default/tie-fighter-1") })
	noError(t, err)
	before, err := client.Starfighters("").List(t.Context(), metav1.ListOptions{})
	noError(t, err)

	interrupt(t, p)
	wantQuietEnd(t, p)
	after, err := client.Starfighters("").List(t.Context(), metav1.ListOptions{})
	noError(t, err)
	if after.ResourceVersion != before.ResourceVersion || !reflect.DeepEqual(after.Items, before.Items) {
		t.Errorf("the ships were changed from\n%+v\nto\n%+v", before, after)
	}
	text := p.Stdout.String()
	for _, want := range []string{
		`roster: "rebellion" 2, "empire" 1`,
		`audit: default/x-wing-2 defected from "rebellion" to "empire"`,
		`audit: default/tie-fighter-1 passed from "Mauler\x1b[2JMithel" to "Luke Skywalker"`, // nothing for the terminal
		`roster: "empire" 2, "rebellion" 1`,
		`pilots: Luke Skywalker flies default/tie-fighter-1, default/x-wing-1; Darth Vader flies nothing; Jon Vander flies nothing`,
		`docking: off, nothing is written here without --seed`,
		`Compared with the 3 ships that the API server has, the answers are the same:`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	const others = "  LIST 1, WATCH 1, of these watch-lists 1\n  Those of other programs are among them.\n" // the LIST is of this test
	if !strings.HasSuffix(text, others) {
		t.Errorf("it does not end with %q", others)
	}
	for consumer, notified := range sharedCacheSummaryIn(t, text).notified {
		if notified != 5 && consumer != "archive" {
			t.Errorf("%s was told of %d changes, want those of 3 ships and 2 more", consumer, notified)
		}
	}
}
