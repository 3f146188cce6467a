//go:build !unix

// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

// heldPort does nothing on systems without bind-without-listen.
type heldPort struct{}

func holdPort(int) (*heldPort, error) { return nil, nil }

func (p *heldPort) release() {}
