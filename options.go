// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
)

// Option changes what NewSharedInformerFactory makes.
type Option func(*config)

// config is what options say.
type config struct {
	generated []informers.SharedInformerOption

	namespaces        []string // sorted, each once; none for all
	tweak             func(*metav1.ListOptions)
	transforms        []cache.TransformFunc
	informerName      *cache.InformerName
	stockDecoding     bool
	stockInformer     bool
	keepManagedFields bool
	dropLastApplied   bool
	ownLabels         bool
	noWatchList       bool
	deleteOnNewUID    bool
	idleTimeout       time.Duration
	skipUndecodable   func(metav1.Object, error)
	report            func(any, error)
	reportIndex       func(index string, ship *v1.Starfighter, err error)
}

// WithNamespace limits the factory's informers to one namespace; "" stands for
// all.
func WithNamespace(namespace string) Option { return WithNamespaces(namespace) }

// WithNamespaces limits the factory's informers to some namespaces: one watch for
// each, all in one cache, for users who may not read the others. None, or "" among
// them, stands for all. Client-go's informer cannot do it: with more than one
// namespace WithStockInformer has no effect, which is logged.
func WithNamespaces(namespaces ...string) Option {
	return func(f *config) {
		f.namespaces = slices.Compact(slices.Sorted(slices.Values(namespaces)))
		if slices.Contains(f.namespaces, metav1.NamespaceAll) {
			f.namespaces = nil
		}
	}
}

// WithTweakListOptions changes the options of every list and watch request, for
// example to set a label or field selector. It is called concurrently.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) Option {
	return func(f *config) {
		f.tweak = tweak
		f.generated = append(f.generated, informers.WithTweakListOptions(tweak))
	}
}

// WithTransform changes objects before they enter the cache, after the default
// transforms. It may change the object that it is given. One that fails, or loses
// what the cache needs of an object, does no harm to the cache (see
// listwatch.Chain), and is reported (see WithTransformReport). Each object passes
// through it once; client-go's informer (WithStockInformer) passes those of a
// watch-list twice, and needs one that gives the same when it is given its own
// result.
func WithTransform(transform cache.TransformFunc) Option {
	return func(f *config) { f.transforms = append(f.transforms, transform) }
}

// WithCustomResync sets the resync interval of single types, which are the keys:
// &v1.Starfighter{}.
func WithCustomResync(intervals map[metav1.Object]time.Duration) Option {
	return func(f *config) { f.generated = append(f.generated, informers.WithCustomResyncConfig(intervals)) }
}

// WithInformerName names the factory's informers in client-go's metrics; see
// cache.NewInformerName.
func WithInformerName(name *cache.InformerName) Option {
	return func(f *config) {
		f.informerName = name
		f.generated = append(f.generated, informers.WithInformerName(name))
	}
}

// WithStockDecoding leaves listing and watching to the clientset, as the
// generated factory does. The transforms stay.
func WithStockDecoding() Option {
	return func(f *config) { f.stockDecoding = true }
}

// WithStockInformer makes client-go's informers, with its store and its way to
// tell handlers. WithDeleteOnNewUID, WithIdleTimeout and WithIndexReport have no
// effect then, and labels are not shared.
func WithStockInformer() Option {
	return func(f *config) { f.stockInformer = true }
}

// WithManagedFields keeps metadata.managedFields in the cache. The generated
// Extract functions, for server-side apply, need them.
func WithManagedFields() Option {
	return func(f *config) { f.keepManagedFields = true }
}

// WithDropLastApplied drops the copy of the object that kubectl apply keeps in
// an annotation. See listwatch.DropLastApplied for when not to.
func WithDropLastApplied() Option {
	return func(f *config) { f.dropLastApplied = true }
}

// WithOwnLabels gives each cached ship a map of labels of its own. Otherwise those
// with equal labels share one (see listwatch.ShareLabels), and a program that
// changes the labels of a cached ship, against the rule, changes those of others.
func WithOwnLabels() Option {
	return func(f *config) { f.ownLabels = true }
}

// WithDeleteOnNewUID tells handlers of a ship that was deleted and created again
// under the same name, unseen, as OnDelete and OnAdd instead of OnUpdate.
func WithDeleteOnNewUID() Option {
	return func(f *config) { f.deleteOnNewUID = true }
}

// WithIdleTimeout sets how long a watch may be silent before it is taken for dead;
// see informer.Options. Without it that is informer.DefaultIdleTimeout.
func WithIdleTimeout(timeout time.Duration) Option {
	return func(f *config) { f.idleTimeout = timeout }
}

// WithoutWatchList makes informers start with a LIST instead of a watch-list:
// about a third less work for this process, but the API server has to hold the
// whole answer in memory, or a page of it where it has no watch cache.
func WithoutWatchList() Option {
	return func(f *config) { f.noWatchList = true }
}

// WithSkipUndecodable leaves objects out of the cache that the API server has
// but that do not fit their Go type, and tells skipped of each; what could be
// decoded of it is in obj. A ship that stops fitting while it is cached stays as
// it was until the next list, which takes it out: handlers are told that it was
// deleted. Of one that is deleted while it does not fit, handlers get its
// metadata; more may be missing.
//
// Without the option such an object keeps the cache from filling, and the
// informer's watch error handler is told why. It has no effect where client-go
// decodes (WithStockDecoding). It is called concurrently and must not wait.
func WithSkipUndecodable(skipped func(obj metav1.Object, err error)) Option {
	return func(f *config) { f.skipUndecodable = skipped }
}

// WithTransformReport is told of transforms that failed or did what they may not.
// Without it they are logged as errors. It is called by the informer and must not
// wait.
func WithTransformReport(report func(obj any, err error)) Option {
	return func(f *config) { f.report = report }
}

// WithIndexReport is told of ships that a user's index function failed for; see
// informer.StoreOptions. Without it they are logged as errors. It must not wait.
func WithIndexReport(report func(index string, ship *v1.Starfighter, err error)) Option {
	return func(f *config) { f.reportIndex = report }
}
