// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report makes tables of what was measured.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Median returns the middle of what of returns for each result.
func Median[R any, N cmp.Ordered](results []R, of func(R) N) N {
	values := make([]N, len(results))
	for i, result := range results {
		values[i] = of(result)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// Table is a table in Markdown, whose columns but the first are numbers.
type Table struct {
	rows [][]string
}

// NewTable returns a table with the given heads of columns.
func NewTable(heads ...string) *Table { return &Table{rows: [][]string{heads}} }

// Row adds a row.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the table, its columns aligned.
func (t *Table) Write(to io.Writer) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, row := range t.rows {
		fmt.Fprintln(to, line(row, widths))
		if i == 0 {
			fmt.Fprintln(to, rule(widths))
		}
	}
}

func line(row []string, widths []int) string {
	var out strings.Builder
	for i, cell := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			out.WriteString("| " + cell + space)
		} else {
			out.WriteString(" | " + space + cell)
		}
	}
	return out.String() + " |"
}

func rule(widths []int) string {
	var out strings.Builder
	for i, width := range widths {
		if i == 0 {
			out.WriteString("| " + strings.Repeat("-", width))
		} else {
			out.WriteString(" | " + strings.Repeat("-", width-1) + ":")
		}
	}
	return out.String() + " |"
}

// Seconds is a duration as a cell.
func Seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3f s", d.Seconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// Milliseconds is a short duration as a cell.
func Milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

// Microseconds is a very short duration as a cell.
func Microseconds(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }

// Count is a number as a cell.
func Count(n uint64) string { return strconv.FormatUint(n, 10) }

// Bytes is an amount of memory as a cell.
func Bytes(n uint64) string {
	if n < 10<<10 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
}

// Ratio says how many times less than the reference something is.
func Ratio[N ~int64 | ~uint64](reference, value N) string {
	if reference == 0 || value == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f×", float64(reference)/float64(value))
}
