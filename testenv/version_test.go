// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"runtime/debug"
	"testing"
)

func TestReleaseOfBuild(t *testing.T) {
	module := func(version string, replace *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Deps: []*debug.Module{
			{Path: "k8s.io/apiserver", Version: "v0.1.1"},
			{Path: "k8s.io/apiextensions-apiserver", Version: version, Replace: replace},
		}}
	}
	for _, test := range []struct {
		name  string
		build *debug.BuildInfo
		want  string
	}{
		{"release", module("v0.37.2", nil), "v1.37.2"},
		{"pre-release", module("v0.38.0-alpha.1", nil), "v1.38.0-alpha.1"},
		{"replaced by a version", module("v0.37.2", &debug.Module{Path: "example.com/fork", Version: "v0.37.3"}), "v1.37.3"},
		{"replaced by a directory", module("v0.37.2", &debug.Module{Path: "../fork"}), ""},
		{"no version", module("(devel)", nil), ""},
		{"no dependencies", &debug.BuildInfo{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := releaseOfBuild(test.build)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %t, want %q", got, ok, test.want)
			}
		})
	}
}

func TestReleaseOfSource(t *testing.T) {
	for file, want := range map[string]string{
		"/go/pkg/mod/k8s.io/apiextensions-apiserver@v0.37.2/pkg/apiserver/apiserver.go": "v1.37.2",
		"k8s.io/apiextensions-apiserver@v0.37.2/pkg/apiserver/apiserver.go":             "v1.37.2", // -trimpath
		"/src/vendor/k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go":         "",
		"": "",
	} {
		got, ok := releaseOfSource(file)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t, want %q", file, got, ok, want)
		}
	}
}
