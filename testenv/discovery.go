// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"net/http"
	"slices"
	"strings"

	apiextensionshelpers "k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	listersv1 "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
)

// serveGroupDiscovery adds GET /apis, plain and aggregated.
// apiextensions-apiserver leaves it out, since in a cluster kube-aggregator
// serves it; without it most clients discover nothing.
func serveGroupDiscovery(server *apiserver.CustomResourceDefinitions) {
	generic := server.GenericAPIServer
	plain := groupListHandler{server.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister()}
	manager := generic.AggregatedDiscoveryGroupManager
	handler := aggregated.WrapAggregatedDiscoveryToHandler(plain, manager, manager)
	generic.Handler.GoRestfulContainer.Add(handler.GenerateWebService("/apis", metav1.APIGroupList{}))
}

// groupListHandler answers with the APIGroupList of the established CRDs.
type groupListHandler struct {
	crds listersv1.CustomResourceDefinitionLister
}

func (h groupListHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	crds, err := h.crds.List(labels.Everything())
	if err != nil {
		responsewriters.ErrorNegotiated(err, apiserver.Codecs, schema.GroupVersion{}, w, r)
		return
	}
	list := &metav1.APIGroupList{Groups: apiGroups(crds)}
	responsewriters.WriteObjectNegotiated(apiserver.Codecs, negotiation.DefaultEndpointRestrictions,
		schema.GroupVersion{Version: "v1"}, w, r, http.StatusOK, list, false)
}

// apiGroups returns the groups that the CRDs make, and the group of CRDs
// itself first. The order depends on the names only: groups by name, versions
// by priority, the first being the preferred one.
func apiGroups(crds []*apiextensionsv1.CustomResourceDefinition) []metav1.APIGroup {
	versions := map[string][]string{}
	for _, crd := range crds {
		if !apiextensionshelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Served && !slices.Contains(versions[crd.Spec.Group], v.Name) {
				versions[crd.Spec.Group] = append(versions[crd.Spec.Group], v.Name)
			}
		}
	}
	groups := make([]metav1.APIGroup, 0, len(versions)+1)
	for group, names := range versions {
		groups = append(groups, apiGroup(group, names))
	}
	slices.SortFunc(groups, func(a, b metav1.APIGroup) int { return strings.Compare(a.Name, b.Name) })
	own := apiGroup(apiextensionsv1.GroupName, []string{apiextensionsv1.SchemeGroupVersion.Version})
	return slices.Insert(groups, 0, own)
}

func apiGroup(name string, versions []string) metav1.APIGroup {
	slices.SortFunc(versions, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	group := metav1.APIGroup{Name: name}
	for _, v := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + v, Version: v})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}
