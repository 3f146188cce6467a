// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command consumer is what a team that vendors the SDK may write. The test
// that builds it copies it into a module of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	informers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset(
		ship("x-wing-1", v1.Rebellion, "Luke Skywalker"),
		ship("x-wing-2", v1.Rebellion, "Wedge Antilles"),
		ship("tie-advanced-1", v1.Empire, "Darth Vader"),
	)
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	defer cancel()

	ships := factory.Starwars().V1().Starfighters()
	err := ships.TypedInformer().AddTypedIndexers(starwarsinformers.StarfighterIndexers{
		"initial": func(ship *v1.Starfighter) ([]string, error) { return []string{ship.Spec.Pilot[:1]}, nil },
	})
	if err != nil {
		return err
	}
	lister := ships.Lister()
	factory.StartWithContext(ctx)
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		return err
	}

	all, err := lister.List(labels.Everything())
	if err != nil {
		return err
	}
	var rebels []*v1.Starfighter
	rebels, err = factory.Starwars().V1().Starfighters().Lister().ByIndex("faction", "rebellion")
	if err != nil {
		return err
	}
	near, err := lister.Starfighters("default").ByIndex("faction", "rebellion")
	if err != nil {
		return err
	}
	_, misspelt := lister.ByIndex("factoin", "rebellion")
	if !errors.Is(misspelt, starwarslisters.ErrNoIndex) {
		return fmt.Errorf("a misspelt index gives %w", misspelt)
	}
	indexed, err := ships.TypedInformer().GetTypedIndexer().ByTypedIndex("initial", "L")
	if err != nil {
		return err
	}
	fmt.Println("ships:", names(all))
	fmt.Println("rebels:", names(rebels), "in default:", names(near))
	fmt.Println(misspelt)
	fmt.Println("pilots with L fly:", names(indexed))
	return nil
}

func ship(name string, faction v1.Faction, pilot string) *v1.Starfighter {
	return &v1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1.StarfighterSpec{Faction: faction, Type: "X-Wing", Pilot: pilot},
	}
}

func names(ships []*v1.Starfighter) []string {
	var names []string
	for _, ship := range ships {
		names = append(names, ship.Name)
	}
	slices.Sort(names)
	return names
}
