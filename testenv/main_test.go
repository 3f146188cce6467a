// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/testenv"
)

func TestMain(m *testing.M) {
	klog.InitFlags(nil) // go test . -args -v=4 shows what goes on inside
	flag.Parse()
	if !klog.V(1).Enabled() {
		_ = flag.Set("stderrthreshold", "FATAL")
		klog.LogToStderr(false)
		klog.SetOutput(io.Discard)
	}
	os.Exit(m.Run())
}

// deadline is for what takes a fraction of a second unless something is wrong.
const deadline = 20 * time.Second

// eventually waits until condition is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, deadline, true,
		func(context.Context) (bool, error) { return condition(), nil }); err != nil {
		t.Fatalf("%s: not in %s", what, deadline)
	}
}

// expectNothingLeft fails the test if goroutines or temporary files are left
// when all that was registered later for clean-up is done. It returns the
// directory for temporary files.
func expectNothingLeft(t *testing.T) string {
	t.Helper()
	// Not t.TempDir(), whose long path would make etcd's socket go elsewhere.
	dir, err := os.MkdirTemp("", "t")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		// Every LIST that reads its writes leaves a timer of 3 s behind.
		timers := goleak.IgnoreAnyFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2")
		// What served a CRD before it was changed stays for a second more, which may
		// be longer than goleak is prepared to wait by itself.
		left := goleak.Find(before, timers)
		for began := time.Now(); left != nil && time.Since(began) < deadline; {
			left = goleak.Find(before, timers)
		}
		if left != nil {
			t.Error(left)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, entry := range entries {
			t.Errorf("left in the temporary directory: %s", entry.Name())
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func newClient(t *testing.T, e *testenv.Environment) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(e.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func xWing(name string) *starwarsv1.Starfighter {
	return &starwarsv1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       starwarsv1.StarfighterSpec{Faction: starwarsv1.Rebellion, Type: "X-Wing", Pilot: "Luke Skywalker"},
	}
}

func create(t *testing.T, client versioned.Interface, name string) *starwarsv1.Starfighter {
	t.Helper()
	created, err := client.StarwarsV1().Starfighters("default").Create(t.Context(), xWing(name), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func names(t *testing.T, client versioned.Interface) []string {
	t.Helper()
	list, err := client.StarwarsV1().Starfighters("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	return names
}
