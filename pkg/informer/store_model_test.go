// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// The store is tested against client-go's: a script of bytes is turned into the
// same operations on both, and after each of them they are asked the same
// questions.

// TestStoreLikeClientGo runs scripts of random bytes.
func TestStoreLikeClientGo(t *testing.T) {
	tests := []struct {
		seeds       uint64
		names, size int // of the universe of objects, of the script in bytes
		every       int // how many operations there are from one comparison to the next
	}{
		{seeds: 20, names: 2, size: 1_000, every: 1},
		{seeds: 20, names: 8, size: 2_000, every: 1},
		// Buckets that grow and shrink, and are copied without the lock.
		{seeds: 2, names: 2_500, size: 60_000, every: 500},
	}
	for _, test := range tests {
		for seed := range test.seeds {
			t.Run(fmt.Sprintf("names=%d/seed=%d", test.names, seed), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, uint64(test.names)))
				script := make(script, test.size)
				for i := range script {
					script[i] = byte(random.Uint32())
				}
				newPair(t, test.names).run(script, test.every)
			})
		}
	}
}

// FuzzStore lets the fuzzer write the scripts.
func FuzzStore(f *testing.F) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 0))
		script := make([]byte, 40<<(seed%4))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script)
	}
	f.Add([]byte{})
	f.Add(slices.Repeat([]byte{opAdd, 1, 2, 3, opHold, opDelete, 1}, 20))
	f.Add(slices.Repeat([]byte{opTransaction, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 20))
	f.Fuzz(func(t *testing.T, data []byte) {
		newPair(t, 4).run(data[:min(len(data), 300)], 1)
	})
}

// script is what is left of the bytes that say what happens.
type script []byte

func (s *script) next() byte {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b
}

// pick returns a number below n.
func (s *script) pick(n int) int {
	if n > 256 {
		return (int(s.next())<<8 | int(s.next())) % n
	}
	return int(s.next()) % n
}

// The operations; those that others are made of come more than once.
const (
	opAdd = iota
	opUpdate
	opUpdateStored
	opAddStored
	opDelete
	opDeleteStored
	opDeleteUnknown
	opDeleteKey
	opReplace
	opTransaction
	opAddIndexers
	opBookmark
	opResync
	opHold
	opAddMore
	opUpdateMore
	operations
)

// lateIndexers are added while there are objects; the last ones cannot be.
var lateIndexers = []cache.TypedIndexers[*v1.Starfighter]{
	{"type": func(ship *v1.Starfighter) ([]string, error) { return []string{ship.Spec.Type}, nil }},
	{
		"constant": func(*v1.Starfighter) ([]string, error) { return everywhere, nil },
		"faction+phases": func(ship *v1.Starfighter) ([]string, error) {
			return append([]string{string(ship.Spec.Faction)}, ship.Status.Phases...), nil
		},
	},
	{"type": func(*v1.Starfighter) ([]string, error) { return nil, nil }},
}

var everywhere = []string{"everywhere"}

var firstIndexers = cache.TypedIndexers[*v1.Starfighter]{
	cache.NamespaceIndex: func(ship *v1.Starfighter) ([]string, error) { return cache.MetaNamespaceIndexFunc(ship) },
	// One value, which may be empty.
	"faction": func(ship *v1.Starfighter) ([]string, error) { return []string{string(ship.Spec.Faction)}, nil },
	// One value or none.
	"pilot": func(ship *v1.Starfighter) ([]string, error) {
		if ship.Spec.Pilot == "" {
			return nil, nil
		}
		return []string{ship.Spec.Pilot}, nil
	},
	// Any number of values, some of them more than once.
	"phases": func(ship *v1.Starfighter) ([]string, error) { return ship.Status.Phases, nil },
}

var (
	namespaces   = []string{"", "hoth", "endor"}
	smallValues  = []string{"", "a", "b", "c"}
	missingIndex = "misspelt"
)

// pair is the store and what it must be like.
type pair struct {
	t     testing.TB
	names int

	store *Store[*v1.Starfighter]
	model typedIndexer
	index []string // names of the indexes
	rv    int
	late  int // of lateIndexers

	seqs map[[2]string]func(func(*v1.Starfighter) bool) // by index and value; held from the first question on
	held []heldSnapshot
}

// typedIndexer is client-go's store with all it can do.
type typedIndexer struct {
	cache.TypedIndexer[*v1.Starfighter]
	cache.TransactionStore
}

// heldSnapshot is what a reader took, and what it was then.
type heldSnapshot struct{ objs, then []*v1.Starfighter }

func newPair(t testing.TB, names int) *pair {
	t.Helper()
	store, err := NewStore(cache.TypedIndexersToIndexers(firstIndexers), StoreOptions[*v1.Starfighter]{
		Report: func(index string, _ *v1.Starfighter, err error) { t.Errorf("index %s: %v", index, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &pair{
		t: t, names: names, store: store, model: newModel(firstIndexers),
		index: slices.Collect(maps.Keys(firstIndexers)),
		seqs:  map[[2]string]func(func(*v1.Starfighter) bool){},
	}
}

// newModel returns client-go's store as its informers have it.
func newModel(indexers cache.TypedIndexers[*v1.Starfighter]) typedIndexer {
	indexer := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.TypedIndexersToIndexers(indexers))
	informer := cache.NewTypedSharedIndexInformer[*v1.Starfighter](indexerOnly{indexer: indexer})
	return typedIndexer{informer.GetTypedIndexer(), indexer.(cache.TransactionStore)}
}

// indexerOnly is an informer that has an indexer and nothing else: client-go's
// typed indexer is to be had from informers only.
type indexerOnly struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
}

func (i indexerOnly) GetIndexer() cache.Indexer { return i.indexer }

func (p *pair) run(script script, every int) {
	for n := 1; len(script) > 0 && !p.t.Failed(); n++ {
		what := script.next()
		// Iterators mark what they look at, and make the next writer copy it: it must
		// be right with them and without.
		p.operate(int(what%operations), &script)
		p.snapshotsAreAsTheyWere()
		if n%every == 0 || len(script) == 0 {
			if err := p.store.validate(); err != nil {
				p.t.Fatalf("after operation %d: %v", n, err)
			}
			p.compare()
			if what/operations%2 == 0 {
				p.compareIterators()
			}
		}
	}
}

// ship makes up an object.
func (p *pair) ship(script *script) *v1.Starfighter {
	name, look := script.pick(p.names*len(namespaces)), script.next()
	p.rv++
	ship := &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       namespaces[name%len(namespaces)],
			Name:            "x-wing-" + strconv.Itoa(name/len(namespaces)),
			ResourceVersion: strconv.Itoa(p.rv),
		},
		Spec: v1.StarfighterSpec{
			Faction: v1.Faction(smallValues[look%4]),
			Type:    smallValues[look/4%4],
			Pilot:   smallValues[look/16%4],
		},
	}
	if p.names > 256 && look%16 == 0 {
		ship.Spec.Pilot = ship.Name // many values
	}
	for range script.pick(4) {
		ship.Status.Phases = append(ship.Status.Phases, smallValues[script.pick(4)])
	}
	return ship
}

// stored returns an object of the store, or a new one if it is empty.
func (p *pair) stored(script *script) *v1.Starfighter {
	keys := p.model.ListKeys()
	if len(keys) == 0 {
		return p.ship(script)
	}
	slices.Sort(keys)
	obj, _, _ := p.model.GetByKey(keys[script.pick(len(keys))])
	return obj.(*v1.Starfighter)
}

// do makes the same change in both.
func (p *pair) do(what string, change func(cache.TypedIndexer[*v1.Starfighter]) error) {
	p.t.Helper()
	want, got := change(p.model), change(p.store)
	if (got == nil) != (want == nil) {
		p.t.Errorf("%s: error %v, but client-go's is %v", what, got, want)
	}
}

func (p *pair) operate(op int, script *script) {
	type store = cache.TypedIndexer[*v1.Starfighter]
	switch op {
	case opAdd, opAddMore:
		obj := p.ship(script)
		p.do("Add", func(s store) error { return s.Add(obj) })
	case opUpdate, opUpdateMore:
		obj := p.ship(script)
		p.do("Update", func(s store) error { return s.Update(obj) })
	case opUpdateStored: // as a change of the status does: no value of most indexes changes
		obj := p.stored(script).DeepCopy()
		p.rv++
		obj.ResourceVersion = strconv.Itoa(p.rv)
		if len(obj.Status.Phases) > 0 {
			obj.Status.Phases[0] = smallValues[script.pick(4)]
		}
		p.do("Update", func(s store) error { return s.Update(obj) })
	case opAddStored:
		obj := p.stored(script)
		p.do("Add", func(s store) error { return s.Add(obj) })
	case opDelete:
		obj := p.ship(script)
		p.do("Delete", func(s store) error { return s.Delete(obj) })
	case opDeleteStored:
		obj := p.stored(script)
		p.do("Delete", func(s store) error { return s.Delete(obj) })
	case opDeleteUnknown:
		obj := p.stored(script)
		unknown := cache.DeletedFinalStateUnknown{Key: cache.MetaObjectToName(obj).String()}
		if script.pick(2) == 0 {
			unknown.Obj = obj
		}
		p.do("Delete", func(s store) error { return s.Delete(unknown) })
	case opDeleteKey:
		key := cache.ExplicitKey(cache.MetaObjectToName(p.stored(script)).String())
		p.do("Delete", func(s store) error { return s.Delete(key) })
	case opReplace:
		list := make([]any, script.pick(min(3*p.names, 256))) // some of them more than once
		for i := range list {
			if script.pick(4) == 0 {
				list[i] = p.stored(script)
			} else {
				list[i] = p.ship(script)
			}
		}
		p.rv++
		rv := strconv.Itoa(p.rv)
		p.do("Replace", func(s store) error { return s.Replace(list, rv) })
	case opTransaction:
		p.transaction(script)
	case opAddIndexers:
		indexers := lateIndexers[min(p.late, len(lateIndexers)-1)]
		if p.late < len(lateIndexers)-1 {
			p.index = slices.AppendSeq(p.index, maps.Keys(indexers))
			p.late++
		}
		if typed := script.pick(2) == 0; typed {
			p.do("AddTypedIndexers", func(s store) error { return s.AddTypedIndexers(indexers) })
		} else {
			p.do("AddIndexers", func(s store) error { return s.AddIndexers(cache.TypedIndexersToIndexers(indexers)) })
		}
	case opBookmark:
		p.rv++
		rv := strconv.Itoa(p.rv)
		p.do("Bookmark", func(s store) error { s.Bookmark(rv); return nil })
	case opResync:
		p.do("Resync", func(s store) error { return s.Resync() })
	case opHold:
		p.hold(p.store.snapshot())
		found, err := p.store.lookup(p.index[script.pick(len(p.index))], smallValues[script.pick(4)])
		many := found.many
		if err != nil {
			p.t.Errorf("lookup: %v", err)
		}
		p.hold(many)
	default:
		p.t.Fatalf("no operation %d", op)
	}
}

func (p *pair) transaction(script *script) {
	p.t.Helper()
	changes := make([]cache.Transaction, script.pick(6))
	for i := range changes {
		kinds := []cache.TransactionType{cache.TransactionTypeAdd, cache.TransactionTypeUpdate, cache.TransactionTypeDelete, cache.TransactionTypeDelete, "Salute"}
		c := cache.Transaction{Type: kinds[script.pick(len(kinds))], Object: p.ship(script)}
		switch c.Type {
		case cache.TransactionTypeDelete:
			if script.pick(2) == 0 {
				key := cache.MetaObjectToName(p.stored(script)).String()
				c.Object = []any{cache.ExplicitKey(key), cache.DeletedFinalStateUnknown{Key: key}}[script.pick(2)]
			}
		case cache.TransactionTypeUpdate:
			c.Object = p.stored(script)
		}
		if script.pick(8) == 0 {
			c.Object = "no object"
		}
		changes[i] = c
	}
	want, got := p.model.Transaction(changes...), p.store.Transaction(changes...)
	if (got == nil) != (want == nil) {
		p.t.Fatalf("Transaction: %v, but client-go's is %v", got, want)
	}
	if want == nil {
		return
	}
	if !slices.Equal(got.SuccessfulIndices, want.SuccessfulIndices) || got.TotalTransactions != want.TotalTransactions || len(got.Errors) != len(want.Errors) {
		p.t.Errorf("Transaction: %+v, but client-go's is %+v", got, want)
	}
}

func (p *pair) hold(objs []*v1.Starfighter) {
	p.held = append(p.held, heldSnapshot{objs, slices.Clone(objs)})
	if len(p.held) > 8 {
		p.held = p.held[1:]
	}
}

func (p *pair) snapshotsAreAsTheyWere() {
	for _, h := range p.held {
		if !slices.Equal(h.objs, h.then) {
			p.t.Fatalf("a snapshot of %d objects changed", len(h.objs))
		}
	}
}

func newShip(namespace, name string) *v1.Starfighter {
	return &v1.Starfighter{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
