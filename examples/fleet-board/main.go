// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command fleet-board serves a web page of the fleet: ships by faction, pilots
// to search for, and every change as it happens.
//
// It starts an API server of its own with a fleet that keeps changing. The page,
// its charts, the JSON endpoint and the metrics are consumers of one informer:
// what they show comes from its cache, and what they look up from its indexes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/examples/internal/program"
	"github.com/okontajneroch/starwars/examples/internal/target"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

type options struct {
	listen    address
	namespace string
	seed      bool
	size      uint
	rate      rate
	metrics   *metrics
}

// maxShips is what an API server in the same process creates in half a minute,
// and as many as a page is of use for.
const maxShips = 10000

func main() {
	o := options{listen: "127.0.0.1:8080", rate: 2, metrics: newMetrics()}
	// The provider is one for the whole process, and has to be there before the
	// first informer is made, which is one of the API server in this process.
	cache.SetInformerMetricsProvider(o.metrics.informers)
	os.Exit(program.Main(program.Program{
		Name:      "fleet-board",
		About:     "Serves a web page of the fleet by faction and pilot, with live changes, a JSON endpoint and metrics.",
		Namespace: &o.namespace,
		AddFlags: func(flags *pflag.FlagSet) {
			flags.Var(&o.listen, "listen", "serve the page at this `ADDRESS` of this computer; port 0 is a free one")
			flags.StringVar(&o.namespace, "namespace", metav1.NamespaceAll, "show the ships of this `NAMESPACE` only")
			flags.UintVar(&o.size, "ships", 48, "create a fleet of about `N` ships, if it creates one")
			flags.Var(&o.rate, "rate", "make about `N` changes a second to the ships that it created; 0 makes none")
			flags.BoolVar(&o.seed, "seed", false, "with --kubeconfig or --cluster: create a fleet there and change it; without it nothing is written")
		},
		Check: o.check,
		Run:   o.run,
	}))
}

// check says what is wrong with the flags.
func (o *options) check() error {
	if o.size > maxShips {
		return fmt.Errorf("--ships %d is more than %d", o.size, maxShips)
	}
	if reasons := validation.IsDNS1123Label(o.namespace); o.namespace != metav1.NamespaceAll && len(reasons) > 0 {
		return fmt.Errorf("--namespace %q cannot exist: %s", o.namespace, strings.Join(reasons, ", "))
	}
	return nil
}

// run serves the page until ctx ends.
func (o *options) run(ctx context.Context, server *target.Server) (err error) {
	client, err := versioned.NewForConfig(server.Config)
	if err != nil {
		return fmt.Errorf("make the clientset: %w", err)
	}
	listener, err := o.listen.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // closed by the server too, which is fine

	var traffic *traffic
	if o.seed || server.Embedded() {
		traffic = newTraffic(client, o.seedNamespaces(server), int(o.size))
		if err := traffic.create(ctx); err != nil {
			return err
		}
	}
	name, err := cache.NewInformerName("fleet-board")
	if err != nil {
		return err
	}
	defer name.Release()
	ctx, cancel := context.WithCancel(ctx)
	board, err := newBoard(ctx, client, o.namespace, name)
	defer func() {
		cancel()
		err = errors.Join(err, board.shutdown(ctx)) // waits for what cancel ends
	}()
	if err != nil {
		return err
	}
	o.metrics.follow(board)

	fmt.Printf("Fleet board: http://%s/\n", listener.Addr())
	if server.Embedded() {
		fmt.Fprintf(os.Stderr, "Its API server listens at %s. In another terminal:\n  export KUBECONFIG=%s\n  kubectl get starfighters -A\n",
			server.Config.Host, server.Kubeconfig)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return newSite(board, o.metrics).serve(ctx, listener) })
	group.Go(func() error { board.meter.run(ctx, time.Second); return nil })
	if traffic != nil {
		group.Go(func() error { traffic.run(ctx, board.lister, o.rate); return nil })
	}
	return group.Wait()
}

// seedNamespaces are where ships are created. Only the API server in this
// process is known to have others than the default.
func (o *options) seedNamespaces(server *target.Server) []string {
	switch {
	case o.namespace != metav1.NamespaceAll:
		return []string{o.namespace}
	case server.Embedded():
		return []string{metav1.NamespaceDefault, "outer-rim"}
	}
	return []string{metav1.NamespaceDefault}
}
