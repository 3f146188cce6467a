// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// RequestError is why an informer cannot list or watch. It wraps what the API
// server, or the network, said, for apierrors.IsForbidden and the like.
type RequestError struct {
	Informer  string // what it is for
	Namespace string // "" for all
	Verb      string // list or watch
	Err       error
}

func (e *RequestError) Error() string {
	where := ""
	if e.Namespace != "" {
		where = fmt.Sprintf(" in namespace %q", e.Namespace)
	}
	return fmt.Sprintf("%s cannot %s%s: %v%s", e.Informer, e.Verb, where, e.Err, advice(e.Err))
}

// Unwrap returns the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// advice says what somebody could do about it.
func advice(err error) string {
	var status apierrors.APIStatus
	switch {
	case apierrors.IsNotFound(err):
		return " (is its custom resource definition installed?)"
	case apierrors.IsForbidden(err):
		return " (a role must allow it to list and watch)"
	case apierrors.IsUnauthorized(err):
		return " (the credentials are not valid here)"
	case utilnet.IsConnectionRefused(err), utilnet.IsTimeout(err), utilnet.IsNoRoutesError(err):
		return " (is the API server up, and is this its address?)"
	case errors.As(err, &status) && status.Status().Code == http.StatusServiceUnavailable:
		return " (the API server is not ready)"
	}
	return ""
}

// health is what keeps an informer from following the API server at present.
type health struct {
	mu       sync.Mutex
	failures []failure     // the oldest first, one per namespace and verb
	changed  chan struct{} // closed at the next change
}

type failure struct {
	err   *RequestError
	since time.Time
}

// fail records a failure, in place of an earlier one of the same kind.
func (h *health) fail(err *RequestError) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, f := range h.failures {
		if f.err.Namespace == err.Namespace && f.err.Verb == err.Verb {
			h.failures[i].err = err
			return
		}
	}
	h.failures = append(h.failures, failure{err, time.Now()})
	h.tell()
}

// recovered forgets failures of a verb.
func (h *health) recovered(namespace, verb string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, f := range h.failures {
		if f.err.Namespace == namespace && f.err.Verb == verb {
			h.failures = append(h.failures[:i:i], h.failures[i+1:]...)
			h.tell()
			return
		}
	}
}

func (h *health) tell() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// current returns the oldest failure, if there is any, and what is closed when
// that may no longer be the answer.
func (h *health) current() (since time.Time, changed <-chan struct{}, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	if len(h.failures) == 0 {
		return time.Time{}, h.changed, nil
	}
	return h.failures[0].since, h.changed, h.failures[0].err
}
