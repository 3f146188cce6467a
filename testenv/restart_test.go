// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/okontajneroch/starwars/testenv"
)

func TestRestartKeepsObjects(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	url := e.URL()
	client := newClient(t, e)
	before := create(t, client, "x-wing-1")

	if err := e.Halt(); err != nil {
		t.Fatal(err)
	}
	if err := e.Halt(); err != nil {
		t.Errorf("second Halt: %v", err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(url, "https://")); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a halted server answers a connection with %v, want connection refused", err)
	}
	if err := e.InstallCRDs(t.Context(), []byte(widgets("v1"))); err == nil || !strings.Contains(err.Error(), "call Restart first") {
		t.Errorf("InstallCRDs on a halted server: %v", err)
	}
	if n := e.DropConnections(); n != 0 {
		t.Errorf("a halted server drops %d connections", n)
	}
	select {
	case <-e.Done():
		t.Error("Done is closed by Halt")
	default:
	}

	if err := e.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
		t.Fatal(err)
	}
	if e.URL() != url {
		t.Errorf("URL = %s, was %s", e.URL(), url)
	}
	after, err := client.StarwarsV1().Starfighters("default").Get(t.Context(), "x-wing-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if after.UID != before.UID || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("uid/resourceVersion = %s/%s, was %s/%s", after.UID, after.ResourceVersion, before.UID, before.ResourceVersion)
	}
	create(t, client, "x-wing-2")
}

func TestRestartOfARunningServer(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	// What a client does to CRDs is data, too.
	crds, err := clientset.NewForConfig(e.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	const name = "starfighters.starwars.okontajneroch.sk"
	patch := []byte(`{"spec": {"names": {"shortNames": ["xw"]}}}`)
	if _, err := crds.ApiextensionsV1().CustomResourceDefinitions().Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, e)
	create(t, client, "x-wing-1")
	for range 3 {
		if err := e.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, want := names(t, client), []string{"x-wing-1"}; !slices.Equal(got, want) {
			t.Fatalf("names = %q, want %q", got, want)
		}
	}
	crd, err := crds.ApiextensionsV1().CustomResourceDefinitions().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := crd.Spec.Names.ShortNames, []string{"xw"}; !slices.Equal(got, want) {
		t.Errorf("short names = %q, want %q", got, want)
	}
}

func TestRestartWithFreshData(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{Dir: t.TempDir()})
	if err := e.InstallCRDs(t.Context(), []byte(widgets("v1"))); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, e)
	var last string
	for i := range 50 {
		last = create(t, client, "x-wing-"+strconv.Itoa(i)).ResourceVersion
	}
	if err := e.Restart(t.Context(), testenv.RestartOptions{FreshData: true}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, client); len(got) != 0 {
		t.Errorf("names = %q, want none", got)
	}
	now := create(t, client, "x-wing-0").ResourceVersion
	if atoi(t, now) >= atoi(t, last) {
		t.Errorf("resourceVersion = %s after %s, want a lower one", now, last)
	}
	if err := get(t, e.RESTConfig(), "/apis/example.com/v1/widgets"); err != nil {
		t.Errorf("a CRD installed later is gone: %v", err)
	}
}

func TestHaltedServerKeepsItsPort(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	if err := e.Halt(); err != nil {
		t.Fatal(err)
	}
	// Whoever asks for a free port must not get this one. All of them are too
	// many to try; that the system knows it is in use is the point.
	address := strings.TrimPrefix(e.URL(), "https://")
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: atoi(t, port), Addr: [4]byte{127, 0, 0, 1}})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("binding the port of a halted server: %v, want address in use", err)
	}
	if err := e.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestRestartThatFailsCanBeTriedAgain(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	if err := e.Halt(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Restart(ctx, testenv.RestartOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Restart with an ended context: %v", err)
	}
	if err := e.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
		t.Fatal(err)
	}
	create(t, newClient(t, e), "x-wing-1")
}

func TestStopOvertakesRestart(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	restarted := make(chan error)
	go func() { restarted <- e.Restart(context.Background(), testenv.RestartOptions{}) }()
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	if err := <-restarted; err != nil && !strings.Contains(err.Error(), "is stopped") {
		t.Errorf("Restart: %v", err)
	}
}
