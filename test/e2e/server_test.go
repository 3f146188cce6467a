// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

func TestServerKeepsItsDataOverStopAndCrash(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	created := create(t, ships, ship("x-wing-1"))[0]
	for _, end := range []func() error{s.Stop, s.Kill} {
		noError(t, end())
		noError(t, s.Restart())
		// The same client, with the address and the credentials it had.
		got, err := ships.Get(t.Context(), "x-wing-1", metav1.GetOptions{})
		noError(t, err)
		if got.UID != created.UID || got.ResourceVersion != created.ResourceVersion {
			t.Errorf("another ship came back: %+v", got)
		}
	}
}

func TestServerCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	p := launch(t, binaries.APIServer, "--dir", filepath.Join(dir, "data"), "--kubeconfig", kubeconfig)
	text, err := p.Await(&p.Stdout, "third line", func(text string) bool { return strings.Count(text, "\n") >= 3 })
	noError(t, err)
	lines := strings.Split(text, "\n")
	address := strings.TrimPrefix(lines[0], "Serving the starwars API at ")
	want := "Serving the starwars API at " + address + "\nexport KUBECONFIG=" + kubeconfig + "\nkubectl get starfighters\n"
	if text != want || !strings.HasPrefix(address, "https://127.0.0.1:") {
		t.Errorf("stdout:\n%swant:\n%s", text, want)
	}
	info, err := os.Stat(kubeconfig)
	noError(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig, which holds a token, has mode %s", info.Mode())
	}

	taken, err := url.Parse(address)
	noError(t, err)
	second := launch(t, binaries.APIServer,
		"--dir", filepath.Join(dir, "second"), "--port", taken.Port(), "--kubeconfig", filepath.Join(dir, "second-kubeconfig"))
	wantExit(t, second, 1)
	wantOneLine(t, second.Stderr.String(), "port "+taken.Port())
	if out := second.Stdout.String(); out != "" {
		t.Errorf("a server that does not serve printed:\n%s", out)
	}

	noError(t, p.Signal(syscall.SIGTERM))
	wantExit(t, p, 0)
}
