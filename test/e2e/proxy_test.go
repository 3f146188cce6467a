// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

// proxy stands between clients and an API server, and answers in its place when a
// test says so.
type proxy struct {
	*requests // that reached the proxy
	through   *rest.Config
	front     *httptest.Server

	mu    sync.Mutex
	fault fault
}

// fault answers a request in the server's place, or passes it on.
type fault func(w http.ResponseWriter, r *http.Request, server http.Handler)

// newProxy starts a proxy that passes everything on. It speaks HTTP/2 with clients,
// as API servers do.
func newProxy(t *testing.T, config *rest.Config) *proxy {
	t.Helper()
	target, err := url.Parse(config.Host)
	noError(t, err)
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(config))
	noError(t, err)
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // faults look into what comes
		},
		Transport:     transport,
		FlushInterval: -1,
		// What the server cannot be asked is for the client to find out.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p := &proxy{requests: newRequests()}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.record(r)
		p.mu.Lock()
		fault := p.fault
		p.mu.Unlock()
		if fault == nil {
			forward.ServeHTTP(w, r)
			return
		}
		fault(w, r, forward)
	}))
	front.EnableHTTP2 = true
	front.StartTLS()
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	p.front = front
	p.through = rest.CopyConfig(config)
	p.through.Host = front.URL
	p.through.TLSClientConfig = rest.TLSClientConfig{CAData: pemOf(front.Certificate())}
	return p
}

// config is for clients that are to go through the proxy.
func (p *proxy) config() *rest.Config { return rest.CopyConfig(p.through) }

// set makes a fault begin, or with nil end.
func (p *proxy) set(fault fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// disconnect drops what clients have open, and lets nothing through, until the
// function that it returns is called. From then on there is a fault, or with nil
// none.
func (p *proxy) disconnect() (reconnect func(fault)) {
	again := make(chan struct{})
	var next fault
	p.set(func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		select {
		case <-again:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
		if next == nil {
			server.ServeHTTP(w, r)
			return
		}
		next(w, r, server)
	})
	p.front.CloseClientConnections()
	return func(f fault) {
		next = f
		p.set(f)
		close(again)
	}
}

// refuse is a fault: an answer of the API server's own kind to some requests.
func refuse(answer *apierrors.StatusError, when func(*http.Request) bool) fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if !when(r) {
			server.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if details := answer.ErrStatus.Details; details != nil && details.RetryAfterSeconds > 0 {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(int(answer.ErrStatus.Code))
		_ = json.NewEncoder(w).Encode(answer.ErrStatus) // the client may have gone
	}
}

func anyRequest(*http.Request) bool    { return true }
func isWatch(r *http.Request) bool     { return r.URL.Query().Has("watch") }
func isWatchList(r *http.Request) bool { return r.URL.Query().Get("sendInitialEvents") == "true" }

// goesOn tells a watch that goes on where another ended.
func goesOn(r *http.Request) bool { return isWatch(r) && !isWatchList(r) }

// pemOf is a certificate as configurations have it.
func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}
