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

func (w *ListerWatcher[T, P]) newWatchDecoder(body *body) *watchDecoder[T, P] {
	return &watchDecoder[T, P]{w: w, body: body, decoder: w.newDecoder(body)}
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
		item, ok := obj.(P)
		if !ok || !isUndecodable(err) {
			return "", nil, d.plain(err)
		}
		err = d.w.describeUndecodable(item, err)
		// Without a bookmark the reflector would wait for ever.
		if d.w.config.SkipUndecodable == nil || kind == watch.Bookmark {
			return "", nil, err
		}
		d.w.config.SkipUndecodable(item, err)
		// To take an object out of the cache, its name is enough.
		if kind == watch.Deleted && item.GetName() != "" && item.GetResourceVersion() != "" {
			return kind, item, nil
		}
	}
}

// Close implements watch.Decoder. It may be called while Decode waits.
func (d *watchDecoder[T, P]) Close() { _ = d.body.Close() }

// event reads one frame, to its end in any case, so that the next one can be
// read. With an undecodableError it returns the object as far as it was decoded.
func (d *watchDecoder[T, P]) event() (watch.EventType, runtime.Object, error) {
	kind, obj, err := d.frame()
	if err != nil {
		// A stream that is at fault fails again.
		if err := d.leave(0); err != nil {
			return "", nil, err
		}
	}
	return kind, obj, err
}

// frame reads what an event consists of: {"type":"ADDED","object":{...}}.
func (d *watchDecoder[T, P]) frame() (kind watch.EventType, obj runtime.Object, err error) {
	if _, err := d.token(jsontext.KindBeginObject); err != nil {
		return "", nil, err
	}
	var early jsontext.Value // the object, should it come before the type
	for d.PeekKind() != jsontext.KindEndObject {
		token, err := d.token(jsontext.KindString)
		if err != nil {
			return "", nil, err
		}
		switch name := token.String(); {
		case name == "type" && kind == "":
			err = d.into(&kind)
		case name == "object" && obj == nil && early == nil:
			if kind != "" {
				obj, err = d.object(d.decoder, kind)
				break
			}
			early, err = d.ReadValue()
			early = early.Clone()
		case name == "type", name == "object":
			err = errors.New("a watch event has its type or its object twice")
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return kind, obj, err
		}
	}
	if _, err := d.token(jsontext.KindEndObject); err != nil {
		return "", nil, err
	}
	if early != nil {
		again := d.w.newDecoder(bytes.NewReader(early))
		again.bound()
		obj, err = d.object(again, kind)
	} else if obj == nil {
		err = fmt.Errorf("a watch event of type %q without an object", kind)
	}
	return kind, obj, err
}

// object decodes the object of an event.
func (d *watchDecoder[T, P]) object(from *decoder, kind watch.EventType) (runtime.Object, error) {
	switch kind {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		item := P(new(T))
		err := from.into(item)
		if got := item.GetObjectKind().GroupVersionKind(); err == nil && got != d.w.kind {
			err = &undecodableError{mismatch(got, d.w.kind)}
		}
		// As client-go's decoder does: the Go type says it all.
		item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return item, err
	case watch.Error:
		status := &metav1.Status{}
		if err := from.into(status); err != nil {
			return nil, fmt.Errorf("a watch event of type %s: %w", kind, err)
		}
		// To client-go a Status is the same in any version.
		if got := status.GroupVersionKind(); got.Kind != statusKind || got.Version == "" {
			return nil, fmt.Errorf("a watch event of type %s: %w", kind, mismatch(got, metav1.Unversioned.WithKind(statusKind)))
		}
		status.TypeMeta = metav1.TypeMeta{}
		return status, nil
	default:
		return nil, fmt.Errorf("a watch event of unknown type %q", kind)
	}
}
