// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	listersv1 "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime/schema"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/healthz"
	utilopenapi "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const (
	// gracePeriod is how long watches may take to end when the server stops.
	gracePeriod = 500 * time.Millisecond

	// drainPeriod is how long connections without a request stay open then.
	drainPeriod = 20 * time.Millisecond

	// stopTimeout bounds the wait for the library. It takes a fraction of it
	// unless something hangs.
	stopTimeout = 10 * time.Second
)

// apiServer is one run of the API server.
type apiServer struct {
	listener *listener
	loopback *rest.Config                             // of the server itself, allowed everything
	crds     listersv1.CustomResourceDefinitionLister // of the server itself
	synced   <-chan struct{}                          // closed when it has seen its CRDs for the first time
	drained  <-chan struct{}                          // closed when it is being stopped and no request runs
	cancel   context.CancelFunc
	done     chan struct{} // closed when the server has ended
	err      error         // why it ended; readable after done
}

// startAPIServer runs an API server on l, and returns before it is ready. It
// owns l from here on.
func startAPIServer(ctx context.Context, l *listener, etcd *etcdServer, creds *credentials, opts Options) (_ *apiServer, err error) {
	defer func() {
		if err != nil {
			_ = l.Close()
			err = fmt.Errorf("set up the API server: %w", err)
		}
	}()
	s := &apiServer{listener: l, done: make(chan struct{})}
	s.loopback = &rest.Config{
		Host:            l.url(),
		BearerToken:     newToken(),
		TLSClientConfig: rest.TLSClientConfig{CAData: creds.ca},
		Dial:            l.dialOwn,
		QPS:             -1,
	}
	config, err := newServerConfig(l, s.loopback, etcd, creds, opts)
	if err != nil {
		return nil, err
	}
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	serveGroupDiscovery(server)
	s.crds = server.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister()
	s.drained = config.GenericConfig.DrainedNotify()
	s.synced = server.GenericAPIServer.MuxAndDiscoveryCompleteSignals()["CRDInformerHasNotSynced"]

	// The server outlives ctx, which bounds its start only.
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	prepared := server.GenericAPIServer.PrepareRun()
	go func() {
		defer close(s.done)
		s.err = prepared.RunWithContext(runCtx)
	}()
	return s, nil
}

func newServerConfig(l *listener, loopback *rest.Config, etcd *etcdServer, creds *credentials, opts Options) (*apiserver.Config, error) {
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	config.EffectiveVersion = newEffectiveVersion()
	config.ExternalAddress = l.Addr().String()
	config.LoopbackClientConfig = loopback
	config.MergedResourceConfig = apiserver.DefaultAPIResourceConfigSource()
	// Zero would mean that stopping waits for clients to end their watches.
	config.ShutdownWatchTerminationGracePeriod = gracePeriod

	cert, err := dynamiccertificates.NewStaticCertKeyContent("serving", creds.cert, creds.key)
	if err != nil {
		return nil, err
	}
	config.SecureServing = &genericapiserver.SecureServingInfo{Listener: l, Cert: cert}
	config.Authentication.Authenticator = newAuthenticator(creds.token)
	config.Authorization.Authorizer = newAuthorizer(opts.Authorizer)

	// Without the library's check of the log, whose goroutine never ends.
	config.HealthzChecks = []healthz.HealthChecker{healthz.PingHealthz}
	config.LivezChecks, config.ReadyzChecks = config.HealthzChecks, config.HealthzChecks
	config.AddHealthChecks(healthz.NamedCheck("etcd", func(r *http.Request) error { return etcd.check(r.Context()) }))
	crdStorage, resourceStorage := newStorage(etcd.endpoint, config.StorageObjectCountTracker)
	config.RESTOptionsGetter = crdStorage

	definitions := utilopenapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(openapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIConfig.Info.Title = "starwars"
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	config.OpenAPIV3Config.Info.Title = "starwars"

	return &apiserver.Config{
		GenericConfig: config,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: resourceStorage,
			ServiceResolver:      webhook.NewDefaultServiceResolver(),
			AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, loopback, noop.NewTracerProvider()),
			MasterCount:          1, // more would hold back new CRDs for 5 s
		},
	}, nil
}

// waitReady returns when /readyz is happy.
func (s *apiServer) waitReady(ctx context.Context) error {
	config := rest.CopyConfig(s.loopback)
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client for /readyz: %w", err)
	}
	return poll(ctx, func(ctx context.Context) (bool, error) {
		select {
		case <-s.done:
			return false, errors.Join(errors.New("the API server ended while it started"), s.err)
		default:
		}
		if err := client.Get().AbsPath("/readyz").MaxRetries(0).Do(ctx).Error(); err != nil {
			return false, retryError{err}
		}
		return true, nil
	})
}

// stop returns when the server is gone.
func (s *apiServer) stop() error {
	// The library ends the process when it is stopped before it has seen its
	// CRDs for the first time.
	select {
	case <-s.synced:
	case <-s.done:
	case <-time.After(stopTimeout):
		return fmt.Errorf("the API server has not finished starting in %s and cannot be stopped", stopTimeout)
	}
	s.cancel()
	select {
	case <-s.drained:
		// Leave time for the last bytes, and not for idle clients to hang up,
		// which takes them half a second or, if they never sent a request, five.
		select {
		case <-s.done:
		case <-time.After(drainPeriod):
		}
	case <-s.done:
	case <-time.After(2 * gracePeriod): // some request does not end
	}
	s.listener.cut(true)
	select {
	case <-s.done:
		return s.err
	case <-time.After(stopTimeout):
		return fmt.Errorf("the API server did not stop in %s", stopTimeout)
	}
}
