// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// markerFile is the file in a data directory that says whose directory it is,
// and that is locked while an environment uses it.
const markerFile = "starwars-apiserver.lock"

// dataDir is a directory that this environment alone uses, until close.
type dataDir struct {
	path      string
	temporary bool // close removes it
	lock      *fileutil.LockedFile
}

// openDataDir locks the directory at path, or makes a temporary one if path is
// empty. It fails at once if another environment has it.
func openDataDir(path string) (*dataDir, error) {
	if path == "" {
		temp, err := os.MkdirTemp("", "starwars-apiserver-*")
		if err != nil {
			return nil, fmt.Errorf("make a temporary data directory: %w", err)
		}
		d := &dataDir{path: temp, temporary: true}
		if err := d.acquire(); err != nil {
			return nil, errors.Join(err, d.close())
		}
		return d, nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w; choose a directory that can be written to", err)
	}
	if err := checkOwnership(path); err != nil {
		return nil, err
	}
	d := &dataDir{path: path}
	return d, d.acquire()
}

// checkOwnership refuses a directory with somebody else's files in it:
// starting with fresh data removes files.
func checkOwnership(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("read the data directory: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == markerFile {
			return nil
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has files in it, such as %s, that are not from this API server: "+
			"choose an empty or a new data directory", path, entries[0].Name())
	}
	return nil
}

func (d *dataDir) acquire() error {
	lock, err := fileutil.TryLockFile(filepath.Join(d.path, markerFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fileutil.ErrLocked) {
		return fmt.Errorf("data directory %s is in use by another API server: stop that one or choose another directory: %w", d.path, err)
	}
	if err != nil {
		return fmt.Errorf("lock the data directory: %w; choose a directory that can be written to", err)
	}
	d.lock = lock
	return nil
}

func (d *dataDir) credentials() string { return filepath.Join(d.path, "pki") }
func (d *dataDir) etcd() string        { return filepath.Join(d.path, "etcd") }

// clear removes the objects, and keeps the credentials.
func (d *dataDir) clear() error {
	if err := os.RemoveAll(d.etcd()); err != nil {
		return fmt.Errorf("remove the old data: %w", err)
	}
	return nil
}

// close unlocks the directory and removes it if it is a temporary one.
func (d *dataDir) close() error {
	var errs []error
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
		d.lock = nil
	}
	if d.temporary {
		errs = append(errs, os.RemoveAll(d.path))
	}
	return errors.Join(errs...)
}

// newSocketDir makes a directory, private to the user, for unix sockets. It is
// in the data directory, and only if that has a long path in one for temporary
// files: a path of a socket may have about 100 bytes.
func (d *dataDir) newSocketDir() (string, error) {
	const longest = 90 // macOS takes 103 bytes in all
	if dir := filepath.Join(d.path, "run"); len(dir) <= longest {
		if err := os.RemoveAll(dir); err != nil { // of a process that was killed
			return "", fmt.Errorf("remove old sockets: %w", err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", fmt.Errorf("make a directory for sockets: %w", err)
		}
		return dir, nil
	}
	var errs []error
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, "sw*")
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(dir) <= longest {
			return dir, nil
		}
		errs = append(errs, &fs.PathError{Op: "use", Path: dir, Err: errors.New("path is too long for a socket")}, os.Remove(dir))
	}
	return "", fmt.Errorf("no directory for sockets, set TMPDIR to a short path: %w", errors.Join(errs...))
}
