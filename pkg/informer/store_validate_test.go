// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"
	"slices"
)

// validate looks for anything in a store that must never be, and returns the
// first that it finds.
func (s *Store[T]) validate() error {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.values) != len(s.t.indexes) {
		return fmt.Errorf("room for the values of %d indexes, but there are %d", len(s.values), len(s.t.indexes))
	}
	return s.t.validate()
}

func (t *tables[T]) validate() error {
	if err := t.all.validate(func(*entry[T]) []int32 { return nil }); err != nil {
		return fmt.Errorf("all objects: %w", err)
	}
	if len(t.items) != len(t.all.ents) {
		return fmt.Errorf("%d keys for %d objects", len(t.items), len(t.all.ents))
	}
	slots := 0
	for key, e := range t.items {
		if e.key != key {
			return fmt.Errorf("entry of %q is under the key %q", e.key, key)
		}
		if e.pos < 0 || int(e.pos) >= len(t.all.ents) || t.all.ents[e.pos] != e {
			return fmt.Errorf("%s is not at its position %d", key, e.pos)
		}
		for _, s := range e.slots {
			if s.index < 0 || int(s.index) >= len(t.indexes) {
				return fmt.Errorf("%s has a slot in index %d of %d", key, s.index, len(t.indexes))
			}
			if x := t.indexes[s.index]; s.bucket == nil || x.buckets[s.bucket.value] != s.bucket {
				return fmt.Errorf("%s has a slot in a bucket that index %s does not have", key, x.name)
			}
		}
		for _, s := range e.slots[len(e.slots):cap(e.slots)] {
			if s != (slot[T]{}) {
				return fmt.Errorf("%s holds on to a slot that it no longer has", key)
			}
		}
		slots += len(e.slots)
	}
	names := map[string]bool{}
	filed := 0
	for i, x := range t.indexes {
		if names[x.name] {
			return fmt.Errorf("two indexes have the name %s", x.name)
		}
		names[x.name] = true
		for value, b := range x.buckets {
			if err := b.validate(t, int32(i)); err != nil {
				return fmt.Errorf("index %s, value %q: %w", x.name, value, err)
			}
			if b.value != value {
				return fmt.Errorf("index %s: bucket of %q is under the value %q", x.name, b.value, value)
			}
			b.each(func(*entry[T]) { filed++ })
		}
	}
	if slots != filed {
		return fmt.Errorf("entries have %d slots, but buckets have %d entries", slots, filed)
	}
	return nil
}

func (b *bucket[T]) validate(t *tables[T], index int32) error {
	positions := func(e *entry[T]) (in []int32) {
		for _, s := range e.slots {
			if s.bucket == b && s.index == index {
				in = append(in, s.pos)
			}
		}
		return in
	}
	var err error
	b.each(func(e *entry[T]) {
		switch {
		case e == nil:
			err = fmt.Errorf("is empty")
		case t.items[e.key] != e:
			err = fmt.Errorf("has %s, which is not stored", e.key)
		case len(positions(e)) != 1:
			err = fmt.Errorf("%s has %d slots for it", e.key, len(positions(e)))
		}
	})
	switch {
	case err != nil:
		return err
	case b.many == nil && b.few[0] == nil:
		return fmt.Errorf("has no entry")
	case b.many == nil:
		for i, e := range b.few[:b.len()] {
			if pos := positions(e)[0]; int(pos) != i {
				return fmt.Errorf("its entry %d is at position %d", i, pos)
			}
		}
		return nil
	case b.few != [2]*entry[T]{}:
		return fmt.Errorf("has few entries and many")
	case len(b.many.ents) < 2:
		return fmt.Errorf("has %d of many entries", len(b.many.ents))
	}
	return b.many.validate(positions)
}

// validate looks at a set whose entries have the positions that are returned for
// them, or are not asked for.
func (d *dense[T]) validate(positions func(*entry[T]) []int32) error {
	if len(d.objs) != len(d.ents) {
		return fmt.Errorf("%d objects for %d entries", len(d.objs), len(d.ents))
	}
	for i, e := range d.ents {
		if d.objs[i] != e.obj {
			return fmt.Errorf("another object than the entry's own is at position %d of %s", i, e.key)
		}
		if in := positions(e); in != nil && !slices.Equal(in, []int32{int32(i)}) {
			return fmt.Errorf("%s is at position %d, and thinks it is at %d", e.key, i, in)
		}
	}
	var none T
	for _, obj := range d.objs[len(d.objs):cap(d.objs)] {
		if obj != none {
			return fmt.Errorf("an object is kept alive behind the end")
		}
	}
	for _, e := range d.ents[len(d.ents):cap(d.ents)] {
		if e != nil {
			return fmt.Errorf("an entry is kept alive behind the end")
		}
	}
	return nil
}
