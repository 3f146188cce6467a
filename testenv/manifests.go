// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// crdManifest is one CustomResourceDefinition to install. The object is kept
// as it was written: the server, not this package, judges unknown fields.
type crdManifest struct {
	object *unstructured.Unstructured
	crd    *apiextensionsv1.CustomResourceDefinition
}

// parseCRDs reads the CRDs of one YAML or JSON text. It knows just enough to
// tell which document is no CRD; the rest is left to the server.
func parseCRDs(data []byte) ([]crdManifest, error) {
	var manifests []crdManifest
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 1; ; n++ {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		raw, err := yaml.YAMLToJSONStrict(doc)
		if err != nil {
			return nil, fmt.Errorf("document %d is neither YAML nor JSON: %w", n, err)
		}
		if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
			continue // only comments or nothing between two separators
		}
		m, err := parseCRD(raw)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		manifests = append(manifests, m)
	}
	if len(manifests) == 0 {
		return nil, errors.New("no CustomResourceDefinition in it")
	}
	return manifests, nil
}

func parseCRD(raw []byte) (crdManifest, error) {
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, &object.Object); err != nil {
		return crdManifest{}, fmt.Errorf("not an object: %w", err)
	}
	want := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	if got := object.GroupVersionKind(); got != want {
		return crdManifest{}, fmt.Errorf("apiVersion %q, kind %q: only %s, kind %s can be installed",
			object.GetAPIVersion(), object.GetKind(), want.GroupVersion(), want.Kind)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(raw, crd); err != nil {
		return crdManifest{}, fmt.Errorf("CustomResourceDefinition %q: %w", object.GetName(), err)
	}
	if crd.Name == "" {
		return crdManifest{}, errors.New("CustomResourceDefinition without metadata.name")
	}
	return crdManifest{object: object, crd: crd}, nil
}
