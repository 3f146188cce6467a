// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/okontajneroch/starwars/testenv"
)

func TestDiscovery(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	if err := e.InstallCRDs(t.Context(), []byte(widgets("v1alpha1", "v2", "v1", "v1beta1"))); err != nil {
		t.Fatal(err)
	}
	t.Run("plain", func(t *testing.T) {
		raw, err := getRaw(t, e.RESTConfig(), "/apis", "application/json")
		if err != nil {
			t.Fatal(err)
		}
		var list metav1.APIGroupList
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		if list.Kind != "APIGroupList" || list.APIVersion != "v1" {
			t.Errorf("kind %q, apiVersion %q", list.Kind, list.APIVersion)
		}
		var got []string
		for _, group := range list.Groups {
			line := group.Name + ":"
			for _, version := range group.Versions {
				line += " " + version.Version
			}
			got = append(got, line)
			if group.PreferredVersion != group.Versions[0] {
				t.Errorf("group %s prefers %v", group.Name, group.PreferredVersion)
			}
		}
		want := []string{"apiextensions.k8s.io: v1", "example.com: v2 v1 v1beta1 v1alpha1", "starwars.okontajneroch.sk: v1"}
		if !slices.Equal(got, want) {
			t.Errorf("groups = %q, want %q", got, want)
		}
		again, err := getRaw(t, e.RESTConfig(), "/apis", "application/json")
		if err != nil || !bytes.Equal(raw, again) {
			t.Errorf("two answers differ (%v)", err)
		}
	})
	t.Run("protobuf and YAML", func(t *testing.T) {
		for accept, want := range map[string]string{"application/yaml": "kind: APIGroupList", "application/vnd.kubernetes.protobuf": "k8s\x00"} {
			raw, err := getRaw(t, e.RESTConfig(), "/apis", accept)
			if err != nil || !bytes.Contains(raw, []byte(want)) {
				t.Errorf("%s: %v, %q", accept, err, raw)
			}
		}
	})
	t.Run("aggregated", func(t *testing.T) {
		raw, err := getRaw(t, e.RESTConfig(), "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		if err != nil {
			t.Fatal(err)
		}
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, group := range list.Items {
			names = append(names, group.Name)
		}
		if list.Kind != "APIGroupDiscoveryList" || !slices.Contains(names, "starwars.okontajneroch.sk") || !slices.Contains(names, "example.com") {
			t.Errorf("kind %q, groups %q", list.Kind, names)
		}
	})
	t.Run("client", func(t *testing.T) {
		client := discovery.NewDiscoveryClientForConfigOrDie(e.RESTConfig())
		_, lists, err := client.ServerGroupsAndResources()
		if err != nil {
			t.Fatal(err)
		}
		starfighters := schema.GroupVersion{Group: "starwars.okontajneroch.sk", Version: "v1"}.String()
		for _, list := range lists {
			for _, resource := range list.APIResources {
				if list.GroupVersion == starfighters && resource.Name == "starfighters" {
					if resource.Kind != "Starfighter" || !resource.Namespaced || !slices.Contains(resource.ShortNames, "sf") || !slices.Contains(resource.Verbs, "watch") {
						t.Errorf("resource = %+v", resource)
					}
					return
				}
			}
		}
		t.Errorf("no starfighters in %v", lists)
	})
}

func TestOpenAPI(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	for _, path := range []string{"/openapi/v2", "/openapi/v3/apis/starwars.okontajneroch.sk/v1"} {
		eventually(t, "Starfighter is in "+path, func() bool {
			raw, err := getRaw(t, e.RESTConfig(), path, "application/json")
			return err == nil && strings.Contains(string(raw), "sk.okontajneroch.starwars.v1.Starfighter")
		})
	}
}

func TestServerVersion(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{CRDs: [][]byte{}})
	version, err := discovery.NewDiscoveryClientForConfigOrDie(e.RESTConfig()).ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.Major != "1" || !strings.HasPrefix(version.GitVersion, "v1."+version.Minor+".") {
		t.Errorf("version = %+v", version)
	}
}
