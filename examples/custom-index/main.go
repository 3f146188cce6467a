// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command custom-index adds indexes of its own to the shared informer, beside the
// generated ones: by the wings that a ship flies in, of which there may be several;
// by faction and wing; and by a number that not every ship has right.
//
// It prints what the indexes answer, and again whenever that has changed. Label a
// ship with kubectl to see it move.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/examples/internal/console"
	"github.com/okontajneroch/starwars/examples/internal/program"
	"github.com/okontajneroch/starwars/examples/internal/target"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

type options struct {
	namespace string
	seed      bool
}

func main() {
	var o options
	os.Exit(program.Main(program.Program{
		Name:      "custom-index",
		About:     "Adds indexes of its own to the shared informer, beside the generated ones, and prints what they answer.",
		Namespace: &o.namespace,
		AddFlags: func(flags *pflag.FlagSet) {
			flags.StringVar(&o.namespace, "namespace", metav1.NamespaceDefault, "look at the ships of this `NAMESPACE`")
			flags.BoolVar(&o.seed, "seed", false, "with --kubeconfig or --cluster: create the sample ships there; without it nothing is written")
		},
		Run: o.run,
	}))
}

func (o *options) run(ctx context.Context, server *target.Server) (err error) {
	client, err := versioned.NewForConfig(server.Config)
	if err != nil {
		return fmt.Errorf("make the clientset: %w", err)
	}
	if server.Embedded() {
		fmt.Fprintf(os.Stderr, `The API server in this process listens at %s. In another terminal:
  export KUBECONFIG=%s
  kubectl label starfighter y-wing-1 wing/red=true
`, server.Config.Host, server.Kubeconfig)
	}
	if server.Embedded() || o.seed {
		if err := o.create(ctx, client); err != nil {
			return err
		}
	}

	// An index function that fails or panics does no harm to the cache of this
	// SDK's informer. Client-go's would end the process: functions for that go
	// through starwarslisters.GuardIndexers.
	var out output
	factory := starwars.NewSharedInformerFactory(client, 0,
		starwars.WithNamespace(o.namespace), starwars.WithIndexReport(out.leftOut))
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		err = errors.Join(err, factory.ShutdownWithContext(ending))
	}()
	ships := factory.Starwars().V1().Starfighters()

	// Once in the process, before or after the start: a name that is taken is an
	// error. From then on every lister of the factory can ask these indexes.
	if err := ships.TypedInformer().AddTypedIndexers(indexers); err != nil {
		return fmt.Errorf("add the indexes: %w", err)
	}

	// The handler only says that something has changed.
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default: // it was said already
		}
	}
	_, err = ships.TypedInformer().AddTypedEventHandler(starwarsinformers.StarfighterHandlerFuncs{
		AddFunc:    func(*v1.Starfighter) { tell() },
		UpdateFunc: func(_, _ *v1.Starfighter) { tell() },
		DeleteFunc: func(starwarsinformers.DeletedStarfighter) { tell() },
	})
	if err != nil {
		return fmt.Errorf("register the handler: %w", err)
	}
	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		return err
	}
	for {
		answers, err := ask(lookup{ships.Lister()})
		if err != nil {
			return err
		}
		out.print(answers)
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// ask asks each index something, and one that does not exist.
func ask(lookup lookup) (string, error) {
	var answers strings.Builder
	wings, err := lookup.ships.IndexValues(wingIndex)
	if err != nil {
		return "", err
	}
	slices.Sort(wings) // an index has no order, neither here nor in its results
	for _, wing := range wings {
		all, err := lookup.byWing(wing)
		if err != nil {
			return "", err
		}
		rebels, err := lookup.byFactionAndWing(v1.Rebellion, wing)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&answers, "wing %s: %s; of the rebellion: %s\n", console.Quote(wing), names(all), names(rebels))
	}
	seventh, err := lookup.byHull(7)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&answers, "hull 7: %s\n", names(seventh))

	// What is misspelt does not just have no ships.
	_, err = lookup.ships.ByIndex("wnig", "red")
	if errors.Is(err, starwarslisters.ErrNoIndex) {
		fmt.Fprintf(&answers, "misspelt: %v\n", err)
		err = nil
	}
	return answers.String(), err
}

// names are harmless on a terminal, unlike other text that users write: the API
// server lets only letters, digits, "-" and "." through.
func names(ships []*v1.Starfighter) string {
	if len(ships) == 0 {
		return "none"
	}
	var names []string
	for _, ship := range ships {
		names = append(names, ship.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// create creates the sample ships that are missing.
func (o *options) create(ctx context.Context, client versioned.Interface) error {
	for _, ship := range samples() {
		_, err := client.StarwarsV1().Starfighters(o.namespace).Create(ctx, ship, metav1.CreateOptions{})
		switch {
		case apierrors.IsForbidden(err):
			return fmt.Errorf("you may not create %s/%s: bind the role in config/rbac/starfighter-writer.yaml to your user, or leave out --seed: %w", o.namespace, ship.Name, err)
		case err != nil && !apierrors.IsAlreadyExists(err):
			return fmt.Errorf("create %s/%s: %w", o.namespace, ship.Name, err)
		}
	}
	return nil
}
