// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/util/version"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// effectiveVersion is the server's version with an /version answer that
// clients can parse. The library's own says v0.0.0-master+$Format:%H$ unless
// the linker was told otherwise, and kubectl takes that for an error.
type effectiveVersion struct {
	basecompatibility.EffectiveVersion
	info apimachineryversion.Info
}

func newEffectiveVersion() effectiveVersion {
	kube := version.MustParseSemantic(kubernetesVersion())
	base := compatibility.DefaultBuildEffectiveVersion()
	info := *base.Info()
	info.GitVersion = "v" + kube.String()
	parts := kube.Components()
	info.Major, info.Minor = fmt.Sprint(parts[0]), fmt.Sprint(parts[1])
	return effectiveVersion{base, info}
}

// Info is what GET /version answers.
func (v effectiveVersion) Info() *apimachineryversion.Info {
	info := v.info
	return &info
}

// kubernetesVersion is the Kubernetes release that the server's library is
// from: k8s.io modules v0.X.Y are cut together with Kubernetes v1.X.Y. The
// library's version comes from the build information, or if there is none, as
// in a test binary, from the path of its source files in the module cache. If
// that says nothing either, as in a test with vendored modules, it is the
// library's own minor version.
func kubernetesVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		if release, ok := releaseOfBuild(build); ok {
			return release
		}
	}
	library := runtime.FuncForPC(reflect.ValueOf(apiserver.DefaultAPIResourceConfigSource).Pointer())
	file, _ := library.FileLine(library.Entry())
	if release, ok := releaseOfSource(file); ok {
		return release
	}
	return "v" + baseversion.DefaultKubeBinaryVersion + ".0"
}

const libraryModule = "k8s.io/apiextensions-apiserver"

func releaseOfBuild(build *debug.BuildInfo) (string, bool) {
	for _, module := range build.Deps {
		if module.Path == libraryModule {
			if module.Replace != nil {
				module = module.Replace
			}
			return releaseOfModule(module.Version)
		}
	}
	return "", false
}

func releaseOfSource(file string) (string, bool) {
	_, version, found := strings.Cut(file, libraryModule+"@")
	if !found {
		return "", false
	}
	version, _, _ = strings.Cut(version, "/")
	return releaseOfModule(version)
}

func releaseOfModule(moduleVersion string) (string, bool) {
	rest, found := strings.CutPrefix(moduleVersion, "v0.")
	if _, err := version.ParseSemantic("1." + rest); !found || err != nil {
		return "", false
	}
	return "v1." + rest, true
}
