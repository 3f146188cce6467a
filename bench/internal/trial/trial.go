// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package trial measures one way, in a process that does nothing else.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	"github.com/okontajneroch/starwars/bench/internal/way"
	"github.com/okontajneroch/starwars/bench/internal/wire"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// Server is where the ships are.
type Server struct {
	// URL is that of a server of package wire.
	URL string
	// Kubeconfig is the file of an API server's, if it is one.
	Kubeconfig string
}

// config is how a way reaches the server. No way is held up by client-go's rate
// limit, which is 5 requests per second unless a program says otherwise.
func (s Server) config(w way.Way) (*rest.Config, error) {
	config := &rest.Config{Host: s.URL}
	if s.Kubeconfig != "" {
		var err error
		if config, err = clientcmd.BuildConfigFromFlags("", s.Kubeconfig); err != nil {
			return nil, fmt.Errorf("read the kubeconfig: %w", err)
		}
	} else if w.Paged {
		config.Host += wire.PagedPath
	}
	config.QPS = -1
	return config, nil
}

// call runs a trial in a new process.
func call[Result any](ctx context.Context, part string, w way.Way, question any) (Result, error) {
	result, err := child.Call[Result](ctx, part, question, w.Variables...)
	if err != nil {
		return result, fmt.Errorf("trial of %s: %w", w.Name, err)
	}
	return result, nil
}

// limit is how long a trial may take.
const limit = 10 * time.Minute

// begin makes the process quiet and limits its time.
func begin(ctx context.Context) (context.Context, context.CancelFunc) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	crlog.SetLogger(klog.Background())
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done in %s", limit))
}

// check compares a cache with what should be in it.
func check(ctx context.Context, cache way.Cache, want fleet.Digest) error {
	var have fleet.Digest
	if err := cache.Each(ctx, have.Add); err != nil {
		return err
	}
	if have != want {
		return fmt.Errorf("the cache is wrong: it has %d ships (digest %x), the server %d (%x)", have.Count, have.Sum, want.Count, want.Sum)
	}
	return nil
}

// errMissed is of a handler that was not told of all.
var errMissed = errors.New("the handler was not told of each ship")

func ignore(*starwarsv1.Starfighter) {}
