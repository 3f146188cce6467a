// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	copied := &list[P]{TypeMeta: l.TypeMeta, Items: slices.Clone(l.Items)}
	meta := &l.ListMeta
	meta.DeepCopyInto(&copied.ListMeta)
	for i, item := range copied.Items {
		copied.Items[i] = item.DeepCopyObject().(P)
	}
	return copied
}

// decodeList reads the answer to a list request from its first byte to its
// last.
func (w *ListerWatcher[T, P]) decodeList(body io.Reader) (*list[P], error) {
	d := w.newDecoder(body)
	d.bound()
	if _, err := d.token(jsontext.KindBeginObject); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, d.plain(err)
	}
	result, status := &list[P]{}, &metav1.Status{}
	for d.PeekKind() != jsontext.KindEndObject {
		if err := w.decodeListMember(d, result, status); err != nil {
			return nil, d.plain(err)
		}
	}
	if _, err := d.token(jsontext.KindEndObject); err != nil {
		return nil, d.plain(err)
	}
	if token, err := d.ReadToken(); err == nil {
		return nil, fmt.Errorf("JSON %s after the list", describe(token.Kind()))
	} else if !errors.Is(err, io.EOF) {
		return nil, d.plain(err)
	}
	if result.Kind == statusKind && status.Status != metav1.StatusSuccess {
		return nil, apierrors.FromObject(status)
	}
	// A list that does not say what it is, is what was asked for.
	want := w.kind
	want.Kind += "List"
	if result.Kind != "" && result.Kind != want.Kind || result.APIVersion != "" && result.APIVersion != want.GroupVersion().String() {
		return nil, mismatch(result.GroupVersionKind(), want)
	}
	result.TypeMeta = metav1.TypeMeta{} // as client-go's decoder leaves it
	return result, nil
}

func (w *ListerWatcher[T, P]) decodeListMember(d *decoder, result *list[P], status *metav1.Status) error {
	token, err := d.token(jsontext.KindString)
	if err != nil {
		return err
	}
	name := token.String()
	switch name {
	case "kind":
		return d.into(&result.Kind)
	case "apiVersion":
		return d.into(&result.APIVersion)
	case "metadata":
		return d.into(&result.ListMeta)
	case "items":
		result.Items, err = w.decodeItems(d)
		return err
	}
	if result.Kind == statusKind {
		// An error in place of a list, though the server said that all was well.
		switch name {
		case "status":
			return d.into(&status.Status)
		case "message":
			return d.into(&status.Message)
		case "reason":
			return d.into(&status.Reason)
		case "details":
			return d.into(&status.Details)
		case "code":
			return d.into(&status.Code)
		}
	}
	return d.SkipValue()
}

func (w *ListerWatcher[T, P]) decodeItems(d *decoder) ([]P, error) {
	if d.PeekKind() == jsontext.KindNull {
		return nil, d.SkipValue()
	}
	if _, err := d.token(jsontext.KindBeginArray); err != nil {
		return nil, err
	}
	items := []P{}
	for d.bound(); d.PeekKind() != jsontext.KindEndArray; d.bound() {
		if d.InputOffset() > w.maxListBytes {
			return nil, fmt.Errorf("list is %w: more than %d bytes", ErrTooLarge, w.maxListBytes)
		}
		item := P(new(T))
		err := d.into(item)
		switch {
		case err == nil:
			items = append(items, item)
		case !isUndecodable(err):
			return nil, err
		case w.config.SkipUndecodable == nil:
			return nil, w.describeUndecodable(item, err)
		default:
			w.config.SkipUndecodable(item, w.describeUndecodable(item, err))
		}
	}
	_, err := d.token(jsontext.KindEndArray)
	return items, err
}
