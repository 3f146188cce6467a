// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package server runs the API server of testenv in a process of its own, which
// tests can kill and start again.
package server

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
)

// Server is an API server that serves Starfighters. Its methods are for one
// goroutine at a time; clients are not.
type Server struct {
	// Kubeconfig is the path of a kubeconfig for the server. It stays valid
	// when the server is started again.
	Kubeconfig string

	dir     string
	port    string // where it serves; the system's choice at the first start
	process *process.Process
}

// Start starts a server on a free port that keeps all its files below dir.
func Start(dir string) (*Server, error) {
	s := &Server{Kubeconfig: filepath.Join(dir, "kubeconfig"), dir: filepath.Join(dir, "data")}
	port, err := s.start("0")
	if err != nil {
		return nil, err
	}
	s.port = port
	return s, nil
}

// New starts a server for one test. It ends with the test; what it logged is
// shown if the test failed.
func New(t *testing.T) *Server {
	t.Helper()
	s, err := Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.End(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(s.Describe())
		}
	})
	return s
}

// Restart starts the server again after Kill or Stop, with the data and on the
// port that it had, so that clients find it. It returns when the server serves.
func (s *Server) Restart() error {
	_, err := s.start(s.port)
	return err
}

// RestartElsewhere is Restart on another port: the clients there are do not
// find the server, but those made from here on with Config do.
func (s *Server) RestartElsewhere() error {
	_, err := s.start("0")
	return err
}

// RestartWithFreshData is Restart for a server whose database was lost, so that
// resourceVersions begin anew. The credentials stay as they were.
func (s *Server) RestartWithFreshData() error {
	if err := os.RemoveAll(filepath.Join(s.dir, "etcd")); err != nil {
		return fmt.Errorf("lose the data: %w", err)
	}
	return s.Restart()
}

func (s *Server) start(port string) (actualPort string, err error) {
	path, err := binaries.Path(binaries.APIServer)
	if err != nil {
		return "", err
	}
	p, err := process.Start(exec.Command(path, "--dir", s.dir, "--port", port, "--kubeconfig", s.Kubeconfig))
	if err != nil {
		return "", err
	}
	s.process = p
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Kill())
		}
	}()
	// The last of its lines is the first kubectl command to try.
	text, err := p.Await(&p.Stdout, "line that says how to use kubectl", func(text string) bool {
		return strings.Contains(text, "\nkubectl get starfighters\n")
	})
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(text, "\n")
	address, err := url.Parse(strings.TrimPrefix(first, "Serving the starwars API at "))
	if err != nil || address.Port() == "" {
		return "", fmt.Errorf("the first line does not say where it serves: %q", first)
	}
	return address.Port(), nil
}

// Kill ends the server with no chance to clean up, as a crash does. It does
// nothing if the server has ended.
func (s *Server) Kill() error { return s.process.Kill() }

// Stop ends the server as an operator does, and fails if that is no clean end.
func (s *Server) Stop() error {
	if err := s.process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	code, err := s.process.Exit()
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d after SIGTERM: %s", code, s.process.Describe())
	}
	return err
}

// End stops the server if it runs. In any case it runs no more.
func (s *Server) End() error {
	err := s.Stop()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return errors.Join(err, s.Kill())
}

// Describe says whether the server runs and what it logged.
func (s *Server) Describe() string { return s.process.Describe() }

// Config returns a configuration for clients of the server, without a rate
// limit: client-go's default of 5 requests a second would only slow tests down.
func (s *Server) Config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", s.Kubeconfig, err)
	}
	config.QPS = -1
	return config, nil
}
