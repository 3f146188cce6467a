// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"k8s.io/klog/v2"
)

// stopTimeout is how long requests may take to end when the board stops. Streams
// end by themselves at once.
const stopTimeout = 500 * time.Millisecond

// site is the board's web server.
type site struct {
	board   *board
	metrics *metrics
	streams *streams
}

func newSite(b *board, m *metrics) *site {
	s := &site{board: b, metrics: m, streams: newStreams(b, m.streams)}
	m.followStreams(s.streams)
	return s
}

// serve answers requests until ctx ends, and then ends within stopTimeout.
func (s *site) serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s.handler(),
		// Streams live in this context, so they end with it.
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          klog.NewStandardLogger("WARNING"),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			stopped <- server.Close() // somebody reads slowly
			return
		}
		stopped <- nil
	})
	err := server.Serve(listener)
	if stop() { // ctx has not ended
		return fmt.Errorf("serve the page: %w", errors.Join(err, server.Close()))
	}
	return <-stopped
}

// handler has all routes.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.servePage)
	mux.Handle("GET /events", s.streams)
	mux.HandleFunc("GET /api/v1/starfighters", s.serveShips)
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("GET /healthz", s.serveHealthz)
	mux.HandleFunc("GET /readyz", s.serveReadyz)
	files, err := fs.Glob(assets, "static/*")
	if err != nil { // the pattern is a constant
		panic(err)
	}
	for _, file := range files { // one by one, so that there is no listing
		mux.Handle("GET /"+file, http.FileServerFS(assets))
	}
	return s.metrics.instrument(guard(mux))
}

// serveHealthz says that the process answers.
func (s *site) serveHealthz(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "ok")
}

// serveReadyz says whether the board knows the fleet, and if not, why.
func (s *site) serveReadyz(w http.ResponseWriter, _ *http.Request) {
	health := s.board.health()
	if !health.ready() {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "not ready: %s\n", health.unready())
		return
	}
	if trouble := health.trouble(time.Now()); trouble != "" {
		fmt.Fprintf(w, "ok: the cache is filled, but %s\n", trouble)
		return
	}
	fmt.Fprintln(w, "ok: the cache is filled and follows the API server")
}

// contentPolicy lets the page use what this server serves and nothing else. No
// script can turn text into HTML: there is no trusted type for it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guard keeps other sites out. A page elsewhere can have its own host name lead
// here (DNS rebinding): the name that it asks for gives it away. And it can send
// requests whose answers it cannot read: nobody needs those.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", contentPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if !isLoopback(hostname(r.Host)) {
			http.Error(w, "This server answers to localhost and to loopback addresses only.", http.StatusMisdirectedRequest)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			if r.Header.Get("Sec-Fetch-Mode") != "navigate" { // a link is fine
				http.Error(w, "This server answers no requests that other sites make.", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns a Host header without its port. Any port is right: the
// connection may have been forwarded.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(host, ".")
}
