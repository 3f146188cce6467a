// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/parser"

	"github.com/okontajneroch/starwars/cmd/indexer-gen/internal/gen"
)

var update = flag.Bool("update", false, "write the listers of the fixture APIs instead of comparing them")

const (
	fixture = "github.com/okontajneroch/starwars/cmd/indexer-gen/internal/fixture"
	golden  = "internal/fixture/listers"
)

// TestGolden compares the listers of the fixture APIs, which are compiled and
// run by the tests in their folder, with what the generator makes of the types.
func TestGolden(t *testing.T) {
	if *update {
		generateFixture(t, golden)
	}
	dir := t.TempDir()
	want := files(t, golden)
	for path := range want {
		if strings.HasSuffix(path, "_expansion.go") { // by hand: an input
			write(t, dir, map[string]string{path: want[path]})
		}
	}
	generateFixture(t, dir)
	got := files(t, dir)
	paths := slices.Sorted(maps.Keys(want))
	if have := slices.Sorted(maps.Keys(got)); !slices.Equal(have, paths) {
		t.Fatalf("generated files are %q, want %q", have, paths)
	}
	for _, path := range paths {
		if got[path] != want[path] {
			t.Errorf("%s/%s is not what the generator makes: go test -run TestGolden -update", golden, path)
		}
	}
}

// fixtureTypes are the fixture APIs as a generator gets them. Loading them, with
// all that they import, is most of what these tests take.
var fixtureTypes = sync.OnceValues(func() (*generator.Context, error) {
	p := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	if err := p.LoadPackages("./internal/fixture/apis/..."); err != nil {
		return nil, err
	}
	return generator.NewContext(p, gen.NameSystems(nil), gen.DefaultNameSystem)
})

func generateFixture(t *testing.T, dir string) {
	t.Helper()
	context, err := fixtureTypes()
	if err != nil {
		t.Fatal(err)
	}
	targets, err := gen.Targets(context, gen.Options{
		OutputDir:    dir,
		OutputPkg:    fixture + "/listers",
		GoHeaderFile: "internal/fixture/boilerplate.go.txt",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := context.ExecuteTargets(targets); err != nil {
		t.Fatal(err)
	}
}

// files returns the contents of the files below a directory, by their paths.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		found[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
