// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package console prints what an example does: on a terminal a view that is
// redrawn in place, in a file or a pipe plain lines.
package console

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Console is an output that several goroutines may use at once.
type Console struct {
	// Live tells whether Draw shows anything: the output is a terminal that
	// can be redrawn in place.
	Live bool

	size   func() (width, height int)
	colour bool

	mu    sync.Mutex
	out   io.Writer
	width int // of the terminal when the view was drawn
	drawn int // lines of the view
}

// Row is a line of the view: a short label, and a text that is cut where the
// terminal ends. Both must be harmless: see Quote.
type Row struct{ Label, Text string }

// New returns a console on a file, usually os.Stdout. Live is true if that is a
// terminal and the environment variable TERM is not "dumb"; a label has a colour
// unless NO_COLOR is set (https://no-color.org).
func New(out *os.File) *Console {
	return &Console{
		Live: term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb",
		size: func() (int, int) {
			width, height, err := term.GetSize(int(out.Fd()))
			if err != nil || width < 1 || height < 1 {
				return 80, 24
			}
			return width, height
		},
		colour: os.Getenv("NO_COLOR") == "",
		out:    out,
	}
}

// Printf prints lines that stay: above the view, if there is one.
func (c *Console) Printf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text bytes.Buffer
	c.erase(&text)
	fmt.Fprintf(&text, format, args...)
	c.flush(&text)
}

// Draw replaces the view. It does nothing if the console is not Live.
func (c *Console) Draw(rows ...Row) {
	if !c.Live {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	width, height := c.size()
	var text bytes.Buffer
	if c.drawn > 0 && width != c.width {
		text.WriteString("\x1b[2J\x1b[H") // nobody knows how the old lines wrap now
		c.drawn = 0
	}
	c.erase(&text)
	rows = rows[:min(len(rows), height-1)]
	for _, row := range rows {
		label := cut(row.Label, width)
		rest := cut(row.Text, width-cells(label))
		if c.colour && label != "" {
			label = "\x1b[1;36m" + label + "\x1b[0m"
		}
		text.WriteString(label + rest + "\n")
	}
	c.width, c.drawn = width, len(rows)
	c.flush(&text)
}

// Erase removes the view.
func (c *Console) Erase() { c.Draw() }

// erase goes back to where the view began and clears the screen from there.
func (c *Console) erase(text *bytes.Buffer) {
	if c.drawn > 0 {
		fmt.Fprintf(text, "\x1b[%dA\r\x1b[J", c.drawn)
		c.drawn = 0
	}
}

// flush prints in one piece, so that nothing flickers.
func (c *Console) flush(text *bytes.Buffer) {
	_, _ = c.out.Write(text.Bytes()) // what cannot be printed cannot be reported either
}
