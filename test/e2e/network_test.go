// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/okontajneroch/starwars"
)

// tunnel carries connections to a server, until it becomes a black hole for those
// that there are: nothing comes through, and nobody is told.
type tunnel struct {
	host     string // for clients
	listener net.Listener
	carrying sync.WaitGroup

	mu    sync.Mutex
	pairs []*pair
}

type pair struct {
	client, server net.Conn
	swallows       atomic.Bool
}

func newTunnel(t *testing.T, config *rest.Config) *tunnel {
	t.Helper()
	to, err := url.Parse(config.Host)
	noError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	n := &tunnel{host: "https://" + listener.Addr().String(), listener: listener}
	n.carrying.Go(func() { n.accept(to.Host) })
	t.Cleanup(func() {
		listener.Close()
		n.each(func(p *pair) { p.close() })
		n.carrying.Wait()
	})
	return n
}

func (n *tunnel) accept(to string) {
	for {
		client, err := n.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			client.Close()
			continue
		}
		p := &pair{client: client, server: server}
		n.mu.Lock()
		n.pairs = append(n.pairs, p)
		n.mu.Unlock()
		n.carrying.Go(func() { p.carry(client, server) })
		n.carrying.Go(func() { p.carry(server, client) })
	}
}

func (p *pair) carry(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		read, err := from.Read(buffer)
		if p.swallows.Load() {
			if err != nil {
				return // of which the other side must not learn
			}
			continue
		}
		if err == nil {
			_, err = to.Write(buffer[:read])
		}
		if err != nil {
			p.close()
			return
		}
	}
}

func (p *pair) close() {
	p.client.Close()
	p.server.Close()
}

func (n *tunnel) each(do func(*pair)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pairs {
		do(p)
	}
}

// stalling passes streams on until stall is called; those that there are then stay
// open, in silence.
type stalling struct{ stalls atomic.Int64 }

func (s *stalling) serve(w http.ResponseWriter, r *http.Request, server http.Handler) {
	server.ServeHTTP(&stallingWriter{ResponseWriter: w, of: s, born: s.stalls.Load()}, r)
}

type stallingWriter struct {
	http.ResponseWriter
	of   *stalling
	born int64
}

func (w *stallingWriter) Write(data []byte) (int, error) {
	if w.of.stalls.Load() > w.born {
		return len(data), nil
	}
	return w.ResponseWriter.Write(data)
}

// Unwrap is for http.ResponseController.
func (w *stallingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A connection that is dead without anybody being told: with HTTP/1.1 it takes the
// watch with it. With HTTP/2 client-go looks after connections (it notices within 45
// seconds), but not after a stream that stalls behind a living one, such as a load
// balancer's.
func TestScenario22SilentWatch(t *testing.T) {
	t.Parallel()
	const idle = 2 * time.Second
	for name, arrange := range map[string]func(*testing.T, *rest.Config) (through *rest.Config, stall func()){
		"connection": func(t *testing.T, config *rest.Config) (*rest.Config, func()) {
			t.Helper()
			n := newTunnel(t, config)
			config.Host, config.NextProtos = n.host, []string{"http/1.1"}
			return config, func() { n.each(func(p *pair) { p.swallows.Store(true) }) }
		},
		"stream": func(t *testing.T, config *rest.Config) (*rest.Config, func()) {
			t.Helper()
			p, s := newProxy(t, config), &stalling{}
			p.set(s.serve)
			return p.config(), func() { s.stalls.Add(1) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ships, namespace := sharedShips(t)
			create(t, ships, ship("x-wing-1"))
			config, stall := arrange(t, configFor(t, sharedServer(t)))
			ctx, factory := newFactory(t, clientFor(t, config), 0, starwars.WithNamespace(namespace), starwars.WithIdleTimeout(idle))
			_, stock := newFactory(t, clientFor(t, config), 0, starwars.WithNamespace(namespace), starwars.WithStockInformer())
			startSynced(ctx, t, factory)
			startSynced(ctx, t, stock)
			create(t, ships, ship("x-wing-2"))
			converge(ctx, t, factory, ships)
			converge(ctx, t, stock, ships)

			stall()
			began := time.Now()
			change(t, ships, "x-wing-1", flownBy("Wedge Antilles"))
			remove(t, ships, "x-wing-2")
			converge(ctx, t, factory, ships)
			// Silence is noticed after one to one and a half intervals.
			wantWithin(t, idle+idle/2, "followed again after", time.Since(began))
			late, err := stock.Starwars().V1().Starfighters().Lister().Starfighters(namespace).Get("x-wing-2")
			t.Logf("client-go's informer has of the deleted ship: %t, %v", late != nil, err)
		})
	}
}

// cutting ends watch-lists before their last event, which says that they are
// complete: as if they were, or with a broken stream.
func cutting(cleanly bool) fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if !isWatchList(r) {
			server.ServeHTTP(w, r)
			return
		}
		if cleanly {
			defer func() { _ = recover() }() // the proxy's way to break the stream
		}
		server.ServeHTTP(&cuttingWriter{w}, r)
	}
}

type cuttingWriter struct{ http.ResponseWriter }

func (w *cuttingWriter) Write(data []byte) (int, error) {
	for line := range bytes.Lines(data) { // one event each
		if bytes.Contains(line, []byte(metav1.InitialEventsAnnotationKey)) {
			return 0, errors.New("cut")
		}
		if _, err := w.ResponseWriter.Write(line); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

// Unwrap is for http.ResponseController.
func (w *cuttingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Where watch-lists never come to their end, a list does.
func TestScenario23WatchListIsCut(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"), ship("x-wing-2"))
	for name, cleanly := range map[string]bool{"cleanly": true, "broken": false} {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t, configFor(t, sharedServer(t)))
			p.set(cutting(cleanly))
			ctx, factory := newFactory(t, clientFor(t, p.config()), 0, starwars.WithNamespace(namespace))
			factory.StartWithContext(ctx)
			began := time.Now()
			noError(t, waitThrough(ctx, factory))
			wantWithin(t, healsWithin, "in sync in spite of it after", time.Since(began))
			t.Logf("%d watch-lists, %d lists", p.watchListed(), p.of("LIST"))
			if p.watchListed() > 5 || p.of("LIST") != 1 {
				t.Errorf("%d watch-lists and %d lists, want at most 5 and then 1", p.watchListed(), p.of("LIST"))
			}
			change(t, ships, "x-wing-1", flownBy("Wedge Antilles"))
			converge(ctx, t, factory, ships)
		})
	}
	t.Run("client-go", func(t *testing.T) {
		p := newProxy(t, configFor(t, sharedServer(t)))
		p.set(cutting(true))
		ctx, factory := newFactory(t, clientFor(t, p.config()), 0, starwars.WithNamespace(namespace), starwars.WithStockInformer())
		factory.StartWithContext(ctx)
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		err := factory.WaitForSync(short)
		t.Logf("%d watch-lists, %d lists, and then: %v", p.watchListed(), p.of("LIST"), err)
	})
}

// A server that asks for patience gets it.
func TestScenario24NoRequestStorm(t *testing.T) {
	t.Parallel()
	const outage = 6 * time.Second
	for name, answer := range map[string]*apierrors.StatusError{
		"429-retry-after": apierrors.NewTooManyRequests("the fleet is too large", 1),
		"504-retry-after": apierrors.NewTimeoutError("come back later", 1),
		"503":             apierrors.NewServiceUnavailable("starting"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ships, namespace := sharedShips(t)
			create(t, ships, ship("x-wing-1"))
			p := newProxy(t, configFor(t, sharedServer(t)))
			p.set(refuse(answer, anyRequest))
			ctx, factory := newFactory(t, clientFor(t, p.config()), 0, starwars.WithNamespace(namespace))
			factory.StartWithContext(ctx)
			time.Sleep(outage) // what the test is about
			asked := p.of("LIST") + p.of("WATCH")
			p.set(nil)
			began := time.Now()
			noError(t, waitThrough(ctx, factory))
			t.Logf("%d requests in %s; in sync %.2f s later", asked, outage, time.Since(began).Seconds())
			if asked < 2 || asked > 2*int(outage/time.Second) {
				t.Errorf("%d requests in %s", asked, outage)
			}
			converge(ctx, t, factory, ships)
		})
	}
}

// A time limit for requests is none for watches.
func TestScenario26TimeoutSparesWatches(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	ships, namespace := sharedShips(t)
	create(t, ships, ship("x-wing-1"))
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			config := configFor(t, sharedServer(t))
			config.Timeout = timeout
			asked := countRequests(config)
			ctx, factory := newFactory(t, clientFor(t, config), 0, append(slices.Clip(e.options), starwars.WithNamespace(namespace))...)
			told, _ := handle(t, factory)
			startSynced(ctx, t, factory)
			time.Sleep(3 * timeout) // what the test is about
			late := "late-for-" + e.name
			create(t, ships, ship(late))
			told.awaitOne(ctx, t, "added "+late)
			t.Logf("%s: %d watches in %s with a timeout of %s", e.name, asked.of("WATCH"), 3*timeout, timeout)
			if e.options == nil && !*stockDecoding { // which leaves watching to client-go
				asked.want(t, 0, 1)
			}
		})
	}
}
