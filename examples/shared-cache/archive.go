// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsinformers "github.com/okontajneroch/starwars/pkg/generated/informers/externalversions/starwars/v1"
)

// archive is the slow consumer: it takes its time to file each change. Nobody
// waits for it, and what waits for it stays small: a ship that changes again before
// the archive gets to it is filed once, as it is then.
type archive struct {
	ctx context.Context // when it ends, nothing is filed any more
}

func (a archive) OnAdd(*v1.Starfighter, bool) { a.file() }

func (a archive) OnUpdate(_, _ *v1.Starfighter) { a.file() }

func (a archive) OnDelete(starwarsinformers.DeletedStarfighter) { a.file() }

func (a archive) file() { pause(a.ctx, 250*time.Millisecond) }
