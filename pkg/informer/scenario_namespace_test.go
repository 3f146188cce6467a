// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func in(namespace string, ship *v1.Starfighter) *v1.Starfighter {
	ship.Namespace = namespace
	return ship
}

func inNamespaces(servers map[string]*apiServer) Options[*v1.Starfighter] {
	options := Options[*v1.Starfighter]{Namespaces: map[string]cache.ListerWatcher{}}
	for namespace, server := range servers {
		options.Namespaces[namespace] = server
	}
	return options
}

func TestScenario31OneNamespaceDenied(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		hoth, endor := newAPIServer(in("hoth", shipOf("a", "Luke"))), newAPIServer(in("endor", shipOf("a", "Han")))
		endor.fault = func(request) error { return errForbidden }
		i := newShips(t, nil, inNamespaces(map[string]*apiServer{"hoth": hoth, "endor": endor}))
		told := &events{}
		registration, err := i.AddTypedEventHandler(told)
		must(t, err)
		go i.RunWithContext(ctx)
		err = i.WaitForSync(ctx)
		var cause *RequestError
		if !errors.As(err, &cause) || cause.Namespace != "endor" || !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `namespace "endor"`) {
			t.Errorf("the cause is %v", err)
		}
		// The other one works, though the whole is not in sync.
		hoth.put(in("hoth", shipOf("a", "Leia")))
		synctest.Wait()
		if got := told.snapshot()["hoth/a"]; !slices.Equal(got, []string{"add Luke initial=true", "update Luke to Leia"}) {
			t.Errorf("told was %q", got)
		}
		if i.HasSynced() || registration.HasSynced() || i.LastSyncResourceVersion() != "" {
			t.Errorf("in sync is the informer: %t, at %q, the handler: %t", i.HasSynced(), i.LastSyncResourceVersion(), registration.HasSynced())
		}
		must(t, i.WaitForResourceVersion(ctx, "12", "hoth"))
		endor.setFault(nil)
		time.Sleep(time.Minute)
		must(t, i.WaitForSync(ctx))
		if got := told.snapshot()["endor/a"]; !slices.Equal(got, []string{"add Han initial=true"}) {
			t.Errorf("told was %q", got)
		}
		if err := i.Status().Err; err != nil {
			t.Errorf("the status still has %v", err)
		}
	})
}

func TestScenario31OneNamespaceTrails(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		hoth, endor := newAPIServer(in("hoth", shipOf("a", "Luke"))), newAPIServer(in("endor", shipOf("a", "Han")))
		i := newShips(t, nil, inNamespaces(map[string]*apiServer{"hoth": hoth, "endor": endor}))
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		hoth.put(in("hoth", shipOf("b", "Wedge")))
		synctest.Wait()
		if got := i.LastSyncResourceVersion(); got != "11" {
			t.Errorf("it is at %s, want where the last one is", got)
		}
		must(t, i.WaitForResourceVersion(ctx, "12", "hoth"))
		all := make(chan error, 1)
		go func() { all <- i.WaitForResourceVersion(ctx, "12") }()
		synctest.Wait()
		select {
		case err := <-all:
			t.Errorf("not all have reached it, but waiting for it returned %v", err)
		default:
		}
		endor.put(in("endor", shipOf("b", "Lando")))
		must(t, <-all)
		if err := i.WaitForResourceVersion(ctx, "12", "tatooine"); err == nil || !strings.Contains(err.Error(), "tatooine") {
			t.Errorf("waiting for a namespace that is not watched: %v", err)
		}
	})
}

// A namespace whose objects go while its watch is cut takes none of the others'.
func TestScenario31OneNamespaceIsEmptied(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		hoth, endor := newAPIServer(in("hoth", shipOf("a", "Luke"))), newAPIServer(in("endor", shipOf("a", "Han")), in("endor", shipOf("b", "Lando")))
		i := newShips(t, nil, inNamespaces(map[string]*apiServer{"hoth": hoth, "endor": endor}))
		told := &events{}
		_, err := i.AddTypedEventHandler(told)
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		endor.cut()
		endor.remove("endor/a")
		endor.put(in("endor", shipOf("b", "Nien")))
		endor.put(in("endor", shipOf("c", "Wes")))
		endor.expire()
		time.Sleep(time.Minute)
		keys := i.GetStore().ListKeys()
		slices.Sort(keys)
		if want := []string{"endor/b", "endor/c", "hoth/a"}; !slices.Equal(keys, want) {
			t.Errorf("stored are %v, want %v", keys, want)
		}
		for key, want := range map[string][]string{
			"hoth/a":  {"add Luke initial=true"},
			"endor/a": {"add Han initial=true", "delete Han unknown=true"},
			"endor/b": {"add Lando initial=true", "update Lando to Nien"},
			"endor/c": {"add Wes initial=false"},
		} {
			if got := told.snapshot()[key]; !slices.Equal(got, want) {
				t.Errorf("of %s told was %q, want %q", key, got, want)
			}
		}
	})
}
