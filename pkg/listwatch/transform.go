// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

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
// An object without them may be sent back with Update: the API server takes their
// absence for no change. The generated Extract functions find nothing in it. What
// is no object is left alone.
func StripManagedFields(obj any) (any, error) {
	if o, ok := asObject(obj); ok {
		o.SetManagedFields(nil)
	}
	return obj, nil
}

// DropLastApplied is a cache.TransformFunc that drops the annotation in which
// kubectl apply keeps a copy of the whole object. A program that sends such an
// object back with Update takes the annotation from kubectl, which then cannot
// tell any more which fields to remove: use it where objects are only read. What
// is no object is left alone.
func DropLastApplied(obj any) (any, error) {
	o, ok := asObject(obj)
	if !ok {
		return obj, nil
	}
	annotations := o.GetAnnotations()
	if _, applied := annotations[lastApplied]; !applied {
		return obj, nil
	}
	if len(annotations) == 1 { // an empty map would keep its memory
		o.SetAnnotations(nil)
	} else {
		delete(annotations, lastApplied)
	}
	return obj, nil
}

// asObject also tells a nil pointer from an object.
func asObject(obj any) (metav1.Object, bool) {
	o, ok := obj.(metav1.Object)
	if v := reflect.ValueOf(obj); ok && v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, false
	}
	return o, ok
}

// Intern returns a cache.TransformFunc that makes equal strings share memory:
// namespaces, the keys of labels and annotations, the values of labels, and what
// more names: it is called with each object of type P, and with the function
// that returns the shared copy of a string. More may be nil. It must not keep
// the function. What is no object is left alone.
//
// One Intern may serve several informers, at once too. It remembers 10,000
// strings of up to 256 bytes; when there are more it begins anew.
func Intern[P runtime.Object](more func(obj P, intern func(string) string)) cache.TransformFunc {
	table := &internTable{}
	intern := table.intern
	return func(obj any) (any, error) {
		o, ok := asObject(obj)
		if !ok {
			return obj, nil
		}
		table.mu.Lock()
		defer table.mu.Unlock()
		o.SetNamespace(intern(o.GetNamespace()))
		if labels := o.GetLabels(); len(labels) > 0 {
			table.internMap(labels, true)
			o.SetLabels(labels)
		}
		if annotations := o.GetAnnotations(); len(annotations) > 0 {
			table.internMap(annotations, false)
			o.SetAnnotations(annotations)
		}
		if typed, ok := obj.(P); ok && more != nil {
			more(typed, intern)
		}
		return obj, nil
	}
}

const (
	// maxInterned bounds the table: what is not repeated must not stay for ever.
	maxInterned = 10_000
	// maxInternedBytes bounds what is in it; longer strings are hardly repeated.
	maxInternedBytes = 256
)

// internTable is a set of strings that objects share.
type internTable struct {
	mu      sync.Mutex
	strings map[string]string
}

// intern returns a string's shared copy. The table is locked.
func (t *internTable) intern(s string) string {
	if s == "" || len(s) > maxInternedBytes {
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

// internMap interns the keys of a map, and its values too if it shall. The table
// is locked.
func (t *internTable) internMap(m map[string]string, values bool) {
	for k, v := range m {
		shared, value := t.intern(k), v
		if values {
			value = t.intern(v)
		}
		// The decoder shares most strings already. To assign to a key that is
		// there would keep the old key's memory.
		switch {
		case !sameMemory(shared, k):
			delete(m, k)
		case sameMemory(value, v):
			continue
		}
		m[shared] = value
	}
}

func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// Chain returns a cache.TransformFunc that applies transforms one after the
// other and never fails, so that none can keep a cache from filling or take it
// out of step:
//
//   - Where one fails, panics, or returns something else than an object of the
//     same type, the object that it was given is kept, and the next one goes on
//     with that. What the transform had done to the object by then stays.
//   - What one took from the object's identity (name, namespace, UID,
//     resourceVersion), without which a cache is wrong, is put back.
//
// Report is told of each such case, with the object as it goes on and an error
// that says what was wrong; nil stands for nobody. It is called by the informer,
// one object at a time, and must not wait, nor change the object.
//
// Nil transforms are passed over. Of a cache.DeletedFinalStateUnknown the object
// inside is transformed.
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
	before, ok := asObject(obj)
	if !ok {
		return obj, fmt.Errorf("cannot transform %T(%[1]v), which is no object: kept as it is", obj)
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
	after, ok := asObject(result)
	if !ok {
		was.restore(before)
		return obj, fmt.Errorf("transform of %s returned %T(%[2]v), which is no object: object kept", was, result)
	}
	if reflect.TypeOf(result) != reflect.TypeOf(obj) { // typed handlers and listers would panic
		was.restore(before)
		return obj, fmt.Errorf("transform of %s returned %T, not %T: object kept", was, result, obj)
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
