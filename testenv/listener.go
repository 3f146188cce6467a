// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// loopback is the only address that is listened on.
const loopback = "127.0.0.1"

// listener is a TCP listener on loopback that knows its open connections, to
// cut them. Connections that the server makes to itself are left out of that.
type listener struct {
	net.Listener

	mu    sync.Mutex
	conns map[*trackedConn]struct{}
	own   map[string]int // local addresses of the server's connections to itself
}

// listen listens on the port, or on a free one if it is zero.
func listen(ctx context.Context, port int) (*listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &listener{Listener: l, conns: map[*trackedConn]struct{}{}, own: map[string]int{}}, nil
}

// relisten is listen for a port that was ours a moment ago: it retries for a
// short while if something is in the way, such as a connection that got the
// port as its own end.
func relisten(ctx context.Context, port int) (*listener, error) {
	const patience = 2 * time.Second
	for end := time.Now().Add(patience); ; {
		l, err := listen(ctx, port)
		if err == nil {
			return l, nil
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("cannot listen on the same port again: %w", err)
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			return nil, fmt.Errorf("cannot listen on the same port again: %w (%w)", context.Cause(ctx), err)
		}
	}
}

func (l *listener) port() int { return l.Addr().(*net.TCPAddr).Port }

func (l *listener) url() string { return "https://" + l.Addr().String() }

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tracked := &trackedConn{Conn: conn, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[tracked] = struct{}{}
	return tracked, nil
}

// dialOwn is the dialer for the server's connections to itself.
func (l *listener) dialOwn(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	own := &ownConn{Conn: conn, listener: l, local: conn.LocalAddr().String()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own[own.local]++
	return own, nil
}

// cut closes the connections that are open now, and returns how many; the
// server's own only if all is true.
func (l *listener) cut(all bool) int {
	l.mu.Lock()
	var conns []*trackedConn
	for conn := range l.conns {
		if all || l.own[conn.RemoteAddr().String()] == 0 {
			conns = append(conns, conn)
		}
	}
	l.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close() // what matters is that it is closed
	}
	return len(conns)
}

// trackedConn is the server's end of a connection.
type trackedConn struct {
	net.Conn
	listener *listener
}

func (c *trackedConn) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.conns, c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// ownConn is the client's end of a connection of the server to itself.
type ownConn struct {
	net.Conn
	listener *listener
	local    string
	once     sync.Once
}

func (c *ownConn) Close() error {
	c.once.Do(func() {
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		if c.listener.own[c.local]--; c.listener.own[c.local] == 0 {
			delete(c.listener.own, c.local)
		}
	})
	return c.Conn.Close()
}
