// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// BenchmarkStart runs cmd/starwars-apiserver as a process of its own, once for
// each iteration, and reports medians and worst cases of
//
//   - ms/ready: from the start of the process to the line that says it serves,
//   - ms/first-list: from the same start to the end of the first LIST of a new
//     client,
//   - ms/stop: from SIGTERM to the end of the process,
//   - MB-rss: its resident memory after that LIST.
//
// For ten runs: go test -run '^$' -bench Start -benchtime 10x .
func BenchmarkStart(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("reads the memory of a process from /proc")
	}
	binary := filepath.Join(b.TempDir(), "starwars-apiserver")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/starwars-apiserver").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	figures := map[string][]float64{}
	b.ResetTimer()
	for range b.N {
		for unit, value := range runOnce(b, binary) {
			figures[unit] = append(figures[unit], value)
		}
	}
	for unit, values := range figures {
		slices.Sort(values)
		b.ReportMetric(values[len(values)/2], unit)
		b.ReportMetric(values[len(values)-1], unit+"-max")
	}
}

func runOnce(b *testing.B, binary string) map[string]float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), deadline)
	defer cancel()
	command := exec.CommandContext(ctx, binary)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	sinceBegin := func() float64 { return float64(time.Since(begin).Microseconds()) / 1000 }
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	figures := map[string]float64{}
	var kubeconfig string
	lines := bufio.NewScanner(stdout)
	for kubeconfig == "" && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Serving ") {
			figures["ms/ready"] = sinceBegin()
		}
		kubeconfig, _ = strings.CutPrefix(lines.Text(), "export KUBECONFIG=")
		if kubeconfig == lines.Text() {
			kubeconfig = ""
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		b.Fatal(err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := client.StarwarsV1().Starfighters("").List(ctx, metav1.ListOptions{}); err != nil {
		b.Fatal(err)
	}
	figures["ms/first-list"] = sinceBegin()
	if figures["MB-rss"], err = residentMemory(command.Process.Pid); err != nil {
		b.Fatal(err)
	}
	begin = time.Now()
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		b.Fatal(err)
	}
	figures["ms/stop"] = sinceBegin()
	return figures
}

// residentMemory returns the resident memory of a process in MB (10^6 bytes).
func residentMemory(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("no VmRSS for process %d", pid)
}
