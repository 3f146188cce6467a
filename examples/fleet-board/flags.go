// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// address is a flag: where to listen, HOST:PORT, on this computer only. The page
// has no login, so it is not for the network.
type address string

// String implements pflag.Value.
func (a *address) String() string { return string(*a) }

// Type implements pflag.Value.
func (a *address) Type() string { return "address" }

// Set implements pflag.Value.
func (a *address) Set(text string) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return errors.New("it has to be HOST:PORT, such as 127.0.0.1:8080")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("port %q is no number from 0 to 65535", port)
	}
	if !isLoopback(host) {
		return fmt.Errorf("%q is not an address of this computer alone, such as 127.0.0.1, and the page has no login", host)
	}
	*a = address(text)
	return nil
}

// listen begins to accept connections.
func (a address) listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", string(a))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("something else listens at %s: stop it, or choose another port with --listen (0 is a free one): %w", a, err)
	case err != nil:
		return nil, fmt.Errorf("cannot serve at %s, choose another address with --listen: %w", a, err)
	}
	return listener, nil
}

// rate is a flag: how often a second something happens.
type rate float64

// String implements pflag.Value.
func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

// Type implements pflag.Value.
func (r *rate) Type() string { return "number" }

// Set implements pflag.Value.
func (r *rate) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= maxRate) { // NaN is neither
		return fmt.Errorf("it has to be a number from 0 to %d", maxRate)
	}
	*r = rate(n)
	return nil
}

// maxRate is more than one API server takes.
const maxRate = 10000

// isLoopback tells whether a host, as in a URL, can only be this computer. Any
// other name might be made to lead here by whoever owns it.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && ip.IsLoopback()
}
