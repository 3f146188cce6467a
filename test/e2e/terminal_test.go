// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/repo"
)

// terminal is what someone with kubectl sees: the commands and what they print,
// which is the test's log. The commands run in the root of the repository.
type terminal struct {
	t       *testing.T
	kubectl string
	dir     string
	env     []string
}

func openTerminal(t *testing.T, kubeconfig string) *terminal {
	t.Helper()
	root, err := repo.Root()
	noError(t, err)
	// A home of its own: no settings and no caches of the user's.
	env := append(os.Environ(), "HOME="+t.TempDir(), "KUBECONFIG="+kubeconfig)
	return &terminal{t: t, kubectl: program(t, binaries.Kubectl), dir: root, env: env}
}

func (c *terminal) command(args ...string) *exec.Cmd {
	command := exec.Command(c.kubectl, args...)
	command.Dir, command.Env = c.dir, c.env
	return command
}

// run runs kubectl, which must succeed, and returns all that it printed.
func (c *terminal) run(args ...string) string {
	c.t.Helper()
	return c.exits(0, "", args...)
}

// exits runs kubectl, with a text for "-f -" if there is one, requires an exit
// code, and returns all that kubectl printed.
func (c *terminal) exits(code int, stdin string, args ...string) string {
	c.t.Helper()
	command := c.command(args...)
	command.Stdin = strings.NewReader(stdin)
	out, err := command.CombinedOutput()
	c.show(stdin, string(out), args...)
	if command.ProcessState == nil || command.ProcessState.ExitCode() != code {
		c.t.Fatalf("%v: %v, want exit code %d", command, err, code)
	}
	return string(out)
}

// show adds to the test's log what a terminal would show.
func (c *terminal) show(stdin, printed string, args ...string) {
	c.t.Helper()
	words := []string{"$ kubectl"}
	for _, arg := range args {
		if strings.ContainsAny(arg, " {}[]$") {
			arg = "'" + arg + "'"
		}
		words = append(words, arg)
	}
	line := strings.Join(words, " ")
	if stdin != "" {
		line += " << EOF\n" + stdin + "EOF"
	}
	if printed != "" && !strings.HasSuffix(printed, "\n") {
		printed += "\n"
	}
	_, err := fmt.Fprintf(c.t.Output(), "%s\n%s", line, printed)
	noError(c.t, err)
}
