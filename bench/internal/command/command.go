// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package command is what the commands of this module have in common: how they
// start and end, read their flags and print results for programs.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/okontajneroch/starwars/bench/internal/child"
)

// Main is the main function of a command. In a process that the command made of
// itself it runs the part that it was made for. Ctrl-C and SIGTERM end ctx; an
// error ends the process with exit code 1.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	child.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, err)
		os.Exit(1)
	}
}

// NewFlags returns an empty set of flags, which leaves printing to Parse.
func NewFlags(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	return flags
}

// Parse parses the arguments. With --help it prints the usage and the flags to
// stdout and returns pflag.ErrHelp. Arguments that are no flags are an error.
func Parse(flags *pflag.FlagSet, args []string, usage string, stdout io.Writer) error {
	help := flags.BoolP("help", "h", false, "print this help")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *help {
		fmt.Fprint(stdout, usage, flags.FlagUsages())
		return pflag.ErrHelp
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return nil
}

// WriteJSON prints a result for programs.
func WriteJSON(stdout io.Writer, result any) error {
	encoder := json.NewEncoder(stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}
