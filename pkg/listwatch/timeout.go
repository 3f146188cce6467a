// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// withoutTimeout returns a client for watches: that of the clientset, or one like
// it without its time limit. rest.Config.Timeout limits the whole of an exchange,
// and would end every watch after that time. Warnings of the server go to
// client-go's default handler then.
func withoutTimeout(client rest.Interface) (rest.Interface, error) {
	c, ok := client.(*rest.RESTClient)
	if !ok || c == nil || c.Client == nil || c.Client.Timeout == 0 {
		return client, nil
	}
	patient := *c.Client
	patient.Timeout = 0
	// Errors are decoded by it, nothing else.
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	version := c.APIVersion()
	content := rest.ClientContentConfig{
		AcceptContentTypes: runtime.ContentTypeJSON,
		ContentType:        runtime.ContentTypeJSON,
		GroupVersion:       version,
		Negotiator:         runtime.NewClientNegotiator(serializer.NewCodecFactory(scheme).WithoutConversion(), version),
	}
	made, err := rest.NewRESTClient(c.Get().URL(), "", content, c.GetRateLimiter(), &patient)
	if err != nil {
		return nil, fmt.Errorf("listwatch: make a client for watches: %w", err)
	}
	return made, nil
}
