// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics shows. No label has a value that somebody else chose.
type metrics struct {
	registry  *prometheus.Registry
	informers *informerMetrics
	streams   *streamMetrics
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		informers: newInformerMetrics(),
		streams: &streamMetrics{
			refused: prometheus.NewCounter(prometheus.CounterOpts{Name: "fleet_board_streams_refused_total", Help: "Streams that were refused because there were too many."}),
			cut:     prometheus.NewCounter(prometheus.CounterOpts{Name: "fleet_board_streams_cut_total", Help: "Streams that were cut because nobody read them."}),
			resets:  prometheus.NewCounter(prometheus.CounterOpts{Name: "fleet_board_stream_resets_total", Help: "Times that a stream was sent the whole fleet."}),
		},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fleet_board_http_requests_total", Help: "Requests that ended, by route and status.",
		}, []string{"route", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fleet_board_http_request_duration_seconds", Help: "How long requests took, by route. Streams take as long as their readers want.",
			Buckets: []float64{.001, .01, .1, 1},
		}, []string{"route"}),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.informers.queued, m.informers.latency, m.informers.version,
		m.streams.refused, m.streams.cut, m.streams.resets,
		m.requests, m.durations,
	)
	return m
}

// streamMetrics counts what happened to streams.
type streamMetrics struct{ refused, cut, resets prometheus.Counter }

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// instrument counts requests under the pattern of the route that they took,
// which is empty if they took none.
func (m *metrics) instrument(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		m.requests.WithLabelValues(r.Pattern, strconv.Itoa(recorder.status)).Inc()
		m.durations.WithLabelValues(r.Pattern).Observe(time.Since(begin).Seconds())
	})
}

// statusRecorder remembers the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// follow adds what the board knows. It may be called once.
func (m *metrics) follow(b *board) { m.registry.MustRegister(boardCollector{b}) }

// followStreams adds what the streams know. It may be called once.
func (m *metrics) followStreams(s *streams) { m.registry.MustRegister(streamCollector{s}) }
