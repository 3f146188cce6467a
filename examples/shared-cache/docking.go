// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	applyv1 "github.com/okontajneroch/starwars/pkg/generated/applyconfiguration/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// docking is a controller: it sees to it that the last phase of every ship's
// status is being docked at a base of its faction. Its handler only puts names in
// a queue, so it is never behind; workers take them from there.
type docking struct {
	client starwarsclient.StarfightersGetter
	lister starwarslisters.StarfighterLister
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]

	reconciled, written atomic.Int64
}

const (
	// fieldManager owns status.phases at the API server.
	fieldManager   = "docking-controller"
	dockingWorkers = 4
	// phasesKept is how many phases a status holds before the oldest are dropped.
	phasesKept = 10
)

func newDocking(client starwarsclient.StarfightersGetter, lister starwarslisters.StarfighterLister) *docking {
	return &docking{
		client: client,
		lister: lister,
		queue:  workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
}

func (d *docking) OnAdd(ship *v1.Starfighter, _ bool) { d.enqueue(ship) }

// OnUpdate is told of the controller's own writes too. They need no special case:
// reconcile finds nothing to do then.
func (d *docking) OnUpdate(_, ship *v1.Starfighter) { d.enqueue(ship) }

// OnDelete has nothing to do: a status is gone with its ship.
func (d *docking) OnDelete(starwarsinformers.DeletedStarfighter) {}

// enqueue leaves the ships of others alone.
func (d *docking) enqueue(ship *v1.Starfighter) {
	if ofFleet(ship) {
		d.queue.Add(cache.MetaObjectToName(ship))
	}
}

// run works on the queue until ctx ends. It fails if the API server does not let
// it do its work.
func (d *docking) run(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
	context.AfterFunc(ctx, d.queue.ShutDown)
	for range dockingWorkers {
		workers.Go(func() error {
			for ctx.Err() == nil { // the queue would hand out all that is left first
				name, down := d.queue.Get()
				if down {
					break
				}
				if err := d.process(ctx, name); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return workers.Wait()
}

// process tries again later what fails, but for what is not permitted.
func (d *docking) process(ctx context.Context, name cache.ObjectName) error {
	defer d.queue.Done(name)
	err := finish(ctx, func(ctx context.Context) error { return d.reconcile(ctx, name) })
	switch {
	case err == nil:
		d.queue.Forget(name)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("the docking controller may not write the status of %s: bind the role in config/rbac/starfighter-status-writer.yaml to your user: %w", name, err)
	default:
		klog.FromContext(ctx).V(1).Info("Cannot dock, trying again", "starfighter", name, "err", err)
		d.queue.AddRateLimited(name)
	}
	return nil
}

// reconcile compares what is with what should be, and writes only a difference.
// So a write of its own, which comes back as an event, ends there.
func (d *docking) reconcile(ctx context.Context, name cache.ObjectName) error {
	d.reconciled.Add(1)
	ship, err := d.lister.Starfighters(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil // lost meanwhile
	}
	if err != nil {
		return err
	}
	phases := docked(ship)
	if slices.Equal(phases, ship.Status.Phases) {
		return nil
	}
	// The UID keeps the status from a new ship of the same name.
	status := applyv1.Starfighter(ship.Name, ship.Namespace).WithUID(ship.UID).
		WithStatus(applyv1.StarfighterStatus().WithPhases(phases...))
	_, err = d.client.Starfighters(ship.Namespace).ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("apply the status of %s: %w", name, err)
	}
	d.written.Add(1)
	return nil
}

func (d *docking) String() string {
	if d == nil {
		return "off, nothing is written here without --seed"
	}
	return english.Sprintf("looked at a ship %d times, wrote %d statuses, %d ships in the queue", d.reconciled.Load(), d.written.Load(), d.queue.Len())
}

// docked returns the phases that a ship should have. It does not change the ship,
// which is the cache's.
func docked(ship *v1.Starfighter) []string {
	base, known := map[v1.Faction]string{v1.Rebellion: "Yavin 4", v1.Empire: "Death Star"}[ship.Spec.Faction]
	if !known {
		base = "Mos Eisley"
	}
	phase, phases := "docked at "+base, ship.Status.Phases
	switch {
	case len(phases) == 0:
		return []string{"launched", phase}
	case phases[len(phases)-1] == phase:
		return phases
	}
	phases = slices.Concat(phases, []string{phase})
	return phases[max(0, len(phases)-phasesKept):]
}
