// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// The fields that each manager of a ship owns.
const (
	appliedFields = `{"f:metadata":{"f:annotations":{".":{},"f:kubectl.kubernetes.io/last-applied-configuration":{},` +
		`"f:starwars.okontajneroch.sk/hangar":{}},"f:labels":{".":{},"f:app.kubernetes.io/managed-by":{},` +
		`"f:app.kubernetes.io/part-of":{},"f:starwars.okontajneroch.sk/squadron":{}}},` +
		`"f:spec":{".":{},"f:faction":{},"f:pilot":{},"f:type":{}}}`
	inspectedFields = `{"f:metadata":{"f:annotations":{"f:starwars.okontajneroch.sk/flight-plan":{},` +
		`"f:starwars.okontajneroch.sk/inspected-at":{}},` +
		`"f:labels":{"f:starwars.okontajneroch.sk/sector":{}}}}`
	statusFields = `{"f:status":{".":{},"f:phases":{}}}`
)

// managedFields are those of a ship that was applied by kubectl, inspected by
// one controller and given its status by another.
func managedFields(applied, observed time.Time) []metav1.ManagedFieldsEntry {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, at time.Time, subresource, fields string) metav1.ManagedFieldsEntry {
		when := metav1.NewTime(at)
		return metav1.ManagedFieldsEntry{
			Manager:     manager,
			Operation:   operation,
			APIVersion:  starwarsv1.GroupVersion.String(),
			Time:        &when,
			FieldsType:  "FieldsV1",
			FieldsV1:    metav1.NewFieldsV1(fields),
			Subresource: subresource,
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry("kubectl-client-side-apply", metav1.ManagedFieldsOperationUpdate, applied, "", appliedFields),
		entry("hangar-operator", metav1.ManagedFieldsOperationApply, applied.Add(36*time.Hour), "", inspectedFields),
		entry("docking-controller", metav1.ManagedFieldsOperationUpdate, observed, "status", statusFields),
	}
}

// lastApplied is the annotation that kubectl writes: what was applied, as JSON.
func lastApplied(ship *starwarsv1.Starfighter) string {
	applied := map[string]any{
		"apiVersion": ship.APIVersion,
		"kind":       ship.Kind,
		"metadata": map[string]any{
			"annotations": map[string]string{"starwars.okontajneroch.sk/hangar": ship.Annotations["starwars.okontajneroch.sk/hangar"]},
			"labels":      ship.Labels,
			"name":        ship.Name,
			"namespace":   ship.Namespace,
		},
		"spec": map[string]any{"faction": ship.Spec.Faction, "pilot": ship.Spec.Pilot, "type": ship.Spec.Type},
	}
	text, err := json.Marshal(applied)
	if err != nil {
		panic(err) // maps of strings have JSON
	}
	return string(text) + "\n"
}
