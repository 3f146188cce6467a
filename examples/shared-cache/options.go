// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars/examples/internal/target"
)

// options are what the user chose by flags.
type options struct {
	ships     int
	rate      float64
	lasts     time.Duration
	namespace string
	seed      bool
}

func (o *options) addFlags(flags *pflag.FlagSet) {
	flags.IntVar(&o.ships, "ships", 60, "send in a fleet of this `NUMBER` of ships, up to 1000000; 100000 take a minute or two, and 3 GB with the API server in this process")
	flags.Float64Var(&o.rate, "rate", 5, "change this `NUMBER` of ships per second, as far as the API server is that fast; 0 changes none")
	flags.DurationVar(&o.lasts, "for", 10*time.Second, "follow the fleet for this `DURATION`, then print the summary; 0 waits for Ctrl-C")
	flags.StringVar(&o.namespace, "namespace", "", "follow the ships of this `NAMESPACE` only, and send in the fleet there")
	flags.BoolVar(&o.seed, "seed", false, "with --kubeconfig or --cluster: send in the fleet there and change it; without it nothing is written")
}

// check says which value is wrong.
func (o *options) check() error {
	switch {
	case o.ships < 0 || o.ships > 1_000_000:
		return fmt.Errorf("--ships %d is not between 0 and 1000000", o.ships)
	case !(o.rate >= 0): // nor NaN
		return fmt.Errorf("--rate %g is not 0 or more", o.rate)
	case o.lasts < 0:
		return fmt.Errorf("--for %s is in the past", o.lasts)
	}
	return nil
}

// namespaces are those that the fleet is sent to. A cluster may have no other
// than the one that every cluster has.
func (o *options) namespaces(server *target.Server) []string {
	switch {
	case o.namespace != "":
		return []string{o.namespace}
	case server.Embedded():
		return []string{metav1.NamespaceDefault, "outer-rim"}
	}
	return []string{metav1.NamespaceDefault}
}

// limit returns a context that ends when the fleet was followed for long enough.
func (o *options) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.lasts == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, o.lasts)
}

// late is when the last consumer joins.
func (o *options) late() time.Duration {
	const late = 3 * time.Second
	if o.lasts == 0 {
		return late
	}
	return min(late, o.lasts/2)
}
