// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

// pending is what a subscription's handler has not been told yet: at most one
// change per object, in the order in which they began.
type pending[T Object] struct {
	changes  map[string]*change[T]
	queue    []*change[T] // with those that came to nothing
	sequence uint64       // of the last change
}

// change is what became of an object since the handler was told of it last.
type change[T Object] struct {
	key      string
	sequence uint64
	seen     T    // what the handler knows, if it is known
	known    bool // the handler knows the object
	now      T
	gone     bool // now is the last that was known of the object
	lost     bool // now may not be its final state
	initial  bool
	void     bool // nothing became of it
}

// The methods that note something return the number of notifications, of those
// before and this one, that the handler will not get.

func (p *pending[T]) add(obj T, initial bool) uint64 {
	if c := p.find(obj); c != nil { // it was deleted, which the handler does not know
		c.now, c.gone, c.lost = obj, false, false
		return 1
	}
	p.push(&change[T]{key: keyFor(obj), now: obj, initial: initial})
	return 0
}

func (p *pending[T]) update(old, obj T) uint64 {
	if c := p.find(obj); c != nil {
		c.now = obj
		return 1
	}
	p.push(&change[T]{key: keyFor(obj), seen: old, known: true, now: obj})
	return 0
}

func (p *pending[T]) resync(obj T) {
	if p.find(obj) == nil {
		p.push(&change[T]{key: keyFor(obj), seen: obj, known: true, now: obj})
	}
}

func (p *pending[T]) remove(key string, obj T, lost bool) uint64 {
	c := p.changes[key]
	switch {
	case c == nil:
		p.push(&change[T]{key: key, seen: obj, known: true, now: obj, gone: true, lost: lost})
		return 0
	case !c.known:
		c.void = true
		delete(p.changes, key)
		return 2
	default:
		c.now, c.gone, c.lost = obj, true, lost
		return 1
	}
}

func (p *pending[T]) find(obj T) *change[T] {
	var buf [128]byte
	return p.changes[string(appendKey(buf[:0], obj))]
}

// withdraw returns what is pending of an object, if anything is, and forgets it.
func (p *pending[T]) withdraw(obj T) *change[T] {
	if len(p.changes) == 0 {
		return nil
	}
	c := p.find(obj)
	if c != nil {
		c.void = true
		delete(p.changes, c.key)
	}
	return c
}

func (p *pending[T]) push(c *change[T]) {
	// Where changes come to nothing faster than the handler takes them, the
	// queue must not grow with them.
	if len(p.queue) > 64 && len(p.queue) > 2*len(p.changes) {
		kept := make([]*change[T], 0, len(p.changes)+1)
		for _, c := range p.queue {
			if !c.void {
				kept = append(kept, c)
			}
		}
		p.queue = kept
	}
	p.sequence++
	c.sequence = p.sequence
	p.changes[c.key] = c
	p.queue = append(p.queue, c)
}

// first returns the sequence number of what pop will return, or one beyond the
// last.
func (p *pending[T]) first() uint64 {
	for len(p.queue) > 0 && p.queue[0].void {
		p.queue = p.queue[1:]
	}
	if len(p.queue) == 0 {
		return p.sequence + 1
	}
	return p.queue[0].sequence
}

func (p *pending[T]) pop() *change[T] {
	p.first()
	if len(p.queue) == 0 {
		return nil
	}
	c := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	delete(p.changes, c.key)
	return c
}
