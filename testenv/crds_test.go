// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/okontajneroch/starwars/config/crd"
	"github.com/okontajneroch/starwars/testenv"
)

func TestInstallCRDs(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{CRDs: [][]byte{}})
	client, err := dynamic.NewForConfig(e.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	createWidget := func(t *testing.T, version string) error {
		t.Helper()
		resource := schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "widgets"}
		widget := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/" + version, "kind": "Widget",
			"metadata": map[string]any{"generateName": "w-"}, "size": int64(3),
		}}
		begin := time.Now()
		_, err := client.Resource(resource).Namespace("default").Create(t.Context(), widget, metav1.CreateOptions{})
		// The server holds back creates after a CRD is new. Here it may not.
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the create took %s", took)
		}
		return err
	}

	t.Run("several in one file", func(t *testing.T) {
		both := "# comment\n---\n" + widgets("v1") + "---\n" + string(crd.Starfighters()) + "\n---\n"
		if err := e.InstallCRDs(t.Context(), []byte(both)); err != nil {
			t.Fatal(err)
		}
		if err := createWidget(t, "v1"); err != nil {
			t.Error(err)
		}
		create(t, newClient(t, e), "x-wing-1")
	})
	t.Run("again", func(t *testing.T) {
		if err := e.InstallCRDs(t.Context(), []byte(widgets("v1"))); err != nil {
			t.Error(err)
		}
	})
	t.Run("new version", func(t *testing.T) {
		if err := e.InstallCRDs(t.Context(), []byte(widgets("v1", "v2"))); err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"v1", "v2"} {
			if err := createWidget(t, version); err != nil {
				t.Errorf("create %s: %v", version, err)
			}
		}
	})
	t.Run("changed schema", func(t *testing.T) {
		if err := e.InstallCRDs(t.Context(), []byte(strings.ReplaceAll(widgets("v1", "v2"), "type: integer", "type: string"))); err != nil {
			t.Fatal(err)
		}
		if err := createWidget(t, "v1"); !apierrors.IsInvalid(err) {
			t.Errorf("create of what the new schema forbids: %v, want invalid", err)
		}
	})
	t.Run("version taken away", func(t *testing.T) {
		if err := e.InstallCRDs(t.Context(), []byte(strings.Replace(widgets("v1", "v2"), "name: v2\n    served: true", "name: v2\n    served: false", 1))); err != nil {
			t.Fatal(err)
		}
		if err := createWidget(t, "v2"); !apierrors.IsNotFound(err) {
			t.Errorf("create in a version that is not served: %v, want not found", err)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		data, err := yaml.YAMLToJSON(crd.Starfighters())
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) {
			t.Fatal("not JSON")
		}
		if err := e.InstallCRDs(t.Context(), data); err != nil {
			t.Error(err)
		}
	})
	t.Run("invalid", func(t *testing.T) {
		err := e.InstallCRDs(t.Context(), []byte(strings.ReplaceAll(widgets("v1"), "scope: Namespaced", "scope: Galactic")))
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), `"widgets.example.com"`) || !strings.Contains(err.Error(), "Galactic") {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("names taken", func(t *testing.T) {
		manifest := strings.NewReplacer("widgets", "gadgets", "kind: Widget,", "kind: Widget,").Replace(widgets("v1"))
		err := e.InstallCRDs(t.Context(), []byte(manifest))
		if err == nil || !strings.Contains(err.Error(), `"gadgets.example.com"`) || !strings.Contains(err.Error(), "names are not accepted") {
			t.Errorf("err = %v", err)
		}
	})
}
