// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

const (
	running      = "Starfighter Informer is running. Press Ctrl+C to exit."
	shuttingDown = "Shutting down Informer."
)

// wantPrinted waits for as many lines and requires that these are all that the
// program printed on stdout. A line that repeats, as at every resync, counts
// once.
func wantPrinted(t *testing.T, p *process.Process, want ...string) {
	t.Helper()
	distinct := func(text string) []string {
		lines := strings.Split(text, "\n")
		return slices.Compact(lines[:len(lines)-1]) // the last has not ended
	}
	text, err := p.Await(&p.Stdout, "line "+want[len(want)-1], func(text string) bool { return len(distinct(text)) >= len(want) })
	noError(t, err)
	if got := distinct(text); !slices.Equal(got, want) {
		t.Fatalf("stdout %q, want %q", got, want)
	}
}

// TestArticle follows the article that the SDK comes from: the same commands
// give the same lines.
func TestArticle(t *testing.T) {
	t.Parallel()
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		s := server.New(t)
		followArticle(t, func(t *testing.T) (*process.Process, string) {
			t.Helper()
			p := launch(t, binaries.Informer, "--kubeconfig", s.Kubeconfig, "--resync", "1s")
			return p, s.Kubeconfig
		})
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		data := filepath.Join(t.TempDir(), "data")
		followArticle(t, func(t *testing.T) (*process.Process, string) {
			t.Helper()
			p := launch(t, binaries.Informer, "--data-dir", data, "--resync", "1s")
			return p, kubeconfigIn(t, p)
		})
	})
}

// kubeconfigIn reads from the hint of a program that runs its own API server
// how kubectl reaches it.
func kubeconfigIn(t *testing.T, p *process.Process) string {
	t.Helper()
	const before = "export KUBECONFIG="
	text, err := p.Await(&p.Stderr, before, func(text string) bool {
		_, after, found := strings.Cut(text, before)
		return found && strings.Contains(after, "\n")
	})
	noError(t, err)
	_, after, _ := strings.Cut(text, before)
	path, _, _ := strings.Cut(after, "\n")
	return path
}

func followArticle(t *testing.T, start func(*testing.T) (p *process.Process, kubeconfig string)) {
	t.Helper()
	informer, kubeconfig := start(t)
	wantPrinted(t, informer, running)

	terminal := openTerminal(t, kubeconfig)
	terminal.run("apply", "-f", "config/samples/x-wing-1.yaml")
	wantPrinted(t, informer, running, "Starfighter added: x-wing-1", "Starfighter updated: x-wing-1")
	terminal.run("delete", "starfighter", "x-wing-1")
	wantPrinted(t, informer, running, "Starfighter added: x-wing-1", "Starfighter updated: x-wing-1", "Starfighter deleted: x-wing-1")
	interrupt(t, informer)
	wantPrinted(t, informer, running, "Starfighter added: x-wing-1", "Starfighter updated: x-wing-1", "Starfighter deleted: x-wing-1", shuttingDown)

	informer, kubeconfig = start(t)
	wantPrinted(t, informer, running)
	openTerminal(t, kubeconfig).run("apply", "-f", "config/samples/x-wing-1.yaml")
	wantPrinted(t, informer, running, "Starfighter added: x-wing-1")
	interrupt(t, informer)

	// Handlers see changes of the cache: to a new one the same ship is new, and
	// it is there before the informer says that it runs.
	informer, _ = start(t)
	wantPrinted(t, informer, "Starfighter added: x-wing-1", running)
	interrupt(t, informer)
}

func TestInformerProgram(t *testing.T) {
	t.Parallel()
	kubeconfig := sharedServer(t).Kubeconfig
	informer := func(t *testing.T, args ...string) *process.Process {
		t.Helper()
		return launch(t, binaries.Informer, append(args, "--kubeconfig", kubeconfig, "--namespace", namespaceOf(t))...)
	}

	t.Run("ends by itself", func(t *testing.T) {
		t.Parallel()
		p := informer(t, "--for", "1s")
		wantExit(t, p, 0)
		wantPrinted(t, p, running, shuttingDown)
		if text := p.Stderr.String(); text != "" {
			t.Errorf("stderr:\n%s", text)
		}
	})
	t.Run("ends at SIGTERM", func(t *testing.T) {
		t.Parallel()
		p := informer(t)
		wantPrinted(t, p, running)
		noError(t, p.Signal(syscall.SIGTERM))
		wantExit(t, p, 0)
		wantPrinted(t, p, running, shuttingDown)
	})
	t.Run("creates a ship only if asked", func(t *testing.T) {
		t.Parallel()
		p := informer(t, "--seed")
		wantPrinted(t, p, running, "Starfighter added: x-wing-1")
		interrupt(t, p)
		p = informer(t, "--seed") // the ship that is there is no error
		wantPrinted(t, p, "Starfighter added: x-wing-1", running)
		interrupt(t, p)
	})
	t.Run("without resync", func(t *testing.T) {
		t.Parallel()
		p := informer(t, "--seed", "--resync", "0", "--for", "2s")
		wantExit(t, p, 0)
		wantPrinted(t, p, running, "Starfighter added: x-wing-1", shuttingDown)
	})
	t.Run("explains itself", func(t *testing.T) {
		t.Parallel()
		p := informer(t, "--help")
		wantExit(t, p, 0)
		for _, flag := range []string{"--kubeconfig FILE", "--data-dir DIR", "--for DURATION", "--resync INTERVAL", "--namespace NAMESPACE"} {
			if text := p.Stdout.String(); !strings.Contains(text, flag) {
				t.Errorf("%s is not in:\n%s", flag, text)
			}
		}
	})
}
