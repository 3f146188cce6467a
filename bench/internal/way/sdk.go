// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package way

import (
	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
)

// sdk is this SDK's informer.
func sdk() []Way {
	with := func(options ...starwars.Option) constructor {
		return func(client versioned.Interface) externalversions.SharedInformerFactory {
			return starwars.NewSharedInformerFactory(client, 0, options...)
		}
	}
	return []Way{
		{Name: "starwars", About: "this SDK as it comes: watch-list", start: with().start},
		{Name: "starwars-list", About: "with LIST, in one piece", start: with(starwars.WithoutWatchList()).start},
		{Name: "starwars-paged", About: "with LIST, in pages of 500", Paged: true, start: with(starwars.WithoutWatchList()).start},
		{Name: "starwars-lean", About: "watch-list, without kubectl's last-applied annotation", start: with(starwars.WithDropLastApplied()).start},
		{Name: "starwars-full", About: "watch-list, managedFields kept", start: with(starwars.WithManagedFields()).start},
		{Name: "starwars-stock", About: "watch-list, client-go's decoding", start: with(starwars.WithStockDecoding()).start},
	}
}
