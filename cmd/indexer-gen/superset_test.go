// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"k8s.io/code-generator/cmd/lister-gen/args"
	listergen "k8s.io/code-generator/cmd/lister-gen/generators"
)

// TestSuperset compares the listers of the fixture APIs with those that the
// lister-gen of code-generator makes of the same types: everything that the
// latter declare must be there, with the same signatures.
func TestSuperset(t *testing.T) {
	const (
		oursPath     = fixture + "/listers"
		upstreamPath = fixture + "/upstream"
	)
	dir := t.TempDir()
	ours := files(t, golden)
	for path, content := range ours {
		if strings.HasSuffix(path, "_expansion.go") {
			write(t, dir, map[string]string{path: content})
		}
	}
	listerGen(t, dir, upstreamPath)

	upstream := files(t, dir)
	for path := range upstream {
		if ours[path] == "" {
			t.Errorf("lister-gen writes %s, indexer-gen does not", path)
		}
	}
	// Of all that lister-gen writes, only the expansions by hand do not compile
	// in its package: they ask an index.
	overlay := map[string][]byte{}
	for path, content := range upstream {
		abs, err := filepath.Abs(filepath.Join("internal/fixture/upstream", path))
		if err != nil {
			t.Fatal(err)
		}
		overlay[abs] = []byte(strings.ReplaceAll(content, `s.ByColour("red")`, "nil, nil"))
	}
	var patterns []string
	for path := range upstream {
		if folder := filepath.ToSlash(filepath.Dir(path)); !slices.Contains(patterns, upstreamPath+"/"+folder) {
			patterns = append(patterns, upstreamPath+"/"+folder, oursPath+"/"+folder)
		}
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedExportFile,
		Overlay: overlay,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]*types.Package{}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			t.Fatal(err)
		}
		byPath[pkg.PkgPath] = pkg.Types
	}
	// Types of the two packages count as the same if their names are.
	qualifier := func(pkg *types.Package) string {
		return strings.Replace(pkg.Path(), upstreamPath, oursPath, 1)
	}
	text := func(t types.Type) string { return types.TypeString(t, qualifier) }

	compared := 0
	for path, pkg := range byPath {
		group, ok := strings.CutPrefix(path, upstreamPath)
		if !ok {
			continue
		}
		other := byPath[oursPath+group]
		for _, name := range pkg.Scope().Names() {
			want := pkg.Scope().Lookup(name)
			if !want.Exported() {
				continue
			}
			got := other.Scope().Lookup(name)
			if got == nil {
				t.Errorf("%s: %s is missing", group, name)
				continue
			}
			compared++
			if _, ok := want.(*types.TypeName); !ok {
				if text(got.Type()) != text(want.Type()) {
					t.Errorf("%s: %s is %s, want %s", group, name, text(got.Type()), text(want.Type()))
				}
				continue
			}
			wantMethods, ok := want.Type().Underlying().(*types.Interface)
			if !ok {
				t.Fatalf("%s: %s of lister-gen is no interface: compare it too", group, name)
			}
			gotMethods, ok := got.Type().Underlying().(*types.Interface)
			if !ok {
				t.Errorf("%s: %s is no interface", group, name)
				continue
			}
			for method := range wantMethods.Methods() {
				found, _, _ := types.LookupFieldOrMethod(gotMethods, false, other, method.Name())
				if found == nil || text(found.Type()) != text(method.Type()) {
					t.Errorf("%s: method %s.%s is %v, want %s", group, name, method.Name(), found, text(method.Type()))
				}
				compared++
			}
			for embedded := range wantMethods.EmbeddedTypes() { // the expansions
				if !slices.ContainsFunc(slices.Collect(gotMethods.EmbeddedTypes()), func(e types.Type) bool { return text(e) == text(embedded) }) {
					t.Errorf("%s: %s does not embed %s", group, name, text(embedded))
				}
				compared++
			}
		}
		// The structs that expansions by hand have methods on are private.
		for _, name := range pkg.Scope().Names() {
			if strings.HasSuffix(name, "Lister") && !pkg.Scope().Lookup(name).Exported() && other.Scope().Lookup(name) == nil {
				t.Errorf("%s: %s is missing", group, name)
			}
		}
	}
	if compared < 100 {
		t.Errorf("compared %d things: lister-gen's output is not what this test takes it for", compared)
	}
}

func listerGen(t *testing.T, dir, pkg string) {
	t.Helper()
	loaded, err := fixtureTypes()
	if err != nil {
		t.Fatal(err)
	}
	context := *loaded
	context.Namers = listergen.NameSystems(nil)
	options := args.New()
	options.OutputDir, options.OutputPkg = dir, pkg
	if err := context.ExecuteTargets(listergen.GetTargets(&context, options)); err != nil {
		t.Fatal(err)
	}
}
