// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package measure tells what this process has used of CPU and memory.
package measure

import (
	"fmt"
	"syscall"
	"time"
)

// CPU is time on processors.
type CPU struct {
	User time.Duration `json:"userNanoseconds"`
	Sys  time.Duration `json:"systemNanoseconds"`
}

// Total is both.
func (c CPU) Total() time.Duration { return c.User + c.Sys }

// Since is what was used since then.
func (c CPU) Since(then CPU) CPU { return CPU{User: c.User - then.User, Sys: c.Sys - then.Sys} }

// UsedCPU is what this process has used so far.
func UsedCPU() (CPU, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return CPU{}, fmt.Errorf("getrusage: %w", err)
	}
	return CPU{User: time.Duration(usage.Utime.Nano()), Sys: time.Duration(usage.Stime.Nano())}, nil
}
