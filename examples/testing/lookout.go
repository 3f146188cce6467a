// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lookout is a small consumer of the SDK, and lookout_test.go shows how such
// a thing is tested: with a cache that is filled by hand, with a fake clientset and
// a clock that the test moves, and with a real API server. Read that file; run it
// with go test ./examples/testing.
package lookout

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/okontajneroch/starwars"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// Lookout raises the alarm when the empire has had more ships than the rebellion
// for a while.
type Lookout struct {
	ships    starwarslisters.StarfighterLister
	patience time.Duration
	alarm    func(more int)
	changed  chan struct{}
}

// New returns a lookout that follows the informer's ships, once it runs. It calls
// alarm when the empire has had the majority for as long as patience says, once each
// time, with the number of ships that it has more.
func New(ships starwarsinformers.TypedStarfighterInformer, patience time.Duration, alarm func(more int)) (*Lookout, error) {
	l := &Lookout{ships: ships.Lister(), patience: patience, alarm: alarm, changed: make(chan struct{}, 1)}
	_, err := ships.TypedInformer().AddTypedEventHandler(starwarsinformers.StarfighterHandlerFuncs{
		AddFunc:    func(*v1.Starfighter) { l.look() },
		UpdateFunc: func(_, _ *v1.Starfighter) { l.look() },
		DeleteFunc: func(starwarsinformers.DeletedStarfighter) { l.look() },
	})
	return l, err
}

// look makes Run look again. It does not wait, as a handler had better not.
func (l *Lookout) look() {
	select {
	case l.changed <- struct{}{}:
	default: // it will look anyway
	}
}

// Run returns when ctx ends.
func (l *Lookout) Run(ctx context.Context) {
	var due <-chan time.Time // of the alarm; nil while there is no reason for one
	for {
		switch more := Majority(l.ships); {
		case more <= 0:
			due = nil
		case due == nil:
			due = time.After(l.patience)
		}
		select {
		case <-l.changed:
		case <-due:
			if more := Majority(l.ships); more > 0 { // not gone at the last moment
				l.alarm(more)
				due = make(chan time.Time) // not again before the majority is gone
			}
		case <-ctx.Done():
			return
		}
	}
}

// Majority returns how many ships the empire has more than the rebellion.
func Majority(ships starwarslisters.StarfighterLister) int {
	return ships.CountByFaction(v1.Empire) - ships.CountByFaction(v1.Rebellion)
}

// ImperialFleet returns a factory whose informers have the ships of the empire only:
// the API server sends no others.
func ImperialFleet(client versioned.Interface) *starwars.Factory {
	return starwars.NewSharedInformerFactory(client, 0, starwars.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector("spec.faction", string(v1.Empire)).String()
	}))
}
