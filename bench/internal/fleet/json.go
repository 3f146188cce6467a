// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// JSON is a ship as an API server writes a custom resource: the keys of every
// object in alphabetical order.
func JSON(ship *starwarsv1.Starfighter) ([]byte, error) {
	content, err := Content(ship)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encode %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	return text, nil
}

// Content is a ship as an API server holds a custom resource.
func Content(ship *starwarsv1.Starfighter) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(ship)
	if err != nil {
		return nil, fmt.Errorf("convert %s/%s: %w", ship.Namespace, ship.Name, err)
	}
	return content, nil
}
