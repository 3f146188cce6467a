// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/ground"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

func TestTable(t *testing.T) {
	if testing.Short() && os.Getenv(ground.BinVariable) == "" {
		t.Skip("building an API server takes a while")
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"--ships", "5", "--writes", "3", "--runs", "1", "--ways", "client-go,starwars"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| way ", "| client-go ", "| starwars "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestHelpAndMistakes(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--help"}, &out, io.Discard); !errors.Is(err, pflag.ErrHelp) || !strings.Contains(out.String(), "--ways") {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, args := range [][]string{{"--ships", "0"}, {"--runs", "0"}, {"--writes", "0"}, {"--ways", "x-wing"}, {"argument"}, {"--bogus"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
