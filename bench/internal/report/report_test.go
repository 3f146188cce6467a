// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	same := func(n int) int { return n }
	for _, test := range []struct {
		values []int
		want   int
	}{{[]int{7}, 7}, {[]int{9, 1, 5}, 5}, {[]int{4, 3, 2, 1}, 2}} {
		if got := Median(test.values, same); got != test.want {
			t.Errorf("median of %v = %d, want %d", test.values, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := NewTable("way", "wall")
	table.Row("client-go", "1.50 s")
	table.Row("x", "10.00 s")
	var out strings.Builder
	table.Write(&out)
	want := `| way       |    wall |
| --------- | ------: |
| client-go |  1.50 s |
| x         | 10.00 s |
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

func TestCells(t *testing.T) {
	for got, want := range map[string]string{
		Seconds(1500 * time.Millisecond):       "1.50 s",
		Seconds(42 * time.Millisecond):         "0.042 s",
		Milliseconds(1234 * time.Microsecond):  "1.23 ms",
		Microseconds(1234 * time.Nanosecond):   "1.2 µs",
		Bytes(512):                             "512 B",
		Bytes(3 << 20):                         "3 MiB",
		Ratio(10*time.Second, 4*time.Second):   "2.5×",
		Ratio[time.Duration](0, 4*time.Second): "",
		Count(12):                              "12",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
