// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package binaries provides the programs under test. They run in processes of
// their own, so that they can be killed, and so that the API server and kubectl
// are compiled without the race detector that the tests themselves use.
package binaries

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/okontajneroch/starwars/test/e2e/internal/repo"
)

// DirVariable is the environment variable that names a folder with all
// programs, built before. Without it they are built when they are first asked
// for. They are never looked up on PATH.
const DirVariable = "STARWARS_BIN"

// The programs under test.
const (
	APIServer   = "starwars-apiserver"
	Kubectl     = "kubectl"
	Informer    = "informer"
	SharedCache = "shared-cache"
	CustomIndex = "custom-index"
	FleetBoard  = "fleet-board"
)

// sources has the module and the package of each program. Each is built in its
// own module, so that it builds with and without the workspace.
var sources = map[string]struct{ module, pkg string }{
	APIServer:   {"testenv", "./cmd/starwars-apiserver"},
	Kubectl:     {"test/e2e", "./cmd/kubectl"},
	Informer:    {"examples", "./informer"},
	SharedCache: {"examples", "./shared-cache"},
	CustomIndex: {"examples", "./custom-index"},
	FleetBoard:  {"examples", "./fleet-board"},
}

var (
	mu    sync.Mutex // held while building: one go command at a time is enough work
	dir   string     // temporary; made by the first build
	built = map[string]error{}
)

// Path returns the path of a program.
func Path(name string) (string, error) {
	if given := os.Getenv(DirVariable); given != "" {
		path, err := filepath.Abs(filepath.Join(given, name))
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return "", fmt.Errorf("%s is set, but a program is missing there: %w", DirVariable, err)
		}
		return path, nil
	}

	mu.Lock()
	defer mu.Unlock()
	err, known := built[name]
	if !known {
		err = build(name)
		built[name] = err
	}
	return filepath.Join(dir, name), err
}

// Remove removes what was built. Nothing may be asked for afterwards.
func Remove() error {
	mu.Lock()
	defer mu.Unlock()
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}

func build(name string) error {
	source, known := sources[name]
	if !known {
		return fmt.Errorf("there is no program %s", name)
	}
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "starwars-e2e-"); err != nil {
			return fmt.Errorf("make a folder for the programs under test: %w", err)
		}
	}
	fmt.Fprintf(os.Stderr, "building %s, which takes minutes the first time; %s names a folder with programs built before\n", name, DirVariable)
	command := exec.Command("go", "build", "-race=false", "-o", filepath.Join(dir, name), source.pkg)
	command.Dir = filepath.Join(root, source.module)
	if out, err := command.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("%v in %s: %w", command, command.Dir, err), errors.New(string(out)))
	}
	return nil
}
