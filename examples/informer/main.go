// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command informer prints what happens to the Starfighters of one namespace.
//
// It starts an API server of its own and says how kubectl reaches it. Apply a
// ship, and it is "added". Wait, and every resync shows it as "updated": the
// informer passes its cached objects through the handlers again, without
// asking the API server. Stop the program and start it again, and the ship is
// "added" once more: handlers see changes of the cache, and a new cache starts
// empty.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/config/samples"
	"github.com/okontajneroch/starwars/examples/internal/program"
	"github.com/okontajneroch/starwars/examples/internal/target"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

type options struct {
	namespace string
	resync    time.Duration
	seed      bool
}

func main() {
	var o options
	os.Exit(program.Main(program.Program{
		Name:      "informer",
		Namespace: &o.namespace,
		About:     "Prints what happens to the Starfighters of one namespace, as an informer's handlers see it.",
		AddFlags: func(flags *pflag.FlagSet) {
			flags.StringVar(&o.namespace, "namespace", metav1.NamespaceDefault, "watch the ships of this `NAMESPACE`")
			flags.DurationVar(&o.resync, "resync", 30*time.Second, "pass the cached ships through the handlers again at this `INTERVAL`; 0 never does")
			flags.BoolVar(&o.seed, "seed", false, "create the ship x-wing-1 when the informer runs, if it is not there")
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
  kubectl apply -f config/samples/x-wing-1.yaml
`, server.Config.Host, server.Kubeconfig)
	}

	// One factory for the whole program: whoever asks it for Starfighters
	// shares the same informer.
	factory := starwars.NewSharedInformerFactory(client, o.resync, starwars.WithNamespace(o.namespace))
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		err = errors.Join(err, factory.ShutdownWithContext(ending))
	}()

	if _, err := factory.Starwars().V1().Starfighters().TypedInformer().AddTypedEventHandler(handlers); err != nil {
		return fmt.Errorf("register the handlers: %w", err)
	}
	factory.StartWithContext(ctx)

	// In sync means that the handlers were told of every ship there was.
	if err := factory.WaitForSync(ctx); err == nil {
		fmt.Println("Starfighter Informer is running. Press Ctrl+C to exit.")
		if o.seed {
			if err := o.createXWing1(ctx, client); err != nil {
				return err
			}
		}
	} else if ctx.Err() == nil {
		return err // it says why: permission to watch is missing, for example
	}

	<-ctx.Done()
	fmt.Println("Shutting down Informer.")
	return nil
}

// handlers run one after the other, each with objects that everyone who reads
// the cache shares: they may look, but not change anything. Text that others
// wrote could do anything to a terminal; a name is safe, for the API server
// lets only letters, digits, "-" and "." through.
var handlers = starwarsinformers.StarfighterHandlerFuncs{
	AddFunc:    func(ship *v1.Starfighter) { fmt.Printf("Starfighter added: %s\n", ship.Name) },
	UpdateFunc: func(_, ship *v1.Starfighter) { fmt.Printf("Starfighter updated: %s\n", ship.Name) },
	// What was deleted may be unknown when the watch was down meanwhile; its
	// name is always known.
	DeleteFunc: func(ship starwarsinformers.DeletedStarfighter) {
		fmt.Printf("Starfighter deleted: %s\n", ship.GetName())
	},
}

func (o *options) createXWing1(ctx context.Context, client versioned.Interface) error {
	ship := samples.XWing1()
	ship.Namespace = o.namespace
	_, err := client.StarwarsV1().Starfighters(o.namespace).Create(ctx, ship, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) && ctx.Err() == nil {
		return fmt.Errorf("create %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	return nil
}
