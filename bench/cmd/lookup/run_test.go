// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/query"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

func TestTable(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--ships", "50", "--runs", "1", "--for", "1ms"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"50 ships:", "| " + query.FactionToRead, "| " + query.Move, "| memory of both indexes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestPeersFindTheSame compares the answers of all peers.
func TestPeersFindTheSame(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--ships", "200", "--runs", "1", "--for", "1ms", "--json"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var results []result
	if err := json.Unmarshal([]byte(out.String()), &results); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for peer, runs := range results[0].Runs {
		for _, answer := range runs[0].Answers {
			if want, ok := found[answer.Question]; ok && want != answer.Found {
				t.Errorf("%s finds %d for %q, another %d", peer, answer.Found, answer.Question, want)
			}
			if found[answer.Question] = answer.Found; answer.Found == 0 || answer.Nanoseconds == 0 {
				t.Errorf("%s, %s: %+v", peer, answer.Question, answer)
			}
		}
	}
	if found[query.All] != 200 || len(found) != 12 {
		t.Errorf("found %v", found)
	}
}

func TestHelpAndMistakes(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--help"}, &out, io.Discard); !errors.Is(err, pflag.ErrHelp) || !strings.Contains(out.String(), "--ships") {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, args := range [][]string{{"--ships", "0"}, {"--runs", "0"}, {"--for", "0s"}, {"argument"}, {"--bogus"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
