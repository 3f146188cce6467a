// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/okontajneroch/starwars/config/crd"
	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// serveTimeout is how long a cluster may take to serve a new definition.
const serveTimeout = 15 * time.Second

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// install creates the definition of Starfighters in a cluster and returns when
// they are served. One that is there already stays as it is.
func install(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	var definition unstructured.Unstructured
	if err := yaml.Unmarshal(crd.Starfighters(), &definition.Object); err != nil {
		return fmt.Errorf("parse the definition of Starfighters: %w", err)
	}
	creating, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err = client.Resource(definitions).Create(creating, &definition, metav1.CreateOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		return nil
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%s does not let you install the definition of Starfighters: ask an administrator for it, and leave out --install-crd: %w", config.Host, err)
	case err != nil:
		return explain(config.Host, err)
	}

	ships := client.Resource(v1.Resource("starfighters").WithVersion(v1.GroupVersion.Version))
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, serveTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := ships.List(ctx, metav1.ListOptions{Limit: 1})
		// Anything but "no such API" is for the check that follows.
		return !apierrors.IsNotFound(err), nil
	})
	if err != nil {
		return fmt.Errorf("%s has the definition of Starfighters now, but does not serve them within %s; look at kubectl describe crd %s: %w", config.Host, serveTimeout, definition.GetName(), err)
	}
	return nil
}
