// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"sync"
)

// Output keeps what a program prints and tells who waits for more. The zero
// value is ready for use.
type Output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	more  chan struct{} // closed when text or ended changes; made when asked for
	ended bool
}

// Write implements io.Writer.
func (o *Output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.changed()
	return o.text.Write(text)
}

// String returns all that was printed so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *Output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.changed()
	o.ended = true
}

func (o *Output) changed() {
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
}

func (o *Output) state() (text string, more <-chan struct{}, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more == nil {
		o.more = make(chan struct{})
	}
	return o.text.String(), o.more, o.ended
}
