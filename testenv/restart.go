// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"fmt"
)

// RestartOptions says how [Environment.Restart] restarts.
type RestartOptions struct {
	// FreshData starts without the objects, as if the cluster's database had
	// been lost: resourceVersions begin again at the start. The CRDs of
	// Options.CRDs and InstallCRDs are installed anew. Without it everything is
	// as it was, CRDs included.
	FreshData bool
}

// Halt stops the server, and keeps the data, the credentials and, if the
// system can, the port, so that Restart can bring it back. Meanwhile clients
// are refused. It does nothing if the server is halted.
func (e *Environment) Halt() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return errStopped
	}
	return e.haltAndHold()
}

func (e *Environment) haltAndHold() error {
	if e.run == nil {
		return nil
	}
	if err := e.halt(); err != nil {
		return fmt.Errorf("halt the API server: %w", err)
	}
	held, err := holdPort(e.port)
	if err != nil {
		e.logger.V(2).Info("Cannot hold the port until the restart", "port", e.port, "err", err)
	}
	e.held = held
	return nil
}

// Restart starts the server again on the same port with the same credentials,
// after halting it if it runs, and returns when it serves, as Start does; ctx
// means the same as there. After an error the server is halted, and Restart
// can be tried again. A server that died by itself (Done is closed) stays dead.
func (e *Environment) Restart(ctx context.Context, opts RestartOptions) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("restart the API server: %w", err)
		}
	}()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return errStopped
	}
	if err := e.Err(); err != nil {
		return err
	}
	if err := e.haltAndHold(); err != nil {
		return err
	}
	var crds []crdManifest
	if opts.FreshData {
		crds = e.crds
		if err := e.dir.clear(); err != nil {
			return err
		}
	}
	e.held.release()
	e.held = nil
	ctx, cancel := e.whileNotStopped(ctx)
	defer cancel()
	l, err := relisten(ctx, e.port)
	if err != nil {
		return err
	}
	return e.launch(ctx, l, crds)
}
