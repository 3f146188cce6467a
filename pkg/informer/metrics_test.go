// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// meters is a cache.InformerMetricsProvider that keeps the last value of gauges,
// and how often histograms were told of something.
type meters struct {
	mu     sync.Mutex
	made   []string
	gauges map[string]float64
	counts map[string]int
}

func newMeters() *meters { return &meters{gauges: map[string]float64{}, counts: map[string]int{}} }

type meter struct {
	*meters
	name string
}

func (m *meters) newMeter(name string, id cache.InformerNameAndResource) meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made = append(m.made, name+" of "+id.GroupVersionResource().Resource)
	return meter{m, name}
}

func (m *meters) NewQueuedItemMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	return m.newMeter("queued", id)
}

func (m *meters) NewProcessingLatencyMetric(id cache.InformerNameAndResource) cache.HistogramMetric {
	return m.newMeter("latency", id)
}

func (m *meters) NewStoreResourceVersionMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	return m.newMeter("version", id)
}

func (m meter) Set(value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gauges[m.name] = value
}

func (m meter) Observe(float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[m.name]++
}

// Both informers publish the same metrics, with the same values.
func TestMetricsAreThoseOfClientGo(t *testing.T) {
	both := []*meters{newMeters(), newMeters()}
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		var informers []shipInformer
		for n, m := range both {
			*m = *newMeters()
			name, err := cache.NewInformerName(fmt.Sprint("metrics-", n))
			must(t, err)
			defer name.Release()
			options := cache.SharedIndexInformerOptions{
				Identifier:              name.WithResource(starfighters),
				InformerMetricsProvider: m,
			}
			if n == 0 {
				i := cache.NewSharedIndexInformerWithOptions(server, &v1.Starfighter{}, options)
				must(t, i.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
				informers = append(informers, cache.NewTypedSharedIndexInformer[*v1.Starfighter](i))
			} else {
				informers = append(informers, newShips(t, server, Options[*v1.Starfighter]{SharedIndexInformerOptions: options}))
			}
			go informers[n].RunWithContext(ctx)
		}
		check := func(when string, version float64) {
			synctest.Wait()
			want, got := both[0], both[1]
			slices.Sort(want.made)
			slices.Sort(got.made)
			if !slices.Equal(got.made, want.made) || len(got.made) != 3 {
				t.Errorf("%s: published are %q, by client-go %q", when, got.made, want.made)
			}
			if !maps.Equal(got.gauges, want.gauges) || got.gauges["version"] != version {
				t.Errorf("%s: the gauges are %v, client-go's %v, want version %v", when, got.gauges, want.gauges, version)
			}
			if got.counts["latency"] == 0 {
				t.Errorf("%s: no change was timed", when)
			}
		}
		check("after the list", 12)
		server.put(shipOf("c", "Biggs"))
		check("after an event", 13)
		if want, got := both[0].counts["latency"], both[1].counts["latency"]; got < 2 || want < 2 {
			t.Errorf("%d changes were timed, by client-go %d, want 2", got, want)
		}
		server.remove("default/a")
		check("after a delete", 14)
		server.mu.Lock()
		server.version = 20
		server.mu.Unlock()
		server.bookmark()
		check("after a bookmark", 20)
		server.silence()
		server.put(shipOf("b", "Wes"))
		server.expire()
		server.cut()
		time.Sleep(2 * time.Minute)
		check("after a relist", 21)
	})
}

// An informer without a name, or with one that is taken, publishes nothing.
func TestMetricsOfNobody(t *testing.T) {
	name, err := cache.NewInformerName("taken")
	must(t, err)
	defer name.Release()
	_ = name.WithResource(starfighters)
	for _, id := range []cache.InformerNameAndResource{{}, name.WithResource(starfighters)} {
		within(t, func(t *testing.T, ctx context.Context) {
			m := newMeters()
			options := Options[*v1.Starfighter]{}
			options.Identifier, options.InformerMetricsProvider = id, m
			server := newAPIServer(shipOf("a", "Luke"))
			i := follows(ctx, t, server, options)
			server.has(t, i)
			if len(m.made) != 0 {
				t.Errorf("published are %q", m.made)
			}
		})
	}
}

// Several namespaces are one informer, whose version is that of the one that is
// furthest behind.
func TestMetricsOfSeveralNamespaces(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		hoth, endor := newAPIServer(in("hoth", shipOf("a", "Luke"))), newAPIServer(in("endor", shipOf("a", "Han")))
		name, err := cache.NewInformerName("namespaces")
		must(t, err)
		defer name.Release()
		m := newMeters()
		options := inNamespaces(map[string]*apiServer{"hoth": hoth, "endor": endor})
		options.Identifier, options.InformerMetricsProvider = name.WithResource(starfighters), m
		i := newShips(t, nil, options)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		hoth.put(in("hoth", shipOf("b", "Wedge")))
		synctest.Wait()
		if got := m.gauges["version"]; len(m.made) != 3 || got != 11 {
			t.Errorf("published are %q, at version %v", m.made, got)
		}
	})
}
