// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// What those who wait are told names the informer, and whoever keeps it.
func TestErrorsNameWhoKeepsThem(t *testing.T) {
	minute := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("patience"))
		context.AfterFunc(ctx, cancel)
		return ctx
	}
	blocked := cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{}
	for name, test := range map[string]struct {
		fault error
		wait  func(ctx context.Context, i *Informer[*v1.Starfighter]) error
		names []string
		is    func(err error) bool
	}{
		"WaitForSync, as a subscription is late": {
			wait:  func(ctx context.Context, i *Informer[*v1.Starfighter]) error { return i.WaitForSync(minute(ctx)) },
			names: []string{"roster", "patience"},
		},
		"Shutdown, as a subscription does not return": {
			wait:  func(ctx context.Context, i *Informer[*v1.Starfighter]) error { return i.Shutdown(minute(ctx)) },
			names: []string{"roster", "patience"},
		},
		"WaitForSync, with the context's end before the cause": {
			fault: errForbidden,
			wait: func(ctx context.Context, i *Informer[*v1.Starfighter]) error {
				ctx, cancel := context.WithTimeoutCause(ctx, time.Second, errors.New("patience"))
				defer cancel()
				return i.WaitForSync(ctx)
			},
			names: []string{"patience", "cannot list", "role"},
			is:    apierrors.IsForbidden,
		},
		"WaitForSync, of what has stopped": {
			fault: errForbidden,
			wait: func(ctx context.Context, i *Informer[*v1.Starfighter]) error {
				go func() {
					time.Sleep(time.Second)
					_ = i.Shutdown(ctx)
				}()
				return i.WaitForSync(ctx)
			},
			names: []string{"stopped"},
			is:    func(err error) bool { return errors.Is(err, errEnded) },
		},
		"WaitForResourceVersion, that there is not": {
			wait: func(ctx context.Context, i *Informer[*v1.Starfighter]) error {
				return i.WaitForResourceVersion(minute(ctx), "99")
			},
			names: []string{"has reached resourceVersion 11, not 99", "patience"},
		},
		"WaitForResourceVersion, as the server refuses": {
			fault: errForbidden,
			wait: func(ctx context.Context, i *Informer[*v1.Starfighter]) error {
				return i.WaitForResourceVersion(minute(ctx), "99")
			},
			names: []string{"not 99", "patience", "cannot list"},
			is:    apierrors.IsForbidden,
		},
		"WaitForResourceVersion, of what stops": {
			wait: func(ctx context.Context, i *Informer[*v1.Starfighter]) error {
				go func() {
					time.Sleep(time.Second)
					_ = i.Shutdown(ctx)
				}()
				return i.WaitForResourceVersion(ctx, "99")
			},
			names: []string{"99", "stopped"},
			is:    func(err error) bool { return errors.Is(err, errEnded) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, ctx context.Context) {
				server := newAPIServer(shipOf("a", "Luke"))
				if test.fault != nil {
					server.fault = func(request) error { return test.fault }
				}
				i := newShips(t, server, Options[*v1.Starfighter]{})
				release := make(chan struct{})
				defer close(release)
				blocked.AddFunc = func(*v1.Starfighter) { <-release }
				_, err := i.Subscribe(ctx, blocked, SubscribeOptions{Name: "roster"})
				must(t, err)
				go i.RunWithContext(ctx)
				synctest.Wait()
				err = test.wait(ctx, i)
				if err == nil {
					t.Fatal("there is no error")
				}
				for _, name := range append(test.names, i.name) {
					if !strings.Contains(err.Error(), name) {
						t.Errorf("%q does not say %q", err, name)
					}
				}
				if test.is != nil && !test.is(err) {
					t.Errorf("%q is of the wrong kind", err)
				}
			})
		})
	}
}

type namedHandler struct{}

func (namedHandler) OnAdd(*v1.Starfighter, bool)                   {}
func (namedHandler) OnUpdate(_, _ *v1.Starfighter)                 {}
func (namedHandler) OnDelete(cache.DeletedObject[*v1.Starfighter]) {}

// A handler is named by what its author wrote, whatever client-go puts around it.
func TestNamesOfHandlers(t *testing.T) {
	all := func(*v1.Starfighter) bool { return true }
	funcs := cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: func(*v1.Starfighter) {}}
	for _, test := range []struct {
		handler cache.TypedResourceEventHandler[*v1.Starfighter]
		want    string
	}{
		{namedHandler{}, "informer.namedHandler"},
		{&namedHandler{}, "*informer.namedHandler"},
		{funcs, "TestNamesOfHandlers."},
		{cache.TypedFilteringResourceEventHandler[*v1.Starfighter]{FilterFunc: all, Handler: namedHandler{}}, "informer.namedHandler"},
	} {
		i := newShips(t, newServer(t), Options[*v1.Starfighter]{})
		_, err := i.AddTypedEventHandler(test.handler)
		must(t, err)
		_, err = cache.NewTypedSharedIndexInformer[*v1.Starfighter](untypedOnly{i}).AddTypedEventHandler(test.handler)
		must(t, err)
		for _, consumer := range i.Status().Consumers {
			if !strings.Contains(consumer.Name, test.want) {
				t.Errorf("a %T is called %q, want %q", test.handler, consumer.Name, test.want)
			}
		}
	}
}

// untypedOnly is an informer without typed methods, as client-go wraps it.
type untypedOnly struct{ cache.SharedIndexInformer }
