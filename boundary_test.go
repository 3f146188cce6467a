// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestModuleBoundary keeps the SDK's module graph to what its users need: who
// vendors the SDK must not inherit generators, the API server or etcd, nor any
// other module that client-go, apimachinery and klog do not bring themselves;
// but for the decoder, which requires nothing and is in Go's standard library
// from 1.27 on.
func TestModuleBoundary(t *testing.T) {
	modules := strings.Fields(goCommand(t, "list", "-m", "-f", "{{if not .Main}}{{.Path}}{{end}}", "all"))
	t.Logf("%d modules in the graph of the SDK beside its own", len(modules))

	brought := reachable(goCommand(t, "mod", "graph"), "k8s.io/client-go", "k8s.io/apimachinery", "k8s.io/klog/v2")
	brought["github.com/go-json-experiment/json"] = true
	forbidden := []string{
		"go.etcd.io/", "k8s.io/apiextensions-apiserver", "k8s.io/apiserver", "k8s.io/code-generator", "k8s.io/component-base",
		"k8s.io/gengo", "k8s.io/kubectl", "sigs.k8s.io/controller-runtime", "sigs.k8s.io/controller-tools",
	}
	for _, module := range modules {
		if !brought[module] {
			t.Errorf("the SDK requires %s, which client-go does not bring: move what needs it to a module of its own", module)
		}
		if slices.ContainsFunc(forbidden, func(prefix string) bool { return strings.HasPrefix(module, prefix) }) {
			t.Errorf("the SDK's module graph has %s, which only generators, servers or tests need", module)
		}
	}
}

// reachable returns the modules that the roots require, directly or not, and
// the roots themselves; graph is what "go mod graph" prints.
func reachable(graph string, roots ...string) map[string]bool {
	requires := map[string][]string{}
	for line := range strings.Lines(graph) {
		if from, to, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			requires[modulePath(from)] = append(requires[modulePath(from)], modulePath(to))
		}
	}
	found := map[string]bool{}
	for len(roots) > 0 {
		module := roots[0]
		roots = roots[1:]
		if !found[module] {
			found[module] = true
			roots = append(roots, requires[module]...)
		}
	}
	return found
}

func modulePath(pathAtVersion string) string {
	path, _, _ := strings.Cut(pathAtVersion, "@")
	return path
}

// goCommand runs go in the SDK's module as its users see it: no workspace.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	out, err := command.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v: %v\n%s", command, err, exit.Stderr)
		}
		t.Fatalf("%v: %v", command, err)
	}
	return string(out)
}
