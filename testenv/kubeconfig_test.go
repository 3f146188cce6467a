// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/okontajneroch/starwars/testenv"
)

func TestKubeconfig(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := e.WriteKubeconfig(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode = %o, want 600", got)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("beside the kubeconfig there is something else: %v", entries)
	}

	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext != "starwars" || config.Contexts["starwars"].Namespace != "default" {
		t.Errorf("context %q, %+v", config.CurrentContext, config.Contexts["starwars"])
	}
	rest, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := get(t, rest, "/apis/starwars.okontajneroch.sk/v1/starfighters"); err != nil {
		t.Error(err)
	}
	data, err := e.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, written) {
		t.Error("Kubeconfig and WriteKubeconfig differ")
	}
}

func TestWriteKubeconfigSparesTheUsersOwn(t *testing.T) {
	e := testenv.New(t, testenv.Options{CRDs: [][]byte{}})
	home := t.TempDir()
	t.Setenv("HOME", home)
	kube := filepath.Join(home, ".kube")
	elsewhere := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(kube, "configs"), 0o700))
	must(os.Symlink(kube, filepath.Join(elsewhere, "link")))
	must(os.Symlink(home, filepath.Join(elsewhere, "home")))
	real := filepath.Join(elsewhere, "real-config")
	must(os.WriteFile(real, []byte("precious"), 0o600))
	must(os.Symlink(real, filepath.Join(kube, "config")))
	t.Chdir(home)

	for _, path := range []string{
		filepath.Join(kube, "config"),
		filepath.Join(kube, "other"),
		filepath.Join(kube, "configs", "test"),
		filepath.Join(home, "x", "..", ".kube", "config"),
		filepath.Join(elsewhere, "link", "config"),
		filepath.Join(elsewhere, "home", ".kube", "config"),
		".kube/config",
		"./.kube/../.kube/configs/test",
		real, // ~/.kube/config by its other name
	} {
		err := e.WriteKubeconfig(path)
		if err == nil || !strings.Contains(err.Error(), "choose another path") {
			t.Errorf("WriteKubeconfig(%q): %v, want a refusal", path, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(kube, "config"))
	must(err)
	if string(data) != "precious" {
		t.Errorf("~/.kube/config is now %q", data)
	}

	for _, path := range []string{filepath.Join(home, "config"), filepath.Join(home, ".kube-test"), "config", filepath.Join(elsewhere, "config")} {
		if err := e.WriteKubeconfig(path); err != nil {
			t.Errorf("WriteKubeconfig(%q): %v", path, err)
		}
	}
	if err := e.WriteKubeconfig(filepath.Join(home, "missing", "config")); err == nil {
		t.Error("WriteKubeconfig into a directory that is not there succeeds")
	}
}
