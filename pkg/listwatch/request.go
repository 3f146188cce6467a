// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// request returns the request for a list or a watch, and how long the server may
// take for it, where the options say so.
func (w *ListerWatcher[T, P]) request(options metav1.ListOptions) (*rest.Request, time.Duration) {
	if w.config.TweakListOptions != nil {
		w.config.TweakListOptions(&options)
	}
	var timeout time.Duration
	if options.TimeoutSeconds != nil {
		timeout = time.Duration(*options.TimeoutSeconds) * time.Second
	}
	client := w.config.Client
	if options.Watch {
		client = w.watching
	}
	return client.Get().
		NamespaceIfScoped(w.config.Namespace, w.config.Namespace != "").
		Resource(w.config.Resource).
		SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned).
		Timeout(timeout).
		SetHeader("Accept", runtime.ContentTypeJSON), timeout
}

// open sends the request and returns the body of the answer. Request.Stream
// tries again when the server asks for it (Retry-After). When the connection
// breaks before there is an answer, client-go's Do and Watch try again and
// Stream does not: that is done here, as often and as slowly as there.
func (w *ListerWatcher[T, P]) open(ctx context.Context, request *rest.Request, retry func(error) bool) (*body, error) {
	const retries = 10
	for try := 0; ; try++ {
		stream, err := request.Stream(ctx)
		if err == nil {
			return newBody(stream), nil
		}
		if !retry(err) || try == retries {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(w.retryDelay):
		}
	}
}

// retryList is what rest.Request's Do tries again.
func retryList(err error) bool {
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err)
}

// retryWatch is what rest.Request's Watch tries again.
func retryWatch(err error) bool {
	return utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

// retryLimiter limits as client-go does for watches: the first try is free.
type retryLimiter struct {
	flowcontrol.RateLimiter
	tried bool
}

// Wait implements flowcontrol.RateLimiter.
func (l *retryLimiter) Wait(ctx context.Context) error {
	if !l.tried {
		l.tried = true
		return nil
	}
	return l.RateLimiter.Wait(ctx)
}

// body is the body of an answer, whose first bytes can be looked at.
type body struct {
	*bufio.Reader
	io.Closer
}

func newBody(stream io.ReadCloser) *body {
	return &body{Reader: bufio.NewReaderSize(stream, 64<<10), Closer: stream}
}

// looksLikeJSON waits for the first byte. rest.Request's Stream does not tell
// the content type, but no other that an API server speaks begins like JSON. A
// "<" is no API server: some proxy's page, an error that may pass.
func looksLikeJSON(b *body) (bool, error) {
	first, err := b.Peek(1)
	return err == nil && bytes.ContainsAny(first, " \t\r\n{[\"-0123456789tfn<"), err
}

// noJSON makes client-go's own decoding answer from now on.
func (w *ListerWatcher[T, P]) noJSON() error {
	w.fallback.Store(true)
	return fmt.Errorf("the server does not answer in JSON for %s: client-go's own decoding takes over", w.config.Resource)
}
