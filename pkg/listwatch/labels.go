// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"hash/maphash"
	"maps"
	"sync"

	"k8s.io/client-go/tools/cache"
)

// maxLabelSets bounds the table: what is not repeated must not stay for ever.
const maxLabelSets = 4096

// ShareLabels returns a cache.TransformFunc that makes objects with equal labels
// hold the same map of them, which saves 336 bytes per object and more with more
// than 8 labels. Objects of one owner, or of one kind and version, mostly have
// equal labels.
//
// Use it last, so that no other transform changes a map that cached objects hold,
// and only with an informer that passes no object through its transforms twice:
// that of pkg/informer, not client-go's, which does so with the objects of a
// watch-list. What is true of every cached object, that it is read-only, is then
// true of several at once. DeepCopy copies the map.
//
// One ShareLabels may serve several informers, at once too. It remembers 4,096
// sets of labels; when there are more it begins anew.
func ShareLabels() cache.TransformFunc {
	table := &labelTable{seed: maphash.MakeSeed(), sets: map[uint64]map[string]string{}}
	return func(obj any) (any, error) {
		if o, ok := asObject(obj); ok {
			if labels := o.GetLabels(); len(labels) > 0 {
				o.SetLabels(table.share(labels))
			}
		}
		return obj, nil
	}
}

// labelTable is a set of maps that objects share.
type labelTable struct {
	seed maphash.Seed

	mu   sync.Mutex
	sets map[uint64]map[string]string // by hash; of two with the same, the first
}

func (t *labelTable) share(labels map[string]string) map[string]string {
	hash := t.hash(labels)
	t.mu.Lock()
	defer t.mu.Unlock()
	shared, ok := t.sets[hash]
	switch {
	case ok && maps.Equal(shared, labels):
		return shared
	case ok:
		return labels
	case len(t.sets) >= maxLabelSets:
		clear(t.sets)
	}
	t.sets[hash] = labels
	return labels
}

// hash does not depend on the order of the labels.
func (t *labelTable) hash(labels map[string]string) (sum uint64) {
	for k, v := range labels {
		sum += maphash.Comparable(t.seed, [2]string{k, v})
	}
	return sum
}
