// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/util/json"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// encoding is how an API server writes objects, lists and watch events.
type encoding interface {
	// listType and watchType are the content types.
	listType() string
	watchType() string
	// object encodes an object.
	object(content map[string]any) ([]byte, error)
	// frame encodes a watch event of an encoded object.
	frame(event string, object []byte) ([]byte, error)
	// list encodes what comes before and after the encoded objects of a list,
	// and between two of them.
	list(length int, meta metav1.ListMeta) (before, between, after []byte, err error)
}

// bookmark is the content of an event that says that the initial events are
// over.
func bookmark(resourceVersion string) map[string]any {
	return map[string]any{
		"apiVersion": starwarsv1.GroupVersion.String(),
		"kind":       "Starfighter",
		"metadata": map[string]any{
			"annotations":     map[string]any{metav1.InitialEventsAnnotationKey: "true"},
			"resourceVersion": resourceVersion,
		},
	}
}

// jsonEncoding writes the keys of objects in alphabetical order, so that a
// list has its items before its metadata.
type jsonEncoding struct{}

func (jsonEncoding) listType() string  { return runtime.ContentTypeJSON }
func (jsonEncoding) watchType() string { return runtime.ContentTypeJSON }

func (jsonEncoding) object(content map[string]any) ([]byte, error) { return json.Marshal(content) }

func (jsonEncoding) frame(event string, object []byte) ([]byte, error) {
	frame := make([]byte, 0, len(`{"type":"","object":}`)+len(event)+len(object)+1)
	frame = append(frame, `{"type":"`+event+`","object":`...)
	frame = append(frame, object...)
	return append(frame, "}\n"...), nil
}

func (jsonEncoding) list(_ int, meta metav1.ListMeta) (before, between, after []byte, err error) {
	text, err := json.Marshal(meta)
	if err != nil {
		return nil, nil, nil, err
	}
	before = []byte(`{"apiVersion":"` + starwarsv1.GroupVersion.String() + `","items":[`)
	return before, []byte(","), fmt.Appendf(nil, `],"kind":"StarfighterList","metadata":%s}`+"\n", text), nil
}

// cborEncoding writes with the serializer of API servers.
type cborEncoding struct {
	serializer cbor.Serializer
}

func newCBOREncoding() cborEncoding {
	scheme := runtime.NewScheme()
	return cborEncoding{serializer: cbor.NewSerializer(scheme, scheme)}
}

func (cborEncoding) listType() string  { return runtime.ContentTypeCBOR }
func (cborEncoding) watchType() string { return runtime.ContentTypeCBORSequence }

func (e cborEncoding) object(content map[string]any) ([]byte, error) {
	var out bytes.Buffer
	err := e.serializer.Encode(&unstructured.Unstructured{Object: content}, &out)
	return out.Bytes(), err
}

func (e cborEncoding) frame(event string, object []byte) ([]byte, error) {
	var out bytes.Buffer
	err := e.serializer.Encode(&metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: object}}, &out)
	return out.Bytes(), err
}

// list writes a map of four pairs, the items last. Each is a data item in its
// own right, so they can be written one after the other.
func (cborEncoding) list(length int, meta metav1.ListMeta) (before, between, after []byte, err error) {
	before = []byte{0xd9, 0xd9, 0xf7, 0xa0 | 4} // the tag of CBOR itself, a map of 4
	for _, item := range []any{
		"kind", "StarfighterList",
		"apiVersion", starwarsv1.GroupVersion.String(),
		"metadata", meta,
		"items",
	} {
		text, err := direct.Marshal(item)
		if err != nil {
			return nil, nil, nil, err
		}
		before = append(before, text...)
	}
	// An array of that length, which 4 bytes can hold.
	before = append(before, 0x80|26, byte(length>>24), byte(length>>16), byte(length>>8), byte(length))
	return before, nil, nil, nil
}
