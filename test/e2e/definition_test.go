// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/okontajneroch/starwars/config/crd"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

const definitionName = "starfighters." + v1.GroupName

// definitions is the server's API for custom resource definitions.
func definitions(t *testing.T, s *server.Server) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(configFor(t, s))
	noError(t, err)
	return client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
}

// removeDefinition deletes the definition of Starfighters, and all of them with
// it. It returns when the server does not know the resource any more.
func removeDefinition(t *testing.T, s *server.Server) {
	t.Helper()
	ctx := timeLimited(t)
	noError(t, definitions(t, s).Delete(ctx, definitionName, metav1.DeleteOptions{}))
	ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	eventually(ctx, t, "the resource is gone", func() bool {
		_, err := ships.List(ctx, metav1.ListOptions{})
		return apierrors.IsNotFound(err)
	})
}

// installDefinition creates it. It returns when the server serves the resource.
func installDefinition(t *testing.T, s *server.Server) {
	t.Helper()
	ctx := timeLimited(t)
	var definition unstructured.Unstructured
	noError(t, yaml.Unmarshal(crd.Starfighters(), &definition.Object))
	eventually(ctx, t, "the old definition is gone", func() bool {
		_, err := definitions(t, s).Create(ctx, &definition, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		return err == nil
	})
	ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	eventually(ctx, t, "the resource is served", func() bool {
		_, err := ships.List(ctx, metav1.ListOptions{})
		return err == nil
	})
}
