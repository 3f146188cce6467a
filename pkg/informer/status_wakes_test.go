// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// Who asks how a subscription is doing reads the log for it. The handler is told
// all the same, though nothing is left to read when it wakes up.
func TestStatusKeepsNothingFromASubscription(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newServer(t)
		server.Add(shipOf("x-wing-1", "Luke Skywalker"))
		i := newShips(t, server, Options[*v1.Starfighter]{})
		told := &events{}
		s, err := i.Subscribe(ctx, told, SubscribeOptions{Name: "told"})
		must(t, err)
		go i.RunWithContext(ctx)
		synctest.Wait()
		for n := range 2000 {
			before := told.count()
			server.Modify(shipOf("x-wing-1", fmt.Sprint("Red ", n)))
			for range 20 {
				s.Status()
			}
			synctest.Wait()
			if told.count() == before {
				t.Fatalf("change %d waits for the next one; %+v", n, s.Status())
			}
		}
	})
}
