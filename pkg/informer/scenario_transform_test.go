// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// A transform that clears what a cache needs loses no update, with a resync too.
func TestScenario27TransformClearsResourceVersion(t *testing.T) {
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		reported := 0
		i := newShips(t, server, Options[*v1.Starfighter]{
			SharedIndexInformerOptions: cache.SharedIndexInformerOptions{ResyncPeriod: time.Minute},
			TransformReport:            func(any, error) { reported++ },
		})
		must(t, i.SetTransform(func(obj any) (any, error) {
			obj.(*v1.Starfighter).ResourceVersion = ""
			return obj, nil
		}))
		told, never := &recorder{}, &recorder{}
		_, err := i.AddEventHandler(told)
		must(t, err)
		_, err = i.AddEventHandlerWithResyncPeriod(never, 0)
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		time.Sleep(61 * time.Second)
		server.put(shipOf("a", "Leia"))
		time.Sleep(time.Second)
		for name, r := range map[string]*recorder{"resyncing": told, "other": never} {
			if got := r.take(); !slices.Contains(got, "update a from Luke to Leia") {
				t.Errorf("the %s handler was told %q", name, got)
			}
		}
		server.has(t, i)
		if reported == 0 {
			t.Error("it was not reported")
		}
	})
}

// A transform that fails for one object, or panics, or returns something else: the
// object stays as it is, and everything is in sync.
func TestScenario28TransformFails(t *testing.T) {
	for name, fail := range map[string]func() (any, error){
		"error":   func() (any, error) { return nil, errors.New("no hyperdrive") },
		"panic":   func() (any, error) { panic("no hyperdrive") },
		"nil":     func() (any, error) { return nil, nil },
		"another": func() (any, error) { return &v1.StarfighterList{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
				reported := map[string]int{}
				i := newShips(t, server, Options[*v1.Starfighter]{
					TransformReport: func(obj any, _ error) { reported[obj.(*v1.Starfighter).Name]++ },
				})
				must(t, i.SetTransform(func(obj any) (any, error) {
					if ship := obj.(*v1.Starfighter); ship.Name != "a" {
						ship.Spec.Type = "stripped"
						return ship, nil
					}
					return fail()
				}))
				go i.RunWithContext(ctx)
				must(t, i.WaitForSync(ctx))
				server.put(shipOf("a", "Leia"))
				time.Sleep(time.Second)
				server.has(t, i)
				types := map[string]string{}
				for ship := range i.Store().AllTyped() {
					types[ship.Name] = ship.Spec.Type
				}
				if want := map[string]string{"a": "X-wing", "b": "stripped"}; !maps.Equal(types, want) {
					t.Errorf("stored are %v, want %v", types, want)
				}
				if want := map[string]int{"a": 2}; !maps.Equal(reported, want) {
					t.Errorf("reported were %v, want %v", reported, want)
				}
			})
		})
	}
}

// No object passes through a transform twice, not even through a watch-list.
func TestTransformOnce(t *testing.T) {
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		i := newShips(t, server, Options[*v1.Starfighter]{})
		must(t, i.SetTransform(func(obj any) (any, error) {
			obj.(*v1.Starfighter).Spec.Pilot += "!"
			return obj, nil
		}))
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		server.silence()
		server.put(shipOf("c", "Biggs"))
		server.expire()
		server.cut()
		time.Sleep(time.Minute)
		server.put(shipOf("d", "Hobbie"))
		time.Sleep(time.Second)
		pilots := map[string]string{}
		for ship := range i.Store().AllTyped() {
			pilots[ship.Name] = ship.Spec.Pilot
		}
		if want := map[string]string{"a": "Luke!", "b": "Wedge!", "c": "Biggs!", "d": "Hobbie!"}; !maps.Equal(pilots, want) {
			t.Errorf("stored are %v, want %v", pilots, want)
		}
	})
}
