// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package child runs parts of a program in processes of their own: the same
// executable again, told by an environment variable which part it is. What it
// uses is then its own: CPU, memory, feature gates.
//
// A part is registered with [Register], and the program's main, or TestMain,
// calls [Main] first. [Call] runs a part to its end, [Start] one that serves.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// partVariable names the part to run.
const partVariable = "STARWARS_BENCH_PART"

// part is what a child process does. It reads what it is asked from in and
// calls answer once. Its context ends when the parent is gone or wants it to.
type part func(ctx context.Context, in []byte, answer func(any) error) error

var parts = map[string]part{}

// Register makes a part known under a name. What the parent passes arrives
// decoded; what run passes to answer is what the parent gets.
func Register[In, Out any](name string, run func(ctx context.Context, in In, answer func(Out) error) error) {
	parts[name] = func(ctx context.Context, text []byte, answer func(any) error) error {
		var in In
		if err := json.Unmarshal(text, &in); err != nil {
			return fmt.Errorf("decode the question: %w", err)
		}
		return run(ctx, in, func(out Out) error { return answer(out) })
	}
}

// Main runs the part that this process is and exits, or returns if it is none.
func Main() {
	name, found := os.LookupEnv(partVariable)
	if !found {
		return
	}
	if err := runPart(name); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runPart reads the question, one line of JSON, from stdin, and writes the
// answer, another, to stdout. The end of stdin is the end of the part.
func runPart(name string) error {
	run, found := parts[name]
	if !found {
		return errors.New("no such part")
	}
	questions := json.NewDecoder(os.Stdin)
	var question json.RawMessage
	if err := questions.Decode(&question); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		cancel(errors.Join(errors.New("the parent wants no more"), err))
	}()
	return run(ctx, question, func(answer any) error {
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		return nil
	})
}
