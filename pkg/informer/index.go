// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/tools/cache"
)

// index is one index of a store.
type index[T Object] struct {
	indexFunc[T]
	buckets map[string]*bucket[T]
}

type indexFunc[T Object] struct {
	name    string
	typed   cache.TypedIndexFunc[T]
	untyped cache.IndexFunc // as GetIndexers shows it
}

func newIndex[T Object](f indexFunc[T]) *index[T] {
	return &index[T]{indexFunc: f, buckets: map[string]*bucket[T]{}}
}

// AddIndexers adds indexes, and files the objects that there are, before any
// reader sees them. It is an error if a name is taken, or a function nil; then
// none is added.
func (s *Store[T]) AddIndexers(indexers cache.Indexers) error {
	functions := make([]indexFunc[T], 0, len(indexers))
	for name, f := range indexers {
		if f == nil {
			return fmt.Errorf("index %q has no function", name)
		}
		functions = append(functions, indexFunc[T]{name, func(obj T) ([]string, error) { return f(obj) }, f})
	}
	return s.addIndexes(functions)
}

// AddTypedIndexers is AddIndexers for functions of T.
func (s *Store[T]) AddTypedIndexers(indexers cache.TypedIndexers[T]) error {
	functions := make([]indexFunc[T], 0, len(indexers))
	for name, f := range indexers {
		if f == nil {
			return fmt.Errorf("index %q has no function", name)
		}
		functions = append(functions, indexFunc[T]{name, f, cache.TypedIndexerFuncToIndexerFunc(f)})
	}
	return s.addIndexes(functions)
}

func (s *Store[T]) addIndexes(functions []indexFunc[T]) error {
	s.writer.Lock()
	defer s.writer.Unlock()
	var taken []string
	for _, f := range functions {
		if s.t.index(f.name) != nil {
			taken = append(taken, strconv.Quote(f.name))
		}
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		return fmt.Errorf("indexer conflict: there is an index %s already; ask that one, or take another name", strings.Join(taken, ", "))
	}
	// Readers know neither slots nor indexes that are not in the list yet.
	grown := &tables[T]{indexes: slices.Clip(s.t.indexes)}
	for _, f := range functions {
		grown.indexes = append(grown.indexes, newIndex(f))
		for _, e := range s.t.all.ents {
			grown.file(e, len(grown.indexes)-1, s.evaluate(&f, e.obj))
		}
	}
	s.values = make([][]string, len(grown.indexes))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.indexes = grown.indexes
	return nil
}

// valuesOf asks each index function for the object's values. The slice is valid
// until the next call; s.writer is held.
func (s *Store[T]) valuesOf(obj T) [][]string {
	for i, x := range s.t.indexes {
		s.values[i] = s.evaluate(&x.indexFunc, obj)
	}
	return s.values
}

// evaluate asks an index function. One that fails gives no values and is
// reported: an object that one index cannot take is no reason to lose the others,
// or the process (kubernetes#50555).
func (s *Store[T]) evaluate(f *indexFunc[T], obj T) []string {
	values, err := f.call(obj)
	if err != nil {
		s.report(f.name, obj, fmt.Errorf("index function %q: %w", f.name, err))
		return nil
	}
	return values
}

func (f *indexFunc[T]) call(obj T) (values []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			values, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	return f.typed(obj)
}

func (t *tables[T]) index(name string) *index[T] {
	for _, x := range t.indexes {
		if x.name == name {
			return x
		}
	}
	return nil
}

// IndexNames returns the names of the indexes, sorted.
func (s *Store[T]) IndexNames() []string {
	return slices.Sorted(maps.Keys(s.GetIndexers()))
}

// GetIndexers returns the index functions by name, in a map of the caller's.
func (s *Store[T]) GetIndexers() cache.Indexers {
	s.mu.RLock()
	defer s.mu.RUnlock()
	indexers := make(cache.Indexers, len(s.t.indexes))
	for _, x := range s.t.indexes {
		indexers[x.name] = x.untyped
	}
	return indexers
}

// ErrNoIndex is the error of asking an index that does not exist. Test for it
// with errors.Is.
var ErrNoIndex = errors.New("no such index")

// noIndex tells which indexes there are. The store's mu is held.
func (t *tables[T]) noIndex(name string) error {
	if len(t.indexes) == 0 {
		return fmt.Errorf("%w: %q; there are none", ErrNoIndex, name)
	}
	names := make([]string, 0, len(t.indexes))
	for _, x := range t.indexes {
		names = append(names, strconv.Quote(x.name))
	}
	slices.Sort(names)
	return fmt.Errorf("%w: %q; there are %s", ErrNoIndex, name, strings.Join(names, ", "))
}
