// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// board is the fleet as one shared informer knows it. Everything that is shown
// comes from here; its methods are safe for concurrent use.
type board struct {
	factory  *starwars.Factory
	informer *informer.Informer[*v1.Starfighter]
	lister   starwarslisters.StarfighterLister

	bell     *bell     // rings when journal or meter have news
	factions *factions // which of them have a column and a colour of their own
	journal  *journal  // which ships changed last
	meter    *meter    // how many changes, how many ships
}

// newBoard starts the informer. The board must be shut down after ctx has ended,
// also when there is an error.
func newBoard(ctx context.Context, client versioned.Interface, namespace string, name *cache.InformerName) (*board, error) {
	factory := starwars.NewSharedInformerFactory(client, 0, starwars.WithNamespace(namespace), starwars.WithInformerName(name))
	ships := factory.Starwars().V1().Starfighters()
	b := &board{factory: factory, lister: ships.Lister(), bell: newBell(), factions: newFactions()}
	b.journal = newJournal(journalSize, b.bell)
	b.meter = newMeter(b.lister, b.factions, b.bell)
	var err error
	if b.informer, err = informer.From[*v1.Starfighter](ships.Informer()); err != nil {
		return b, err
	}
	// The meter counts every change, so it has to be told of each.
	if _, err := b.informer.AddTypedEventHandler(b.meter); err != nil {
		return b, fmt.Errorf("register the meter: %w", err)
	}
	// The feed only has to know what became of each ship in the end.
	if _, err := b.informer.Subscribe(ctx, b.feed(), informer.SubscribeOptions{Name: "feed"}); err != nil {
		return b, fmt.Errorf("subscribe the feed: %w", err)
	}
	factory.StartWithContext(ctx)
	return b, nil
}

// shutdown ends what newBoard started, and returns when it has ended, whether or
// not ctx has. If that takes more than a moment, the error names who is late.
func (b *board) shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return b.factory.ShutdownWithContext(ctx)
}

// feed is the consumer behind the page's live changes. It notes which ship
// changed and no more: what became of it is in the cache.
func (b *board) feed() starwarsinformers.StarfighterHandlerFuncs {
	note := func(ship *v1.Starfighter) {
		b.factions.seen(ship.Spec.Faction)
		b.journal.record(cache.MetaObjectToName(ship).String())
	}
	return starwarsinformers.StarfighterHandlerFuncs{
		AddFunc:    note,
		UpdateFunc: func(_, ship *v1.Starfighter) { note(ship) },
		DeleteFunc: func(ship starwarsinformers.DeletedStarfighter) { b.journal.record(ship.GetObjectName().String()) },
	}
}

// ship is what readers of the board are told of a ship. Its text is what
// anybody who may write to the API chose, so whoever shows it has to escape it.
type ship struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	Faction   v1.Faction `json:"faction"`
	Type      string     `json:"type"`
	Pilot     string     `json:"pilot"`
	Phase     string     `json:"phase,omitempty"` // the latest
}

func view(cached *v1.Starfighter) ship {
	s := ship{
		Namespace: cached.Namespace,
		Name:      cached.Name,
		Faction:   cached.Spec.Faction,
		Type:      cached.Spec.Type,
		Pilot:     cached.Spec.Pilot,
	}
	if n := len(cached.Status.Phases); n > 0 {
		s.Phase = cached.Status.Phases[n-1]
	}
	return s
}

// all returns every ship in the cache.
func (b *board) all() []*v1.Starfighter {
	ships, err := b.lister.List(labels.Everything())
	if err != nil { // a list of everything cannot fail
		panic(err)
	}
	return ships
}

// get returns the ship of a key, and nil if there is none.
func (b *board) get(key string) *v1.Starfighter {
	name, err := cache.ParseObjectName(key)
	if err != nil {
		return nil
	}
	ship, err := b.lister.Starfighters(name.Namespace).Get(name.Name)
	if err != nil { // not there
		return nil
	}
	return ship
}
