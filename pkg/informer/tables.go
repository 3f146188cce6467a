// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"iter"
	"slices"
	"sync/atomic"
)

// tables are the objects of a store and where its indexes file them. Whoever
// changes them holds the store's writer and mu.
type tables[T Object] struct {
	items   map[string]*entry[T] // by key
	all     dense[T]
	indexes []*index[T]
}

// entry is an object in a store. Its slots say where the indexes have it.
type entry[T Object] struct {
	obj   T
	key   string
	pos   int32 // in tables.all
	slots []slot[T]
}

// slot is one value under which an index has an entry.
type slot[T Object] struct {
	bucket *bucket[T]
	pos    int32 // in bucket.many
	index  int32 // in tables.indexes
}

// bucket is what an index has under one value: mostly one or two objects, which
// then take no slices.
type bucket[T Object] struct {
	value string       // with many, all that most updates look at
	many  *dense[T]    // in place of few
	few   [2]*entry[T] // the first, then the second
}

// dense is a set of objects that readers iterate over as it is.
type dense[T Object] struct {
	objs []T
	ents []*entry[T] // those of objs, to keep their positions right
	// shared tells that a reader may be looking at objs, which is then replaced by
	// a copy instead of being changed. What lies behind its end is nobody's.
	shared atomic.Bool
	seq    atomic.Pointer[iter.Seq[T]] // made when somebody asks
}

func newTables[T Object](like []*index[T], size int) *tables[T] {
	t := &tables[T]{items: make(map[string]*entry[T], size)}
	t.all.objs = make([]T, 0, size)
	t.all.ents = make([]*entry[T], 0, size)
	for _, x := range like {
		t.indexes = append(t.indexes, newIndex(x.indexFunc))
	}
	return t
}

// put files an object under the values that its index functions gave, one slice
// of them per index.
func (t *tables[T]) put(obj T, values [][]string) (e *entry[T], old T, had bool) {
	if e = t.find(obj); e == nil {
		e = &entry[T]{obj: obj, key: keyFor(obj), slots: make([]slot[T], 0, len(t.indexes))}
		t.items[e.key] = e
		e.pos = t.all.add(e)
		for i := range t.indexes {
			t.file(e, i, values[i])
		}
		return e, old, false
	}
	old, e.obj = e.obj, obj
	t.all.set(e.pos, obj)
	for i := range t.indexes {
		t.refile(e, i, values[i])
	}
	return e, old, true
}

// find returns what is stored under the object's key, which it does not allocate.
func (t *tables[T]) find(obj T) *entry[T] {
	var buf [128]byte
	return t.items[string(appendKey(buf[:0], obj))]
}

func appendKey[T Object](buf []byte, obj T) []byte {
	if namespace := obj.GetNamespace(); namespace != "" {
		buf = append(append(buf, namespace...), '/')
	}
	return append(buf, obj.GetName()...)
}

func (t *tables[T]) remove(key string) (old T, had bool) {
	e := t.items[key]
	if e == nil {
		return old, false
	}
	delete(t.items, key)
	for i := range slices.Backward(e.slots) {
		t.unfile(e, i)
	}
	if moved := t.all.remove(e.pos); moved != nil {
		moved.pos = e.pos
	}
	return e.obj, true
}

// file files an entry that index i does not have.
func (t *tables[T]) file(e *entry[T], i int, values []string) {
	buckets := t.indexes[i].buckets
	for n, value := range values {
		if n > 0 && slices.Contains(values[:n], value) {
			continue
		}
		b := buckets[value]
		if b == nil {
			b = &bucket[T]{value: value}
			buckets[value] = b
		}
		e.slots = append(e.slots, slot[T]{bucket: b, pos: b.add(e), index: int32(i)})
	}
}

// refile files an entry that index i had under other values, or the same ones.
func (t *tables[T]) refile(e *entry[T], i int, values []string) {
	known := 0 // of the new values
	for n := range slices.Backward(e.slots) {
		if int(e.slots[n].index) != i {
			continue
		}
		if slices.Contains(values, e.slots[n].bucket.value) {
			known++
			if many := e.slots[n].bucket.many; many != nil {
				many.set(e.slots[n].pos, e.obj)
			}
			continue
		}
		t.unfile(e, n)
	}
	if known == len(values) {
		return
	}
	if known == 0 {
		t.file(e, i, values)
		return
	}
	t.file(e, i, slices.DeleteFunc(slices.Clone(values), func(value string) bool {
		return slices.ContainsFunc(e.slots, func(s slot[T]) bool { return int(s.index) == i && s.bucket.value == value })
	}))
}

// unfile takes an entry out of the bucket of its n-th slot.
func (t *tables[T]) unfile(e *entry[T], n int) {
	s := e.slots[n]
	last := len(e.slots) - 1
	e.slots[n] = e.slots[last]
	e.slots[last] = slot[T]{}
	e.slots = e.slots[:last]
	b := s.bucket
	if moved := b.remove(s.pos); moved != nil {
		moved.slotOf(b).pos = s.pos
	}
	if b.many == nil && b.few[0] == nil { // it does not stay (kubernetes#84959)
		delete(t.indexes[s.index].buckets, b.value)
	}
}

func (e *entry[T]) slotOf(b *bucket[T]) *slot[T] {
	for i := range e.slots {
		if e.slots[i].bucket == b {
			return &e.slots[i]
		}
	}
	panic("an entry is in a bucket that it has no slot for") // not even a mutated object can make it
}

func (b *bucket[T]) add(e *entry[T]) (pos int32) {
	if b.many == nil {
		for i, there := range b.few {
			if there == nil {
				b.few[i] = e
				return int32(i)
			}
		}
		b.many = &dense[T]{objs: make([]T, 0, 4), ents: make([]*entry[T], 0, 4)}
		for i, there := range b.few {
			b.many.add(there) // where its slot says
			b.few[i] = nil
		}
	}
	return b.many.add(e)
}

// remove is as that of dense.
func (b *bucket[T]) remove(pos int32) (moved *entry[T]) {
	if b.many == nil {
		if pos == 0 {
			moved = b.few[1]
			b.few[0] = moved
		}
		b.few[1] = nil
		return moved
	}
	moved = b.many.remove(pos)
	if len(b.many.ents) == 1 { // and not two, so that it does not go to and fro
		b.few[0], b.many = b.many.ents[0], nil
	}
	return moved
}

// len returns how many objects there are.
func (b *bucket[T]) len() int {
	switch {
	case b == nil:
		return 0
	case b.many != nil:
		return len(b.many.ents)
	case b.few[1] != nil:
		return 2
	default:
		return 1
	}
}

// fewest returns the objects of a bucket that has at most two.
func (b *bucket[T]) fewest() (objs [2]T) {
	for i, e := range b.few {
		if e != nil {
			objs[i] = e.obj
		}
	}
	return objs
}

func (d *dense[T]) add(e *entry[T]) (pos int32) {
	if len(d.objs) == cap(d.objs) {
		d.shared.Store(false) // about to be copied anyway
	}
	d.objs, d.ents = append(d.objs, e.obj), append(d.ents, e)
	return int32(len(d.objs) - 1)
}

func (d *dense[T]) set(pos int32, obj T) {
	d.own()
	d.objs[pos] = obj
}

// remove fills the gap with the last entry, which it returns if there is one
// whose position it changed.
func (d *dense[T]) remove(pos int32) (moved *entry[T]) {
	d.own()
	last := int32(len(d.objs) - 1)
	if pos != last {
		moved = d.ents[last]
		d.objs[pos], d.ents[pos] = d.objs[last], moved
	}
	var none T
	d.objs[last], d.ents[last] = none, nil
	d.objs, d.ents = d.objs[:last], d.ents[:last]
	if c := cap(d.objs); c > 64 && int(last) < c/4 { // what shrank gives its memory back
		d.objs = append(make([]T, 0, c/2), d.objs...)
		d.ents = append(make([]*entry[T], 0, c/2), d.ents...)
	}
	return moved
}

// own makes objs safe to change.
func (d *dense[T]) own() {
	if d.shared.Load() {
		d.objs = append(make([]T, 0, cap(d.objs)), d.objs...)
		d.shared.Store(false)
	}
}

// snapshot returns objs for reading, for as long as one likes. The store's mu is
// held, for reading at least.
func (d *dense[T]) snapshot() []T {
	if !d.shared.Load() { // to write to what is so already would slow down other readers
		d.shared.Store(true)
	}
	return slices.Clip(d.objs)
}
