// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
)

// journalSize is how many changes a reader may be behind before it has to read
// the whole fleet again.
const journalSize = 4096

// journal numbers the changes of the fleet, and remembers which ships the latest
// of them were about. What became of a ship is not in it but in the cache: a
// reader that was away asks once for each ship that changed, however often it
// did. So readers, however slow, cost no memory but their place in the journal.
type journal struct {
	epoch string // tells this journal's numbers from those of another run
	bell  *bell

	mu   sync.Mutex
	keys []string // a ring: change n is at n modulo its length
	last uint64   // the number of the latest change; the first is 1
}

func newJournal(size int, bell *bell) *journal {
	return &journal{epoch: rand.Text()[:8], bell: bell, keys: make([]string, size)}
}

// record adds a change of the ship with this key.
func (j *journal) record(key string) {
	j.mu.Lock()
	j.last++
	j.keys[j.last%uint64(len(j.keys))] = key
	j.mu.Unlock()
	j.bell.ring()
}

// now returns the number of the latest change.
func (j *journal) now() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// since returns the keys of the ships that changed after a reader's place, each
// once, and the place that the reader has when it has seen to them. It reports
// false if the journal does not reach back that far.
func (j *journal) since(place uint64) (keys []string, next uint64, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if place > j.last || j.last-place > uint64(len(j.keys)) {
		return nil, 0, false
	}
	seen := map[string]bool{}
	for n := place + 1; n <= j.last; n++ {
		if key := j.keys[n%uint64(len(j.keys))]; !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys, j.last, true
}

// id writes a place for a reader that may come back with it.
func (j *journal) id(place uint64) string {
	return j.epoch + "-" + strconv.FormatUint(place, 10)
}

// parse reads what id wrote. It reports false for what is not of this journal.
func (j *journal) parse(id string) (place uint64, ok bool) {
	epoch, number, found := strings.Cut(id, "-")
	place, err := strconv.ParseUint(number, 10, 64)
	return place, found && err == nil && epoch == j.epoch
}

// bell wakes those who wait for news, of any kind: they look what it is.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

func newBell() *bell { return &bell{next: make(chan struct{})} }

// ring wakes all who wait.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}

// rung returns a channel that is closed at the next ring. Ask before looking for
// news, so that none is missed.
func (b *bell) rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}
