// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// The number of ships in an answer, unless asked for otherwise, and at most.
const (
	defaultLimit = 500
	maxLimit     = 10000
)

// maxValue is how long, in code points, the API server lets a value be.
const maxValue = 1024

// question is what /api/v1/starfighters was asked. What is empty is left open.
type question struct {
	namespace string
	faction   v1.Faction
	pilot     string
	limit     int
}

// answer is what it answers.
type answer struct {
	Index string `json:"index"` // the index that was asked; empty if there was no need for one
	Total int    `json:"total"` // ships that fit
	Items []ship `json:"items"` // the first of them by namespace and name
}

// serveShips answers GET /api/v1/starfighters.
func (s *site) serveShips(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuestion(r.URL)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	if health := s.board.health(); !health.ready() {
		w.Header().Set("Retry-After", "1")
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"error": health.unready()})
		return
	}
	found, err := s.board.ask(q)
	if err != nil { // an index that the lister lost; never seen
		writeJSON(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, found)
}

// parseQuestion refuses what it does not know rather than answering another
// question than the one that was meant.
func parseQuestion(from *url.URL) (question, error) {
	q := question{limit: defaultLimit}
	values, err := url.ParseQuery(from.RawQuery)
	if err != nil {
		return q, fmt.Errorf("the query cannot be read: %w", err)
	}
	for name, given := range values {
		if len(given) > 1 {
			return q, fmt.Errorf("parameter %q is there %d times", name, len(given))
		}
		value := given[0]
		if !utf8.ValidString(value) {
			return q, fmt.Errorf("parameter %q is no UTF-8", name)
		}
		if n := utf8.RuneCountInString(value); n > maxValue {
			return q, fmt.Errorf("parameter %q has %d characters; no ship has more than %d there", name, n, maxValue)
		}
		switch name {
		case "faction":
			q.faction = v1.Faction(value)
		case "pilot":
			q.pilot = value
		case "namespace":
			if reasons := validation.IsDNS1123Label(value); value != metav1.NamespaceAll && len(reasons) > 0 {
				return q, fmt.Errorf("namespace %q cannot exist: %s", value, strings.Join(reasons, ", "))
			}
			q.namespace = value
		case "limit":
			if q.limit, err = strconv.Atoi(value); err != nil || q.limit < 1 || q.limit > maxLimit {
				return q, fmt.Errorf("limit %q is no number from 1 to %d", value, maxLimit)
			}
		default:
			return q, fmt.Errorf("there is no parameter %q; there are faction, pilot, namespace and limit", name)
		}
	}
	return q, nil
}

// ask answers from an index of the cache, without looking at other ships. A pilot
// has fewer ships than a faction, so that index comes first.
func (b *board) ask(q question) (answer, error) {
	var reader interface {
		starwarslisters.StarfighterIndexReader
		List(labels.Selector) ([]*v1.Starfighter, error)
	} = b.lister
	if q.namespace != metav1.NamespaceAll {
		reader = b.lister.Starfighters(q.namespace)
	}
	var a answer
	var found []*v1.Starfighter
	var err error
	switch {
	case q.pilot != "":
		a.Index = starwarslisters.StarfighterPilotIndex
		found, err = reader.ByPilot(q.pilot)
	case q.faction != "":
		a.Index = starwarslisters.StarfighterFactionIndex
		found, err = reader.ByFaction(q.faction)
	default:
		found, err = reader.List(labels.Everything())
	}
	if err != nil {
		return a, err
	}
	if q.faction != "" {
		found = slices.DeleteFunc(found, func(ship *v1.Starfighter) bool { return ship.Spec.Faction != q.faction })
	}
	a.Total = len(found)
	a.Items = views(found, q.limit)
	return a, nil
}

// views returns what readers are told of the first ships by namespace and name.
func views(found []*v1.Starfighter, most int) []ship {
	slices.SortFunc(found, func(a, b *v1.Starfighter) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	ships := make([]ship, 0, min(most, len(found)))
	for _, cached := range found[:min(most, len(found))] {
		ships = append(ships, view(cached))
	}
	return ships
}

func writeJSON(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(data) // a reader that went away
}
