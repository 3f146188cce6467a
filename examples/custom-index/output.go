// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// output prints answers when they have changed, and what was left out of indexes
// since the last ones. The zero value is ready for use.
type output struct {
	answers string

	mu    sync.Mutex
	lines []string
}

// leftOut is the report of an index function that failed. The cache waits for it:
// it only makes a note.
func (o *output) leftOut(_ string, ship *v1.Starfighter, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := fmt.Sprintf("%s is left out: %v\n", ship.Name, err) // which names the index
	if !slices.Contains(o.lines, line) {
		o.lines = append(o.lines, line)
	}
}

func (o *output) print(answers string) {
	o.mu.Lock()
	lines := o.lines
	o.lines = nil
	o.mu.Unlock()
	fmt.Print(strings.Join(lines, ""))
	if answers != o.answers {
		fmt.Println(answers)
		o.answers = answers
	}
}
