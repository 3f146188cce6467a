// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"strconv"
	"strings"

	"golang.org/x/text/width"
)

// longest is how many characters of a text Quote shows.
const longest = 60

// Quote makes text that others wrote harmless, and shows where it begins and
// ends. Control characters, which could do anything to a terminal, and
// characters that are invisible or turn the direction of writing are shown as
// escapes. A text of more than 60 characters is cut.
func Quote(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return strconv.Quote(string(runes[:longest])) + "…"
	}
	return strconv.Quote(text)
}

// cut returns as much of the text as fits into a width, counted in the
// terminal's cells. An ellipsis tells that something is missing.
func cut(text string, limit int) string {
	if cells(text) <= limit {
		return text
	}
	var kept strings.Builder
	for _, r := range text {
		limit -= runeCells(r)
		if limit < 1 {
			break
		}
		kept.WriteRune(r)
	}
	if limit < 0 && kept.Len() == 0 {
		return ""
	}
	return kept.String() + "…"
}

func cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeCells(r)
	}
	return n
}

// runeCells is never too small. It is too large for combining characters, which
// makes a line shorter than it could be.
func runeCells(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
