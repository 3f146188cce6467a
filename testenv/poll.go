// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// pollInterval is how often the state of the server is looked at while it
// starts. Everything polled is on loopback, and takes a fraction of it.
const pollInterval = 10 * time.Millisecond

// retryError is an error that goes away by itself.
type retryError struct{ error }

func (e retryError) Unwrap() error { return e.error }

// notYet marks the answers that a server gives while it is getting ready.
func notYet(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	switch status.Status().Code {
	case http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return retryError{err}
	}
	return err
}

// poll calls check until it is done, fails with an error that is no
// retryError, or ctx ends; then the error says what was missing last.
func poll(ctx context.Context, check func(context.Context) (bool, error)) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		done, err := check(ctx)
		if _, retry := errors.AsType[retryError](err); retry {
			last = err
			return false, nil
		}
		return done, err
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
		if last != nil {
			err = fmt.Errorf("%w (last: %w)", err, last)
		}
	}
	return err
}

// withCause adds to an error why ctx ended, if it did.
func withCause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), err)
}
