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
	"github.com/okontajneroch/starwars/bench/internal/fanout"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

func TestTables(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--ships", "10", "--updates", "100", "--handlers", "2,3", "--runs", "1"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| informer ", "| " + fanout.ClientGo, "| " + fanout.Subscribe, "after 100 updates"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestScenario13BlockedHandler checks what does not depend on the machine: that
// everybody shares one watch, that the others are told of everything, and that no
// more than one change for each ship waits for a blocked subscriber.
func TestScenario13BlockedHandler(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--ships", "20", "--updates", "2000", "--handlers", "4", "--runs", "1", "--json"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var results []result
	if err := json.Unmarshal([]byte(out.String()), &results); err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		measured := r.Runs[0]
		if measured.Watches != 1 {
			t.Errorf("%s, %d handlers: %d watches", r.Peer, r.Handlers, measured.Watches)
		}
		if r.Peer != fanout.Subscribe && measured.Told != int64(2000*r.Handlers) {
			t.Errorf("%s: %d handlers were told of %d updates", r.Peer, r.Handlers, measured.Told)
		}
		if r.Peer == fanout.Subscribe && r.Blocked && (measured.Pending < 1 || measured.Pending > 20) {
			t.Errorf("%s: %d changes of 20 ships wait", r.Peer, measured.Pending)
		}
	}
}

func TestHelpAndMistakes(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--help"}, &out, io.Discard); !errors.Is(err, pflag.ErrHelp) || !strings.Contains(out.String(), "--handlers") {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, args := range [][]string{{"--ships", "0"}, {"--runs", "0"}, {"--updates", "0"}, {"--handlers", "0"}, {"argument"}, {"--bogus"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
