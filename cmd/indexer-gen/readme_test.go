// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadme checks that what README.md calls an excerpt is one.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	excerpts := regexp.MustCompile("(?s)<!-- excerpt: (\\S+) -->\n```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(excerpts) == 0 {
		t.Fatal("README.md has no excerpt")
	}
	for _, excerpt := range excerpts {
		path, lines := excerpt[1], excerpt[2]
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// gofmt aligns constants by what stands beside them.
		spaces := regexp.MustCompile(` +`)
		all := spaces.ReplaceAllString(string(content), " ")
		for line := range strings.Lines(spaces.ReplaceAllString(lines, " ")) {
			if !strings.Contains(all, line) {
				t.Errorf("%s has no line %q", path, line)
			}
		}
	}
}
