// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// requests is how many requests for Starfighters an API server counted, by
// verb: LIST, WATCH and so on. An informer's watch-list counts as WATCH.
type requests map[string]int

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
	for _, family := range []string{"apiserver_request_total", "apiserver_longrunning_requests"} {
		for _, metric := range families[family].GetMetric() {
			if label(metric, "resource") == "starfighters" {
				counted[label(metric, "verb")] += int(metric.GetCounter().GetValue() + metric.GetGauge().GetValue())
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

// since returns the requests that came after earlier was counted.
func (r requests) since(earlier requests) requests {
	diff := requests{}
	for verb, count := range r {
		diff[verb] = count - earlier[verb]
	}
	return diff
}
