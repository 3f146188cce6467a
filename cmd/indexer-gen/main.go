// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command indexer-gen generates listers that can be asked by index. Its output
// is a superset of lister-gen's, which it replaces for the packages it is run
// for. See README.md for the markers that it reads.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars/cmd/indexer-gen/internal/gen"
)

func main() {
	var (
		options          gen.Options
		pluralExceptions []string
	)
	flags := pflag.NewFlagSet("indexer-gen", pflag.ContinueOnError)
	flags.StringVar(&options.OutputDir, "output-dir", "", "the base directory under which to generate results")
	flags.StringVar(&options.OutputPkg, "output-pkg", "", "the base Go import-path under which to generate results")
	flags.StringSliceVar(&pluralExceptions, "plural-exceptions", nil, "list of comma separated plural exception definitions in Type:PluralizedType format")
	flags.StringVar(&options.GoHeaderFile, "go-header-file", "", "the path to a file containing boilerplate header text; the string \"YEAR\" will be replaced with the current 4-digit year")
	logging := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logging)
	flags.AddGoFlagSet(logging)
	flags.Usage = func() {
		fmt.Fprintf(os.Stderr, "Usage: indexer-gen --output-dir DIR --output-pkg IMPORT-PATH [flags] PACKAGE...\n\n%s", flags.FlagUsages())
	}

	err := flags.Parse(os.Args[1:])
	switch {
	case err == pflag.ErrHelp: //nolint:errorlint // pflag returns it as it is
		return
	case err == nil && options.OutputDir == "":
		err = fmt.Errorf("--output-dir must be specified")
	case err == nil && options.OutputPkg == "":
		err = fmt.Errorf("--output-pkg must be specified")
	case err == nil && flags.NArg() == 0:
		err = fmt.Errorf("name the packages of the API types, such as ./pkg/apis/...")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "indexer-gen: %v; see --help\n", err)
		os.Exit(2)
	}
	options.PluralExceptions = util.PluralExceptionListToMapOrDie(pluralExceptions)
	if err := run(options, flags.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run generates; its error is a line for every mistake in the markers.
func run(options gen.Options, packages []string) error {
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
