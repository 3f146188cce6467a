// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"

	"github.com/okontajneroch/starwars/test/e2e/internal/process"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// TestKubectl uses the API with the real kubectl, as one session at a terminal:
// with -v the test prints it.
func TestKubectl(t *testing.T) {
	t.Parallel()
	c := openTerminal(t, server.New(t).Kubeconfig)

	wantIn(t, c.run("api-resources", "--api-group=starwars.okontajneroch.sk"), row("starfighters", "sf", "starwars.okontajneroch.sk/v1", "true", "Starfighter"))
	wantIn(t, c.run("get", "starfighters"), "No resources found in default namespace.")

	wantIn(t, c.run("apply", "-f", "config/samples/x-wing-1.yaml"), "starfighter.starwars.okontajneroch.sk/x-wing-1 created")
	wantIn(t, c.run("apply", "-f", "config/samples/x-wing-1.yaml"), "starfighter.starwars.okontajneroch.sk/x-wing-1 unchanged")
	wantIn(t, c.run("apply", "-f", "config/samples/fleet.yaml"), "x-wing-2 created", "slave-1 created")

	// Short name, category, all namespaces, and fields that the server selects by.
	columns := row("NAME", "FACTION", "PILOT", "TYPE", "AGE")
	xWing1 := row("x-wing-1", "rebellion", "Luke Skywalker", "X-Wing")
	wantIn(t, c.run("get", "starfighters"), columns, xWing1, row("n-1-1", "republic", "Anakin Skywalker", "N-1"))
	wantIn(t, c.run("get", "sf", "x-wing-1"), columns, xWing1)
	wantIn(t, c.run("get", "starwars", "-A"), row("NAMESPACE", columns), row("default", xWing1), row("outer-rim", "slave-1", "bounty-hunters", "Boba Fett", "Firespray-31"))
	wantNames(t, c.run("get", "sf", "--field-selector", "spec.faction=rebellion", "-o", "name"), "a-wing-1", "x-wing-1", "x-wing-2", "x-wing-3", "y-wing-1")
	wantNames(t, c.run("get", "sf", "-A", "--field-selector", "spec.pilot=Luke Skywalker", "-o", "name"), "x-wing-1", "snowspeeder-1")
	wantIn(t, c.run("explain", "starfighter.spec.faction"), "KIND:       Starfighter", "FIELD: faction <string>", "any string is accepted", "1024 code points")
	wantIn(t, c.run("explain", "starfighter.status"), "phases", "<[]string>")

	// A change, seen by a watch that runs meanwhile.
	watch := process.New(t, c.command("get", "sf", "x-wing-1", "-w"))
	_, err := watch.Await(&watch.Stdout, "row of x-wing-1", func(text string) bool { return contains(text, xWing1) })
	noError(t, err)
	wedge := row("x-wing-1", "rebellion", "Wedge Antilles", "X-Wing")
	wantIn(t, c.run("diff", "-f", "config/samples/x-wing-1.yaml")) // no difference, no output
	c.run("patch", "sf", "x-wing-1", "--type=merge", "-p", `{"spec":{"pilot":"Wedge Antilles"}}`)
	_, err = watch.Await(&watch.Stdout, "row of x-wing-1 with its new pilot", func(text string) bool { return contains(text, wedge) })
	noError(t, err)
	noError(t, watch.Kill())
	c.show("", watch.Stdout.String()+"^C\n", "get", "sf", "x-wing-1", "-w")
	wantIn(t, c.exits(1, "", "diff", "-f", "config/samples/x-wing-1.yaml"), "-  pilot: Wedge Antilles", "+  pilot: Luke Skywalker")

	// The status has its own endpoint.
	c.run("patch", "sf", "x-wing-1", "--type=merge", "--subresource=status", "-p", `{"status":{"phases":["launched","docked"]}}`)
	c.run("wait", "sf/x-wing-1", "--for=jsonpath={.status.phases[1]}=docked", "--timeout=30s")
	wantIn(t, c.run("describe", "sf", "x-wing-1"), "Name:         x-wing-1", "Pilot:    Wedge Antilles", "Phases:\n    launched\n    docked\n")
	if got := c.run("get", "sf", "x-wing-1", "-o", "jsonpath={.status.phases}"); got != `["launched","docked"]` {
		t.Errorf("phases %s", got)
	}
	wantIn(t, c.run("label", "sf", "x-wing-1", "squadron=red"), "x-wing-1 labeled")
	wantNames(t, c.run("get", "sf", "-l", "squadron=red", "-o", "name"), "x-wing-1")

	// What is wrong is said in the server's words.
	wantIn(t, c.exits(1, manifest("x-wing-9", "pilot: 1138"), "apply", "-f", "-"),
		`The Starfighter "x-wing-9" is invalid`, `spec.pilot: Invalid value: "integer"`, "spec.type: Required value")
	wantIn(t, c.exits(1, manifest("x-wing-9", "pilot: Red Nine\n  type: X-Wing\n  shields: double front"), "apply", "-f", "-"),
		`strict decoding error: unknown field "spec.shields"`)
	wantIn(t, c.exits(1, "", "get", "sf", "x-wing-9"), `starfighters.starwars.okontajneroch.sk "x-wing-9" not found`)
	wantIn(t, c.exits(1, "", "get", "sf", "--field-selector", "spec.type=X-Wing"), "field label not supported: spec.type")

	// Server-side apply tells who owns what.
	owned := manifest("x-wing-1", "pilot: Biggs Darklighter\n  type: X-Wing")
	wantIn(t, c.exits(1, owned, "apply", "--server-side", "--field-manager=hangar", "-f", "-"), "conflict", ".spec.pilot")
	wantIn(t, c.exits(0, owned, "apply", "--server-side", "--field-manager=hangar", "--force-conflicts", "-f", "-"), "x-wing-1 serverside-applied")
	wantIn(t, c.run("get", "sf", "x-wing-1"), row("x-wing-1", "rebellion", "Biggs Darklighter", "X-Wing"))

	wantIn(t, c.run("delete", "sf", "x-wing-1"), `starfighter.starwars.okontajneroch.sk "x-wing-1" deleted`)
	wantIn(t, c.run("delete", "sf", "--all", "-A"), `"slave-1" deleted`)
	wantIn(t, c.run("get", "sf", "-A"), "No resources found")
}

// manifest makes a manifest of a rebel ship.
func manifest(name, spec string) string {
	return "apiVersion: starwars.okontajneroch.sk/v1\nkind: Starfighter\nmetadata:\n  name: " + name +
		"\nspec:\n  faction: rebellion\n  " + spec + "\n"
}

// row is a line of a table, whose columns are as wide as they must be.
func row(cells ...string) string { return strings.Join(cells, " ") }

// wantIn requires each of the texts, and any output if there are none. Spaces
// in tables do not count.
func wantIn(t *testing.T, printed string, texts ...string) {
	t.Helper()
	if len(texts) == 0 && printed != "" {
		t.Errorf("got %q, want nothing", printed)
	}
	for _, text := range texts {
		if !contains(printed, text) {
			t.Errorf("%q is not in:\n%s", text, printed)
		}
	}
}

func contains(printed, text string) bool {
	return strings.Contains(printed, text) || strings.Contains(strings.Join(strings.Fields(printed), " "), text)
}

// wantNames requires that "-o name" printed these ships, in this order.
func wantNames(t *testing.T, printed string, want ...string) {
	t.Helper()
	const prefix = "starfighter.starwars.okontajneroch.sk/"
	if got := strings.ReplaceAll(strings.TrimSpace(printed), prefix, ""); got != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
