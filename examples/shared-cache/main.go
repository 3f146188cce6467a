// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command shared-cache shows consumers of several kinds that share one informer:
// one cache, one watch, and indexes that answer without asking the API server.
//
// It starts an API server of its own and sends in a fleet of Starfighters, which
// then changes: ships are launched and lost, change pilots and sides. Meanwhile
//
//   - a roster and a look-up of pilots ask indexes (roster.go),
//   - an audit log handles events (audit.go),
//   - a docking controller works through a queue and writes to the API server
//     (docking.go),
//   - an archive is slower than the changes come (archive.go),
//   - a counter of squadrons joins late (squadrons.go).
//
// At the end it prints what each was told and how far it was behind (lag.go),
// compares what they know with what the API server has (check.go), and prints how
// many requests that server counted (requests.go).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars"
	"github.com/okontajneroch/starwars/examples/internal/console"
	"github.com/okontajneroch/starwars/examples/internal/program"
	"github.com/okontajneroch/starwars/examples/internal/target"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/informer"
)

const about = `Consumers of several kinds share one informer of Starfighters: one cache, one
watch, and indexes that answer without asking the API server.

It starts an API server in this process, sends in a fleet and changes it for a
while. Then it prints what each consumer was told, compares what they know with
what the API server has, and how many requests that took.`

func main() {
	var o options
	os.Exit(program.Main(program.Program{
		Name:      "shared-cache",
		About:     about,
		Namespace: &o.namespace,
		AddFlags:  o.addFlags,
		Check:     o.check,
		Run: func(ctx context.Context, server *target.Server) error {
			out := console.New(os.Stdout)
			out.Live = out.Live && !klog.V(1).Enabled() // the log would tear the view
			return o.run(ctx, server, out)
		},
	}))
}

func (o *options) run(ctx context.Context, server *target.Server, out *console.Console) (err error) {
	client, err := versioned.NewForConfig(server.Config)
	if err != nil {
		return fmt.Errorf("make the clientset: %w", err)
	}
	if server.Embedded() {
		fmt.Fprintf(os.Stderr, `The API server in this process listens at %s. In another terminal:
  export KUBECONFIG=%s
  kubectl get starfighters --all-namespaces --watch
`, server.Config.Host, server.Kubeconfig)
	}
	fleet := &fleet{client: client.StarwarsV1(), namespaces: o.namespaces(server)}
	writes := server.Embedded() || o.seed // in somebody's cluster nothing is written unasked
	if writes {
		if err := fleet.sendIn(ctx, o.ships, out); err != nil {
			return err
		}
	}
	filling, err := newFilling(ctx, client.StarwarsV1().Starfighters(o.namespace))
	if err != nil {
		return err
	}
	requests := startCounting(ctx, client, !server.Embedded())

	// One factory for the whole program: whoever asks it for Starfighters shares
	// the same informer. That goes on when Ctrl-C ends ctx, so that the program can
	// compare in the end what its consumers know.
	factory := starwars.NewSharedInformerFactory(client, 0,
		starwars.WithNamespace(o.namespace), starwars.WithTransform(filling.count))
	ships := factory.Starwars().V1().Starfighters()
	consuming, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		stop()
		err = errors.Join(err, shutDown(context.WithoutCancel(ctx), factory))
	}()

	// The lister brings the indexes. Two consumers do nothing but ask them.
	lister := ships.Lister()
	roster, pilots := roster{lister}, pilots{lister, aces[:3]}

	// ships.Informer() is what client-go's interface says. This is what the SDK's has
	// beyond that: subscriptions, and a status of each consumer.
	shared, err := informer.From[*v1.Starfighter](ships.Informer())
	if err != nil {
		return err
	}

	// The others are told of changes. Handlers may come before the informer starts ...
	audit := newAuditLog(out)
	if _, err := shared.AddTypedEventHandler(audit); err != nil {
		return fmt.Errorf("register the audit log: %w", err)
	}
	var docking *docking // none where nothing may be written
	if writes {
		docking = newDocking(client.StarwarsV1(), lister)
		defer docking.queue.ShutDown() // also if it does not come to work
		if _, err := shared.AddTypedEventHandler(docking); err != nil {
			return fmt.Errorf("register the docking controller: %w", err)
		}
	}
	factory.StartWithContext(consuming)
	if err := filling.during(ctx, out, factory.WaitForSync); err != nil {
		return err
	}
	out.Printf("The cache is filled, and its consumers were told of every ship, after %s.\n", filling.took())

	// ... and at any time later. One that is slow had better subscribe: at most one
	// change per ship waits for it.
	if _, err := shared.Subscribe(consuming, archive{consuming}, informer.SubscribeOptions{Name: "archive"}); err != nil {
		return fmt.Errorf("subscribe the archive: %w", err)
	}

	following, cancel := o.limit(ctx)
	defer cancel()
	work, following := errgroup.WithContext(following)
	squadrons, lag := newSquadrons(), &lag{informer: shared}
	campaign := &campaign{fleet: fleet, lister: lister, rate: o.rate}
	view := &view{out, campaign, roster, pilots, squadrons, docking, audit, lag}
	if writes {
		work.Go(func() error { return campaign.run(following) })
		work.Go(func() error { return docking.run(following) })
	}
	work.Go(func() error {
		pause(following, o.late())
		return squadrons.join(consuming, shared, out)
	})
	work.Go(func() error {
		view.run(following)
		return nil
	})
	if err := work.Wait(); err != nil {
		return err
	}

	summary := summary{lag, docking, check{client.StarwarsV1().Starfighters(o.namespace), lister, squadrons}, requests}
	return summary.print(consuming, out, ctx.Err() != nil)
}

// shutDown ends the informers, and names the consumer that does not let them.
func shutDown(ctx context.Context, factory *starwars.Factory) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return factory.ShutdownWithContext(ctx)
}
