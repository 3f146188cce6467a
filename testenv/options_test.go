// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/okontajneroch/starwars/testenv"
)

// TestStartErrors checks for every bad option that Start fails soon, says what
// is wrong in so many words, and leaves nothing behind.
func TestStartErrors(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	if err := os.Mkdir(filepath.Join(foreign, "holiday-photos"), 0o700); err != nil {
		t.Fatal(err)
	}
	damaged := func(t *testing.T, name string) string {
		dir := filepath.Join(t.TempDir(), "data")
		if err := testenv.New(t, testenv.Options{Dir: dir}).Stop(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("damage"), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	noStorage := strings.ReplaceAll(widgets("v1"), "storage: true", "storage: false")

	for name, test := range map[string]struct {
		opts  testenv.Options
		setUp func(*testing.T, *testenv.Options)
		want  []string
		check func(error) bool
	}{
		"negative port":  {opts: testenv.Options{Port: -1}, want: []string{"port -1", "0 for a free one"}},
		"port too large": {opts: testenv.Options{Port: 65536}, want: []string{"port 65536"}},
		"port taken": {
			opts:  testenv.Options{Port: taken.Addr().(*net.TCPAddr).Port},
			want:  []string{"is taken", "choose another port"},
			check: func(err error) bool { return errors.Is(err, syscall.EADDRINUSE) },
		},
		"directory is a file": {
			opts:  testenv.Options{Dir: file},
			want:  []string{file, "choose a directory"},
			check: func(err error) bool { return errors.Is(err, syscall.ENOTDIR) },
		},
		"directory below a file": {opts: testenv.Options{Dir: filepath.Join(file, "data")}, want: []string{file, "choose a directory"}},
		"directory of somebody else": {
			opts: testenv.Options{Dir: foreign},
			want: []string{foreign, "holiday-photos", "choose an empty or a new data directory"},
		},
		"directory not writable": {
			setUp: func(t *testing.T, opts *testenv.Options) {
				if os.Getuid() == 0 {
					t.Skip("root can write everywhere")
				}
				opts.Dir = filepath.Join(t.TempDir(), "data")
				if err := os.Mkdir(opts.Dir, 0o500); err != nil {
					t.Fatal(err)
				}
			},
			want:  []string{"can be written to"},
			check: func(err error) bool { return errors.Is(err, fs.ErrPermission) },
		},
		"directory in use": {
			setUp: func(t *testing.T, opts *testenv.Options) {
				opts.Dir = t.TempDir()
				testenv.New(t, testenv.Options{Dir: opts.Dir})
			},
			want: []string{"in use by another API server", "choose another directory"},
		},
		"damaged token": {
			setUp: func(t *testing.T, opts *testenv.Options) { opts.Dir = damaged(t, "pki/token") },
			want:  []string{"pki are unusable", "remove that directory"},
		},
		"damaged certificate": {
			setUp: func(t *testing.T, opts *testenv.Options) { opts.Dir = damaged(t, "pki/server.crt") },
			want:  []string{"pki are unusable", "remove that directory"},
		},
		"damaged data": {
			setUp: func(t *testing.T, opts *testenv.Options) { opts.Dir = damaged(t, "etcd/member/snap/db") },
			want:  []string{"start etcd", "remove the directory"},
		},
		"no YAML":            {opts: testenv.Options{CRDs: [][]byte{[]byte("a: b: c")}}, want: []string{"Options.CRDs[0]", "document 1", "neither YAML nor JSON"}},
		"no CRD":             {opts: testenv.Options{CRDs: [][]byte{[]byte("# nothing\n")}}, want: []string{"Options.CRDs[0]", "no CustomResourceDefinition"}},
		"another kind":       {opts: testenv.Options{CRDs: [][]byte{[]byte(widgets("v1") + "---\napiVersion: v1\nkind: Pod\n")}}, want: []string{"Options.CRDs[0]", "document 2", `"Pod"`}},
		"an old API version": {opts: testenv.Options{CRDs: [][]byte{[]byte(strings.Replace(widgets("v1"), "k8s.io/v1", "k8s.io/v1beta1", 1))}}, want: []string{"v1beta1", "apiextensions.k8s.io/v1"}},
		"CRD without a name": {opts: testenv.Options{CRDs: [][]byte{[]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n")}}, want: []string{"metadata.name"}},
		"invalid CRD": {
			opts:  testenv.Options{CRDs: [][]byte{[]byte(noStorage)}},
			want:  []string{`"widgets.example.com"`, "must have exactly one version marked as storage version"},
			check: apierrors.IsInvalid,
		},
		"unknown field in a CRD": {
			opts:  testenv.Options{CRDs: [][]byte{[]byte(strings.Replace(widgets("v1"), "scope:", "scoop: x\n  scope:", 1))}},
			want:  []string{`"widgets.example.com"`, `unknown field "spec.scoop"`},
			check: apierrors.IsBadRequest,
		},
		"unknown feature gate": {opts: testenv.Options{FeatureGates: map[string]bool{"DeathStar": true}}, want: []string{"unrecognized feature gate: DeathStar"}},
		"locked feature gate":  {opts: testenv.Options{FeatureGates: map[string]bool{"CustomResourceFieldSelectors": false}}, want: []string{"CustomResourceFieldSelectors", "locked to true"}},
		"group of gates":       {opts: testenv.Options{FeatureGates: map[string]bool{"AllAlpha": true}}, want: []string{"AllAlpha", "name the features"}},
	} {
		t.Run(name, func(t *testing.T) {
			expectNothingLeft(t)
			opts := test.opts
			if test.setUp != nil {
				test.setUp(t, &opts)
			}
			begin := time.Now()
			e, err := testenv.Start(t.Context(), opts)
			if err == nil {
				e.Stop()
				t.Fatal("Start succeeds")
			}
			if took := time.Since(begin); took > deadline/2 {
				t.Errorf("took %s", took)
			}
			for _, want := range append(test.want, "start the API server: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if test.check != nil && !test.check(err) {
				t.Errorf("error %q wraps the wrong thing", err)
			}
		})
	}
}

// TestLongPaths checks that a path too long for the name of a socket is good
// enough for data.
func TestLongPaths(t *testing.T) {
	expectNothingLeft(t)
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	testenv.New(t, testenv.Options{Dir: filepath.Join(long, "data"), CRDs: [][]byte{}})
	t.Setenv("TMPDIR", long)
	testenv.New(t, testenv.Options{CRDs: [][]byte{}})
}

func TestStartWithoutCRDs(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{CRDs: [][]byte{}})
	if err := get(t, e.RESTConfig(), "/apis/starwars.okontajneroch.sk/v1/starfighters"); !apierrors.IsNotFound(err) {
		t.Errorf("LIST without the CRD: %v, want not found", err)
	}
}
