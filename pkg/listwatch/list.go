// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// list is the result of a list request. Each object is on its own in memory, so
// that one that stays in a cache does not keep the others.
type list[P runtime.Object] struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []P
}

// DeepCopyObject implements runtime.Object.
func (l *list[P]) DeepCopyObject() runtime.Object {
	copied := &list[P]{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy(), Items: make([]P, len(l.Items))}
	for i, item := range l.Items {
		copied.Items[i] = item.DeepCopyObject().(P)
	}
	return copied
}

// decodeList reads the answer to a list request from its first byte to its
// last.
func (w *ListerWatcher[T, P]) decodeList(body io.Reader) (*list[P], error) {
	d := newDecoder(body, w.options)
	d.bound()
	result := &list[P]{}
	if _, err := d.token(jsontext.KindBeginObject); err != nil {
		return nil, err
	}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.token(jsontext.KindString)
		if err != nil {
			return nil, err
		}
		switch name.String() {
		case "kind":
			err = d.into(&result.Kind)
		case "apiVersion":
			err = d.into(&result.APIVersion)
		case "metadata":
			err = d.into(&result.ListMeta)
		case "items":
			result.Items, err = w.decodeItems(d)
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := d.token(jsontext.KindEndObject); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("something follows the list")
		}
		return nil, err
	}
	return result, nil
}

func (w *ListerWatcher[T, P]) decodeItems(d *decoder) ([]P, error) {
	if d.PeekKind() == jsontext.KindNull {
		return nil, d.SkipValue()
	}
	if _, err := d.token(jsontext.KindBeginArray); err != nil {
		return nil, err
	}
	var items []P
	for start := d.InputOffset(); d.PeekKind() != jsontext.KindEndArray; {
		if d.InputOffset()-start > maxListBytes {
			return nil, fmt.Errorf("list is %w: more than %d bytes", ErrTooLarge, int64(maxListBytes))
		}
		d.bound()
		item := P(new(T))
		switch err := d.into(item); {
		case err == nil:
			items = append(items, item)
		case w.skips(item, err):
		default:
			return nil, w.undecodable(item, err)
		}
	}
	d.bound()
	_, err := d.token(jsontext.KindEndArray)
	return items, err
}
