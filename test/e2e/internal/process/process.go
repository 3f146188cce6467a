// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package process runs the programs under test and waits for what they print.
package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Timeout bounds every wait. Nothing takes nearly as long unless it is broken.
const Timeout = time.Minute

// Process is a program that was started. Its methods may be called from any
// goroutine.
type Process struct {
	// Stdout and Stderr are what the program prints.
	Stdout, Stderr Output

	cmd    *exec.Cmd
	exited chan struct{}
}

// Start starts a program, and keeps what it prints. The caller must see to it
// that it ends.
func Start(command *exec.Cmd) (*Process, error) {
	p := &Process{cmd: command, exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.Stdout, &p.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name(), err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		p.Stdout.end()
		p.Stderr.end()
		close(p.exited)
	}()
	return p, nil
}

// New starts a program for a test. It is killed when the test is over, if it
// still runs, and what it printed is logged if the test failed.
func New(t *testing.T, command *exec.Cmd) *Process {
	t.Helper()
	p, err := Start(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(p.Describe())
		}
	})
	return p
}

// Await returns the output as soon as done says that it is complete. It fails
// when the program ends before, or takes too long.
func (p *Process) Await(o *Output, what string, done func(text string) bool) (string, error) {
	deadline := time.NewTimer(Timeout)
	defer deadline.Stop()
	for {
		text, more, ended := o.state()
		switch {
		case done(text):
			return text, nil
		case ended:
			return text, fmt.Errorf("no %s: %s", what, p.Describe())
		}
		select {
		case <-more:
		case <-deadline.C:
			return text, fmt.Errorf("no %s within %s: %s", what, Timeout, p.Describe())
		}
	}
}

// Signal sends a signal to the program.
func (p *Process) Signal(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return fmt.Errorf("send %s to %s: %w", signal, p.name(), err)
	}
	return nil
}

// Exit waits for the program's end and returns its exit code, which is -1 if a
// signal killed it.
func (p *Process) Exit() (int, error) {
	deadline := time.NewTimer(Timeout)
	defer deadline.Stop()
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-deadline.C:
		return 0, fmt.Errorf("not over within %s: %s", Timeout, p.Describe())
	}
}

// Kill ends the program at once, if it still runs, with no chance to clean up.
func (p *Process) Kill() error {
	if err := p.Signal(os.Kill); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_, err := p.Exit()
	return err
}

// Describe says what the program is doing and all that it printed.
func (p *Process) Describe() string {
	state := "runs"
	select {
	case <-p.exited:
		state = "has ended with " + p.cmd.ProcessState.String()
	default:
	}
	return fmt.Sprintf("%s %s; stdout:\n%sstderr:\n%s", p.name(), state, p.Stdout.String(), p.Stderr.String())
}

func (p *Process) name() string { return filepath.Base(p.cmd.Path) }
