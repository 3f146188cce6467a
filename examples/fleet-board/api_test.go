// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// get asks for a path and returns the status and the body.
func get(t *testing.T, server *httptest.Server, path string, edits ...func(*http.Request)) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
	noError(t, err)
	for _, edit := range edits {
		edit(request)
	}
	response, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	noError(t, err)
	return response.StatusCode, string(body)
}

func TestAPIAnswersFromTheIndexes(t *testing.T) {
	b, _ := newTestBoard(t, fleet()...)
	_, server := newTestSite(t, b)
	tests := []struct {
		query, index string
		total        int
		want         string
	}{
		{"", "", 5, "default/slave-1 default/tie-1 default/x-wing-1 default/x-wing-2 outer-rim/x-wing-1"},
		{"faction=&pilot=&namespace=", "", 5, "default/slave-1 default/tie-1 default/x-wing-1 default/x-wing-2 outer-rim/x-wing-1"},
		{"faction=rebellion", "faction", 3, "default/x-wing-1 default/x-wing-2 outer-rim/x-wing-1"},
		{"faction=rebellion&limit=2", "faction", 3, "default/x-wing-1 default/x-wing-2"},
		{"faction=rebellion&namespace=default", "faction", 2, "default/x-wing-1 default/x-wing-2"},
		{"pilot=Luke+Skywalker", "pilot", 2, "default/x-wing-1 outer-rim/x-wing-1"},
		{"pilot=Luke%20Skywalker&namespace=outer-rim", "pilot", 1, "outer-rim/x-wing-1"},
		{"pilot=Luke+Skywalker&faction=empire", "pilot", 0, ""},
		{"namespace=outer-rim", "", 1, "outer-rim/x-wing-1"},
		{"namespace=nowhere", "", 0, ""},
		{"pilot=luke+skywalker", "pilot", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.query, func(t *testing.T) {
			status, body := get(t, server, "/api/v1/starfighters?"+test.query)
			var got answer
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
				t.Fatalf("status %d, body %s: %v", status, body, err)
			}
			var keys []string
			for _, ship := range got.Items {
				keys = append(keys, ship.Namespace+"/"+ship.Name)
			}
			if text := strings.Join(keys, " "); text != test.want || got.Total != test.total || got.Index != test.index {
				t.Errorf("index %q, total %d: %s; want %q, %d: %s", got.Index, got.Total, text, test.index, test.total, test.want)
			}
			if got.Items == nil {
				t.Error("items are null, not an empty list")
			}
		})
	}
}

func TestAPIShowsAllOfAShip(t *testing.T) {
	docked := newShip("default", "x-wing-1", v1.Rebellion, "<b>Luke</b>")
	docked.Status.Phases = []string{"launched", "docked"}
	b, _ := newTestBoard(t, docked)
	got, err := b.ask(question{limit: 1})
	noError(t, err)
	want := ship{Namespace: "default", Name: "x-wing-1", Faction: "rebellion", Type: "X-Wing", Pilot: "<b>Luke</b>", Phase: "docked"}
	if got.Items[0] != want {
		t.Errorf("got %+v, want %+v", got.Items[0], want)
	}
}

func TestAPIRefusesWhatItDoesNotKnow(t *testing.T) {
	b, _ := newTestBoard(t)
	_, server := newTestSite(t, b)
	tests := map[string]string{
		"pilt=Luke":                   `there is no parameter "pilt"; there are faction, pilot, namespace and limit`,
		"pilot=Luke&pilot=Wedge":      `parameter "pilot" is there 2 times`,
		"namespace=Outer_Rim":         `namespace "Outer_Rim" cannot exist`,
		"limit=0":                     `limit "0" is no number from 1 to 10000`,
		"limit=many":                  `limit "many" is no number`,
		"pilot=%zz":                   "the query cannot be read",
		"pilot=%ff":                   `parameter "pilot" is no UTF-8`,
		"pilot=" + longer(maxValue):   "has 1025 characters",
		"faction=" + longer(maxValue): `parameter "faction"`,
	}
	for query, want := range tests {
		t.Run(query[:min(len(query), 20)], func(t *testing.T) {
			status, body := get(t, server, "/api/v1/starfighters?"+query)
			var got struct{ Error string }
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusBadRequest || !strings.Contains(got.Error, want) {
				t.Errorf("status %d, body %s; want 400 and %q", status, body, want)
			}
		})
	}
	if _, err := parseQuestion(&url.URL{RawQuery: "pilot=" + url.QueryEscape(strings.Repeat("é", maxValue))}); err != nil {
		t.Errorf("a value as long as the API server allows: %v", err)
	}
}

func longer(than int) string { return fmt.Sprintf("%0*d", than+1, 0) }
