// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"io"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// The tests are in a package of their own, as they know an API type. This is
// what they need of the inside.

// MaxObjectBytes is the bound of an object.
const MaxObjectBytes = maxObjectBytes

// DecodeList decodes the body of a list.
func (w *ListerWatcher[T, P]) DecodeList(r io.Reader) (runtime.Object, []P, error) {
	l, err := w.decodeList(r)
	if err != nil {
		return nil, nil, err
	}
	return l, l.Items, nil
}

// WatchDecoder decodes the body of a watch.
func (w *ListerWatcher[T, P]) WatchDecoder(r io.ReadCloser) watch.Decoder {
	return w.newWatchDecoder(newBody(r))
}

// SetMax sets the bounds of an object and of a list.
func (w *ListerWatcher[T, P]) SetMax(objectBytes, listBytes int64) {
	w.maxObjectBytes, w.maxListBytes = objectBytes, listBytes
}

// SetRetryDelay sets how long to wait after a connection that broke.
func (w *ListerWatcher[T, P]) SetRetryDelay(d time.Duration) { w.retryDelay = d }
