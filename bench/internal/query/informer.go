// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package query

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// informer is the cache of an informer from a generated factory.
type informer struct {
	factory externalversions.SharedInformerFactory
	typed   cache.TypedSharedIndexInformer[*starwarsv1.Starfighter]
	direct  bool // asks the indexer where client-go's users do, not the lister
}

func startClientGo(ctx context.Context, config *rest.Config) (Cache, error) {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return startInformer(ctx, externalversions.NewSharedInformerFactory(client, 0), true), nil
}

func startStarwars(ctx context.Context, config *rest.Config) (Cache, error) {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return startInformer(ctx, starwars.NewSharedInformerFactory(client, 0), false), nil
}

func startInformer(ctx context.Context, factory externalversions.SharedInformerFactory, direct bool) *informer {
	i := &informer{factory: factory, typed: factory.Starwars().V1().Starfighters().TypedInformer(), direct: direct}
	factory.StartWithContext(ctx)
	return i
}

func (i *informer) WaitForSync(ctx context.Context) error {
	if err := i.factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		return fmt.Errorf("fill the cache: %w", err)
	}
	return nil
}

func (i *informer) AddIndexes() (bool, error) {
	all := starwarslisters.StarfighterIndexers()
	two := cache.TypedIndexers[*starwarsv1.Starfighter]{}
	for _, name := range []string{starwarslisters.StarfighterFactionIndex, starwarslisters.StarfighterPilotIndex} {
		two[name] = all[name]
	}
	if err := i.typed.AddTypedIndexers(two); err != nil {
		return false, fmt.Errorf("add the indexes: %w", err)
	}
	return true, nil
}

func (i *informer) Store() cache.Store { return i.typed.GetStore() }

func (i *informer) Wait() { i.factory.Shutdown() }

func (i *informer) Questions(of Ships) []Question {
	lister := i.factory.Starwars().V1().Starfighters().Lister()
	indexer, untyped := i.typed.GetTypedIndexer(), i.typed.GetIndexer()
	questions := []Question{
		{Name: FactionUntyped, Ask: func(n int) (int, error) {
			found, err := untyped.ByIndex(starwarslisters.StarfighterFactionIndex, string(of.faction(n)))
			return len(found), err
		}},
		{Name: All, Ask: func(int) (int, error) {
			found, err := lister.List(labels.Everything())
			return len(found), err
		}},
		{Name: Get, Ask: func(n int) (int, error) {
			ship := of.Sample[n%len(of.Sample)]
			_, err := lister.Starfighters(ship.Namespace).Get(ship.Name)
			return 1, err
		}},
	}
	if i.direct {
		questions = append(questions, clientGoQuestions(indexer, of)...)
	} else {
		questions = append(questions, listerQuestions(lister, of)...)
	}
	return append(questions, writes(i.Store(), of)...)
}

// clientGoQuestions are those that client-go answers by ByTypedIndex.
func clientGoQuestions(indexer cache.TypedIndexer[*starwarsv1.Starfighter], of Ships) []Question {
	toRead := func(n int) (count int, err error) {
		found, err := indexer.ByTypedIndex(starwarslisters.StarfighterFactionIndex, string(of.faction(n)))
		for range found {
			count++
		}
		return count, err
	}
	return []Question{
		{Name: FactionToRead, Ask: toRead},
		{Name: FactionIterator, Ask: toRead},
		{Name: FactionFields, Ask: func(n int) (count int, err error) {
			found, err := indexer.ByTypedIndex(starwarslisters.StarfighterFactionIndex, string(of.faction(n)))
			for _, ship := range found {
				count += matches(ship)
			}
			return count, err
		}},
		{Name: FactionCopy, Ask: func(n int) (int, error) {
			found, err := indexer.ByTypedIndex(starwarslisters.StarfighterFactionIndex, string(of.faction(n)))
			return len(found), err
		}},
		{Name: Pilot, Ask: func(n int) (int, error) {
			found, err := indexer.ByTypedIndex(starwarslisters.StarfighterPilotIndex, of.Sample[n%len(of.Sample)].Spec.Pilot)
			return len(found), err
		}},
	}
}

// listerQuestions are the same for a lister.
func listerQuestions(lister starwarslisters.StarfighterLister, of Ships) []Question {
	return []Question{
		{Name: FactionToRead, Ask: func(n int) (count int, err error) {
			for range lister.ViewByFaction(of.faction(n)).All() {
				count++
			}
			return count, nil
		}},
		{Name: FactionIterator, Ask: func(n int) (count int, err error) {
			for range lister.AllByFaction(of.faction(n)) {
				count++
			}
			return count, nil
		}},
		{Name: FactionFields, Ask: func(n int) (count int, err error) {
			for ship := range lister.ViewByFaction(of.faction(n)).All() {
				count += matches(ship)
			}
			return count, nil
		}},
		{Name: FactionCopy, Ask: func(n int) (int, error) {
			found, err := lister.ByFaction(of.faction(n))
			return len(found), err
		}},
		{Name: Pilot, Ask: func(n int) (int, error) {
			found, err := lister.ByPilot(of.Sample[n%len(of.Sample)].Spec.Pilot)
			return len(found), err
		}},
	}
}

// matches looks at a ship, and returns 1.
func matches(ship *starwarsv1.Starfighter) int {
	if ship.Spec.Faction != "" && ship.Spec.Pilot != "" {
		return 1
	}
	return 0
}
