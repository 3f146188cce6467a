// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// obstacle keeps informers from getting in sync, until it is cured.
type obstacle struct {
	// arrange returns the configuration of the informer's client.
	arrange func(t *testing.T, s *server.Server) (config *rest.Config, cure func())
	// cause tells whether an error is of this kind, and hint is what it says to
	// people.
	cause func(error) bool
	hint  string
}

var forbidden = apierrors.NewForbidden(v1.Resource("starfighters"), "", errors.New(`user "r2-d2" cannot watch resource "starfighters"`))

var obstacles = map[string]obstacle{
	"no-definition": {
		arrange: func(t *testing.T, s *server.Server) (*rest.Config, func()) {
			t.Helper()
			removeDefinition(t, s)
			return configFor(t, s), func() { installDefinition(t, s) }
		},
		cause: apierrors.IsNotFound,
		hint:  "custom resource definition",
	},
	"no-role": {
		arrange: func(t *testing.T, s *server.Server) (*rest.Config, func()) {
			t.Helper()
			p := newProxy(t, configFor(t, s))
			p.set(refuse(forbidden, anyRequest))
			return p.config(), func() { p.set(nil) }
		},
		cause: apierrors.IsForbidden,
		hint:  "a role must allow it",
	},
	"wrong-token": {
		arrange: func(t *testing.T, s *server.Server) (*rest.Config, func()) {
			t.Helper()
			config := configFor(t, s)
			var good atomic.Bool
			config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if !good.Load() {
						r = r.Clone(r.Context())
						r.Header.Set("Authorization", "Bearer guessed")
					}
					return next.RoundTrip(r)
				})
			})
			return config, func() { good.Store(true) }
		},
		cause: apierrors.IsUnauthorized,
		hint:  "credentials",
	},
	"server-away": {
		arrange: func(t *testing.T, s *server.Server) (*rest.Config, func()) {
			t.Helper()
			noError(t, s.Kill())
			return configFor(t, s), func() { noError(t, s.Restart()) }
		},
		cause: utilnet.IsConnectionRefused,
		hint:  "is the API server up",
	},
}

// Whoever waits is told why there is nothing to be had, and need do nothing but
// put it right.
func TestScenario17CauseOfNoSync(t *testing.T) {
	t.Parallel()
	for name, o := range obstacles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server.New(t)
			config, cure := o.arrange(t, s)
			ctx, factory := newFactory(t, clientFor(t, config), 0)
			factory.StartWithContext(ctx)
			began := time.Now()
			err := factory.WaitForSync(ctx)
			wantWithin(t, causeWithin, "the cause was told after", time.Since(began))
			var request *informer.RequestError
			if !errors.As(err, &request) || !o.cause(err) || !strings.Contains(err.Error(), o.hint) {
				t.Errorf("the cause is %v", err)
			}
			if status := engine(t, factory).Status(); status.Synced || !o.cause(status.Err) {
				t.Errorf("status: %+v", status)
			}

			cure()
			cured := time.Now()
			noError(t, waitThrough(ctx, factory))
			wantWithin(t, healsWithin, "in sync after the cure in", time.Since(cured))
			ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
			create(t, ships, ship("x-wing-1"))
			converge(ctx, t, factory, ships)
			if err := engine(t, factory).Status().Err; err != nil {
				t.Errorf("still said to be the matter: %v", err)
			}
		})
	}
}

// Client-go's informer tries as well, but whoever waits for it learns nothing.
func TestScenario17ClientGoTellsNoCause(t *testing.T) {
	t.Parallel()
	p := newProxy(t, configFor(t, sharedServer(t)))
	p.set(refuse(forbidden, anyRequest))
	ctx, factory := newFactory(t, clientFor(t, p.config()), 0, starwars.WithStockInformer())
	factory.StartWithContext(ctx)
	short, cancel := context.WithTimeout(ctx, causeWithin)
	defer cancel()
	err := factory.WaitForSync(short)
	if err == nil {
		t.Error("in sync with what is forbidden")
	}
	t.Logf("client-go's informer after %s: %v", causeWithin, err)
}

// Where only the watch is forbidden, there is a list to serve, that gets old. Status
// says so, and it is over when the role is there.
func TestScenario17WatchForbidden(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	p := newProxy(t, configFor(t, sharedServer(t)))
	p.set(refuse(forbidden, isWatch))
	ctx, factory := newFactory(t, clientFor(t, p.config()), 0, starwars.WithNamespace(namespace))
	startSynced(ctx, t, factory)
	converge(ctx, t, factory, ships)
	var request *informer.RequestError
	took := eventually(ctx, t, "the status says why the store gets old", func() bool {
		return errors.As(engine(t, factory).Status().Err, &request)
	})
	wantWithin(t, causeWithin, "the status knew after", took)
	if request.Verb != "watch" || !apierrors.IsForbidden(request) {
		t.Errorf("the status says: %v", request)
	}
	create(t, ships, ship("x-wing-2"))
	p.set(nil)
	wantWithin(t, healsWithin, "followed after the cure in", converge(ctx, t, factory, ships))
	eventually(ctx, t, "the status is well", func() bool { return engine(t, factory).Status().Err == nil })
}

// An outage is not always short: an informer that has waited for long tries often
// enough all the same.
func TestScenario17LongOutage(t *testing.T) {
	t.Parallel()
	const outage = 10 * time.Second
	s := server.New(t)
	config, cure := obstacles["server-away"].arrange(t, s)
	ctx, factory := newFactory(t, clientFor(t, config), 0)
	factory.StartWithContext(ctx)
	time.Sleep(outage) // what the test is about, not a wait for something
	cure()
	cured := time.Now()
	noError(t, waitThrough(ctx, factory))
	wantWithin(t, healsWithin, "in sync after the cure in", time.Since(cured))
}

// waitThrough waits for the factory's sync, whatever is in the way at first.
func waitThrough(ctx context.Context, factory *starwars.Factory) error {
	for {
		var request *informer.RequestError
		err := factory.WaitForSync(ctx)
		if err == nil || ctx.Err() != nil || !errors.As(err, &request) {
			return err
		}
	}
}
