// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
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
func NewSharedInformerFactory(client versioned.Interface, resync time.Duration, options ...Option) informers.SharedInformerFactory {
	f := &factory{report: func(_ any, err error) { klog.ErrorS(err, "Cannot transform a Starfighter as asked") }}
	for _, option := range options {
		option(f)
	}
	f.SharedInformerFactory = informers.NewSharedInformerFactoryWithOptions(client, resync, f.generated...)
	return f
}

// factory is the generated one, but for how informers of Starfighters are made.
type factory struct {
	informers.SharedInformerFactory
	generated []informers.SharedInformerOption

	namespace         string
	tweak             func(*metav1.ListOptions)
	transforms        []cache.TransformFunc
	informerName      *cache.InformerName
	stockDecoding     bool
	stockInformer     bool
	keepManagedFields bool
	dropLastApplied   bool
	noWatchList       bool
	skipUndecodable   func(metav1.Object, error)
	report            func(any, error)
}

// Starwars is the generated factory's, with informers that this one makes.
func (f *factory) Starwars() starwarsinformers.Interface {
	return starwarsinformers.New(singlePass{f}, f.namespace, f.tweak)
}

// ForResource is the generated factory's, for an informer that this one made.
func (f *factory) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	if resource == starfighters {
		f.Starwars().V1().Starfighters().Informer()
	}
	return f.SharedInformerFactory.ForResource(resource)
}

// singlePass is the factory as its own group sees it. A constructor that somebody
// else passes to InformerFor is used as it is, as with the generated factory.
type singlePass struct{ *factory }

// InformerFor makes informers of Starfighters in the SDK's way.
func (f singlePass) InformerFor(obj runtime.Object, newFunc internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	if _, ok := obj.(*v1.Starfighter); ok {
		newFunc = f.newStarfighterInformer
	}
	return f.SharedInformerFactory.InformerFor(obj, newFunc)
}

func (f *factory) newStarfighterInformer(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
	options := cache.SharedIndexInformerOptions{
		ResyncPeriod: resync,
		Indexers:     cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		Identifier:   f.informerName.WithResource(starfighters),
	}
	made := f.newInformer(f.listerWatcher(client), options)
	// The only error is of an informer that has started.
	if err := made.SetTransform(f.transform()); err != nil {
		utilruntime.HandleError(err)
	}
	return made
}

// newInformer makes this SDK's informer, or client-go's.
func (f *factory) newInformer(lw cache.ListerWatcher, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	if f.stockInformer {
		return cache.NewSharedIndexInformerWithOptions(lw, &v1.Starfighter{}, options)
	}
	made, err := informer.New(lw, &v1.Starfighter{}, informer.Options[*v1.Starfighter]{
		SharedIndexInformerOptions: options,
		TransformReport:            f.report,
	})
	if err != nil { // nothing is missing above
		panic(err)
	}
	return made
}

// transform is the default transforms, then the user's.
func (f *factory) transform() cache.TransformFunc {
	var transforms []cache.TransformFunc
	if !f.keepManagedFields {
		transforms = append(transforms, listwatch.StripManagedFields)
	}
	if f.dropLastApplied {
		transforms = append(transforms, listwatch.DropLastApplied)
	}
	transforms = append(transforms, listwatch.Intern(func(ship *v1.Starfighter, intern func(string) string) {
		ship.Spec.Faction = v1.Faction(intern(string(ship.Spec.Faction)))
		ship.Spec.Type = intern(ship.Spec.Type)
		for i, phase := range ship.Status.Phases {
			ship.Status.Phases[i] = intern(phase)
		}
	}))
	return listwatch.Chain(f.report, append(transforms, f.transforms...)...)
}

func (f *factory) listerWatcher(client versioned.Interface) cache.ListerWatcher {
	ships := client.StarwarsV1().Starfighters(f.namespace)
	tweaked := func(options metav1.ListOptions) metav1.ListOptions {
		if f.tweak != nil {
			f.tweak(&options)
		}
		return options
	}
	stock := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return ships.List(ctx, tweaked(options))
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return ships.Watch(ctx, tweaked(options))
		},
	}
	restClient := client.StarwarsV1().RESTClient()
	pointer, ok := restClient.(*rest.RESTClient)
	fake := restClient == nil || ok && pointer == nil
	if f.stockDecoding || fake {
		if f.noWatchList {
			return listOnly{stock}
		}
		return cache.ToListWatcherWithWatchListSemantics(stock, client)
	}
	lw, err := listwatch.New[v1.Starfighter](listwatch.Config{
		Client:            restClient,
		Resource:          starfighters.Resource,
		Namespace:         f.namespace,
		TweakListOptions:  f.tweak,
		Fallback:          stock,
		KeepManagedFields: f.keepManagedFields,
		NoWatchList:       f.noWatchList,
		SkipUndecodable:   f.skipUndecodable,
	})
	if err != nil { // nothing is missing above
		panic(err)
	}
	return lw
}

// listOnly keeps reflectors from asking for a watch-list.
type listOnly struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is asked by client-go's reflector.
func (listOnly) IsWatchListSemanticsUnSupported() bool { return true }
