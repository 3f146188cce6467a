// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/measure"
	"github.com/okontajneroch/starwars/bench/internal/query"
	"github.com/okontajneroch/starwars/bench/internal/way"
)

// QueryQuestion asks for a trial of all questions to a full cache.
type QueryQuestion struct {
	Peer   string
	Server Server
	Fleet  fleet.Fleet
	// For is how long each question is asked, again and again.
	For time.Duration
}

// Query is what questions cost.
type Query struct {
	Answers []Answer `json:"answers"`
	// IndexMemory is what the two indexes add to the heap, and IndexTime how long
	// it takes to add them to the full cache; 0 where they are there from the start.
	IndexMemory uint64        `json:"indexBytes"`
	IndexTime   time.Duration `json:"indexNanoseconds"`
}

// Answer is what one question costs.
type Answer struct {
	Question string `json:"question"`
	// Found is how many ships it found, the first time.
	Found int `json:"found"`
	// Nanoseconds, Allocations and Allocated bytes are for one time.
	Nanoseconds float64 `json:"nanoseconds"`
	Allocations float64 `json:"allocations"`
	Allocated   float64 `json:"allocatedBytes"`
}

const queryPart = "query"

func init() { child.Register(queryPart, runQuery) }

// RunQuery runs a trial in a new process.
func RunQuery(ctx context.Context, question QueryQuestion) (Query, error) {
	return call[Query](ctx, queryPart, way.Way{Name: question.Peer}, question)
}

func runQuery(ctx context.Context, question QueryQuestion, answer func(Query) error) error {
	ctx, cancel := begin(ctx)
	defer cancel()
	config, err := question.Server.config(way.Way{})
	if err != nil {
		return err
	}
	c, err := query.Start(ctx, question.Peer, config)
	if err != nil {
		return err
	}
	if err := c.WaitForSync(ctx); err != nil {
		return err
	}
	var result Query
	full := measure.Retained()
	began := time.Now()
	added, err := c.AddIndexes()
	if err != nil {
		return err
	}
	if added {
		result.IndexTime = time.Since(began)
		result.IndexMemory = measure.Retained() - full
	}

	ships := query.NewShips(question.Fleet)
	for _, q := range c.Questions(ships) {
		measured, err := askAgainAndAgain(q.Ask, question.For)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		measured.Question = q.Name
		result.Answers = append(result.Answers, measured)
		if q.Name != query.FactionToRead && q.Name != query.FactionCopy {
			continue
		}
		if measured, err = askWhileWritten(ctx, q, c.Store(), ships, question.For); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		result.Answers = append(result.Answers, measured)
	}
	cancel()
	c.Wait()
	return answer(result)
}

// askAgainAndAgain asks for as long as it is told, after some times for practice.
func askAgainAndAgain(ask func(int) (int, error), during time.Duration) (Answer, error) {
	first, err := ask(0)
	if err != nil {
		return Answer{}, err
	}
	turn, times := 1, 1
	for {
		before, began := measure.Heap(), time.Now()
		for range times {
			if _, err := ask(turn); err != nil {
				return Answer{}, err
			}
			turn++
		}
		took, after := time.Since(began), measure.Heap()
		if took >= during {
			n := float64(times)
			return Answer{
				Found:       first,
				Nanoseconds: float64(took) / n,
				Allocations: float64(after.Allocations-before.Allocations) / n,
				Allocated:   float64(after.Allocated-before.Allocated) / n,
			}, nil
		}
		// As many as should do, and not many more than that.
		times = max(times+1, min(100*times, int(1.1*float64(times)*float64(during)/float64(max(took, 1)))))
	}
}

// The load of askWhileWritten.
const (
	readers  = 2
	interval = time.Millisecond // between writes
)

// WhileWritten is added to the name of a question that two readers ask at once
// while a thousand ships change each second.
const WhileWritten = ", 2 readers and a writer"

func askWhileWritten(ctx context.Context, q query.Question, store cache.Store, ships query.Ships, during time.Duration) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, during)
	defer cancel()
	var work sync.WaitGroup
	asked, errs := make([]int, readers), make([]error, readers+1)
	work.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ticker.C:
				if err := store.Update(ships.Updated[n%len(ships.Updated)]); err != nil {
					errs[readers] = err
				}
			case <-ctx.Done():
				return
			}
		}
	})
	before, began := measure.Heap(), time.Now()
	first := 0
	for r := range readers {
		work.Go(func() {
			for more := true; more; more = ctx.Err() == nil && errs[r] == nil {
				n := 0
				n, errs[r] = q.Ask(asked[r])
				if r == 0 && asked[r] == 0 {
					first = n
				}
				asked[r]++
			}
		})
	}
	work.Wait()
	took, after := time.Since(began), measure.Heap()
	total := 0
	for _, n := range asked {
		total += n
	}
	return Answer{
		Question:    q.Name + WhileWritten,
		Found:       first,
		Nanoseconds: float64(took) * readers / float64(total),
		Allocations: float64(after.Allocations-before.Allocations) / float64(total),
		Allocated:   float64(after.Allocated-before.Allocated) / float64(total),
	}, errors.Join(errs...)
}
