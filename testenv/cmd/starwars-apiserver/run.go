// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars/config/crd"
	"github.com/okontajneroch/starwars/testenv"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells report SIGINT
)

// run is the whole command. It returns the exit code. The first signal stops
// the server, the second calls exit at once.
func run(args []string, stdout, stderr io.Writer, signals <-chan os.Signal, exit func(int)) int {
	c, err := parseFlags(args, stdout)
	if errors.Is(err, pflag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "starwars-apiserver: %s\nRun 'starwars-apiserver --help' for usage.\n", oneLine(err))
		return exitUsage
	}
	quieten := setUpLogging(c.verbosity)
	defer klog.Flush()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-signals
		quieten()
		cancel()
		<-signals
		exit(exitInterrupted)
	}()
	if err := serve(ctx, c, stdout); err != nil {
		fmt.Fprintf(stderr, "starwars-apiserver: %s\n", oneLine(err))
		return exitFailure
	}
	return exitOK
}

// serve runs the server until ctx ends or it dies. That ctx ends is no error,
// however early.
func serve(ctx context.Context, c config, stdout io.Writer) (err error) {
	options := testenv.Options{
		Dir:          c.dir,
		Port:         c.port,
		CRDs:         [][]byte{crd.Starfighters()},
		FeatureGates: c.featureGates,
	}
	for _, file := range c.crdFiles {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("--crd: %w", err)
		}
		options.CRDs = append(options.CRDs, data)
	}
	environment, err := testenv.Start(ctx, options)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, environment.Stop()) }()

	kubeconfig, cleanUp, err := writeKubeconfig(environment, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	fmt.Fprintf(stdout, "Serving the starwars API at %s\nexport KUBECONFIG=%s\nkubectl get starfighters\n",
		environment.URL(), shellQuote(kubeconfig))

	select {
	case <-ctx.Done():
		return nil
	case <-environment.Done():
		return environment.Err()
	}
}

// writeKubeconfig writes the kubeconfig to where the flags say, and returns its
// absolute path and what removes it if it is a temporary file.
func writeKubeconfig(environment *testenv.Environment, c config) (path string, cleanUp func() error, err error) {
	cleanUp = func() error { return nil }
	switch path = c.kubeconfig; {
	case path != "":
	case c.dir != "":
		path = filepath.Join(c.dir, "kubeconfig")
	default:
		dir, err := os.MkdirTemp("", "starwars-kubeconfig-*")
		if err != nil {
			return "", nil, fmt.Errorf("make a directory for the kubeconfig: %w", err)
		}
		cleanUp = func() error { return os.RemoveAll(dir) }
		path = filepath.Join(dir, "kubeconfig")
	}
	if path, err = filepath.Abs(path); err == nil {
		err = environment.WriteKubeconfig(path)
	}
	if err != nil {
		return "", nil, errors.Join(err, cleanUp())
	}
	return path, cleanUp, nil
}

// setUpLogging sends klog to stderr: everything from level 1 on, and below only
// errors, since the server tells at level 0 about every part that it starts.
// It returns what to call before the end: at level 0 the parts that then lose
// sight of each other need not tell.
func setUpLogging(verbosity int) (quieten func()) {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	set := func(name, value string) { _ = flags.Set(name, value) }
	set("v", strconv.Itoa(verbosity))
	if verbosity > 0 {
		return func() {}
	}
	set("stderrthreshold", "ERROR")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard) // or klog would write files
	return func() { set("stderrthreshold", "FATAL") }
}

// oneLine returns the text of an error without line breaks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// shellQuote makes a path safe to paste into a shell.
func shellQuote(path string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !safe(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
