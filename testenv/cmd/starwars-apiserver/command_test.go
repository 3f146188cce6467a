// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

// binary is the command, built by TestMain.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "starwars-apiserver-test-*")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "starwars-apiserver")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stderr = os.Stderr
	code := 1
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// process is the command as it runs.
type process struct {
	*exec.Cmd
	temp       string // its directory for temporary files
	stderr     *bytes.Buffer
	url        string
	kubeconfig string
}

// command prepares the command with a temporary directory and a home of its own.
func command(t *testing.T, args ...string) process {
	t.Helper()
	temp, err := os.MkdirTemp("", "t") // short, for unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	p := process{Cmd: exec.Command(binary, args...), temp: temp, stderr: &bytes.Buffer{}}
	p.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	p.Stderr = p.stderr
	return p
}

// start runs the command and reads the three lines that it prints when it
// serves.
func start(t *testing.T, args ...string) process {
	t.Helper()
	p := command(t, args...)
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	lines := bufio.NewScanner(stdout)
	line := func(prefix string) string {
		t.Helper()
		if !lines.Scan() {
			_ = p.Wait()
			t.Fatalf("the command ends: %s", p.stderr)
		}
		rest, found := strings.CutPrefix(lines.Text(), prefix)
		if !found {
			t.Fatalf("line %q, want %q first", lines.Text(), prefix)
		}
		return rest
	}
	p.url = line("Serving the starwars API at ")
	p.kubeconfig = line("export KUBECONFIG=")
	line("kubectl get starfighters")
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return p
}

// stop sends the signal and expects a clean end within 2 s.
func (p process) stop(t *testing.T, signal os.Signal) {
	t.Helper()
	begin := time.Now()
	if err := p.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("after %s: %v", signal, err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("the end took %s", took)
	}
	if p.stderr.Len() > 0 {
		t.Errorf("stderr: %s", p.stderr)
	}
	entries, err := os.ReadDir(p.temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("left in the temporary directory: %s", entry.Name())
	}
}

func client(t *testing.T, kubeconfig string) versioned.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// create creates the Starfighter x-wing-1.
func create(t *testing.T, kubeconfig string) {
	t.Helper()
	ships := client(t, kubeconfig).StarwarsV1().Starfighters("default")
	ship := &starwarsv1.Starfighter{
		ObjectMeta: metav1.ObjectMeta{Name: "x-wing-1"},
		Spec:       starwarsv1.StarfighterSpec{Faction: starwarsv1.Rebellion, Type: "X-Wing", Pilot: "Luke Skywalker"},
	}
	if _, err := ships.Create(t.Context(), ship, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestServesUntilSignal(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			p := start(t)
			if filepath.Dir(filepath.Dir(p.kubeconfig)) != p.temp {
				t.Errorf("kubeconfig = %s, want one below %s", p.kubeconfig, p.temp)
			}
			ships := client(t, p.kubeconfig).StarwarsV1().Starfighters("default")
			w, err := ships.Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			p.stop(t, signal)
		})
	}
}

func TestDirAndPort(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, "--dir", dir)
	if want := filepath.Join(dir, "kubeconfig"); first.kubeconfig != want {
		t.Errorf("kubeconfig = %s, want %s", first.kubeconfig, want)
	}
	create(t, first.kubeconfig)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(first.url, "https://"))
	first.stop(t, syscall.SIGTERM)

	config := filepath.Join(t.TempDir(), "config")
	second := start(t, "--dir", dir, "--port", port, "--kubeconfig", config)
	if second.url != first.url || second.kubeconfig != config {
		t.Errorf("serves at %s with %s", second.url, second.kubeconfig)
	}
	for _, kubeconfig := range []string{first.kubeconfig, config} {
		if _, err := client(t, kubeconfig).StarwarsV1().Starfighters("default").Get(t.Context(), "x-wing-1", metav1.GetOptions{}); err != nil {
			t.Errorf("with %s: %v", kubeconfig, err)
		}
	}
	second.stop(t, syscall.SIGTERM)
	if _, err := os.Stat(config); err != nil {
		t.Errorf("a kubeconfig that was asked for: %v", err)
	}
}

func TestDataSurvivesAKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, "--dir", dir)
	create(t, first.kubeconfig)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	// Whoever removes --dir removes all there is.
	if entries, err := os.ReadDir(first.temp); err != nil || len(entries) > 0 {
		t.Errorf("left in the temporary directory: %v %v", entries, err)
	}
	second := start(t, "--dir", dir)
	if _, err := client(t, second.kubeconfig).StarwarsV1().Starfighters("default").Get(t.Context(), "x-wing-1", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	second.stop(t, syscall.SIGTERM)
}

func TestExtraCRDsAndGates(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(manifest, []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "--crd", manifest, "--feature-gates", "CBORServingAndStorage=true,WatchList=true")
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	d := discovery.NewDiscoveryClientForConfigOrDie(config)
	for _, version := range []string{"example.com/v1", "starwars.okontajneroch.sk/v1"} {
		if _, err := d.ServerResourcesForGroupVersion(version); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
	version, err := d.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(version.GitVersion, ".0") || !strings.HasPrefix(version.GitVersion, "v1.") {
		t.Errorf("version = %s, want the exact release of the library", version.GitVersion)
	}
	p.stop(t, syscall.SIGTERM)
}

func TestFailures(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("kind: Pod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"port taken", []string{"--port", port}, 1, "choose another port"},
		{"no such port", []string{"--port", "65536"}, 1, "port 65536"},
		{"directory is a file", []string{"--dir", file}, 1, "choose a directory"},
		{"no such CRD file", []string{"--crd", file + "x"}, 1, "no such file"},
		{"no CRD", []string{"--crd", file}, 1, "Options.CRDs[1]"},
		{"unknown gate", []string{"--feature-gates", "DeathStar=true"}, 1, "unrecognized feature gate: DeathStar"},
		{"no such directory for the kubeconfig", []string{"--kubeconfig", file + "x/config"}, 1, "kubeconfig"},
		{"unknown flag", []string{"--bogus"}, 2, "unknown flag: --bogus"},
		{"port is no number", []string{"--port", "http"}, 2, "--port"},
		{"gate without a value", []string{"--feature-gates", "A"}, 2, "--feature-gates"},
		{"gate that is neither", []string{"--feature-gates", "A=perhaps"}, 2, "neither true nor false"},
		{"argument", []string{"serve"}, 2, `unexpected argument "serve"`},
		{"empty directory", []string{"--dir="}, 2, "--dir is empty"},
		{"empty kubeconfig", []string{"--kubeconfig="}, 2, "--kubeconfig is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := command(t, test.args...)
			stdout, err := p.Output()
			if err == nil || p.ProcessState.ExitCode() != test.code {
				t.Errorf("%v, want exit code %d", err, test.code)
			}
			if len(stdout) > 0 {
				t.Errorf("stdout: %s", stdout)
			}
			lines := strings.Split(strings.TrimSuffix(p.stderr.String(), "\n"), "\n")
			if !strings.HasPrefix(lines[0], "starwars-apiserver: ") || !strings.Contains(lines[0], test.want) {
				t.Errorf("stderr: %q, want %q in it", lines[0], test.want)
			}
			switch {
			case test.code == 1 && len(lines) != 1:
				t.Errorf("stderr has %d lines: %q", len(lines), lines)
			case test.code == 2 && (len(lines) != 2 || !strings.Contains(lines[1], "--help")):
				t.Errorf("stderr has no hint: %q", lines)
			}
			entries, err := os.ReadDir(p.temp)
			if err != nil || len(entries) > 0 {
				t.Errorf("left in the temporary directory: %v %v", entries, err)
			}
		})
	}
}

func TestRefusesTheUsersKubeconfig(t *testing.T) {
	p := command(t)
	kube := filepath.Join(p.temp, ".kube") // HOME is there
	if err := os.Mkdir(kube, 0o700); err != nil {
		t.Fatal(err)
	}
	p.Args = append(p.Args, "--kubeconfig", filepath.Join(kube, "config"))
	if _, err := p.Output(); err == nil || p.ProcessState.ExitCode() != 1 || !strings.Contains(p.stderr.String(), "choose another path") {
		t.Errorf("%v: %s", err, p.stderr)
	}
}

func TestHelp(t *testing.T) {
	stdout, err := command(t, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--dir", "--port", "--kubeconfig", "--crd", "--feature-gates", "-v", "Ctrl-C"} {
		if !strings.Contains(string(stdout), want) {
			t.Errorf("the help does not say %q:\n%s", want, stdout)
		}
	}
}

// TestSecondSignal calls run in this process, since the first signal is enough
// for a healthy server before a second can arrive.
func TestSecondSignal(t *testing.T) {
	signals := make(chan os.Signal, 2)
	signals <- syscall.SIGINT
	signals <- syscall.SIGINT
	exited := make(chan int, 1)
	if code := run(nil, io.Discard, io.Discard, signals, func(code int) { exited <- code }); code != exitOK {
		t.Errorf("code = %d", code)
	}
	if code := <-exited; code != exitInterrupted {
		t.Errorf("the second signal exits with %d, want %d", code, exitInterrupted)
	}
}

func TestShellQuote(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/a-b_c.1/kubeconfig": "/tmp/a-b_c.1/kubeconfig",
		"/tmp/my data":            "'/tmp/my data'",
		"/tmp/$HOME's":            `'/tmp/$HOME'\''s'`,
	} {
		if got := shellQuote(path); got != want {
			t.Errorf("shellQuote(%s) = %s, want %s", path, got, want)
		}
	}
}
