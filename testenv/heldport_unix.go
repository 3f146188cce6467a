//go:build unix

// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"fmt"
	"os"
	"syscall"
)

// heldPort keeps a port from others while nothing listens on it. Connections
// to it are refused, and the system hands it out to nobody, which it would
// otherwise do, as free ports are where the ends of connections come from.
type heldPort struct{ fd int }

// holdPort binds the port without listening on it.
func holdPort(port int) (*heldPort, error) {
	syscall.ForkLock.RLock() // no child process may inherit the socket
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	held := &heldPort{fd}
	// Connections of the last run may be in TIME_WAIT.
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		held.release()
		return nil, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		held.release()
		return nil, fmt.Errorf("port %d: %w", port, os.NewSyscallError("bind", err))
	}
	return held, nil
}

// release gives the port up. A nil heldPort holds nothing.
func (p *heldPort) release() {
	if p != nil {
		_ = syscall.Close(p.fd)
	}
}
