// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// get does one GET and returns the error for it.
func get(t *testing.T, config *rest.Config, path string) error {
	t.Helper()
	_, err := getRaw(t, config, path, "")
	return err
}

func getRaw(t *testing.T, config *rest.Config, path, accept string) ([]byte, error) {
	t.Helper()
	config = rest.CopyConfig(config)
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request := client.Get().AbsPath(path).MaxRetries(0)
	if accept != "" {
		request.SetHeader("Accept", accept)
	}
	return request.DoRaw(t.Context())
}

// widgets is the manifest of a CRD of another group with these versions, the
// first being the one stored.
func widgets(versions ...string) string {
	manifest := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
`
	for i, version := range versions {
		manifest += `  - name: ` + version + `
    served: true
    storage: ` + strconv.FormatBool(i == 0) + `
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
`
	}
	return manifest
}
