// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package starwars

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// shipType is the factory's name for the informer of Starfighters.
var shipType = reflect.TypeFor[*v1.Starfighter]()

// Start starts the informers until the channel is closed; see StartWithContext.
func (f *Factory) Start(stop <-chan struct{}) { f.StartWithContext(wait.ContextForChannel(stop)) }

// StartWithContext starts the informer of Starfighters, whether or not somebody
// has asked for it before, and all others that the factory was asked for, until
// the context ends or the factory is shut down. It does not wait for them. Started
// again, it starts those that came since. After Shutdown it does nothing.
func (f *Factory) StartWithContext(ctx context.Context) {
	f.ships()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	f.cancels = append(f.cancels, cancel)
	f.SharedInformerFactory.StartWithContext(ctx)
}

func (f *Factory) ships() cache.SharedIndexInformer {
	return f.Starwars().V1().Starfighters().Informer()
}

func (f *Factory) started() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.cancels) > 0
}

// WaitForSync returns nil when all started informers have been filled, and their
// handlers were told of what is in them. Otherwise it returns an error:
// informer.ErrNotStarted at once when nothing was started, the cause when the API
// server cannot be listed or watched, which takes less than 2 seconds, and the
// context's when that ends; see informer.Informer.WaitForSync. Informers go on
// trying, so it may be called again. Client-go's (WithStockInformer) tell no cause,
// nor about handlers.
func (f *Factory) WaitForSync(ctx context.Context) error {
	if !f.started() {
		return fmt.Errorf("wait for the informers of Starfighters: %w: call the factory's StartWithContext first", informer.ErrNotStarted)
	}
	if ships, err := informer.From[*v1.Starfighter](f.ships()); err == nil {
		if err := ships.WaitForSync(ctx); err != nil {
			return err
		}
	}
	return f.SharedInformerFactory.WaitForCacheSyncWithContext(ctx).AsError()
}

// WaitForCacheSync is WaitForCacheSyncWithContext with a channel that ends it.
func (f *Factory) WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool {
	return f.WaitForCacheSyncWithContext(wait.ContextForChannel(stop)).Synced
}

// WaitForCacheSyncWithContext waits until all started informers have been filled,
// or the context ends; the error is then joined with the cause, if it is known.
// When nothing was started it returns informer.ErrNotStarted at once, where the
// generated factory says that all is well (kubernetes#92777).
func (f *Factory) WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult {
	if !f.started() {
		return cache.SyncResult{Err: informer.ErrNotStarted, Synced: map[reflect.Type]bool{shipType: false}}
	}
	result := f.SharedInformerFactory.WaitForCacheSyncWithContext(ctx)
	if result.Err == nil || result.Synced[shipType] {
		return result
	}
	if ships, err := informer.From[*v1.Starfighter](f.ships()); err == nil {
		result.Err = errors.Join(result.Err, ships.Status().Err)
	}
	return result
}

// Shutdown ends the informers, and waits until they have ended. Unlike the
// generated factory it does not wait for the contexts that they were started with.
// A handler that does not return keeps it for ever: see ShutdownWithContext.
func (f *Factory) Shutdown() {
	_ = f.ShutdownWithContext(context.Background()) // the only error is the context's
}

// ShutdownWithContext ends the informers, and waits until they have ended, or the
// context has. The error names the handlers whose callbacks do not return. Nothing
// can be started any more.
func (f *Factory) ShutdownWithContext(ctx context.Context) error {
	f.mu.Lock()
	f.ended = true
	for _, cancel := range f.cancels {
		cancel()
	}
	f.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.SharedInformerFactory.Shutdown()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	if ships, err := informer.From[*v1.Starfighter](f.ships()); err == nil {
		if err := ships.Shutdown(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("informers do not stop: %w", context.Cause(ctx))
}
