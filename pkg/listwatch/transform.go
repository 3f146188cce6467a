// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// lastApplied is where kubectl apply keeps a copy of the object as it was
// applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// StripManagedFields is a cache.TransformFunc that drops metadata.managedFields:
// who set which field, for server-side apply. They are most of an object's text.
// An object without them may be sent back with Update: the API server takes them
// for unchanged then.
func StripManagedFields(obj any) (any, error) {
	if o, ok := obj.(metav1.Object); ok {
		o.SetManagedFields(nil)
	}
	return obj, nil
}

// DropLastApplied is a cache.TransformFunc that drops the annotation in which
// kubectl apply keeps a copy of the whole object. A program that sends such an
// object back with Update takes the annotation from kubectl, which then cannot
// tell any more which fields to remove: use it where objects are only read.
func DropLastApplied(obj any) (any, error) {
	if o, ok := obj.(metav1.Object); ok {
		delete(o.GetAnnotations(), lastApplied)
	}
	return obj, nil
}

// Intern returns a cache.TransformFunc that makes equal strings share memory:
// apiVersion, kind, namespace, the keys of labels and annotations, the values of
// labels, and what more names: it is called with each object of type P, and with
// the function that returns the shared copy of a string. More may be nil.
//
// One Intern may serve several informers, at once too. It remembers some 10,000
// strings; when there are more it begins anew.
func Intern[P runtime.Object](more func(obj P, intern func(string) string)) cache.TransformFunc {
	table := &internTable{}
	return func(obj any) (any, error) {
		o, ok := obj.(metav1.Object)
		if !ok {
			return obj, nil
		}
		table.mu.Lock()
		defer table.mu.Unlock()
		o.SetNamespace(table.intern(o.GetNamespace()))
		o.SetLabels(internMap(o.GetLabels(), table.intern, table.intern))
		o.SetAnnotations(internMap(o.GetAnnotations(), table.intern, nil))
		typed, ok := obj.(P)
		if !ok {
			return obj, nil
		}
		kind := typed.GetObjectKind()
		if gvk := kind.GroupVersionKind(); !gvk.Empty() {
			kind.SetGroupVersionKind(gvk.GroupVersion().WithKind(table.intern(gvk.Kind)))
		}
		if more != nil {
			more(typed, table.intern)
		}
		return obj, nil
	}
}

// internTable is a set of strings that objects share.
type internTable struct {
	mu      sync.Mutex
	strings map[string]string
}

// maxInterned bounds the table: what is not repeated must not stay for ever.
const maxInterned = 10_000

func (t *internTable) intern(s string) string {
	if s == "" {
		return s
	}
	if shared, ok := t.strings[s]; ok {
		return shared
	}
	if t.strings == nil || len(t.strings) >= maxInterned {
		t.strings = make(map[string]string)
	}
	t.strings[s] = s
	return s
}

func internMap(m map[string]string, key, value func(string) string) map[string]string {
	for k, v := range m {
		// Assigning to a key that is there keeps the old key's memory.
		delete(m, k)
		if value != nil {
			v = value(v)
		}
		m[key(k)] = v
	}
	return m
}

// Chain returns a cache.TransformFunc that applies transforms one after the
// other and does not let them do harm. Where one fails, panics, or returns
// something else than an object, the object stays as it was before it, and the
// next one goes on. What one took from the object's identity (name, namespace,
// UID, resourceVersion), without which a cache is wrong, is put back. Report is
// told of each such case with the object; nil stands for nobody. It is called
// by the informer, one object at a time, and must not wait.
//
// Nil transforms are passed over. Inside a cache.DeletedFinalStateUnknown the
// object is transformed.
func Chain(report func(obj any, err error), transforms ...cache.TransformFunc) cache.TransformFunc {
	if report == nil {
		report = func(any, error) {}
	}
	return func(obj any) (any, error) {
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			if tombstone.Obj != nil {
				tombstone.Obj = applyAll(tombstone.Obj, transforms, report)
			}
			return tombstone, nil
		}
		return applyAll(obj, transforms, report), nil
	}
}

func applyAll(obj any, transforms []cache.TransformFunc, report func(any, error)) any {
	for _, transform := range transforms {
		if transform == nil {
			continue
		}
		var err error
		if obj, err = applyOne(obj, transform); err != nil {
			report(obj, err)
		}
	}
	return obj
}

// applyOne returns the transformed object, or the one it was given, with an
// error that says what was wrong with the transform.
func applyOne(obj any, transform cache.TransformFunc) (result any, err error) {
	before, ok := obj.(metav1.Object)
	if !ok {
		return obj, fmt.Errorf("cannot transform a %T, which is no object: kept as it is", obj)
	}
	was := identityOf(before)
	defer func() {
		if p := recover(); p != nil {
			was.restore(before)
			result, err = obj, fmt.Errorf("transform of %s panicked: %v: object kept", was, p)
		}
	}()
	result, err = transform(obj)
	if err != nil {
		was.restore(before)
		return obj, fmt.Errorf("transform of %s: %w: object kept", was, err)
	}
	after, ok := result.(metav1.Object)
	if !ok {
		was.restore(before)
		return obj, fmt.Errorf("transform of %s returned a %T, which is no object: object kept", was, result)
	}
	if identityOf(after) != was {
		was.restore(after)
		return result, fmt.Errorf("transform of %s: %w: put back", was, errIdentity)
	}
	return result, nil
}

var errIdentity = errors.New("it changed the name, namespace, UID or resourceVersion")

// identity is what a cache needs of an object.
type identity struct {
	namespace, name, resourceVersion string
	uid                              types.UID
}

func identityOf(o metav1.Object) identity {
	return identity{o.GetNamespace(), o.GetName(), o.GetResourceVersion(), o.GetUID()}
}

func (i identity) restore(o metav1.Object) {
	o.SetNamespace(i.namespace)
	o.SetName(i.name)
	o.SetResourceVersion(i.resourceVersion)
	o.SetUID(i.uid)
}

func (i identity) String() string { return i.namespace + "/" + i.name }
