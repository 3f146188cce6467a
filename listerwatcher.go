// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// listerWatcher lists and watches the ships of a namespace, or of all.
func (c *config) listerWatcher(client versioned.Interface, namespace string) cache.ListerWatcher {
	ships := client.StarwarsV1().Starfighters(namespace)
	tweaked := func(options metav1.ListOptions) metav1.ListOptions {
		if c.tweak != nil {
			c.tweak(&options)
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
	if c.stockDecoding || fake {
		if c.noWatchList {
			return listOnly{stock}
		}
		return cache.ToListWatcherWithWatchListSemantics(stock, client)
	}
	lw, err := listwatch.New[v1.Starfighter](listwatch.Config{
		Client:            restClient,
		Resource:          starfighters.Resource,
		Namespace:         namespace,
		TweakListOptions:  c.tweak,
		Fallback:          stock,
		KeepManagedFields: c.keepManagedFields,
		NoWatchList:       c.noWatchList,
		SkipUndecodable:   c.skipUndecodable,
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
