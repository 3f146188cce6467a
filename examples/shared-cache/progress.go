// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/okontajneroch/starwars/examples/internal/console"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
)

// english writes numbers as 100,000.
var english = message.NewPrinter(language.English)

// progress tells how far something is that takes long with a large fleet.
type progress struct {
	what  string
	total int
	done  atomic.Int64
	begin time.Time
}

func newProgress(what string, total int) *progress {
	return &progress{what: what, total: total, begin: time.Now()}
}

// newFilling is the progress of a cache that is to have all ships that the API
// server has.
func newFilling(ctx context.Context, client starwarsclient.StarfighterInterface) (*progress, error) {
	ships, err := client.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("ask the API server how many ships it has: %w", err)
	}
	total := len(ships.Items)
	if rest := ships.RemainingItemCount; rest != nil {
		total += int(*rest)
	}
	return newProgress("Filling the cache", total), nil
}

// during does some work, and prints the progress until it is over: in place on a
// terminal, in a log as a line every few seconds.
func (p *progress) during(ctx context.Context, out *console.Console, work func(context.Context) error) error {
	interval := 5 * time.Second
	if out.Live {
		interval = 200 * time.Millisecond
	}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	defer out.Erase()
	over := make(chan error, 1)
	go func() { over <- work(ctx) }()
	for {
		select {
		case <-ticks.C:
			if text := p.at(time.Now()); out.Live {
				out.Draw(console.Row{Text: text})
			} else {
				out.Printf("%s\n", text)
			}
		case err := <-over:
			return err
		}
	}
}

// at writes counts, rate and time left at a moment.
func (p *progress) at(now time.Time) string {
	done := int(p.done.Load())
	perSecond := float64(done) / max(now.Sub(p.begin).Seconds(), 1e-3)
	if done == 0 {
		return english.Sprintf("%s: 0 of %d ships", p.what, p.total)
	}
	done = min(done, p.total) // more may have come since it was counted
	left := time.Duration(float64(p.total-done) / perSecond * float64(time.Second))
	return english.Sprintf("%s: %d of %d ships, %.0f/s, %s left", p.what, done, p.total, perSecond, left.Round(time.Second))
}

// count is a transform of the informer: it sees every ship on its way to the
// cache.
func (p *progress) count(ship any) (any, error) {
	p.done.Add(1)
	return ship, nil
}

// took writes how long all of it took.
func (p *progress) took() string {
	return time.Since(p.begin).Round(time.Millisecond).String()
}
