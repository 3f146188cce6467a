// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// ErrNotStarted is the error of waiting for an informer that nobody has started.
// Test for it with errors.Is.
var ErrNotStarted = errors.New("informer has not been started")

const (
	// patience is how long something may keep an informer from its work before
	// those who wait are told.
	patience = 1500 * time.Millisecond
	// startTimeout is how long one that is waited for may take to be started.
	startTimeout = 1500 * time.Millisecond
)

// WaitForSync returns nil when the store has been filled and all consumers have
// been told of what is in it. Otherwise it returns an error:
//
//   - The cause, a *RequestError, when the API server cannot be listed or watched
//     and that lasts for 1.5 seconds of the call. The informer goes on trying, and
//     WaitForSync may be called again; to give up, end the informer's context.
//   - ErrNotStarted if nobody runs the informer within 1.5 seconds, and an error if
//     it has stopped.
//   - The context's, with the names of the consumers that are late, when it ends.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	called := time.Now()
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	for {
		select {
		case <-i.synced:
			return i.waitForConsumers(ctx)
		default:
		}
		since, changed, err := i.health.current()
		if i.currentPhase() == waiting && time.Since(called) >= startTimeout {
			return fmt.Errorf("%s: %w", i.name, ErrNotStarted)
		}
		if err != nil {
			if since.Before(called) {
				since = called
			}
			wait := patience - time.Since(since)
			if wait <= 0 {
				return err
			}
			timer.Reset(wait)
		}
		select {
		case <-i.synced:
		case <-i.stopped:
			return fmt.Errorf("%s: %w", i.name, errors.Join(errEnded, err))
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			return fmt.Errorf("%s is not in sync: %w", i.name, errors.Join(context.Cause(ctx), err))
		}
	}
}

func (i *Informer[T]) currentPhase() phase {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase
}

// waitForConsumers waits for those that there are.
func (i *Informer[T]) waitForConsumers(ctx context.Context) error {
	i.mu.Lock()
	all := i.all()
	i.mu.Unlock()
	var late []string
	for _, c := range all {
		select {
		case <-c.synced:
			continue
		default:
		}
		select {
		case <-c.synced:
		case <-c.stopping:
			if !c.HasSynced() && i.IsStopped() { // not just that consumer
				return fmt.Errorf("%s: before event handler %s was told of everything, the %w", i.name, c.name, errEnded)
			}
		case <-ctx.Done():
			late = append(late, c.name)
		}
	}
	if len(late) == 0 {
		return nil
	}
	slices.Sort(late)
	return fmt.Errorf("%s is in sync, but not its event handlers %s: %w", i.name, strings.Join(late, ", "), context.Cause(ctx))
}

// waiter waits for a resourceVersion.
type waiter struct {
	resourceVersion string
	namespaces      []string
	done            chan error // takes one
}

func (w *waiter) fail(err error) { w.done <- err }

// WaitForResourceVersion returns nil when the store has all changes up to a
// resourceVersion, such as that of an object that this process has just written.
// Of an informer for several namespaces, name those that matter; without any it is
// all of them, which takes up to a minute for those where nothing happens. It does
// not wait for consumers.
//
// It is an error if the resourceVersion is not a number, if the informer does not
// follow a namespace, if it stops, or if the context ends.
func (i *Informer[T]) WaitForResourceVersion(ctx context.Context, resourceVersion string, namespaces ...string) error {
	if _, err := resourceversion.CompareResourceVersion(resourceVersion, resourceVersion); err != nil {
		return fmt.Errorf("cannot wait for resourceVersion %q: %w", resourceVersion, err)
	}
	for _, namespace := range namespaces {
		if !slices.ContainsFunc(i.scopes, func(s *scope[T]) bool { return s.isOf([]string{namespace}) }) {
			return fmt.Errorf("%s cannot wait for resourceVersion %s in namespace %q, which it does not follow", i.name, resourceVersion, namespace)
		}
	}
	w := &waiter{resourceVersion: resourceVersion, namespaces: namespaces, done: make(chan error, 1)}
	i.mu.Lock()
	switch {
	case i.satisfied(w):
		i.mu.Unlock()
		return nil
	case i.phase == ended:
		i.mu.Unlock()
		return fmt.Errorf("%s has not reached resourceVersion %s: %w", i.name, resourceVersion, errEnded)
	}
	i.waiters[w] = true
	i.mu.Unlock()
	select {
	case err := <-w.done:
		if err != nil {
			return fmt.Errorf("%s has not reached resourceVersion %s: %w", i.name, resourceVersion, err)
		}
		return nil
	case <-ctx.Done():
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.waiters, w)
	_, _, trouble := i.health.current()
	return fmt.Errorf("%s has reached resourceVersion %s, not %s: %w", i.name, i.reached(nil), resourceVersion, errors.Join(context.Cause(ctx), trouble))
}

// setProgress notes what a scope has reached. i.mu is held.
func (s *scope[T]) setProgress(resourceVersion string) {
	s.progress = resourceVersion
	if s.metrics != nil {
		s.metrics.reached(s.reached(nil))
	}
	for w := range s.waiters {
		if s.satisfied(w) {
			delete(s.waiters, w)
			w.done <- nil
		}
	}
}

func (i *Informer[T]) satisfied(w *waiter) bool {
	order, err := resourceversion.CompareResourceVersion(i.reached(w.namespaces), w.resourceVersion)
	return err == nil && order >= 0
}

// reached returns the resourceVersion that all scopes, or those of some
// namespaces, have reached; "" if there is none yet. i.mu is held.
func (i *Informer[T]) reached(namespaces []string) (least string) {
	for n, s := range i.scopes {
		if !s.isOf(namespaces) {
			continue
		}
		if s.progress == "" {
			return ""
		}
		if order, err := resourceversion.CompareResourceVersion(s.progress, least); n == 0 || least == "" || err == nil && order < 0 {
			least = s.progress
		}
	}
	return least
}

// isOf tells whether a scope is one of those of some namespaces; none stand for all.
func (s *scope[T]) isOf(namespaces []string) bool {
	return len(namespaces) == 0 || s.namespace == "" || slices.Contains(namespaces, s.namespace)
}
