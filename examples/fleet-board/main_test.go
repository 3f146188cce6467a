// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
)

// informers has the metrics of the informers of all tests: client-go takes one
// provider for a process.
var informers = newInformerMetrics()

func TestMain(m *testing.M) {
	cache.SetInformerMetricsProvider(informers)
	goleak.VerifyTestMain(m)
}

// patience bounds every wait. Nothing takes nearly as long unless it is broken.
const patience = 20 * time.Second

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newShip makes a ship.
func newShip(namespace, name string, faction v1.Faction, pilot string) *v1.Starfighter {
	return &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1.StarfighterSpec{Faction: faction, Type: "X-Wing", Pilot: pilot},
	}
}

// fleet is a few ships of a few factions.
func fleet() []*v1.Starfighter {
	return []*v1.Starfighter{
		newShip("default", "x-wing-1", v1.Rebellion, "Luke Skywalker"),
		newShip("default", "x-wing-2", v1.Rebellion, "Wedge Antilles"),
		newShip("outer-rim", "x-wing-1", v1.Rebellion, "Luke Skywalker"),
		newShip("default", "tie-1", v1.Empire, "Darth Vader"),
		newShip("default", "slave-1", "bounty-hunters", "Boba Fett"),
	}
}

// newTestBoard returns a board that knows the ships, and a client to change them.
// Both end with the test.
func newTestBoard(t *testing.T, ships ...*v1.Starfighter) (*board, *fake.Clientset) {
	t.Helper()
	client := fake.NewClientset()
	for _, ship := range ships {
		create(t, client, ship)
	}
	name, err := cache.NewInformerName(t.Name())
	noError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	b, err := newBoard(ctx, client, metav1.NamespaceAll, name)
	t.Cleanup(func() {
		cancel()
		noError(t, b.shutdown(ctx))
		name.Release()
	})
	noError(t, err)
	eventually(t, "the board is in sync", func() bool { return b.health().ready() })
	return b, client
}

// newTestSite serves a board for a test.
func newTestSite(t *testing.T, b *board, adjust ...func(*streams)) (*site, *httptest.Server) {
	t.Helper()
	s := newSite(b, newMetrics())
	for _, f := range adjust {
		f(s.streams)
	}
	server := httptest.NewServer(s.handler())
	t.Cleanup(func() {
		server.CloseClientConnections() // streams last
		server.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s, server
}

func create(t *testing.T, client versioned.Interface, ship *v1.Starfighter) {
	t.Helper()
	_, err := client.StarwarsV1().Starfighters(ship.Namespace).Create(t.Context(), ship, metav1.CreateOptions{})
	noError(t, err)
}

func remove(t *testing.T, client versioned.Interface, ship *v1.Starfighter) {
	t.Helper()
	noError(t, client.StarwarsV1().Starfighters(ship.Namespace).Delete(t.Context(), ship.Name, metav1.DeleteOptions{}))
}
