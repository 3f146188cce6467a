// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package way

import (
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
)

// clientGo is client-go's informer as the generated factory makes it.
func clientGo() []Way {
	stock := constructor(func(client versioned.Interface) externalversions.SharedInformerFactory {
		return externalversions.NewSharedInformerFactory(client, 0)
	})
	const list = "KUBE_FEATURE_WatchListClient=false"
	return []Way{
		{Name: Reference, About: "client-go's informer as it comes: watch-list, JSON", start: stock.start},
		{Name: "client-go-list", About: "with LIST, in one piece", Variables: []string{list}, start: stock.start},
		{Name: "client-go-paged", About: "with LIST, in pages of 500", Variables: []string{list}, Paged: true, start: stock.start},
		{
			Name: "client-go-cbor", About: "watch-list, its gates for CBOR on", CBOR: true, start: stock.start,
			Variables: []string{"KUBE_FEATURE_ClientsAllowCBOR=true", "KUBE_FEATURE_ClientsPreferCBOR=true"},
		},
	}
}
