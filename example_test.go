// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/config/samples"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/fake"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// Two handlers and the lister's indexes share one informer: one watch and one
// cache.
// With a cluster, the clientset comes from versioned.NewForConfig instead of
// the fake.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	client := fake.NewClientset(samples.XWing1())
	factory := starwars.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	ships := factory.Starwars().V1().Starfighters()

	// Who asks for a lister gets the indexes with it.
	lister := ships.Lister()

	var roster, audit atomic.Int32
	for _, seen := range []*atomic.Int32{&roster, &audit} {
		_, err := ships.TypedInformer().AddTypedEventHandler(starwarsinformers.StarfighterHandlerFuncs{
			AddFunc: func(*v1.Starfighter) { seen.Add(1) },
		})
		if err != nil {
			fmt.Println("register a handler:", err)
			return
		}
	}

	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil { // the cache is full, the handlers were told
		fmt.Println(err)
		return
	}
	fmt.Printf("added: %d for the roster, %d for the audit log\n", roster.Load(), audit.Load())

	rebels, err := lister.ByIndex("faction", "rebellion") // or ByFaction(v1.Rebellion), which cannot be misspelt
	if err != nil {
		fmt.Println("ask the index:", err)
		return
	}
	for _, ship := range rebels {
		fmt.Println("rebel:", ship.Name, "flown by", ship.Spec.Pilot)
	}
	fmt.Println("ships of Luke Skywalker in default:", lister.Starfighters("default").CountByPilot("Luke Skywalker"))

	// Output:
	// added: 1 for the roster, 1 for the audit log
	// rebel: x-wing-1 flown by Luke Skywalker
	// ships of Luke Skywalker in default: 1
}

// An index of one's own stands beside the generated ones. GuardIndexers keeps a
// mistake in its function from ending the process.
func Example_customIndex() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	red, gold := samples.XWing1(), samples.XWing1()
	red.Labels = map[string]string{"squadron": "red"}
	gold.Name, gold.Labels = "y-wing-1", map[string]string{"squadron": "gold"}
	factory := starwars.NewSharedInformerFactory(fake.NewClientset(red, gold), 0)
	defer factory.Shutdown()
	ships := factory.Starwars().V1().Starfighters()

	err := ships.TypedInformer().AddTypedIndexers(starwarslisters.GuardIndexers(cache.TypedIndexers[*v1.Starfighter]{
		"squadron": func(ship *v1.Starfighter) ([]string, error) {
			squadron, ok := ship.Labels["squadron"]
			if !ok {
				return nil, nil // in no bucket
			}
			return []string{squadron}, nil
		},
	}, nil))
	if err != nil {
		fmt.Println("add the index:", err)
		return
	}

	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		fmt.Println(err)
		return
	}
	reds, err := ships.Lister().ByIndex("squadron", "red")
	if err != nil {
		fmt.Println("ask the index:", err)
		return
	}
	for _, ship := range reds {
		fmt.Println(ship.Name)
	}

	// Output: x-wing-1
}
