// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// watchDecoder implements watch.Decoder: it reads one event after the other
// from the body of a watch, each in one pass from the network to the object.
type watchDecoder[T any, P object[T]] struct {
	w     *ListerWatcher[T, P]
	body  *body
	begun bool
	*decoder
}

// Decode implements watch.Decoder. It is called by one goroutine.
func (d *watchDecoder[T, P]) Decode() (watch.EventType, runtime.Object, error) {
	if !d.begun {
		d.begun = true
		if ok, err := looksLikeJSON(d.body); err == nil && !ok {
			return "", nil, d.w.noJSON()
		}
	}
	for {
		d.bound()
		kind, obj, err := d.event()
		if err == nil {
			return kind, obj, nil
		}
		item, _ := obj.(P)
		if !d.w.skips(item, err) {
			return "", nil, d.w.undecodable(item, d.plain(err))
		}
	}
}

// Close implements watch.Decoder. It may be called while Decode waits.
func (d *watchDecoder[T, P]) Close() { _ = d.body.Close() }

// event reads one frame: {"type":"ADDED","object":{...}}.
func (d *watchDecoder[T, P]) event() (kind watch.EventType, obj runtime.Object, err error) {
	if _, err := d.token(jsontext.KindBeginObject); err != nil {
		return "", nil, err
	}
	var early []byte // the object, should it come before the type
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.token(jsontext.KindString)
		if err != nil {
			return "", nil, err
		}
		switch {
		case name.String() == "type":
			err = d.into(&kind)
		case name.String() == "object" && kind != "":
			obj, err = d.object(d.decoder, kind)
		case name.String() == "object":
			var value jsontext.Value
			value, err = d.ReadValue()
			early = bytes.Clone(value)
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return "", obj, d.toEnd(err)
		}
	}
	if _, err := d.token(jsontext.KindEndObject); err != nil {
		return "", nil, err
	}
	if early != nil {
		again := newDecoder(bytes.NewReader(early), d.options)
		again.bound()
		if obj, err = d.object(again, kind); err != nil {
			return "", obj, err
		}
	}
	switch {
	case kind == "":
		return "", nil, &undecodableError{errors.New("a watch event without a type")}
	case obj == nil:
		return "", nil, &undecodableError{fmt.Errorf("a watch event of type %s without an object", kind)}
	}
	return kind, obj, nil
}

// object decodes the object of an event.
func (d *watchDecoder[T, P]) object(from *decoder, kind watch.EventType) (runtime.Object, error) {
	switch kind {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		item := P(new(T))
		if err := from.into(item); err != nil {
			return item, err
		}
		// As client-go's decoder does: the Go type says it all.
		item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return item, nil
	case watch.Error:
		status := &metav1.Status{}
		err := from.into(status)
		return status, err
	default:
		return nil, errors.Join(&undecodableError{fmt.Errorf("unknown type of watch event: %q", kind)}, from.SkipValue())
	}
}

// toEnd reads the rest of a frame whose object did not decode, so that the next
// one can be read.
func (d *watchDecoder[T, P]) toEnd(err error) error {
	if _, ok := errors.AsType[*undecodableError](err); !ok {
		return err
	}
	for d.StackDepth() > 0 {
		if _, skipErr := d.ReadToken(); skipErr != nil {
			return skipErr
		}
	}
	return err
}
