// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package way

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/wire"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEveryWayEnds starts each way in this process, without its variables, and
// requires that nothing of it stays.
func TestEveryWayEnds(t *testing.T) {
	ships := fleet.Fleet{Ships: 40, Seed: 5}
	handler, err := wire.NewHandler(wire.Config{Fleet: ships})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			told := 0
			cache, err := w.Start(ctx, &rest.Config{Host: server.URL, QPS: -1}, Handler{
				Added:   func(*starwarsv1.Starfighter) { told++ },
				Updated: func(ship *starwarsv1.Starfighter) { t.Errorf("updated: %s", ship.Name) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := cache.WaitForSync(ctx); err != nil {
				t.Fatal(err)
			}
			var digest fleet.Digest
			if err := cache.Each(ctx, digest.Add); err != nil {
				t.Fatal(err)
			}
			if want := ships.Digest(); !w.Plain && (digest != want || told != want.Count) {
				t.Errorf("told of %d, the cache has %v, want %v", told, digest, want)
			}
			cancel()
			cache.Wait()
		})
	}
}

func TestSyncFailsWithItsContext(t *testing.T) {
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel() // client-go waits before it sees that nobody needs it
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			cache, err := w.Start(ctx, &rest.Config{Host: "http://127.0.0.1:1", QPS: -1}, Handler{})
			if err != nil {
				t.Fatal(err)
			}
			if err := cache.WaitForSync(ctx); err == nil {
				t.Error("synced with nobody")
			}
			cancel()
			cache.Wait()
		})
	}
}

func TestSelect(t *testing.T) {
	ways, err := Select([]string{"starwars", "client-go*"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(ways), "client-go, client-go-list, client-go-paged, client-go-cbor, starwars"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := Select([]string{"hyperdrive"}); err == nil || !strings.Contains(err.Error(), Reference) {
		t.Error(err)
	}
	if _, err := Find("hyperdrive"); err == nil {
		t.Error("found")
	}
}
