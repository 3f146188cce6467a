// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// Informer is a cache.TypedSharedIndexInformer: a Store that follows the API
// server, and consumers that are told what changes in it. Its contract is that of
// cache.SharedInformer; the package documentation says what it has beyond that.
// All methods are safe for concurrent use.
type Informer[T Object] struct {
	name    string
	example runtime.Object
	options Options[T]
	store   *Store[T]
	scopes  []*scope[T]
	metrics *metrics // nil without
	health  *health
	tracker cache.MutationDetector
	synced  chan struct{} // closed when each scope has been listed
	stopped chan struct{} // closed when a run has ended

	// mu orders what happens to the store and what consumers are told of it.
	mu        sync.Mutex
	log       *eventLog[T]
	handlers  map[*registration[T]]bool
	bounded   map[*Subscription[T]]bool
	resync    chan struct{} // tells that a consumer with another resync period came
	targets   *targets[T]   // see resyncing; nil if not known
	waiters   map[*waiter]bool
	transform cache.TransformFunc
	onError   cache.WatchErrorHandlerWithContext
	phase     phase
	cancel    context.CancelFunc // of the run
	consumers sync.WaitGroup
}

type phase int

const (
	waiting phase = iota
	running
	ended
)

var (
	errStarted = errors.New("informer has already started")
	errEnded   = errors.New("informer has stopped, which is for good")
)

// Options are what an informer may be told; the zero value will do.
type Options[T Object] struct {
	// SharedIndexInformerOptions are client-go's: resync period of handlers that
	// do not ask for another (0 for none), indexes, description of the objects,
	// and under which name metrics are published.
	cache.SharedIndexInformerOptions
	// Namespaces, if there are any, are watched instead of New's ListerWatcher:
	// each with its own, all in one store.
	Namespaces map[string]cache.ListerWatcher
	// DeleteOnNewUID tells handlers of an object that was deleted and created
	// again under the same name, unseen, as OnDelete and OnAdd instead of
	// OnUpdate.
	DeleteOnNewUID bool
	// IdleTimeout is how long a watch may be silent, without event or bookmark,
	// before it is taken for dead and made anew, which happens within half as much
	// again; 0 stands for DefaultIdleTimeout, less for ever. A server that sends no
	// bookmarks, not even the one that ends a watch-list, is never taken for dead
	// once the initial list is complete.
	IdleTimeout time.Duration
	// TransformReport is told of transforms that failed or did what they may not;
	// see listwatch.Chain. Nil stands for an error in klog. It must not wait.
	TransformReport func(obj any, err error)
	// IndexReport is told of objects that an index function failed for; see
	// StoreOptions.Report.
	IndexReport func(index string, obj T, err error)
}

// DefaultIdleTimeout is twice the interval at which an API server sends
// bookmarks, and some.
const DefaultIdleTimeout = 150 * time.Second

// New returns an informer for the objects that the ListerWatcher lists, each of
// type T, like example. It is an error if an index has no function, or if nothing
// can be listed.
func New[T Object](lw cache.ListerWatcher, example runtime.Object, options Options[T]) (*Informer[T], error) {
	i := &Informer[T]{
		name:     "informer for " + describe(example, options.ObjectDescription),
		example:  example,
		options:  options,
		tracker:  cache.NewCacheMutationDetector(fmt.Sprintf("%T", example)),
		metrics:  newMetrics(options.Identifier, options.InformerMetricsProvider),
		synced:   make(chan struct{}),
		stopped:  make(chan struct{}),
		health:   &health{},
		log:      newEventLog[T](),
		handlers: map[*registration[T]]bool{},
		bounded:  map[*Subscription[T]]bool{},
		resync:   make(chan struct{}, 1),
		waiters:  map[*waiter]bool{},
	}
	if i.options.IdleTimeout == 0 {
		i.options.IdleTimeout = DefaultIdleTimeout
	}
	if i.options.TransformReport == nil {
		i.options.TransformReport = func(_ any, err error) { klog.ErrorS(err, "Cannot transform an object as asked") }
	}
	sources := options.Namespaces
	if len(sources) == 0 {
		sources = map[string]cache.ListerWatcher{"": lw}
	}
	for namespace, lw := range sources {
		if lw == nil {
			return nil, fmt.Errorf("%s: no ListerWatcher for namespace %q", i.name, namespace)
		}
		i.scopes = append(i.scopes, newScope(i, namespace, lw))
	}
	slices.SortFunc(i.scopes, func(a, b *scope[T]) int { return compare(a.namespace, b.namespace) })
	var err error
	if i.store, err = NewStore(options.Indexers, StoreOptions[T]{Report: options.IndexReport}); err != nil {
		return nil, fmt.Errorf("%s: %w", i.name, err)
	}
	return i, nil
}

func describe(example runtime.Object, description string) string {
	if description != "" {
		return description
	}
	return fmt.Sprintf("%T", example)
}

// From returns the Informer behind an informer that a factory made, also if that is
// in one of client-go's typed wrappers, which is what generated code returns. It is
// an error if it is client-go's own, or for another type.
func From[T Object](informer cache.SharedInformer) (*Informer[T], error) {
	if c, ok := informer.GetController().(controller[T]); ok {
		return c.Informer, nil
	}
	return nil, fmt.Errorf("%T is not a %T: pass what Informer() of a factory with this SDK's informers returns", informer, (*Informer[T])(nil))
}

// Run runs the informer until the channel is closed.
func (i *Informer[T]) Run(stop <-chan struct{}) { i.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext runs the informer until the context ends, and returns when
// neither a request nor a callback of a handler is running any more. It cannot run
// a second time.
func (i *Informer[T]) RunWithContext(ctx context.Context) {
	logger := klog.FromContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !i.start(cancel) {
		logger.Info("Warning: an informer can be run once only", "informer", i.name)
		return
	}
	var work wait.Group
	work.StartWithChannel(ctx.Done(), i.tracker.Run)
	work.StartWithContext(ctx, i.resyncLoop)
	for _, s := range i.scopes {
		work.StartWithContext(ctx, s.run)
	}
	work.Wait()
	i.finish()
	i.consumers.Wait()
	close(i.stopped)
}

// start lets the consumers begin.
func (i *Informer[T]) start(cancel context.CancelFunc) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase != waiting {
		return false
	}
	i.phase, i.cancel = running, cancel
	for r := range i.handlers {
		r.started = true
		i.consumers.Go(r.run)
	}
	for s := range i.bounded {
		s.started = true
		i.consumers.Go(s.run)
	}
	for _, s := range i.scopes {
		s.prepare()
	}
	return true
}

// finish makes the consumers end.
func (i *Informer[T]) finish() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.finishLocked()
}

func (i *Informer[T]) finishLocked() {
	i.phase = ended
	for r := range i.handlers {
		r.end()
	}
	for s := range i.bounded {
		s.end()
	}
	for w := range i.waiters {
		w.fail(errEnded)
	}
}

// IsStopped tells whether the informer has run. It will not run again.
func (i *Informer[T]) IsStopped() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase == ended
}

// HasSynced tells whether the store has been filled once.
func (i *Informer[T]) HasSynced() bool { return cache.IsDone(informerDone[T]{i}) }

// HasSyncedChecker is HasSynced, to wait for.
func (i *Informer[T]) HasSyncedChecker() cache.DoneChecker { return informerDone[T]{i} }

type informerDone[T Object] struct{ i *Informer[T] }

func (d informerDone[T]) Name() string          { return d.i.name }
func (d informerDone[T]) Done() <-chan struct{} { return d.i.synced }

// LastSyncResourceVersion returns up to where the informer has followed the API
// server: with several namespaces, the one that is furthest behind.
func (i *Informer[T]) LastSyncResourceVersion() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.reached(nil)
}

// GetStore returns the store.
func (i *Informer[T]) GetStore() cache.Store { return i.store }

// GetIndexer returns the store.
func (i *Informer[T]) GetIndexer() cache.Indexer { return i.store }

// GetTypedIndexer returns the store.
func (i *Informer[T]) GetTypedIndexer() cache.TypedIndexer[T] { return i.store }

// Store returns the store, with all that it can do. It is for reading: what
// others write to it, consumers are not told.
func (i *Informer[T]) Store() *Store[T] { return i.store }

// AddIndexers adds indexes, at any time until the informer has stopped.
func (i *Informer[T]) AddIndexers(indexers cache.Indexers) error {
	if i.IsStopped() {
		return fmt.Errorf("cannot add indexes: %w", errEnded)
	}
	return i.store.AddIndexers(indexers)
}

// AddTypedIndexers is AddIndexers for functions of T.
func (i *Informer[T]) AddTypedIndexers(indexers cache.TypedIndexers[T]) error {
	if i.IsStopped() {
		return fmt.Errorf("cannot add indexes: %w", errEnded)
	}
	return i.store.AddTypedIndexers(indexers)
}

// GetController returns what client-go's informers return: something that tells
// whether the informer is in sync.
func (i *Informer[T]) GetController() cache.Controller { return controller[T]{i} }

type controller[T Object] struct{ *Informer[T] }

func (controller[T]) Run(<-chan struct{})            {}
func (controller[T]) RunWithContext(context.Context) {}

// SetTransform sets what is done to each object before it is stored, once: unlike
// with client-go's informer, no object passes through it twice. What the transform
// does wrong is put right and reported; see listwatch.Chain.
func (i *Informer[T]) SetTransform(transform cache.TransformFunc) error {
	return i.beforeStart(func() {
		i.transform = nil
		if transform != nil {
			i.transform = listwatch.Chain(i.options.TransformReport, transform)
		}
	})
}

// SetWatchErrorHandler sets who is told when listing or watching ends with an
// error. Status tells of more of them.
func (i *Informer[T]) SetWatchErrorHandler(handler cache.WatchErrorHandler) error {
	return i.SetWatchErrorHandlerWithContext(func(_ context.Context, r *cache.Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext is SetWatchErrorHandler with a context.
func (i *Informer[T]) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	return i.beforeStart(func() { i.onError = handler })
}

func (i *Informer[T]) beforeStart(do func()) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase != waiting {
		return fmt.Errorf("%s: %w", i.name, errStarted)
	}
	do()
	return nil
}

// Shutdown ends the run, and waits until it has ended. If the context ends before
// that, the error names the handlers whose callbacks do not return. It is no error
// if the informer never ran.
func (i *Informer[T]) Shutdown(ctx context.Context) error {
	i.mu.Lock()
	switch {
	case i.phase == waiting:
		i.finishLocked()
		close(i.stopped)
	case i.cancel != nil:
		i.cancel()
	}
	i.mu.Unlock()
	select {
	case <-i.stopped:
		return nil
	case <-ctx.Done():
	}
	if blocked := i.blocked(); len(blocked) > 0 {
		return fmt.Errorf("%s does not stop, since a callback has not returned of %q: %w", i.name, blocked, context.Cause(ctx))
	}
	return fmt.Errorf("%s does not stop: %w", i.name, context.Cause(ctx))
}

// blocked names the consumers that run.
func (i *Informer[T]) blocked() (names []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.all() {
		select {
		case <-c.finished:
		default:
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return names
}

// all returns the consumers, in no particular order. i.mu is held.
func (i *Informer[T]) all() []*consumer[T] {
	all := make([]*consumer[T], 0, len(i.handlers)+len(i.bounded))
	for r := range i.handlers {
		all = append(all, &r.consumer)
	}
	for s := range i.bounded {
		all = append(all, &s.consumer)
	}
	return all
}
