// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
)

// Option changes what NewSharedInformerFactory makes.
type Option func(*factory)

// WithNamespace limits the factory's informers to one namespace.
func WithNamespace(namespace string) Option {
	return func(f *factory) {
		f.namespace = namespace
		f.generated = append(f.generated, informers.WithNamespace(namespace))
	}
}

// WithTweakListOptions changes the options of every list and watch request, for
// example to set a label or field selector. It is called concurrently.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) Option {
	return func(f *factory) {
		f.tweak = tweak
		f.generated = append(f.generated, informers.WithTweakListOptions(tweak))
	}
}

// WithTransform changes objects before they enter the cache, after the default
// transforms. It may change the object that it is given, and must give the same
// when it is given its own result: client-go passes the objects of a watch-list
// through twice. One that fails, or loses what the cache needs of an object, does
// no harm to the cache (see listwatch.Chain), and is reported (see
// WithTransformReport).
func WithTransform(transform cache.TransformFunc) Option {
	return func(f *factory) { f.transforms = append(f.transforms, transform) }
}

// WithCustomResync sets the resync interval of single types, which are the keys:
// &v1.Starfighter{}.
func WithCustomResync(intervals map[metav1.Object]time.Duration) Option {
	return func(f *factory) { f.generated = append(f.generated, informers.WithCustomResyncConfig(intervals)) }
}

// WithInformerName names the factory's informers in client-go's metrics; see
// cache.NewInformerName.
func WithInformerName(name *cache.InformerName) Option {
	return func(f *factory) {
		f.informerName = name
		f.generated = append(f.generated, informers.WithInformerName(name))
	}
}

// WithStockDecoding leaves listing and watching to the clientset, as the
// generated factory does. The transforms stay.
func WithStockDecoding() Option {
	return func(f *factory) { f.stockDecoding = true }
}

// WithStockInformer makes client-go's informers, with its store and its way to
// tell handlers.
func WithStockInformer() Option {
	return func(f *factory) { f.stockInformer = true }
}

// WithManagedFields keeps metadata.managedFields in the cache. The generated
// Extract functions, for server-side apply, need them.
func WithManagedFields() Option {
	return func(f *factory) { f.keepManagedFields = true }
}

// WithDropLastApplied drops the copy of the object that kubectl apply keeps in
// an annotation. See listwatch.DropLastApplied for when not to.
func WithDropLastApplied() Option {
	return func(f *factory) { f.dropLastApplied = true }
}

// WithoutWatchList makes informers start with a LIST instead of a watch-list:
// about a third less work for this process, but the API server has to hold the
// whole answer in memory, or a page of it where it has no watch cache.
func WithoutWatchList() Option {
	return func(f *factory) { f.noWatchList = true }
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
	return func(f *factory) { f.skipUndecodable = skipped }
}

// WithTransformReport is told of transforms that failed or did what they may not.
// Without it they are logged as errors. It is called by the informer and must not
// wait.
func WithTransformReport(report func(obj any, err error)) Option {
	return func(f *factory) { f.report = report }
}
