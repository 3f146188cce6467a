// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command indexer-gen generates listers that can be asked by index. Its output
// is a superset of lister-gen's, which it replaces for the packages it is run
// for. See README.md for the markers that it reads.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars/cmd/indexer-gen/internal/gen"
)

func main() {
	options, packages, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "indexer-gen: %v; see --help\n", err)
		os.Exit(2)
	}
	if err := generate(options, packages); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// parse reads the command line. Its flags are those of lister-gen.
func parse(args []string) (options gen.Options, packages []string, err error) {
	var plurals []string
	flags := pflag.NewFlagSet("indexer-gen", pflag.ContinueOnError)
	flags.StringVar(&options.OutputDir, "output-dir", "", "the base directory under which to generate results")
	flags.StringVar(&options.OutputPkg, "output-pkg", "", "the base Go import-path under which to generate results")
	flags.StringSliceVar(&plurals, "plural-exceptions", nil, "list of comma separated plural exception definitions in Type:PluralizedType format")
	flags.StringVar(&options.GoHeaderFile, "go-header-file", "", "the path to a file containing boilerplate header text; the string \"YEAR\" will be replaced with the current 4-digit year")
	logging := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logging)
	flags.AddGoFlagSet(logging)
	flags.Usage = func() {
		fmt.Fprintf(os.Stderr, "Usage: indexer-gen --output-dir DIR --output-pkg IMPORT-PATH [flags] PACKAGE...\n\n%s", flags.FlagUsages())
	}
	if err := flags.Parse(args); err != nil {
		return options, nil, err
	}
	switch {
	case options.OutputDir == "":
		return options, nil, errors.New("--output-dir must be specified")
	case options.OutputPkg == "":
		return options, nil, errors.New("--output-pkg must be specified")
	case flags.NArg() == 0:
		return options, nil, errors.New("no packages given: name those of the API types, such as ./pkg/apis/fleet/v1")
	}
	options.PluralExceptions = map[string]string{}
	for _, exception := range plurals {
		kind, plural, ok := strings.Cut(exception, ":")
		if !ok || kind == "" || plural == "" {
			return options, nil, fmt.Errorf("--plural-exceptions %q: write it as Type:PluralizedType", exception)
		}
		options.PluralExceptions[kind] = plural
	}
	return options, flags.Args(), nil
}

// generate writes the listers; its error has a line for every mistake in the
// markers, and then nothing is written.
func generate(options gen.Options, packages []string) error {
	var mistakes error
	targets := func(context *generator.Context) (targets []generator.Target) {
		targets, mistakes = gen.Targets(context, options)
		return targets
	}
	err := gengo.Execute(gen.NameSystems(options.PluralExceptions), gen.DefaultNameSystem, targets, gengo.StdBuildTag, packages)
	if mistakes != nil {
		return mistakes
	}
	if err != nil {
		return fmt.Errorf("indexer-gen: %w", err)
	}
	return nil
}
