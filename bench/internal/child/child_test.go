// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	Register("double", func(_ context.Context, in int, answer func(int) error) error { return answer(2 * in) })
	Register("environment", func(_ context.Context, name string, answer func(string) error) error { return answer(os.Getenv(name)) })
	Register("serve", func(ctx context.Context, _ string, answer func(int) error) error {
		if err := answer(os.Getpid()); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	Register("fail", func(context.Context, string, func(string) error) error { return errors.New("out of fuel") })
	Register("fail-late", func(_ context.Context, in string, answer func(string) error) error {
		return errors.Join(answer(in), errors.New("out of fuel"))
	})
	Main()
	os.Exit(m.Run())
}

func TestCall(t *testing.T) {
	if got, err := Call[int](t.Context(), "double", 21); got != 42 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("KUBE_FEATURE_WatchListClient", "false")
	t.Setenv("GOGC", "1000")
	for name, want := range map[string]string{"KUBE_FEATURE_WatchListClient": "", "GOGC": "", "FLEET": "seventh"} {
		if got, err := Call[string](t.Context(), "environment", name, "FLEET=seventh"); got != want || err != nil {
			t.Errorf("%s = %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestStartAndStop(t *testing.T) {
	var pid int
	process, err := Start(t.Context(), "serve", "", &pid)
	if err != nil {
		t.Fatal(err)
	}
	if pid == os.Getpid() {
		t.Error("no process of its own")
	}
	if err := process.Stop(); err != nil {
		t.Error(err)
	}
}

func TestFailuresAreReported(t *testing.T) {
	for _, part := range []string{"fail", "fail-late"} {
		if _, err := Call[string](t.Context(), part, ""); err == nil || !strings.Contains(err.Error(), "out of fuel") {
			t.Errorf("%s: %v", part, err)
		}
	}
	if _, err := Call[string](t.Context(), "no-such-part", ""); err == nil || !strings.Contains(err.Error(), "no such part") {
		t.Error(err)
	}
}
