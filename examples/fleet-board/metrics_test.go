// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func TestMetricsTellOfBoardAndStreams(t *testing.T) {
	b, client := newTestBoard(t, fleet()...)
	s, server := newTestSite(t, b, quick)
	s.metrics.follow(b)
	read(t, server, "", "").wantAll(b)
	create(t, client, newShip("default", "x-wing-9", v1.Rebellion, "Jek Porkins"))
	eventually(t, "the change is counted", func() bool { return b.meter.counted().Added == 1 && b.journal.now() == 6 })

	want := `
# HELP fleet_board_changes_total Changes of ships that the board saw, by kind.
# TYPE fleet_board_changes_total counter
fleet_board_changes_total{kind="added"} 1
fleet_board_changes_total{kind="deleted"} 0
fleet_board_changes_total{kind="updated"} 0
# HELP fleet_board_consumer_delivered_changes_total Changes that a consumer of the informer was told of.
# TYPE fleet_board_consumer_delivered_changes_total counter
fleet_board_consumer_delivered_changes_total{consumer="feed"} 6
fleet_board_consumer_delivered_changes_total{consumer="meter"} 6
# HELP fleet_board_consumer_pending_changes Lag: changes in the cache that a consumer of the informer was not told of yet.
# TYPE fleet_board_consumer_pending_changes gauge
fleet_board_consumer_pending_changes{consumer="feed"} 0
fleet_board_consumer_pending_changes{consumer="meter"} 0
# HELP fleet_board_ships Ships in the cache.
# TYPE fleet_board_ships gauge
fleet_board_ships 6
# HELP fleet_board_streams Streams of changes to browsers.
# TYPE fleet_board_streams gauge
fleet_board_streams 1
# HELP fleet_board_synced 1 if the cache was filled and all its consumers know.
# TYPE fleet_board_synced gauge
fleet_board_synced 1
# HELP fleet_board_trouble 1 if the cache may be behind the API server; /readyz says why.
# TYPE fleet_board_trouble gauge
fleet_board_trouble 0
`
	noError(t, testutil.GatherAndCompare(s.metrics.registry, strings.NewReader(want),
		"fleet_board_changes_total", "fleet_board_consumer_delivered_changes_total", "fleet_board_consumer_pending_changes", "fleet_board_ships", "fleet_board_streams", "fleet_board_synced", "fleet_board_trouble"))
	if problems, err := testutil.GatherAndLint(s.metrics.registry); err != nil || len(problems) > 0 {
		t.Errorf("Prometheus' own linter: %v, %v", problems, err)
	}
	if _, body := get(t, server, "/metrics"); !strings.Contains(body, "go_goroutines") || !strings.Contains(body, "fleet_board_ships 6") {
		t.Errorf("/metrics:\n%s", body)
	}
}

func TestInformerMetricsComeFromClientGo(t *testing.T) {
	newTestBoard(t, fleet()...)
	resource := v1.Resource("starfighters").WithVersion("v1")
	labels := []string{t.Name(), resource.Group, resource.Version, resource.Resource}
	var metric dto.Metric
	noError(t, informers.latency.WithLabelValues(labels...).(prometheus.Metric).Write(&metric))
	if metric.GetHistogram().GetSampleCount() == 0 {
		t.Error("no latency of this test's informer was observed")
	}
	if got := testutil.ToFloat64(informers.queued.WithLabelValues(labels...)); got != 0 {
		t.Errorf("%v items are queued in a board that is in sync", got)
	}
}

func TestInformerMetricsAreSilentWithoutAName(t *testing.T) {
	m := newInformerMetrics()
	name, err := cache.NewInformerName(t.Name())
	noError(t, err)
	id := name.WithResource(schema.GroupVersionResource{Resource: "ships"})
	gauge := m.NewStoreResourceVersionMetric(id)
	gauge.Set(42)
	name.Release()
	gauge.Set(43)
	m.NewProcessingLatencyMetric(id).Observe(1)
	if got := testutil.ToFloat64(m.version); got != 42 {
		t.Errorf("after its name was given back the gauge shows %v", got)
	}
}
