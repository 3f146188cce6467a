// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Command openapi-schema prints the OpenAPI v2 schema of the SDK's API types,
// made from the definitions that openapi-gen generated. applyconfiguration-gen
// reads it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/kube-openapi/pkg/builder"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/okontajneroch/starwars/pkg/generated/openapi"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "openapi-schema:", err)
		os.Exit(1)
	}
}

func run() error {
	config := &common.Config{
		Info:           &spec.Info{InfoProps: spec.InfoProps{Title: "starwars", Version: "v1"}},
		GetDefinitions: openapi.GetOpenAPIDefinitions,
		GetDefinitionName: func(name string) (string, spec.Extensions) {
			// apimachinery's types carry their OpenAPI name already; the others
			// are known by their Go name.
			if strings.Contains(name, "/") {
				name = util.ToRESTFriendlyName(name)
			}
			return name, nil
		},
	}
	var names []string
	for name := range openapi.GetOpenAPIDefinitions(func(string) spec.Ref { return spec.Ref{} }) {
		names = append(names, name)
	}
	schema, err := builder.BuildOpenAPIDefinitionsForResources(config, names...)
	if err != nil {
		return fmt.Errorf("build the schema: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(schema)
}
