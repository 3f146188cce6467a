// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newTerminal(out *bytes.Buffer, width, height int) *Console {
	return &Console{Live: true, out: out, size: func() (int, int) { return width, height }}
}

func TestDrawReplacesTheView(t *testing.T) {
	var out bytes.Buffer
	c := newTerminal(&out, 80, 24)

	c.Draw(Row{"roster ", "empire 1"}, Row{"pilots ", "none"})
	c.Draw(Row{"roster ", "empire 2"})
	c.Printf("launched\n")
	c.Draw(Row{"roster ", "empire 3"})
	c.Erase()

	const want = "roster empire 1\npilots none\n" +
		"\x1b[2A\r\x1b[Jroster empire 2\n" +
		"\x1b[1A\r\x1b[Jlaunched\n" + // above the view
		"roster empire 3\n" +
		"\x1b[1A\r\x1b[J"
	if got := out.String(); got != want {
		t.Errorf("printed\n%q, want\n%q", got, want)
	}
}

func TestDrawKeepsToTheSizeOfTheTerminal(t *testing.T) {
	tests := map[string]struct {
		width, height int
		rows          []Row
		want          string
	}{
		"fits":            {13, 3, []Row{{"ab ", "0123456789"}}, "ab 0123456789\n"},
		"too long":        {12, 3, []Row{{"ab ", "0123456789"}}, "ab 01234567…\n"},
		"wide characters": {7, 3, []Row{{"", "維德大人"}}, "維德大…\n"},
		"only the label":  {2, 3, []Row{{"ab ", "0123456789"}}, "a…\n"},
		"too many":        {80, 3, []Row{{"", "1"}, {"", "2"}, {"", "3"}}, "1\n2\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			newTerminal(&out, test.width, test.height).Draw(test.rows...)
			if got := out.String(); got != test.want {
				t.Errorf("printed %q, want %q", got, test.want)
			}
		})
	}
}

func TestDrawAfterTheTerminalChangedItsWidth(t *testing.T) {
	var out bytes.Buffer
	width := 80
	c := &Console{Live: true, out: &out, size: func() (int, int) { return width, 24 }}
	c.Draw(Row{"", "0123456789"})
	width = 8
	c.Draw(Row{"", "0123456789"})
	if got, want := out.String(), "0123456789\n\x1b[2J\x1b[H0123456…\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestColour(t *testing.T) {
	for name, colour := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			c := newTerminal(&out, 80, 24)
			c.colour = colour
			c.Draw(Row{"roster ", "empire"})
			if got := strings.Contains(out.String(), "\x1b["); got != colour {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}

func TestNewKnowsFilesFromTerminals(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	path := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := New(file)
	if c.Live || c.colour {
		t.Errorf("a file is live: %t; colours though NO_COLOR is set: %t", c.Live, c.colour)
	}
	c.Draw(Row{"roster ", "empire"})
	c.Printf("launched %d\n", 2)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), "launched 2\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestQuote(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain":           {"Padmé Amidala", `"Padmé Amidala"`},
		"quotes":          {`"Red" Five`, `"\"Red\" Five"`},
		"colour":          {"\x1b[31mred", `"\x1b[31mred"`},
		"C1 control":      {"\u009b31mred", `"\u009b31mred"`},
		"new line":        {"a\r\nb", `"a\r\nb"`},
		"bidi override":   {"\u202eekuL", `"\u202eekuL"`},
		"bidi isolate":    {"\u2066Luke\u2069", `"\u2066Luke\u2069"`},
		"zero width":      {"Lu\u200bke", `"Lu\u200bke"`},
		"invalid UTF-8":   {"\xff", `"\xff"`},
		"Kanji":           {"維德", `"維德"`},
		"longer than fit": {strings.Repeat("x", 61), `"` + strings.Repeat("x", 60) + `"…`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Quote(test.text); got != test.want {
				t.Errorf("Quote(%q) = %s, want %s", test.text, got, test.want)
			}
		})
	}
}
