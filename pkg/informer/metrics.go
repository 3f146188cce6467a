// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import "k8s.io/client-go/tools/cache"

// metrics publishes what client-go's informers do, under the same names. The
// provider that cache.SetInformerMetricsProvider was given is client-go's own
// affair, so its queue and its store do the publishing: a queue through which
// each change passes, and a store that holds nothing but a resourceVersion.
type metrics struct {
	queue *cache.RealFIFO
	store cache.Store
}

// newMetrics returns nil if nothing is to be published.
func newMetrics(id cache.InformerNameAndResource, provider cache.InformerMetricsProvider) *metrics {
	if !id.Reserved() {
		return nil
	}
	return &metrics{
		queue: cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{Identifier: id, MetricsProvider: provider, AtomicEvents: true}),
		store: cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithStoreMetrics(id, provider)),
	}
}

// process makes a change while the queue measures it.
func (m *metrics) process(change func()) error {
	if err := m.queue.Resync(); err != nil { // the one thing to queue that needs no object
		return err
	}
	_, err := m.queue.Pop(func(any, bool) error {
		change()
		return nil
	})
	return err
}

func (m *metrics) reached(resourceVersion string) { m.store.Bookmark(resourceVersion) }
