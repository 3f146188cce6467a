// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okontajneroch/starwars/test/e2e/internal/repo"
)

// TestScenario32ConsumerVendorsTheSDK is a team that keeps its dependencies in a vendor
// folder: a module of its own, no workspace, no network. What the SDK itself
// needs must be all that comes along.
func TestScenario32ConsumerVendorsTheSDK(t *testing.T) {
	t.Parallel()
	root, err := repo.Root()
	noError(t, err)
	dir := t.TempDir()
	goCommand := func(args ...string) string {
		t.Helper()
		command := exec.Command("go", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}

	copyFile(t, filepath.Join("testdata", "consumer", "main.go"), filepath.Join(dir, "main.go"))
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
	goCommand("mod", "init", "example.com/hangar")
	goCommand("mod", "edit", "-require=github.com/okontajneroch/starwars@v0.0.0", "-replace=github.com/okontajneroch/starwars="+root)
	goCommand("list", "-deps", ".") // adds what the SDK requires, as "go mod tidy" does, which needs the network
	goCommand("mod", "vendor")

	modules, err := os.ReadFile(filepath.Join(dir, "vendor", "modules.txt"))
	noError(t, err)
	var vendored []string
	for line := range strings.Lines(string(modules)) {
		if module, ok := strings.CutPrefix(line, "# "); ok {
			vendored = append(vendored, strings.Fields(module)[0])
		}
	}
	for _, needed := range []string{"github.com/okontajneroch/starwars", "k8s.io/client-go", "k8s.io/apimachinery"} {
		if !slices.Contains(vendored, needed) {
			t.Errorf("%s is not vendored: this test shows nothing", needed)
		}
	}
	forbidden := []string{
		"github.com/okontajneroch/starwars/", "go.etcd.io/", "k8s.io/apiextensions-apiserver", "k8s.io/apiserver", "k8s.io/code-generator",
		"k8s.io/component-base", "k8s.io/gengo", "k8s.io/kubectl", "sigs.k8s.io/controller-runtime", "sigs.k8s.io/controller-tools",
	}
	for _, module := range vendored {
		if slices.ContainsFunc(forbidden, func(prefix string) bool { return strings.HasPrefix(module, prefix) }) {
			t.Errorf("%s came along, which only generators, servers or tests need", module)
		}
	}

	// With -trimpath the build cache serves the next run, in another folder, too.
	binary := filepath.Join(dir, "hangar")
	goCommand("build", "-mod=vendor", "-trimpath", "-o", binary, ".")
	out, err := exec.Command(binary).CombinedOutput()
	noError(t, err)
	const want = `ships: [tie-advanced-1 x-wing-1 x-wing-2]
rebels: [x-wing-1 x-wing-2] in default: [x-wing-1 x-wing-2]
no such index: "factoin" of Starfighter; there are "faction", "pilot", "faction-type", and those that were added by hand
pilots with L fly: [x-wing-1]
`
	if string(out) != want {
		t.Errorf("the consumer's program printed:\n%swant:\n%s", out, want)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	noError(t, err)
	noError(t, os.WriteFile(to, text, 0o600))
}
