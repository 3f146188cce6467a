// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package ground

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/okontajneroch/starwars/bench/internal/trial"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// command is the API server, by the package and by the name of its program.
const (
	command     = "github.com/okontajneroch/starwars/testenv/cmd/starwars-apiserver"
	commandName = "starwars-apiserver"
)

// BinVariable names a directory that has the program already.
const BinVariable = "STARWARS_BIN"

// startAPIServer starts starwars-apiserver with the fleet, on data that goes
// with it. It is not linked into this program, since it would replace
// client-go's feature gates.
func startAPIServer(ctx context.Context, config Config) (server *Server, err error) {
	if config.Gzip {
		return nil, errors.New("an API server compresses lists as it sees fit")
	}
	dir, err := os.MkdirTemp("", "starwars-bench-*")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	stop := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, stop())
		}
	}()
	program, err := findProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "--dir", filepath.Join(dir, "data"), "--feature-gates", "CBORServingAndStorage="+strconv.FormatBool(config.CBOR))
	kubeconfig, err := start(cmd)
	if err != nil {
		return nil, err
	}
	stop = func() error { return errors.Join(end(cmd), os.RemoveAll(dir)) }

	restConfig, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	restConfig.QPS = -1
	client, err := versioned.NewForConfig(restConfig)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	digest, err := create(ctx, client, config.Fleet)
	if err != nil {
		return nil, err
	}
	return &Server{Address: trial.Server{Kubeconfig: kubeconfig}, Before: digest, After: digest, Stop: stop}, nil
}

// findProgram returns the program, which it builds if it must.
func findProgram(ctx context.Context, dir string) (string, error) {
	if bin := os.Getenv(BinVariable); bin != "" {
		return filepath.Join(bin, commandName), nil
	}
	program := filepath.Join(dir, commandName)
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, command).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", commandName, err, out)
	}
	return program, nil
}

// start starts the server and returns its kubeconfig when it serves.
func start(cmd *exec.Cmd) (kubeconfig string, err error) {
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("start %s: %w", commandName, err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start %s: %w", commandName, err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if file, found := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); found {
			return file, nil
		}
	}
	return "", errors.Join(fmt.Errorf("%s ends before it serves", commandName), end(cmd))
}

// patience is how long the server may take to end.
const patience = 10 * time.Second

func end(cmd *exec.Cmd) error {
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have gone
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", commandName, err)
	}
	return nil
}
