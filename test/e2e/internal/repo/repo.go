// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package repo finds files of the repository that the tests run in.
package repo

import (
	"fmt"
	"os"
	"path/filepath"
)

// Root returns the repository's root, which is the folder above the working
// directory that holds go.work. "go test" runs tests in their package's folder.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the repository: no folder above %s holds go.work", start)
		}
	}
}
