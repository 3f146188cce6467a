// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"regexp"
	"strings"
)

// markerName starts a marker comment: "+genindex", or "+genindex:" with
// options, comma-separated, as "key=value".
const markerName = "+genindex"

// marker is one parsed marker comment.
type marker struct {
	name   string   // of the index; "" if the marker names none
	fields []string // JSON paths, on types only
}

// parseMarkers returns the markers among the lines of a doc comment.
func parseMarkers(comments []string) ([]marker, error) {
	var markers []marker
	for _, line := range comments {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, markerName)
		if !ok || rest != "" && rest[0] != ':' && rest[0] != '=' && rest[0] != ' ' {
			continue // something else's marker, such as +genindexed
		}
		m, err := parseMarker(rest)
		if err != nil {
			return nil, fmt.Errorf("marker %q: %w", line, err)
		}
		markers = append(markers, m)
	}
	return markers, nil
}

func parseMarker(rest string) (m marker, err error) {
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return m, nil
	}
	options, ok := strings.CutPrefix(rest, ":")
	if !ok || options == "" {
		return m, fmt.Errorf("write %s alone, or %s:name=NAME", markerName, markerName)
	}
	for option := range strings.SplitSeq(options, ",") {
		key, value, ok := strings.Cut(option, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok || value == "":
			return m, fmt.Errorf("option %q has no value: write it as key=value", option)
		case key == "name" && m.name == "":
			m.name = value
		case key == "fields" && m.fields == nil:
			for field := range strings.SplitSeq(value, ";") {
				m.fields = append(m.fields, strings.TrimSpace(field))
			}
		case key == "name", key == "fields":
			return m, fmt.Errorf("option %q is given twice", key)
		default:
			return m, fmt.Errorf("unknown option %q: the options are name and, on types, fields", key)
		}
	}
	return m, nil
}

var indexName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([-._][A-Za-z0-9]+)*$`)

// checkName says what is wrong with the name of an index, if anything is.
func checkName(name string) error {
	switch {
	case !indexName.MatchString(name):
		return fmt.Errorf("index name %q: use letters and digits, in words joined by '-', '.' or '_', that start with a letter", name)
	case name == "namespace":
		return fmt.Errorf("index name %q is taken by the index that every informer of client-go has: choose another one with %s:name=NAME", name, markerName)
	case goName(name) == "Index":
		return fmt.Errorf("index name %q would generate a second method ByIndex: choose another one with %s:name=NAME", name, markerName)
	}
	return nil
}

// goName makes a Go name of an index name: "faction-type" becomes FactionType.
func goName(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-._", r) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
