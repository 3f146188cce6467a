// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// examples are those that are programs, each with what it needs to run beside
// others, and to run until Ctrl-C, and with what it prints when it is at work.
var examples = map[string]struct {
	flags []string
	ready string
}{
	binaries.Informer:    {nil, running},
	binaries.SharedCache: {[]string{"--for", "0"}, "roster: "},
	binaries.CustomIndex: {nil, "misspelt: "},
	binaries.FleetBoard:  {[]string{"--listen", "127.0.0.1:0"}, "Fleet board: "},
}

// launchExample starts an example, with flags of its own and more.
func launchExample(t *testing.T, name string, args ...string) *process.Process {
	t.Helper()
	return launch(t, name, slices.Concat(examples[name].flags, args)...)
}

func awaitExample(t *testing.T, name string, p *process.Process) {
	t.Helper()
	_, err := p.Await(&p.Stdout, examples[name].ready, func(text string) bool { return strings.Contains(text, examples[name].ready) })
	noError(t, err)
}

// wantOnlyHints requires that a program with an API server in it said on stderr how
// kubectl reaches that, and nothing else.
func wantOnlyHints(t *testing.T, p *process.Process) {
	t.Helper()
	for line := range strings.Lines(p.Stderr.String()) {
		switch {
		case strings.HasSuffix(line, " In another terminal:\n"), strings.HasPrefix(line, "  export KUBECONFIG="), strings.HasPrefix(line, "  kubectl "):
		case strings.Contains(line, `"logger":"etcd-client"`): // complains of what was cut, through a logger that nobody can reach
		default:
			t.Errorf("stderr: %s", line)
		}
	}
}

// TestExamples runs each with the API server in its own process, and with another
// one, until Ctrl-C.
func TestExamples(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	t.Run("all", func(t *testing.T) { // the server is there until all of them have ended
		for name := range examples {
			t.Run(name+" embedded", func(t *testing.T) {
				t.Parallel()
				p := launchExample(t, name)
				awaitExample(t, name, p)
				interrupt(t, p)
				wantOnlyHints(t, p)
				if path := kubeconfigIn(t, p); path == "" {
					t.Error("it does not say how kubectl reaches its API server")
				} else if _, err := os.Stat(path); !os.IsNotExist(err) {
					t.Errorf("it left its kubeconfig behind, error %v", err)
				}
			})
			t.Run(name+" cluster", func(t *testing.T) {
				t.Parallel()
				p := launchExample(t, name, "--kubeconfig", s.Kubeconfig)
				awaitExample(t, name, p)
				interrupt(t, p)
				wantQuietEnd(t, p)
			})
		}
	})
	left, err := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("").List(t.Context(), metav1.ListOptions{})
	noError(t, err)
	if len(left.Items) > 0 {
		t.Errorf("they wrote to the cluster without being asked: %q", namesOf(left.Items))
	}
}

// kubeconfigs writes variants of a server's kubeconfig.
type kubeconfigs struct {
	of  string
	dir string
}

func (k kubeconfigs) write(t *testing.T, name string, edit func(*api.Cluster, *api.AuthInfo)) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(k.of)
	noError(t, err)
	current := config.Contexts[config.CurrentContext]
	edit(config.Clusters[current.Cluster], config.AuthInfos[current.AuthInfo])
	path := filepath.Join(k.dir, name)
	noError(t, clientcmd.WriteToFile(*config, path))
	return path
}

func TestExamplesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	dir := t.TempDir()
	config := kubeconfigs{s.Kubeconfig, dir}
	away := config.write(t, "away", func(cluster *api.Cluster, _ *api.AuthInfo) {
		cluster.Server = "https://127.0.0.1:1" // no port for users
	})
	stranger := config.write(t, "stranger", func(_ *api.Cluster, user *api.AuthInfo) {
		*user = api.AuthInfo{Token: "let-me-in"}
	})
	// behind returns a kubeconfig for a server that refuses something.
	behind := func(name string, fault fault) string {
		p := newProxy(t, configFor(t, s))
		p.set(fault)
		return config.write(t, name, func(cluster *api.Cluster, _ *api.AuthInfo) {
			*cluster = api.Cluster{Server: p.through.Host, CertificateAuthorityData: p.through.CAData}
		})
	}
	forbidden := apierrors.NewForbidden(v1.Resource("starfighters"), "", nil)
	mayNothing := behind("may-nothing", refuse(forbidden, anyRequest))
	mayNotWatch := behind("may-not-watch", refuse(forbidden, isWatch))
	garbage := filepath.Join(dir, "garbage")
	noError(t, os.WriteFile(garbage, []byte("X-Wing"), 0o600))

	tests := map[string]struct {
		args  []string
		code  int
		words []string
	}{
		"unknown flag":        {[]string{"--lightsaber"}, 2, []string{"unknown flag: --lightsaber", "--help"}},
		"argument":            {[]string{"x-wing-1"}, 2, []string{`"x-wing-1"`, "--help"}},
		"no duration":         {[]string{"--for", "soon"}, 2, []string{"--for", `"soon"`}},
		"negative duration":   {[]string{"--for", "-1s"}, 2, []string{"--for", "-1s"}},
		"no namespace":        {[]string{"--namespace", "Outer Rim"}, 2, []string{"--namespace", "Outer Rim", "lower case"}},
		"missing kubeconfig":  {[]string{"--kubeconfig", filepath.Join(dir, "nowhere")}, 1, []string{filepath.Join(dir, "nowhere")}},
		"no kubeconfig":       {[]string{"--kubeconfig", garbage}, 1, []string{garbage}},
		"server is away":      {[]string{"--kubeconfig", away}, 1, []string{"cannot reach https://127.0.0.1:1", "refused", "check that the cluster runs"}},
		"wrong credentials":   {[]string{"--kubeconfig", stranger}, 1, []string{"credentials", "check the kubeconfig"}},
		"may do nothing":      {[]string{"--kubeconfig", mayNothing}, 1, []string{"config/rbac/starfighter-reader.yaml"}},
		"may not watch":       {[]string{"--kubeconfig", mayNotWatch}, 1, []string{"config/rbac/starfighter-reader.yaml"}},
		"may install nothing": {[]string{"--kubeconfig", mayNothing, "--install-crd"}, 1, []string{"ask an administrator", "--install-crd"}},
		"data of a cluster":   {[]string{"--kubeconfig", s.Kubeconfig, "--data-dir", dir}, 1, []string{"--data-dir", "--kubeconfig"}},
		"foreign data folder": {[]string{"--data-dir", dir}, 1, []string{dir}},
	}
	for name, test := range tests {
		for example := range examples {
			t.Run(example+" "+name, func(t *testing.T) {
				t.Parallel()
				p := launchExample(t, example, test.args...)
				wantExit(t, p, test.code)
				wantOneLine(t, p.Stderr.String(), append(test.words, example+": ")...)
				if text := p.Stdout.String(); text != "" {
					t.Errorf("stdout:\n%s", text)
				}
			})
		}
	}
}

// TestExamplesInstallTheDefinition only if they are told to.
func TestExamplesInstallTheDefinition(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		openTerminal(t, s.Kubeconfig).run("delete", "crd", "starfighters."+v1.GroupName)
		p := launchExample(t, name, "--kubeconfig", s.Kubeconfig)
		wantExit(t, p, 1)
		wantOneLine(t, p.Stderr.String(), name+": ", "--install-crd", "kubectl apply -f config/crd/starwars.okontajneroch.sk_starfighters.yaml")

		p = launchExample(t, name, "--kubeconfig", s.Kubeconfig, "--install-crd", "--seed")
		awaitExample(t, name, p)
		interrupt(t, p)
		wantQuietEnd(t, p)
	}
}
