// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestUsedCPU(t *testing.T) {
	before, err := UsedCPU()
	if err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); time.Since(begin) < 50*time.Millisecond; {
		runtime.Gosched()
	}
	after, err := UsedCPU()
	if err != nil {
		t.Fatal(err)
	}
	if used := after.Since(before); used.Total() <= 0 || used.User < 0 || used.Sys < 0 {
		t.Errorf("%+v", used)
	}
}

func TestPeakAndRetained(t *testing.T) {
	const size = 64 << 20
	before := Retained()
	peak := StartPeak()
	block := make([]byte, size)
	if retained := Retained(); retained < before+size {
		t.Errorf("%d retained with the block, %d without", retained, before)
	}
	objects, live := peak.Stop() // reads once more, while the block is there
	runtime.KeepAlive(block)
	if objects < before+size || live < size {
		t.Errorf("peak %d, %d live", objects, live)
	}
	if retained := Retained(); retained > before+size/2 {
		t.Errorf("%d retained without the block, %d before it", retained, before)
	}
}

func TestHighWater(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell")
	}
	if HighWater() < 1<<20 {
		t.Errorf("%d", HighWater())
	}
}
