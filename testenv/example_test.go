// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/testenv"
)

// Start an API server, create a Starfighter, list what is there, stop.
func Example() {
	ctx := context.Background()
	env, err := testenv.Start(ctx, testenv.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer env.Stop()

	client, err := versioned.NewForConfig(env.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	ships := client.StarwarsV1().Starfighters("default")
	_, err = ships.Create(ctx, &starwarsv1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Name: "x-wing-1"},
		Spec:       starwarsv1.StarfighterSpec{Faction: starwarsv1.Rebellion, Type: "X-Wing", Pilot: "Luke Skywalker"},
	}, metav1.CreateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}

	list, err := ships.List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ship := range list.Items {
		fmt.Printf("%s: %s flies for the %s\n", ship.Name, ship.Spec.Pilot, ship.Spec.Faction)
	}
	// Output: x-wing-1: Luke Skywalker flies for the rebellion
}
