// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	"github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/internalinterfaces"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars"
	"github.com/okontajneroch/starwars/pkg/informer"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// starfighters is the resource that the factory makes informers for.
var starfighters = v1.Resource("starfighters").WithVersion(v1.GroupVersion.Version)

// NewSharedInformerFactory returns the generated shared informer factory with
// the SDK's own list and watch, and its own informer, inside: objects are decoded
// in one pass, and the cache holds them without managedFields and with repeated
// strings shared. All else, names and behaviour, is as from the generated
// constructor externalversions.NewSharedInformerFactory. What the informer can do
// beyond that, informer.From finds.
//
// Requests go through client.StarwarsV1().RESTClient(). A clientset whose List and
// Watch methods do something of their own needs WithStockDecoding; with a fake
// clientset, which has no server to decode from, they are called anyway.
//
// Each resync interval the cached objects pass through the update handlers
// again; 0 means never.
func NewSharedInformerFactory(client versioned.Interface, resync time.Duration, options ...Option) *Factory {
	f := &Factory{config: config{report: func(_ any, err error) { klog.ErrorS(err, "Cannot transform a Starfighter as asked") }}}
	for _, option := range options {
		option(&f.config)
	}
	if f.stockInformer && len(f.namespaces) > 1 {
		klog.ErrorS(nil, "WithStockInformer has no effect with several namespaces, which client-go's informer cannot follow", "namespaces", f.namespaces)
		f.stockInformer = false
	}
	generated := append(slices.Clip(f.generated), informers.WithNamespace(f.namespace()))
	f.SharedInformerFactory = informers.NewSharedInformerFactoryWithOptions(client, resync, generated...)
	return f
}

// Factory is the generated factory, but for how informers of Starfighters are
// made, and for what it says when they do not start, sync or stop. Its methods are
// safe for concurrent use.
type Factory struct {
	informers.SharedInformerFactory
	config

	mu      sync.Mutex
	cancels []context.CancelFunc // of what was started
	ended   bool
}

// namespace is the one to list and watch, or all.
func (c *config) namespace() string {
	if len(c.namespaces) == 1 {
		return c.namespaces[0]
	}
	return metav1.NamespaceAll
}

// Starwars is the generated factory's, with informers that this one makes.
func (f *Factory) Starwars() starwarsinformers.Interface {
	return starwarsinformers.New(singlePass{f}, f.namespace(), f.tweak)
}

// ForResource is the generated factory's, for an informer that this one made.
func (f *Factory) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	if resource == starfighters {
		f.Starwars().V1().Starfighters().Informer()
	}
	return f.SharedInformerFactory.ForResource(resource)
}

// singlePass is the factory as its own group sees it. A constructor that somebody
// else passes to InformerFor is used as it is, as with the generated factory.
type singlePass struct{ *Factory }

// InformerFor makes informers of Starfighters in the SDK's way.
func (f singlePass) InformerFor(obj runtime.Object, newFunc internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	if _, ok := obj.(*v1.Starfighter); ok {
		newFunc = f.newStarfighterInformer
	}
	return f.SharedInformerFactory.InformerFor(obj, newFunc)
}

func (f *Factory) newStarfighterInformer(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
	options := cache.SharedIndexInformerOptions{
		ResyncPeriod: resync,
		Indexers:     cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		Identifier:   f.informerName.WithResource(starfighters),
	}
	made := f.newInformer(client, options)
	// The only error is of an informer that has started.
	if err := made.SetTransform(f.transform()); err != nil {
		utilruntime.HandleError(err)
	}
	return made
}

// newInformer makes this SDK's informer, or client-go's.
func (f *Factory) newInformer(client versioned.Interface, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	lw := f.listerWatcher(client, f.namespace())
	if f.stockInformer {
		return cache.NewSharedIndexInformerWithOptions(lw, &v1.Starfighter{}, options)
	}
	var several map[string]cache.ListerWatcher
	if len(f.namespaces) > 1 {
		several = map[string]cache.ListerWatcher{}
		for _, namespace := range f.namespaces {
			several[namespace] = f.listerWatcher(client, namespace)
		}
	}
	made, err := informer.New(lw, &v1.Starfighter{}, informer.Options[*v1.Starfighter]{
		SharedIndexInformerOptions: options,
		Namespaces:                 several,
		DeleteOnNewUID:             f.deleteOnNewUID,
		IdleTimeout:                f.idleTimeout,
		TransformReport:            f.report,
		IndexReport:                f.reportIndex,
	})
	if err != nil { // nothing is missing above
		panic(err)
	}
	return made
}

// transform is the default transforms, then the user's, then what must come last.
func (c *config) transform() cache.TransformFunc {
	var transforms []cache.TransformFunc
	if !c.keepManagedFields {
		transforms = append(transforms, listwatch.StripManagedFields)
	}
	if c.dropLastApplied {
		transforms = append(transforms, listwatch.DropLastApplied)
	}
	transforms = append(transforms, listwatch.Intern(func(ship *v1.Starfighter, intern func(string) string) {
		ship.Spec.Faction = v1.Faction(intern(string(ship.Spec.Faction)))
		ship.Spec.Type = intern(ship.Spec.Type)
		for i, phase := range ship.Status.Phases {
			ship.Status.Phases[i] = intern(phase)
		}
	}))
	transforms = append(transforms, c.transforms...)
	if !c.ownLabels && !c.stockInformer {
		transforms = append(transforms, listwatch.ShareLabels())
	}
	return listwatch.Chain(c.report, transforms...)
}
