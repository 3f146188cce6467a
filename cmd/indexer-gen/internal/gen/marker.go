// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
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

// cutMarker returns what follows the name of the marker in a line of a comment,
// and whether the line is such a marker, also one in other letter case.
func cutMarker(line string) (rest string, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) < len(markerName) || !strings.EqualFold(line[:len(markerName)], markerName) {
		return "", false
	}
	rest = line[len(markerName):]
	// Something else's marker may begin alike, such as +genindexed.
	return rest, rest == "" || strings.ContainsRune(":= \t", rune(rest[0]))
}

// parseMarkers returns the markers among the lines of a doc comment. The error
// tells of every line that is wrong.
func parseMarkers(comments []string) ([]marker, error) {
	var (
		markers  []marker
		mistakes []error
	)
	for _, line := range comments {
		rest, ok := cutMarker(line)
		if !ok {
			continue
		}
		line = strings.TrimSpace(line)
		m, err := parseMarker(rest)
		if !strings.HasPrefix(line, markerName) {
			err = fmt.Errorf("write it in small letters, %s", markerName)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("marker %q: %w", line, err))
			continue
		}
		markers = append(markers, m)
	}
	return markers, errors.Join(mistakes...)
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
		case key != "name" && key != "fields":
			return m, fmt.Errorf("unknown option %q: the options are name and, on types, fields; several fields are parted by ';'", key)
		case !ok || value == "":
			return m, fmt.Errorf("option %q has no value: write it as %s=VALUE", key, key)
		case key == "name" && m.name == "":
			m.name = value
		case key == "fields" && m.fields == nil:
			for field := range strings.SplitSeq(value, ";") {
				m.fields = append(m.fields, strings.TrimSpace(field))
			}
		default:
			return m, fmt.Errorf("option %q is given twice: keep one", key)
		}
	}
	return m, nil
}

var indexName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([-._][A-Za-z0-9]+)*$`)

// checkName says what is wrong with the name of an index, if anything is.
func checkName(name string) error {
	switch {
	case !indexName.MatchString(name):
		return fmt.Errorf("index name %q: use letters and digits, in words joined by '-', '.' or '_', that start with a letter; %s:name=NAME gives the index another name than its field", name, markerName)
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
