// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// object is a pointer to an API type.
type object[T any] interface {
	*T
	runtime.Object
	metav1.Object
}

// Config says what a ListerWatcher lists and watches, and how.
type Config struct {
	// Client is the REST client of the API's group and version, as the
	// clientset has it: client.StarwarsV1().RESTClient(). Authentication, TLS,
	// rate limit, retries, user agent and metrics are its own. Required.
	Client rest.Interface

	// Resource is the name of the resource in the API's paths, in lower case
	// and plural: "starfighters". Required.
	Resource string

	// Namespace limits the objects to one namespace; empty stands for all.
	Namespace string

	// TweakListOptions may change the options of every request, for example to
	// set selectors. Optional. It is called concurrently.
	TweakListOptions func(*metav1.ListOptions)

	// Fallback is client-go's own way to the same objects. It is asked when the
	// server answers with something other than JSON. Required.
	Fallback cache.ListerWatcherWithContext

	// KeepManagedFields decodes metadata.managedFields too. Without it they are
	// passed over: they are most of an object's text, and few programs look at
	// them.
	KeepManagedFields bool

	// PreferList makes reflectors list, in pages, instead of asking for a
	// watch-list. It costs the client less and the server more.
	PreferList bool

	// SkipUndecodable is told of an object that is JSON but does not fit its Go
	// type, and leaves it out of the cache: an object that was in the cache
	// stays there as it was. The object has what could be decoded. Without it
	// such an object is an error, and the reflector tries again and again.
	// Optional. It is called concurrently.
	SkipUndecodable func(obj metav1.Object, err error)
}

// ListerWatcher lists and watches objects of one API type for an informer. It
// implements cache.ListerWatcher and cache.ListerWatcherWithContext. It is safe
// for concurrent use.
type ListerWatcher[T any, P object[T]] struct {
	config   Config
	options  json.Options
	fallback atomic.Bool // the server does not speak JSON
}

// New returns a ListerWatcher for the API type T; P is *T, and follows from T:
//
//	lw, err := listwatch.New[v1.Starfighter](listwatch.Config{...})
func New[T any, P object[T]](config Config) (*ListerWatcher[T, P], error) {
	switch {
	case config.Client == nil:
		return nil, errors.New("listwatch: Config.Client is missing: it is the clientset's RESTClient()")
	case config.Resource == "":
		return nil, errors.New("listwatch: Config.Resource is missing: it is the plural in the API's paths, such as starfighters")
	case config.Fallback == nil:
		return nil, errors.New("listwatch: Config.Fallback is missing: it is a cache.ListWatch on the clientset")
	}
	return &ListerWatcher[T, P]{config: config, options: decodeOptions(config.KeepManagedFields)}, nil
}

var _ cache.ListerWatcher = &ListerWatcher[metav1.PartialObjectMetadata, *metav1.PartialObjectMetadata]{}

// IsWatchListSemanticsUnSupported makes reflectors list when that is preferred.
// client-go's reflector asks for it by this name.
func (w *ListerWatcher[T, P]) IsWatchListSemanticsUnSupported() bool { return w.config.PreferList }

// List implements cache.Lister.
func (w *ListerWatcher[T, P]) List(options metav1.ListOptions) (runtime.Object, error) {
	return w.ListWithContext(context.Background(), options)
}

// Watch implements cache.Watcher.
func (w *ListerWatcher[T, P]) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return w.WatchWithContext(context.Background(), options)
}

// ListWithContext implements cache.ListerWithContext. Errors of the API server
// are the typed ones of k8s.io/apimachinery/pkg/api/errors.
func (w *ListerWatcher[T, P]) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if w.fallback.Load() {
		return w.config.Fallback.ListWithContext(ctx, options)
	}
	body, err := w.open(ctx, options)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if ok, err := looksLikeJSON(body); err == nil && !ok {
		klog.FromContext(ctx).V(2).Info("List with client-go's own decoding", "reason", w.noJSON())
		return w.config.Fallback.ListWithContext(ctx, options)
	}
	result, err := w.decodeList(body)
	if err != nil {
		return nil, fmt.Errorf("decode the list of %s: %w", w.config.Resource, err)
	}
	return result, nil
}

// WatchWithContext implements cache.WatcherWithContext. Errors of the API
// server are the typed ones of k8s.io/apimachinery/pkg/api/errors.
func (w *ListerWatcher[T, P]) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if w.fallback.Load() {
		return w.config.Fallback.WatchWithContext(ctx, options)
	}
	options.Watch = true
	body, err := w.open(ctx, options)
	if utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err) {
		return watch.NewEmptyWatch(), nil // as client-go: cut before it began, to be tried again
	}
	if err != nil {
		return nil, err
	}
	return watch.NewStreamWatcherWithLogger(klog.FromContext(ctx),
		&watchDecoder[T, P]{w: w, body: body, decoder: newDecoder(body, w.options)},
		// As client-go: the cause is not one of HTTP.
		apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding"),
	), nil
}

// open sends the request and returns the body of the answer.
func (w *ListerWatcher[T, P]) open(ctx context.Context, options metav1.ListOptions) (*body, error) {
	if w.config.TweakListOptions != nil {
		w.config.TweakListOptions(&options)
	}
	var timeout time.Duration
	if options.TimeoutSeconds != nil {
		timeout = time.Duration(*options.TimeoutSeconds) * time.Second
	}
	stream, err := w.config.Client.Get().
		NamespaceIfScoped(w.config.Namespace, w.config.Namespace != "").
		Resource(w.config.Resource).
		SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned).
		Timeout(timeout).
		SetHeader("Accept", runtime.ContentTypeJSON).
		Stream(ctx)
	if err != nil {
		return nil, err
	}
	return &body{Reader: bufio.NewReaderSize(stream, 64<<10), Closer: stream}, nil
}

// body is the body of an answer, whose first bytes can be looked at.
type body struct {
	*bufio.Reader
	io.Closer
}

// looksLikeJSON waits for the first byte. rest.Request's Stream does not tell
// the content type, but no other that an API server speaks begins like JSON.
func looksLikeJSON(b *body) (bool, error) {
	first, err := b.Peek(1)
	return len(first) == 1 && bytes.ContainsAny(first, "{ \t\r\n"), err
}

// noJSON makes client-go's own decoding answer from now on.
func (w *ListerWatcher[T, P]) noJSON() error {
	w.fallback.Store(true)
	return fmt.Errorf("the server does not answer in JSON for %s: client-go's own decoding takes over", w.config.Resource)
}

// skips reports an object that does not fit its type, if the user wants to go
// on without it.
func (w *ListerWatcher[T, P]) skips(item P, err error) bool {
	if _, ok := errors.AsType[*undecodableError](err); !ok || item == nil || w.config.SkipUndecodable == nil {
		return false
	}
	w.config.SkipUndecodable(item, w.undecodable(item, err))
	return true
}

// undecodable names the object whose decoding failed, as far as it is known.
func (w *ListerWatcher[T, P]) undecodable(item P, err error) error {
	if _, ok := errors.AsType[*undecodableError](err); !ok || item == nil {
		return err
	}
	name := klog.KObj(item).String()
	if name == "" {
		name = "without a name"
	}
	return fmt.Errorf("cannot decode an object of %s, %s: %w", w.config.Resource, name, err)
}
