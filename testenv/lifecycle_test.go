// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/okontajneroch/starwars/testenv"
)

func TestStartServesAtOnce(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	client := newClient(t, e)
	create(t, client, "x-wing-1")
	if got, want := names(t, client), []string{"x-wing-1"}; !slices.Equal(got, want) {
		t.Errorf("names = %q, want %q", got, want)
	}
	if err := e.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	select {
	case <-e.Done():
		t.Error("Done is closed")
	default:
	}

	if err := e.Stop(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.Done():
	default:
		t.Error("Done is open after Stop")
	}
	if err := e.Err(); err != nil {
		t.Errorf("Err after Stop = %v", err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(e.URL(), "https://")); err == nil {
		conn.Close()
		t.Error("the port is open after Stop")
	}
	if err := e.Halt(); err == nil {
		t.Error("Halt after Stop succeeds")
	}
	if err := e.Restart(t.Context(), testenv.RestartOptions{}); err == nil {
		t.Error("Restart after Stop succeeds")
	}
	if err := e.InstallCRDs(t.Context(), []byte(widgets("v1"))); err == nil {
		t.Error("InstallCRDs after Stop succeeds")
	}
}

func TestServerOutlivesTheContextOfStart(t *testing.T) {
	expectNothingLeft(t)
	ctx, cancel := context.WithCancel(t.Context())
	e, err := testenv.Start(ctx, testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop()
	cancel()
	create(t, newClient(t, e), "x-wing-1")
}

func TestStartGivesUpWithTheContext(t *testing.T) {
	// From a context that has ended before to one that ends when all is done.
	for _, after := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 150 * time.Millisecond, 200 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			expectNothingLeft(t)
			cause := errors.New("changed my mind")
			ctx, cancel := context.WithCancelCause(t.Context())
			if after == 0 {
				cancel(cause)
			}
			defer time.AfterFunc(after, func() { cancel(cause) }).Stop()
			e, err := testenv.Start(ctx, testenv.Options{})
			if err == nil { // the machine was faster
				if err := e.Stop(); err != nil {
					t.Error(err)
				}
			} else if !errors.Is(err, cause) {
				t.Errorf("err = %v, does not wrap the cause", err)
			}
		})
	}
}

func TestTwoEnvironmentsAreIndependent(t *testing.T) {
	expectNothingLeft(t)
	a, b := testenv.New(t, testenv.Options{}), testenv.New(t, testenv.Options{})
	clientA, clientB := newClient(t, a), newClient(t, b)
	create(t, clientA, "in-a")
	create(t, clientB, "in-b")
	if got, want := names(t, clientA), []string{"in-a"}; !slices.Equal(got, want) {
		t.Errorf("names in a = %q, want %q", got, want)
	}
	config := a.RESTConfig()
	config.BearerToken = b.RESTConfig().BearerToken
	if err := get(t, config, "/apis"); !apierrors.IsUnauthorized(err) {
		t.Errorf("with the token of b, a answers %v", err)
	}
	if err := a.Stop(); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, clientB), []string{"in-b"}; !slices.Equal(got, want) {
		t.Errorf("names in b after Stop of a = %q, want %q", got, want)
	}
}

func TestManyStartAtOnce(t *testing.T) {
	expectNothingLeft(t)
	var started sync.WaitGroup
	for range 4 {
		started.Go(func() {
			e, err := testenv.Start(t.Context(), testenv.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := get(t, e.RESTConfig(), "/apis/starwars.okontajneroch.sk/v1/starfighters"); err != nil {
				t.Error(err)
			}
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
}

// fakeTB is a test that records how it fails.
type fakeTB struct {
	testing.TB
	fatal string
}

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestNewFailsTheTest(t *testing.T) {
	fake := &fakeTB{TB: t}
	var failed sync.WaitGroup
	failed.Go(func() { testenv.New(fake, testenv.Options{Port: -1}) })
	failed.Wait()
	if !strings.Contains(fake.fatal, "port -1") {
		t.Errorf("the test fails with %q", fake.fatal)
	}
}

func TestStopWithOpenWatches(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	client := newClient(t, e)
	var ended sync.WaitGroup
	for range 50 {
		w, err := client.StarwarsV1().Starfighters("").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ended.Go(func() {
			for range w.ResultChan() {
			}
		})
	}
	// A connection that never sends a request.
	silent, err := net.Dial("tcp", strings.TrimPrefix(e.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	begin := time.Now()
	if err := e.Stop(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	t.Logf("Stop took %s", took)
	if took > 2*time.Second {
		t.Errorf("Stop took %s, want less than 2 s", took)
	}
	ended.Wait()
}

// TestStopWithAHangingRequest checks that a request that waits for its client
// to hang up does not keep the server from stopping.
func TestStopWithAHangingRequest(t *testing.T) {
	expectNothingLeft(t)
	hanging := make(chan struct{}, 1)
	e := testenv.New(t, testenv.Options{Authorizer: authorizer.AuthorizerFunc(
		func(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
			hanging <- struct{}{}
			<-ctx.Done()
			return authorizer.DecisionDeny, "", ctx.Err()
		})})
	config := e.RESTConfig()
	answered := make(chan error)
	go func() { answered <- get(t, config, "/version") }()
	<-hanging
	begin := time.Now()
	if err := e.Stop(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	t.Logf("Stop took %s", took)
	if took > 2*time.Second {
		t.Errorf("Stop took %s, want less than 2 s", took)
	}
	if err := <-answered; err == nil {
		t.Error("the request succeeds")
	}
}

func TestStopFromManyGoroutines(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	dialer := net.Dialer{}
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
			if conn, err := dialer.Dial("tcp", strings.TrimPrefix(e.URL(), "https://")); err == nil {
				conn.Close()
				t.Error("Stop returned before the server was gone")
			}
		})
	}
	calls.Wait()
}

func TestDirKeepsObjectsAndCredentials(t *testing.T) {
	expectNothingLeft(t)
	dir := filepath.Join(t.TempDir(), "new", "data")
	first := testenv.New(t, testenv.Options{Dir: dir})
	create(t, newClient(t, first), "x-wing-1")
	config := first.RESTConfig()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(first.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}

	second := testenv.New(t, testenv.Options{Dir: dir, Port: atoi(t, port)})
	if got := second.RESTConfig(); got.Host != config.Host || got.BearerToken != config.BearerToken || string(got.CAData) != string(config.CAData) {
		t.Error("a client of the first environment cannot use the second")
	}
	if got, want := names(t, newClient(t, second)), []string{"x-wing-1"}; !slices.Equal(got, want) {
		t.Errorf("names = %q, want %q", got, want)
	}

	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("mode of the data directory = %o, want 700", got)
	}
	for path, want := range map[string]os.FileMode{"pki": 0o700, "pki/token": 0o600, "pki/server.key": 0o600, "pki/server.crt": 0o600, "pki/ca.crt": 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s = %o, want %o", path, got, want)
		}
	}
}
