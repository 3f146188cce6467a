// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Object is what a store and an informer hold: pointers to API types, such as
// *v1.Starfighter.
type Object interface {
	cache.Object
	metav1.Object
}

// Store is a cache.TypedIndexer for one type of object, with the answers of
// client-go's own store (cache.NewIndexer) but for two things: it holds nothing
// that is not a T, and an index function that fails or panics keeps its object
// out of that index instead of ending the process (see StoreOptions.Report).
//
// Each index keeps, for every value, the objects themselves in a slice. A question
// is one map look-up, whatever it finds: the typed iterators read that slice as it
// is, and a writer that has to change what a reader may be looking at changes a
// copy. An object stays filed under the values that its index functions gave when
// it was stored, so that one that somebody changes in the cache, which nobody may,
// corrupts no index (kubernetes#133788).
//
// Objects in it, and the iterators' results, are shared and read-only. Slices that
// it returns belong to the caller. All methods are safe for concurrent use; reads
// wait neither for index functions nor for Replace or AddIndexers to file
// everything anew.
type Store[T Object] struct {
	report func(index string, obj T, err error)

	// writer is held by who changes the store, from the first index function to
	// the last change. Entries' slots and positions are only touched under it.
	writer sync.Mutex
	values [][]string // of the object that is being stored, by index

	// mu guards what readers see.
	mu  sync.RWMutex
	t   *tables[T]
	rv  string
	all iter.Seq[T]
}

var _ cache.TransactionStore = (*Store[*metav1.PartialObjectMetadata])(nil)
var _ cache.TypedIndexer[*metav1.PartialObjectMetadata] = (*Store[*metav1.PartialObjectMetadata])(nil)

// StoreOptions are what a store may be told; the zero value will do.
type StoreOptions[T Object] struct {
	// Report is told of an object that an index function failed or panicked for,
	// with the index and the reason. It may ask the store but not change it, and
	// must neither wait nor panic. Nil stands for an error in klog.
	Report func(index string, obj T, err error)
}

// NewStore returns an empty store with these indexes, which may be nil. It is an
// error if an index has no function.
func NewStore[T Object](indexers cache.Indexers, options StoreOptions[T]) (*Store[T], error) {
	s := &Store[T]{report: options.Report, t: newTables[T](nil, 0)}
	if s.report == nil {
		s.report = func(index string, obj T, err error) {
			klog.ErrorS(err, "An object is left out of an index", "index", index, "object", klog.KObj(obj))
		}
	}
	s.all = func(yield func(T) bool) {
		for _, obj := range s.snapshot() {
			if !yield(obj) {
				return
			}
		}
	}
	return s, s.AddIndexers(indexers)
}

// Add stores an object of type T in place of what was under its key.
func (s *Store[T]) Add(obj any) error {
	typed, err := s.typed(obj)
	if err != nil {
		return err
	}
	s.put(typed)
	return nil
}

// Update is Add.
func (s *Store[T]) Update(obj any) error { return s.Add(obj) }

// Delete removes what is under the object's key. The object may be a
// cache.DeletedFinalStateUnknown or a cache.ExplicitKey.
func (s *Store[T]) Delete(obj any) error {
	key, err := keyOf[T](obj)
	if err != nil {
		return err
	}
	s.remove(key, obj)
	return nil
}

// Replace puts these objects in place of all that are stored. Readers see either
// the old ones or the new ones. If one of them is no T it changes nothing and
// returns an error.
func (s *Store[T]) Replace(list []any, resourceVersion string) error {
	objs := make([]T, 0, len(list))
	for _, obj := range list {
		typed, err := s.typed(obj)
		if err != nil {
			return err
		}
		objs = append(objs, typed)
	}
	s.replace(objs, resourceVersion)
	return nil
}

// Transaction makes several changes in one: readers see all or none. Those that
// cannot be made, because their object is no T, are left out and named in the
// error. A change of an unknown type does nothing.
func (s *Store[T]) Transaction(txns ...cache.Transaction) *cache.TransactionError {
	type change struct {
		cache.Transaction
		key    string // of what is deleted
		obj    T      // that is stored
		values [][]string
	}
	changes := make([]change, 0, len(txns))
	failed := &cache.TransactionError{TotalTransactions: len(txns)}
	s.writer.Lock()
	defer s.writer.Unlock()
	for i, txn := range txns {
		c := change{Transaction: txn}
		var err error
		switch txn.Type {
		case cache.TransactionTypeAdd, cache.TransactionTypeUpdate:
			if c.obj, err = s.typed(txn.Object); err == nil {
				c.values = slices.Clone(s.valuesOf(c.obj))
			}
		default:
			c.key, err = keyOf[T](txn.Object)
		}
		if err != nil {
			failed.Errors = append(failed.Errors, err)
			continue
		}
		failed.SuccessfulIndices = append(failed.SuccessfulIndices, i)
		changes = append(changes, c)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		switch c.Type {
		case cache.TransactionTypeAdd, cache.TransactionTypeUpdate:
			s.t.put(c.obj, c.values)
		case cache.TransactionTypeDelete:
			s.t.remove(c.key)
		}
	}
	if len(changes) > 0 {
		s.observe(changes[len(changes)-1].Object)
	}
	if len(failed.Errors) > 0 {
		return failed
	}
	return nil
}

// Resync does nothing, as in client-go's store.
func (s *Store[T]) Resync() error { return nil }

// Bookmark sets what LastStoreSyncResourceVersion returns.
func (s *Store[T]) Bookmark(resourceVersion string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rv = resourceVersion
}

// LastStoreSyncResourceVersion returns the resourceVersion of the last change.
func (s *Store[T]) LastStoreSyncResourceVersion() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rv
}

// put stores an object and returns its entry and the object that it takes the
// place of.
func (s *Store[T]) put(obj T) (e *entry[T], old T, had bool) {
	s.writer.Lock()
	defer s.writer.Unlock()
	values := s.valuesOf(obj)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rv = obj.GetResourceVersion()
	return s.t.put(obj, values)
}

// remove removes an object, and takes the store's resourceVersion from last.
func (s *Store[T]) remove(key string, last any) (old T, had bool) {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(last)
	return s.t.remove(key)
}

// observe takes the resourceVersion from an object that has one. s.mu is held.
func (s *Store[T]) observe(obj any) {
	if o, err := meta.Accessor(obj); err == nil {
		s.rv = o.GetResourceVersion()
	}
}

// replace files objects, whose keys are known to be good, in tables of their own
// and puts these in place of the old ones, which it returns: they do not change
// any more.
func (s *Store[T]) replace(objs []T, resourceVersion string) (old *tables[T]) {
	s.writer.Lock()
	defer s.writer.Unlock()
	t := newTables(s.t.indexes, len(objs))
	for _, obj := range objs {
		t.put(obj, s.valuesOf(obj))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, s.t = s.t, t
	s.rv = resourceVersion
	return old
}

// typed returns an object as the store holds it.
func (s *Store[T]) typed(obj any) (T, error) {
	var none T
	typed, ok := obj.(T)
	if !ok {
		return none, cache.KeyError{Obj: obj, Err: fmt.Errorf("a store of %T cannot hold %T", none, obj)}
	}
	if typed == none {
		return none, cache.KeyError{Obj: obj, Err: errNil}
	}
	return typed, nil
}

// keyOf returns an object's key: namespace/name, or name.
func keyOf[T Object](obj any) (string, error) {
	var none T
	if typed, ok := obj.(T); ok {
		if typed == none {
			return "", cache.KeyError{Obj: obj, Err: errNil}
		}
		return keyFor(typed), nil
	}
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return "", cache.KeyError{Obj: obj, Err: err}
	}
	return key, nil
}

var errNil = errors.New("a nil object has no key")

func keyFor[T Object](obj T) string {
	if namespace := obj.GetNamespace(); namespace != "" {
		return namespace + "/" + obj.GetName()
	}
	return obj.GetName()
}
