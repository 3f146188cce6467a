// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/repo"
)

// TestRolesNameWhatTheServerServes holds the roles in config/rbac against what
// the API server says about itself: a misspelt resource or verb would grant
// nothing, without any error.
func TestRolesNameWhatTheServerServes(t *testing.T) {
	t.Parallel()
	root, err := repo.Root()
	noError(t, err)
	manifests, err := filepath.Glob(filepath.Join(root, "config", "rbac", "*"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("found %d manifests of roles, error %v", len(manifests), err)
	}
	served, err := clientFor(t, configFor(t, sharedServer(t))).Discovery().ServerResourcesForGroupVersion(v1.GroupVersion.String())
	noError(t, err)
	verbs := map[string][]string{}
	for _, resource := range served.APIResources {
		verbs[resource.Name] = resource.Verbs
	}

	for _, manifest := range manifests {
		t.Run(filepath.Base(manifest), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(manifest)
			noError(t, err)
			var role rbacv1.ClusterRole
			noError(t, yaml.UnmarshalStrict(text, &role))
			if role.APIVersion != rbacv1.SchemeGroupVersion.String() || role.Kind != "ClusterRole" {
				t.Errorf("it is a %s %s", role.APIVersion, role.Kind)
			}
			if want := strings.TrimSuffix(filepath.Base(manifest), ".yaml"); role.Name != want {
				t.Errorf("the role is named %q, its file %q", role.Name, want)
			}
			if len(role.Rules) == 0 {
				t.Error("it grants nothing")
			}
			for _, rule := range role.Rules {
				if !slices.Equal(rule.APIGroups, []string{v1.GroupName}) || len(rule.NonResourceURLs) > 0 {
					t.Errorf("rule %v is about something else", rule)
				}
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						if !slices.Contains(verbs[resource], verb) {
							t.Errorf("the server serves no verb %q for %q; it serves %v", verb, resource, verbs)
						}
					}
				}
			}
		})
	}
}
