// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Process is a part that runs.
type Process struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	forget func() bool // the context of Start
	stderr bytes.Buffer
}

// Call runs a part to its end and returns its answer. The variables are those
// of [Start].
func Call[Out any](ctx context.Context, name string, question any, variables ...string) (Out, error) {
	var answer Out
	process, err := Start(ctx, name, question, &answer, variables...)
	if err != nil {
		return answer, err
	}
	return answer, process.Stop()
}

// Start runs a part up to its answer, which it stores in answer. The part has
// the environment of this process, without what would tune the Go runtime or
// client-go, and the given variables (as in "KEY=value"). It is told to end when
// the context does.
func Start(ctx context.Context, name string, question, answer any, variables ...string) (*Process, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{name: name, cmd: exec.Command(executable)}
	p.cmd.Env = append(append(plainEnvironment(), variables...), partVariable+"="+name)
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.forget = context.AfterFunc(ctx, p.end)
	err = json.NewEncoder(p.stdin).Encode(question)
	if err == nil {
		err = json.NewDecoder(stdout).Decode(answer)
	}
	if err != nil {
		// Its own error tells more, if it has one.
		if stopped := p.Stop(); stopped != nil {
			return nil, stopped
		}
		return nil, fmt.Errorf("read the answer of %s: %w", name, err)
	}
	return p, nil
}

// patience is how long a part may take to end.
const patience = 10 * time.Second

// end tells the part to end, and sees to it.
func (p *Process) end() {
	_ = p.stdin.Close() // it may have gone
	time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
}

// Stop tells the part to end and waits for it.
func (p *Process) Stop() error {
	if p.forget() {
		p.end()
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", p.name, errors.Join(err, p.said()))
	}
	return nil
}

// said is what the part wrote to stderr, as an error, or nil.
func (p *Process) said() error {
	if text := strings.TrimSpace(p.stderr.String()); text != "" {
		return errors.New(text)
	}
	return nil
}

// plainEnvironment is the environment without variables that change what is
// measured.
func plainEnvironment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch {
		case strings.HasPrefix(name, "KUBE_FEATURE_"), name == "GOGC", name == "GOMEMLIMIT", name == "GODEBUG", name == partVariable:
		default:
			kept = append(kept, variable)
		}
	}
	return kept
}
