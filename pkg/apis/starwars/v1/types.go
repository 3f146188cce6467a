// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Faction is the side that a ship fights on. Any string is valid: the
// constants below are the factions known to this SDK, not a closed list.
//
// +kubebuilder:validation:MaxLength=1024
type Faction string

const (
	// Rebellion is the Alliance to Restore the Republic.
	Rebellion Faction = "rebellion"
	// Empire is the Galactic Empire.
	Empire Faction = "empire"
)

// Starfighter is a ship of the fleet.
//
// +genclient
// +genindex:name=faction-type,fields=spec.faction;spec.type
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=starfighters,singular=starfighter,shortName=sf,categories=starwars
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.spec.faction`
// +kubebuilder:selectablefield:JSONPath=`.spec.pilot`
// +kubebuilder:printcolumn:name="Faction",type=string,JSONPath=`.spec.faction`,description="The side that the ship fights on."
// +kubebuilder:printcolumn:name="Pilot",type=string,JSONPath=`.spec.pilot`,description="Who flies the ship."
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`,description="The model of the ship."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Starfighter struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the ship is meant to be.
	// +required
	Spec StarfighterSpec `json:"spec"`

	// status is what was observed of the ship. It is written through the
	// status subresource only.
	// +optional
	Status StarfighterStatus `json:"status,omitzero"`
}

// StarfighterSpec is what a ship is meant to be. All of its fields must be
// present; each may be the empty string. Lengths are counted in Unicode code
// points.
type StarfighterSpec struct {
	// faction is the side that the ship fights on, for example "rebellion" or
	// "empire"; any string is accepted. At most 1024 code points.
	// +required
	// +genindex
	Faction Faction `json:"faction"`

	// type is the model of the ship, for example "X-Wing". At most 1024 code
	// points.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Type string `json:"type"`

	// pilot is the name of who flies the ship, for example "Luke Skywalker".
	// Several ships may name the same pilot. At most 1024 code points.
	// +required
	// +genindex
	// +kubebuilder:validation:MaxLength=1024
	Pilot string `json:"pilot"`
}

// StarfighterStatus is what was observed of a ship.
type StarfighterStatus struct {
	// phases are the phases that the ship went through, oldest first, for
	// example "launched", "docked". The same phase may appear again, and the
	// order carries meaning, so the list is atomic: who writes it, writes and
	// owns all of it. At most 1024 phases of at most 1024 code points each.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:MaxLength=1024
	Phases []string `json:"phases,omitempty"`
}

// StarfighterList is a list of ships, as the API server returns it.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type StarfighterList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard list metadata; its resourceVersion is where a
	// watch can start.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the ships.
	Items []Starfighter `json:"items"`
}
