// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
)

// program returns the path of a program under test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := binaries.Path(name)
	noError(t, err)
	return path
}

// launch starts a program under test, which ends with the test.
func launch(t *testing.T, name string, args ...string) *process.Process {
	t.Helper()
	return process.New(t, exec.Command(program(t, name), args...))
}

func wantExit(t *testing.T, p *process.Process, want int) {
	t.Helper()
	code, err := p.Exit()
	noError(t, err)
	if code != want {
		t.Errorf("exit code %d, want %d: %s", code, want, p.Describe())
	}
}

func wantQuietEnd(t *testing.T, p *process.Process) {
	t.Helper()
	wantExit(t, p, 0)
	if text := p.Stderr.String(); text != "" {
		t.Errorf("stderr:\n%s", text)
	}
}

func interrupt(t *testing.T, p *process.Process) {
	t.Helper()
	noError(t, p.Signal(syscall.SIGINT))
	wantExit(t, p, 0)
}

// wantOneLine requires one line that names each of the words.
func wantOneLine(t *testing.T, text string, words ...string) {
	t.Helper()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("want one line, got:\n%s", text)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in: %s", word, text)
		}
	}
}
