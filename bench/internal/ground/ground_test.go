// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package ground_test

import (
	"os"
	"strings"
	"testing"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/ground"
	"github.com/okontajneroch/starwars/bench/internal/trial"
	"github.com/okontajneroch/starwars/bench/internal/way"
	"github.com/okontajneroch/starwars/bench/internal/wire"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

func start(t *testing.T, config ground.Config) *ground.Server {
	t.Helper()
	server, err := ground.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// TestEveryWay runs each way's trials, which check what is in the caches and
// what the handlers are told.
func TestEveryWay(t *testing.T) {
	config := ground.Config{Server: ground.Wire, Config: wire.Config{
		Fleet: fleet.Fleet{Ships: 700, Seed: 2}, Updates: 1500, CBOR: true, Gzip: true,
	}}
	server := start(t, config)
	for _, w := range way.All() {
		t.Run(w.Name, func(t *testing.T) {
			if _, err := trial.RunSync(t.Context(), w, trial.SyncQuestion{Server: server.Address, Want: server.Before}); err != nil {
				t.Error(err)
			}
			if w.Plain {
				return
			}
			_, err := trial.RunStream(t.Context(), w, trial.StreamQuestion{
				Server:  server.Address,
				Updates: config.Updates,
				Last:    config.Fleet.UpdatedResourceVersion(config.Updates - 1),
				Before:  server.Before,
				After:   server.After,
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAWrongCacheIsFound(t *testing.T) {
	server := start(t, ground.Config{Server: ground.Wire, Config: wire.Config{Fleet: fleet.Fleet{Ships: 5, Seed: 2}}})
	w, err := way.Find(way.Reference)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trial.RunSync(t.Context(), w, trial.SyncQuestion{Server: server.Address, Want: fleet.Digest{Count: 5, Sum: 1}})
	if err == nil || !strings.Contains(err.Error(), "the cache is wrong") {
		t.Error(err)
	}
}

func TestAPIServer(t *testing.T) {
	if testing.Short() && os.Getenv(ground.BinVariable) == "" {
		t.Skip("building an API server takes a while")
	}
	ships := fleet.Fleet{Ships: 30, Seed: 2}
	server := start(t, ground.Config{Server: ground.Testenv, Config: wire.Config{Fleet: ships, CBOR: true}})
	written := ships.Ship(0)
	for _, w := range way.All() {
		if _, err := trial.RunSync(t.Context(), w, trial.SyncQuestion{Server: server.Address, Want: server.Before}); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{way.Reference, "controller-runtime", "starwars"} {
		w, err := way.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = trial.RunLatency(t.Context(), w, trial.LatencyQuestion{
			Server: server.Address, Ships: ships.Ships, Writes: 5, Namespace: written.Namespace, Name: written.Name,
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, config := range []ground.Config{
		{Server: "death-star", Config: wire.Config{Fleet: fleet.Fleet{Ships: 1}}},
		{Server: ground.Wire},
		{Server: ground.Testenv, Config: wire.Config{Fleet: fleet.Fleet{Ships: 1}, Gzip: true}},
	} {
		if _, err := ground.Start(t.Context(), config); err == nil {
			t.Errorf("%+v: no error", config)
		}
	}
}
