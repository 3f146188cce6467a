// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import "context"

// TB is what [New] needs of *testing.T, *testing.B or *testing.F.
type TB interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// New is Start for a test: it fails the test at once if the server does not
// start, and stops the server at the end of the test.
func New(t TB, opts Options) *Environment {
	t.Helper()
	e, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	t.Cleanup(func() {
		if err := e.Err(); err != nil {
			t.Errorf("testenv: the server died during the test: %v", err)
		}
		if err := e.Stop(); err != nil {
			t.Errorf("testenv: %v", err)
		}
	})
	return e
}
