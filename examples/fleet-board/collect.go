// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	shipsDesc     = prometheus.NewDesc("fleet_board_ships", "Ships in the cache.", nil, nil)
	changesDesc   = prometheus.NewDesc("fleet_board_changes_total", "Changes of ships that the board saw, by kind.", []string{"kind"}, nil)
	syncedDesc    = prometheus.NewDesc("fleet_board_synced", "1 if the cache was filled and all its consumers know.", nil, nil)
	troubleDesc   = prometheus.NewDesc("fleet_board_trouble", "1 if the cache may be behind the API server; /readyz says why.", nil, nil)
	pendingDesc   = prometheus.NewDesc("fleet_board_consumer_pending_changes", "Lag: changes in the cache that a consumer of the informer was not told of yet.", []string{"consumer"}, nil)
	deliveredDesc = prometheus.NewDesc("fleet_board_consumer_delivered_changes_total", "Changes that a consumer of the informer was told of.", []string{"consumer"}, nil)
	coalescedDesc = prometheus.NewDesc("fleet_board_consumer_coalesced_changes_total", "Changes that a subscription of the informer did not need, since a later one of the same ship took their place.", []string{"consumer"}, nil)
	streamsDesc   = prometheus.NewDesc("fleet_board_streams", "Streams of changes to browsers.", nil, nil)
	lagDesc       = prometheus.NewDesc("fleet_board_streams_pending_changes", "Lag: changes that the slowest of the streams has not sent yet.", nil, nil)
)

// boardCollector asks the board when it is asked itself.
type boardCollector struct{ board *board }

// Describe implements prometheus.Collector.
func (boardCollector) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{shipsDesc, changesDesc, syncedDesc, troubleDesc, pendingDesc, deliveredDesc, coalescedDesc} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (c boardCollector) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	counter := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, labels...)
	}
	health, changes := c.board.health(), c.board.meter.counted()
	gauge(shipsDesc, float64(health.Objects))
	counter(changesDesc, float64(changes.Added), "added")
	counter(changesDesc, float64(changes.Updated), "updated")
	counter(changesDesc, float64(changes.Deleted), "deleted")
	gauge(syncedDesc, oneIf(health.ready()))
	gauge(troubleDesc, oneIf(health.Err != nil))
	for _, consumer := range health.Consumers {
		name := strings.TrimPrefix(consumer.Name, "*main.") // a handler is named after its type
		gauge(pendingDesc, float64(consumer.Pending), name)
		counter(deliveredDesc, float64(consumer.Delivered), name)
		counter(coalescedDesc, float64(consumer.Coalesced), name)
	}
}

// streamCollector asks the streams when it is asked itself.
type streamCollector struct{ streams *streams }

// Describe implements prometheus.Collector.
func (streamCollector) Describe(to chan<- *prometheus.Desc) { to <- streamsDesc; to <- lagDesc }

// Collect implements prometheus.Collector.
func (c streamCollector) Collect(to chan<- prometheus.Metric) {
	open, behind := c.streams.lag()
	to <- prometheus.MustNewConstMetric(streamsDesc, prometheus.GaugeValue, float64(open))
	to <- prometheus.MustNewConstMetric(lagDesc, prometheus.GaugeValue, float64(behind))
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
