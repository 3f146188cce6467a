// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"iter"
	"slices"
)

// copyUnderLock is up to how many objects are copied with the lock held, which
// leaves the writer free to change its slice afterwards; more of them are
// copied from a snapshot.
const copyUnderLock = 1024

// Get returns what is stored under the object's key.
func (s *Store[T]) Get(obj any) (item any, exists bool, err error) {
	key, err := keyOf[T](obj)
	if err != nil {
		return nil, false, err
	}
	return s.GetByKey(key)
}

// GetByKey returns what is stored under a key. There is no error.
func (s *Store[T]) GetByKey(key string) (item any, exists bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if e := s.t.items[key]; e != nil {
		return e.obj, true, nil
	}
	return nil, false, nil
}

// List returns all objects, in no particular order.
func (s *Store[T]) List() []any { return untyped(s.snapshot()) }

// ListTyped returns all objects, in no particular order.
func (s *Store[T]) ListTyped() []T {
	return slices.Clone(s.snapshot())
}

// AllTyped iterates over all objects. Each loop goes over those that there were
// when it began.
func (s *Store[T]) AllTyped() iter.Seq[T] { return s.all }

// snapshot returns all objects for reading.
func (s *Store[T]) snapshot() []T {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.t.all.snapshot()
}

func (s *Store[T]) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.t.items)
}

// entries returns the objects of a namespace as they are stored.
func (s *Store[T]) entries(namespace string) (found []*entry[T]) {
	s.writer.Lock()
	defer s.writer.Unlock()
	for _, e := range s.t.all.ents {
		if e.obj.GetNamespace() == namespace {
			found = append(found, e)
		}
	}
	return found
}

// ListKeys returns the keys of all objects, in no particular order.
func (s *Store[T]) ListKeys() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := make([]string, 0, len(s.t.all.ents))
	for _, e := range s.t.all.ents {
		keys = append(keys, e.key)
	}
	return keys
}

// ByIndex returns the objects that the index has under the value. An index that
// does not exist is an error.
func (s *Store[T]) ByIndex(name, value string) ([]any, error) {
	found, err := s.lookup(name, value)
	if err != nil {
		return nil, err
	}
	if found.many == nil {
		return untyped(found.few[:found.n]), nil
	}
	return untyped(found.many), nil
}

// ByTypedIndex is ByIndex with a typed result.
func (s *Store[T]) ByTypedIndex(name, value string) ([]T, error) {
	s.mu.RLock()
	x := s.t.index(name)
	if x == nil {
		defer s.mu.RUnlock()
		return nil, s.t.noIndex(name)
	}
	b := x.buckets[value]
	n := b.len()
	if n == 0 {
		s.mu.RUnlock()
		return []T{}, nil
	}
	if b.many == nil {
		objs := b.fewest()
		s.mu.RUnlock()
		if n == 1 {
			return []T{objs[0]}, nil
		}
		return []T{objs[0], objs[1]}, nil
	}
	if n <= copyUnderLock {
		objs := make([]T, len(b.many.objs))
		copy(objs, b.many.objs)
		s.mu.RUnlock()
		return objs, nil
	}
	objs := b.many.snapshot()
	s.mu.RUnlock()
	return slices.Clone(objs), nil
}

// AllByTypedIndex iterates over the objects that the index has under the value,
// without copying them. Each loop over the result goes over those that there
// were when the loop began; it may take its time, and ask or change the store. An
// index that does not exist is an error.
func (s *Store[T]) AllByTypedIndex(name, value string) (iter.Seq[T], error) {
	s.mu.RLock()
	x := s.t.index(name)
	if x == nil {
		defer s.mu.RUnlock()
		return nil, s.t.noIndex(name)
	}
	var many *dense[T]
	if b := x.buckets[value]; b != nil {
		many = b.many
	}
	s.mu.RUnlock()
	if many == nil {
		return s.sequence(name, value), nil
	}
	seq := many.seq.Load()
	if seq == nil { // the only one for all loops, so that they cost nothing
		made := s.sequence(name, value)
		seq = &made
		many.seq.Store(seq)
	}
	return *seq, nil
}

// sequence asks again when a loop begins: what is under the value then may be
// other objects, in other tables.
func (s *Store[T]) sequence(name, value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		found, _ := s.lookup(name, value) // an index never goes away
		for _, obj := range found.few[:found.n] {
			if !yield(obj) {
				return
			}
		}
		for _, obj := range found.many {
			if !yield(obj) {
				return
			}
		}
	}
}

// SnapshotByTypedIndex is ByTypedIndex without a copy: the slice is the store's,
// shared with others who read, and read-only. It stays as it is, whatever happens to
// the store. The next change of what the index has under the value costs a copy.
func (s *Store[T]) SnapshotByTypedIndex(name, value string) ([]T, error) {
	found, err := s.lookup(name, value)
	if found.n > 0 {
		return slices.Clip(append([]T(nil), found.few[:found.n]...)), nil
	}
	return found.many, err
}

// CountByIndex returns how many objects the index has under the value. An index
// that does not exist is an error.
func (s *Store[T]) CountByIndex(name, value string) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.t.index(name)
	if x == nil {
		return 0, s.t.noIndex(name)
	}
	return x.buckets[value].len(), nil
}

// found is what an index has under a value: the first n of few, or many, which are
// for reading.
type found[T any] struct {
	few  [2]T
	n    int
	many []T
}

func (s *Store[T]) lookup(name, value string) (f found[T], err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.t.index(name)
	if x == nil {
		return f, s.t.noIndex(name)
	}
	switch b := x.buckets[value]; {
	case b == nil:
	case b.many == nil:
		f.few, f.n = b.fewest(), b.len()
	default:
		f.many = b.many.snapshot()
	}
	return f, nil
}

// IndexKeys returns the keys of the objects that the index has under the value,
// sorted. An index that does not exist is an error.
func (s *Store[T]) IndexKeys(name, value string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.t.index(name)
	if x == nil {
		return nil, s.t.noIndex(name)
	}
	keys := []string{}
	if b := x.buckets[value]; b != nil {
		b.each(func(e *entry[T]) { keys = append(keys, e.key) })
	}
	slices.Sort(keys)
	return keys, nil
}

// ListIndexFuncValues returns the values under which the index has any objects,
// in no particular order; none if there is no such index.
func (s *Store[T]) ListIndexFuncValues(name string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.t.index(name)
	if x == nil {
		return []string{}
	}
	values := make([]string, 0, len(x.buckets))
	for value := range x.buckets {
		values = append(values, value)
	}
	return values
}

// Index returns the objects that share a value with the given one, which need
// not be stored, in the index. An index that does not exist is an error, and so is
// one whose function fails or panics for this object.
func (s *Store[T]) Index(name string, obj any) ([]any, error) {
	objs, err := s.sharing(name, func(x *index[T]) ([]string, error) {
		if typed, ok := obj.(T); ok {
			return x.call(typed)
		}
		f := indexFunc[T]{typed: func(T) ([]string, error) { return x.untyped(obj) }}
		var none T
		return f.call(none)
	})
	if err != nil {
		return nil, err
	}
	return untyped(objs), nil
}

// TypedIndex is Index with a typed result.
func (s *Store[T]) TypedIndex(name string, obj T) ([]T, error) {
	return s.sharing(name, func(x *index[T]) ([]string, error) { return x.call(obj) })
}

func (s *Store[T]) sharing(name string, valuesIn func(*index[T]) ([]string, error)) ([]T, error) {
	s.mu.RLock()
	x := s.t.index(name)
	if x == nil {
		defer s.mu.RUnlock()
		return nil, s.t.noIndex(name)
	}
	s.mu.RUnlock()
	values, err := valuesIn(x)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	objs := []T{}
	var seen map[*entry[T]]bool
	for _, value := range values {
		b := s.t.index(name).buckets[value]
		if b == nil {
			continue
		}
		if len(values) > 1 && seen == nil {
			seen = map[*entry[T]]bool{}
		}
		b.each(func(e *entry[T]) {
			if !seen[e] {
				objs = append(objs, e.obj)
			}
			if seen != nil {
				seen[e] = true
			}
		})
	}
	return objs, nil
}

func (b *bucket[T]) each(visit func(*entry[T])) {
	if b.many == nil {
		for _, e := range b.few[:b.len()] {
			visit(e)
		}
		return
	}
	for _, e := range b.many.ents {
		visit(e)
	}
}

func untyped[T any](objs []T) []any {
	list := make([]any, len(objs))
	for i, obj := range objs {
		list[i] = obj
	}
	return list
}
