// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/tools/cache"
)

// informerMetrics is client-go's informer metrics in Prometheus' terms, under
// the names that Kubernetes' own programs give them. Informers without a name,
// such as those of an API server in this process, have none.
type informerMetrics struct {
	queued  *prometheus.GaugeVec
	latency *prometheus.HistogramVec
	version *prometheus.GaugeVec
}

func newInformerMetrics() *informerMetrics {
	labels := []string{"name", "group", "version", "resource"}
	return &informerMetrics{
		queued: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "informer_queued_items", Help: "Items in the informer's queue, on their way into the cache.",
		}, labels),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "informer_processing_latency_seconds", Help: "How long it took to bring an item of the queue into the cache.",
			Buckets: []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5},
		}, labels),
		version: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "informer_store_resource_version", Help: "The last 15 digits of the resource version that the cache has reached.",
		}, labels),
	}
}

// NewQueuedItemMetric implements cache.InformerMetricsProvider.
func (m *informerMetrics) NewQueuedItemMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	return reservedGauge{id, m.queued.WithLabelValues(labelValues(id)...)}
}

// NewProcessingLatencyMetric implements cache.InformerMetricsProvider.
func (m *informerMetrics) NewProcessingLatencyMetric(id cache.InformerNameAndResource) cache.HistogramMetric {
	return reservedHistogram{id, m.latency.WithLabelValues(labelValues(id)...)}
}

// NewStoreResourceVersionMetric implements cache.InformerMetricsProvider.
func (m *informerMetrics) NewStoreResourceVersionMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	return reservedGauge{id, m.version.WithLabelValues(labelValues(id)...)}
}

func labelValues(id cache.InformerNameAndResource) []string {
	resource := id.GroupVersionResource()
	return []string{id.Name(), resource.Group, resource.Version, resource.Resource}
}

// reservedGauge is silent once its informer's name was given back.
type reservedGauge struct {
	id    cache.InformerNameAndResource
	gauge prometheus.Gauge
}

// Set implements cache.GaugeMetric.
func (g reservedGauge) Set(value float64) {
	if g.id.Reserved() {
		g.gauge.Set(value)
	}
}

// reservedHistogram is silent once its informer's name was given back.
type reservedHistogram struct {
	id        cache.InformerNameAndResource
	histogram prometheus.Observer
}

// Observe implements cache.HistogramMetric.
func (h reservedHistogram) Observe(value float64) {
	if h.id.Reserved() {
		h.histogram.Observe(value)
	}
}
