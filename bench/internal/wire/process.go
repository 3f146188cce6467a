// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
)

// partName is the name of the server's process.
const partName = "wire"

func init() { child.Register(partName, serve) }

// Ready is what a server tells when all its answers are prepared.
type Ready struct {
	// URL is where it is.
	URL string
	// Before and After are the digests of the fleet, before and after its
	// updates.
	Before, After fleet.Digest
}

// Start starts a server in a process of its own.
func Start(ctx context.Context, config Config) (Ready, *child.Process, error) {
	var ready Ready
	process, err := child.Start(ctx, partName, config, &ready)
	return ready, process, err
}

// serve is the server's process.
func serve(ctx context.Context, config Config, answer func(Ready) error) error {
	handler, err := NewHandler(config)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	ready := Ready{URL: "http://" + listener.Addr().String(), Before: config.Fleet.Digest()}
	ready.After = ready.Before
	if config.Updates > 0 {
		ready.After = config.Fleet.DigestAfter(config.Updates)
	}
	if err := answer(ready); err != nil {
		return err
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
