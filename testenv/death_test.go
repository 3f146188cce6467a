// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"strings"
	"testing"
	"time"
)

// TestDeathOfEtcd kills the database from within, as nothing outside can.
func TestDeathOfEtcd(t *testing.T) {
	e := New(&quietTB{T: t}, Options{})
	if e.Err() != nil {
		t.Fatalf("Err = %v on a healthy server", e.Err())
	}
	e.run.etcd.etcd.Server.Stop()
	select {
	case <-e.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("Done stays open")
	}
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "etcd ended by itself") {
		t.Errorf("Err = %v", err)
	}
	if err := e.Restart(t.Context(), RestartOptions{}); err == nil || !strings.Contains(err.Error(), "etcd ended by itself") {
		t.Errorf("Restart of a dead server: %v", err)
	}
	begin := time.Now()
	if err := e.Stop(); err != nil {
		t.Errorf("Stop of a dead server: %v", err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Stop of a dead server took %s", took)
	}
	if e.Err() == nil {
		t.Error("Stop makes Err forget")
	}
}

// quietTB is a T that New's clean-up does not fail.
type quietTB struct{ *testing.T }

func (quietTB) Errorf(string, ...any) {}
