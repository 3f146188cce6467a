// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package program is what the examples have in common around their subject:
// flags, Ctrl-C, --for, logging and exit codes.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"

	"github.com/okontajneroch/starwars/examples/internal/target"
)

// Program is an example.
type Program struct {
	// Name is the example's folder.
	Name string
	// About says in a few lines what the example does; --help prints it.
	About string
	// Namespace is where a flag puts the one namespace whose ships the example
	// reads. Optional: without it the example reads those of all.
	Namespace *string
	// AddFlags adds the example's own flags. Optional. An example that does
	// something at the end of its time has its own flag --for.
	AddFlags func(*pflag.FlagSet)
	// Check says what is wrong with the values of the example's own flags.
	// Optional.
	Check func() error
	// Run is the example itself. It returns when its work is done or ctx ends,
	// which is no error.
	Run func(ctx context.Context, server *target.Server) error
}

// Main runs the program and returns the exit code of its process: 0 also when
// Ctrl-C, SIGTERM or --for ended it, 1 when it failed, 2 for wrong flags. A
// second Ctrl-C ends the process at once.
func Main(p Program) int {
	var (
		server    target.Target
		lasts     time.Duration
		verbosity int
	)
	flags := pflag.NewFlagSet(p.Name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard) // errors and help are printed below
	if p.AddFlags != nil {
		p.AddFlags(flags)
	}
	if flags.Lookup("for") == nil {
		flags.DurationVar(&lasts, "for", 0, "end by itself after this `DURATION`, such as 30s; 0 waits for Ctrl-C")
	}
	server.AddFlags(flags)
	flags.IntVarP(&verbosity, "v", "v", 0, "log at this `LEVEL` of client-go and of the API server; without it only errors are logged")

	err := flags.Parse(os.Args[1:])
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Printf("%s\n\nUsage: go run ./examples/%s [flags]\n\n%s", p.About, p.Name, flags.FlagUsages())
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && lasts < 0:
		err = fmt.Errorf("--for %s is in the past", lasts)
	case err == nil:
		err = p.check()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s; see --help\n", p.Name, oneLine(err))
		return 2
	}
	if p.Namespace != nil {
		server.Namespace = *p.Namespace
	}
	quiet := setUpLogging(verbosity)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal is not caught
	if lasts > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lasts)
		defer cancel()
	}
	// What fails because everything is being stopped is no news.
	context.AfterFunc(ctx, quiet)
	if err := connectAndRun(ctx, &server, p.Run); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", p.Name, oneLine(err))
		return 1
	}
	return 0
}

// check says what is wrong with the values of flags.
func (p *Program) check() error {
	if p.Namespace != nil && *p.Namespace != metav1.NamespaceAll {
		if reasons := validation.IsDNS1123Label(*p.Namespace); reasons != nil {
			return fmt.Errorf("--namespace %q cannot exist: %s", *p.Namespace, strings.Join(reasons, ", "))
		}
	}
	if p.Check == nil {
		return nil
	}
	return p.Check()
}

func connectAndRun(ctx context.Context, to *target.Target, run func(context.Context, *target.Server) error) (err error) {
	server, err := to.Connect(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped by the user before it began
		}
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	err = run(ctx, server)
	if ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil // stopped by the user in the middle of something
	}
	return err
}

// oneLine is what an error says, without what a terminal would act on: a part of
// it may come from an API server.
func oneLine(err error) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, err.Error())
}

// setUpLogging keeps the log of an API server in the same process from burying
// the example's own output: below level 1 only errors are shown, and these only
// until quiet is called.
func setUpLogging(verbosity int) (quiet func()) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	set := func(name, value string) {
		if err := flags.Set(name, value); err != nil {
			panic(fmt.Sprintf("klog flag %s=%s: %v", name, value, err))
		}
	}
	if verbosity > 0 {
		set("v", strconv.Itoa(verbosity))
		return func() {}
	}
	klog.SetOutput(io.Discard)
	set("logtostderr", "false")
	set("stderrthreshold", "ERROR")
	return func() { set("stderrthreshold", "FATAL") }
}
