// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/pflag"
)

const usage = `starwars-apiserver runs the Starfighter API (starwars.okontajneroch.sk) on this
machine: a Kubernetes API server with its database in one process, reachable on
127.0.0.1 only. It prints how to use it with kubectl, and runs until Ctrl-C.

Usage:
  starwars-apiserver [flags]

Examples:
  # Throw-away data, a free port.
  starwars-apiserver

  # Keep the objects. With the same directory and port, kubeconfigs stay valid.
  starwars-apiserver --dir ./starwars-data --port 6443

Flags:
`

// config is what the command line says.
type config struct {
	dir          string
	port         int
	kubeconfig   string
	crdFiles     []string
	featureGates map[string]bool
	verbosity    int
}

// parseFlags reads the command line. The error is pflag.ErrHelp after --help,
// whose text is then on stdout.
func parseFlags(args []string, stdout io.Writer) (config, error) {
	var c config
	var gates map[string]string
	flags := pflag.NewFlagSet("starwars-apiserver", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.dir, "dir", "", "keep the data and the credentials in this `directory` (default: a temporary one)")
	flags.IntVar(&c.port, "port", 0, "listen on this `port` of 127.0.0.1 (default: a free one)")
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "write the kubeconfig to this `file`; never one in ~/.kube (default: a file in --dir, or a temporary one)")
	flags.StringArrayVar(&c.crdFiles, "crd", nil, "install the CustomResourceDefinitions in this `file` as well; can be repeated")
	flags.StringToStringVar(&gates, "feature-gates", nil, "turn features of the API server on or off, as in `A=true,B=false`")
	flags.Lookup("feature-gates").DefValue = "" // not "[]"
	flags.IntVarP(&c.verbosity, "v", "v", 0, "log `level`: 0 errors only, 1 what the server does, 4 and more for its developers")
	help := flags.BoolP("help", "h", false, "print this help")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if *help {
		fmt.Fprint(stdout, usage, flags.FlagUsages())
		return c, pflag.ErrHelp
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if flags.Changed("dir") && c.dir == "" {
		return c, errors.New("--dir is empty: name a directory, or leave the flag out for a temporary one")
	}
	if flags.Changed("kubeconfig") && c.kubeconfig == "" {
		return c, errors.New("--kubeconfig is empty: name a file, or leave the flag out")
	}
	for name, value := range gates {
		enabled, err := strconv.ParseBool(value)
		if err != nil {
			return c, fmt.Errorf("--feature-gates: %s=%s is neither true nor false", name, value)
		}
		if c.featureGates == nil {
			c.featureGates = map[string]bool{}
		}
		c.featureGates[name] = enabled
	}
	return c, nil
}
