// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	// rate limit, retries, user agent, warnings and metrics are its own; its time
	// limit (rest.Config.Timeout) is for lists, and spares watches. Required.
	Client rest.Interface

	// Resource is the name of the resource in the API's paths, in lower case
	// and plural: "starfighters". Required.
	Resource string

	// Kind is the kind of the objects, and what they must say that they are.
	// Empty stands for the name of the Go type, which is what
	// runtime.Scheme.AddKnownTypes takes too.
	Kind string

	// Namespace limits the objects to one namespace; empty stands for all.
	Namespace string

	// TweakListOptions may change the options of every request, for example to
	// set selectors. Optional. It is called concurrently. It is not called for
	// requests of the Fallback.
	TweakListOptions func(*metav1.ListOptions)

	// Fallback is client-go's own way to the same objects. It is asked when the
	// server answers with something other than JSON. Required.
	Fallback cache.ListerWatcherWithContext

	// KeepManagedFields decodes metadata.managedFields too. Without it they are
	// passed over: they are most of an object's text, and few programs look at
	// them.
	KeepManagedFields bool

	// NoWatchList makes reflectors list instead of asking for a watch-list. It
	// costs the client less and the server more.
	NoWatchList bool

	// SkipUndecodable is told of an object that is JSON but does not fit its Go
	// type, and leaves it out of the cache. One that stops fitting while it is
	// cached stays as it was until the next list, which takes it out: handlers
	// are told that it was deleted. Of one that is deleted while it does not
	// fit, handlers get what was decoded before the first mistake. Without
	// SkipUndecodable such an object is an error, and the reflector tries again
	// and again. Optional. It is called concurrently, and must not wait.
	SkipUndecodable func(obj metav1.Object, err error)
}

// ListerWatcher lists and watches objects of one API type for an informer. It
// implements cache.ListerWatcher and cache.ListerWatcherWithContext. It is safe
// for concurrent use.
type ListerWatcher[T any, P object[T]] struct {
	config   Config
	watching rest.Interface // the client for watches
	kind     schema.GroupVersionKind
	options  json.Options
	fallback atomic.Bool // the server does not speak JSON

	// Constant, but for tests.
	maxObjectBytes, maxListBytes int64
	retryDelay                   time.Duration
}

// New returns a ListerWatcher for the API type T; P is *T, and follows from T:
//
//	lw, err := listwatch.New[v1.Starfighter](listwatch.Config{...})
//
// It is an error if something required is missing, or if T is a type that the
// decoder cannot handle.
func New[T any, P object[T]](config Config) (*ListerWatcher[T, P], error) {
	switch {
	case config.Client == nil:
		return nil, errors.New("listwatch: Config.Client is missing: it is the clientset's RESTClient()")
	case config.Resource == "":
		return nil, errors.New("listwatch: Config.Resource is missing: it is the plural in the API's paths, such as starfighters")
	case config.Fallback == nil:
		return nil, errors.New("listwatch: Config.Fallback is missing: it is a cache.ListWatch on the clientset")
	}
	if config.Kind == "" {
		config.Kind = reflect.TypeFor[T]().Name()
	}
	w := &ListerWatcher[T, P]{
		config:         config,
		watching:       withoutTimeout(config.Client),
		kind:           config.Client.APIVersion().WithKind(config.Kind),
		options:        decodeOptions(config.KeepManagedFields),
		maxObjectBytes: maxObjectBytes,
		maxListBytes:   maxListBytes,
		retryDelay:     time.Second,
	}
	if err := json.Unmarshal([]byte("{}"), new(T), w.options); err != nil {
		return nil, fmt.Errorf("listwatch: use client-go's own list and watch for this type: %w", err)
	}
	return w, nil
}

var _ cache.ListerWatcher = &ListerWatcher[metav1.PartialObjectMetadata, *metav1.PartialObjectMetadata]{}

// IsWatchListSemanticsUnSupported makes reflectors list when that is preferred.
// client-go's reflector asks for it by this name.
func (w *ListerWatcher[T, P]) IsWatchListSemanticsUnSupported() bool { return w.config.NoWatchList }

// List implements cache.Lister.
func (w *ListerWatcher[T, P]) List(options metav1.ListOptions) (runtime.Object, error) {
	return w.ListWithContext(context.Background(), options)
}

// Watch implements cache.Watcher.
func (w *ListerWatcher[T, P]) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return w.WatchWithContext(context.Background(), options)
}

// ListWithContext implements cache.ListerWithContext. Errors of the API server
// are the typed ones of k8s.io/apimachinery/pkg/api/errors. An answer that ends
// too early or is not a list of the kind is an error, never a shorter list.
func (w *ListerWatcher[T, P]) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if w.fallback.Load() {
		return w.config.Fallback.ListWithContext(ctx, options)
	}
	request, timeout := w.request(options)
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	body, err := w.open(ctx, request, retryList)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
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
// server are the typed ones of k8s.io/apimachinery/pkg/api/errors. The watch
// ends when it is stopped, when ctx does, and when the server ends it; what goes
// wrong later is an event of type ERROR, and then it ends too.
func (w *ListerWatcher[T, P]) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if w.fallback.Load() {
		return w.config.Fallback.WatchWithContext(ctx, options)
	}
	options.Watch = true
	request, _ := w.request(options)
	if limiter := w.config.Client.GetRateLimiter(); limiter != nil {
		request.Throttle(&retryLimiter{RateLimiter: limiter})
	}
	body, err := w.open(ctx, request, retryWatch)
	if retryWatch(err) && ctx.Err() == nil {
		return watch.NewEmptyWatch(), nil // as client-go: it may go better next time
	}
	if err != nil {
		return nil, err
	}
	return watch.NewStreamWatcherWithLogger(klog.FromContext(ctx), w.newWatchDecoder(body),
		// As client-go: the cause is not one of HTTP.
		apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding"),
	), nil
}

const statusKind = "Status"

// mismatch is the error of an object that is not of the kind that was asked for.
func mismatch(got, want schema.GroupVersionKind) error {
	return fmt.Errorf("it says that it is of kind %q in API version %q, not %q in %q",
		got.Kind, got.GroupVersion(), want.Kind, want.GroupVersion())
}

// describeUndecodable names the object whose decoding failed, as far as that is
// known.
func (w *ListerWatcher[T, P]) describeUndecodable(item P, err error) error {
	name := klog.KObj(item).String()
	if name == "" {
		name = "an object without a name so far"
	}
	return fmt.Errorf("cannot decode %s of %s: %w (correct it on the server, or pass over such objects with SkipUndecodable)",
		name, w.config.Resource, err)
}
