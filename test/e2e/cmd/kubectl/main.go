// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command kubectl is the real kubectl, built from its published module, so
// that the tests need no kubectl on the machine.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	// The verbosity must be known before the command parses its flags.
	_, _ = logs.GlogSetter(cmd.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err) // prints it in kubectl's own words and exits
	}
}
