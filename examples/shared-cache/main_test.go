// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars/examples/internal/console"
	"github.com/okontajneroch/starwars/examples/internal/target"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Set("stderrthreshold", "FATAL") // a level that it knows
	m.Run()
}

// TestRunLeavesNothingBehind is the whole program, that ends by itself and that is
// interrupted at several moments.
func TestRunLeavesNothingBehind(t *testing.T) {
	for name, until := range map[string]string{
		"by itself":            "",
		"after the fleet came": "A fleet of",
		"after a change":       "audit: ",
		"after the late one":   "joined late",
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			server, err := (&target.Target{}).Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out, text := output(t)
			o := options{ships: 20, rate: 50}
			if until == "" {
				o.lasts = time.Second
			} else {
				go func() {
					for !strings.Contains(text(), until) && ctx.Err() == nil {
						time.Sleep(time.Millisecond)
					}
					cancel()
				}()
			}
			if err := o.run(ctx, server, out); err != nil && ctx.Err() == nil {
				t.Errorf("run: %v; it printed:\n%s", err, text())
			}
			if name != "after the fleet came" && !strings.Contains(text(), "the answers are the same") {
				t.Errorf("no summary in:\n%s", text())
			}
			if err := server.Close(); err != nil {
				t.Error(err)
			}
			// See the documentation of testenv.
			goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2"))
		})
	}
}

// output returns a console and what was printed there so far.
func output(t *testing.T) (*console.Console, func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return console.New(file), func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}
