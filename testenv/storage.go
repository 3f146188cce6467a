// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/recognizer"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	flowcontrolrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// restOptions tells the server's registries how to store a resource. It does
// what EtcdOptions of k8s.io/apiserver/pkg/server/options does for a server
// with one etcd; that package would add encryption, audit and admission
// plug-ins to every build.
type restOptions struct {
	config storagebackend.Config
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (o restOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	return generic.RESTOptions{
		StorageConfig:             o.config.ForResource(resource),
		Decorator:                 genericregistry.StorageWithCacher(),
		DeleteCollectionWorkers:   1,
		ResourcePrefix:            resource.Group + "/" + resource.Resource,
		StorageObjectCountTracker: o.config.StorageObjectCountTracker,
	}, nil
}

// newStorage returns how CRDs and how custom resources are stored.
func newStorage(endpoint string, tracker flowcontrolrequest.StorageObjectCountTracker) (crds, resources restOptions) {
	config := storagebackend.NewDefaultConfig("/registry", apiserver.Codecs.LegacyCodec(v1.SchemeGroupVersion))
	config.Transport.ServerList = []string{endpoint}
	config.StorageObjectCountTracker = tracker
	crds.config, resources.config = *config, *config

	cborSerializer := cbor.NewSerializer(unstructuredscheme.NewUnstructuredCreator(), unstructuredscheme.NewUnstructuredObjectTyper())
	var encoder runtime.Encoder = unstructured.UnstructuredJSONScheme
	if utilfeature.DefaultFeatureGate.Enabled(features.CBORServingAndStorage) {
		encoder = cborSerializer
	}
	// Both are read whatever the gate says, since it may have been the other
	// way round when the data was written.
	decoder := recognizer.NewDecoder(cborSerializer, unstructured.UnstructuredJSONScheme)
	resources.config.Codec = runtime.NewCodec(encoder, decoder)
	return crds, resources
}
