// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestListenTakesAddressesOfThisComputerOnly(t *testing.T) {
	for _, good := range []string{"127.0.0.1:8080", "localhost:0", "[::1]:80", "127.1.2.3:1"} {
		var a address
		if err := a.Set(good); err != nil || a.String() != good {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"":               "HOST:PORT",
		"8080":           "HOST:PORT",
		":8080":          "this computer alone",
		"0.0.0.0:8080":   "this computer alone",
		"[::]:8080":      "this computer alone",
		"example.com:80": "this computer alone",
		"127.0.0.1:http": "from 0 to 65535",
		"127.0.0.1:":     "from 0 to 65535",
		"localhost:-1":   "from 0 to 65535",
		"localhost:1e3":  "from 0 to 65535",
	} {
		a := address("before")
		if err := a.Set(bad); err == nil || !strings.Contains(err.Error(), want) || a != "before" {
			t.Errorf("%q: %v; want %q", bad, err, want)
		}
	}
}

func TestListenSaysThatAPortIsTaken(t *testing.T) {
	first, err := address("127.0.0.1:0").listen(t.Context())
	noError(t, err)
	defer first.Close()
	_, err = address(first.Addr().String()).listen(t.Context())
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "choose another port with --listen") {
		t.Errorf("error %v", err)
	}
}

func TestRateIsANumber(t *testing.T) {
	for _, good := range []string{"0", "2", "0.5", "10000"} {
		var r rate
		if err := r.Set(good); err != nil || r.String() != good {
			t.Errorf("%s: %v, %s", good, err, r.String())
		}
	}
	for _, bad := range []string{"", "-1", "NaN", "Inf", "10001", "fast"} {
		var r rate
		if err := r.Set(bad); err == nil {
			t.Errorf("%q is taken for a rate", bad)
		}
	}
}

func TestFlagsThatCannotBe(t *testing.T) {
	for _, good := range []options{{}, {size: maxShips, namespace: "outer-rim"}} {
		noError(t, good.check())
	}
	for want, bad := range map[string]options{
		"--ships 10001 is more than 10000":     {size: maxShips + 1},
		`--namespace "Outer_Rim" cannot exist`: {namespace: "Outer_Rim"},
	} {
		if err := bad.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
