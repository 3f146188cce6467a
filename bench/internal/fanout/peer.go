// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package fanout

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/cache"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// The peers: client-go's informer, which is controller-runtime's too, this SDK's
// with the same handlers, and with subscriptions in their place.
const (
	ClientGo  = "client-go"
	Starwars  = "starwars"
	Subscribe = "starwars, Subscribe"
)

// Peers returns their names.
func Peers() []string { return []string{ClientGo, Starwars, Subscribe} }

// Handlers is an informer to add handlers to.
type Handlers struct {
	// Informer is what runs.
	Informer cache.SharedIndexInformer
	// Add adds a handler, for as long as the context lasts.
	Add func(ctx context.Context, name string, handler cache.TypedResourceEventHandler[*starwarsv1.Starfighter]) error
	// Pending tells how many changes wait for the handler of that name; it is nil
	// where nobody knows.
	Pending func(name string) int
}

// New makes an informer of a peer.
func New(peer string, source *Source) (*Handlers, error) {
	if peer == ClientGo {
		made := cache.NewTypedSharedIndexInformer[*starwarsv1.Starfighter](cache.NewSharedIndexInformer(source, &starwarsv1.Starfighter{}, 0, nil))
		return &Handlers{Informer: made, Add: adds(made)}, nil
	}
	made, err := informer.New(source, &starwarsv1.Starfighter{}, informer.Options[*starwarsv1.Starfighter]{})
	if err != nil {
		return nil, fmt.Errorf("make the informer: %w", err)
	}
	h := &Handlers{Informer: made, Add: adds(made), Pending: func(name string) int {
		for _, consumer := range made.Status().Consumers {
			if consumer.Name == name {
				return consumer.Pending
			}
		}
		return 0
	}}
	switch peer {
	case Starwars:
		return h, nil
	case Subscribe:
		h.Add = func(ctx context.Context, name string, handler cache.TypedResourceEventHandler[*starwarsv1.Starfighter]) error {
			_, err := made.Subscribe(ctx, handler, informer.SubscribeOptions{Name: name})
			return err
		}
		return h, nil
	default:
		return nil, fmt.Errorf("there is no peer %q", peer)
	}
}

func adds(to cache.TypedSharedIndexInformer[*starwarsv1.Starfighter]) func(context.Context, string, cache.TypedResourceEventHandler[*starwarsv1.Starfighter]) error {
	return func(_ context.Context, _ string, handler cache.TypedResourceEventHandler[*starwarsv1.Starfighter]) error {
		if _, err := to.AddTypedEventHandler(handler); err != nil {
			return fmt.Errorf("add a handler: %w", err)
		}
		return nil
	}
}
