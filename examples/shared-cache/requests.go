// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// requests is how many requests for Starfighters an API server counted, by
// verb: LIST, WATCH and so on. A watch-list, which is a watch that begins with the
// objects there are, is a WATCH too.
type requests map[string]int

const watchList = "WATCH-LIST"

// requestCount is what an API server counted in a span of time.
type requestCount struct {
	client versioned.Interface
	shared bool     // there may be other clients
	counts requests // until stop: those before the start
	err    error    // a cluster may keep its metrics to itself
}

// startCounting starts a count. Of an API server that is shared with other clients,
// theirs are counted too.
func startCounting(ctx context.Context, client versioned.Interface, shared bool) *requestCount {
	c := &requestCount{client: client, shared: shared}
	c.counts, c.err = countRequests(ctx, client)
	return c
}

func (c *requestCount) stop(ctx context.Context) {
	if c.err != nil {
		return
	}
	before := c.counts
	if c.counts, c.err = countRequests(ctx, c.client); c.err != nil {
		return
	}
	for verb, n := range before {
		if c.counts[verb] -= n; c.counts[verb] < 0 {
			c.err = errors.New("the cluster has several API servers, and each counts for itself")
		}
	}
}

func (c *requestCount) String() string {
	if c.err != nil {
		return fmt.Sprintf("How many requests the API server counted is not known: %v\n", c.err)
	}
	text := english.Sprintf("Requests for Starfighters that the API server counted for all of them together:\n"+
		"  LIST %d, WATCH %d, of these watch-lists %d\n", c.counts["LIST"], c.counts["WATCH"], c.counts[watchList])
	if c.shared {
		text += "  Those of other programs are among them.\n"
	}
	return text
}

// countRequests reads the API server's own metrics. The numbers count from the
// start of the API server's process. It counts a watch in one metric while the
// watch is open, and in the other when it has ended: the sum is all there were.
func countRequests(ctx context.Context, client versioned.Interface) (requests, error) {
	text, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the API server's metrics: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("parse the API server's metrics: %w", err)
	}
	counted := requests{}
	for family, verb := range map[string]func(*dto.Metric) string{
		"apiserver_request_total":               func(metric *dto.Metric) string { return label(metric, "verb") },
		"apiserver_longrunning_requests":        func(metric *dto.Metric) string { return label(metric, "verb") },
		"apiserver_watch_list_duration_seconds": func(*dto.Metric) string { return watchList },
	} {
		for _, metric := range families[family].GetMetric() {
			if label(metric, "resource") == "starfighters" {
				counted[verb(metric)] += int(metric.GetCounter().GetValue()+metric.GetGauge().GetValue()) + int(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return counted, nil
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}
