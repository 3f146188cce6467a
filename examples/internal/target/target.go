// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package target connects an example to an API server: to one that it starts
// in its own process, or to a cluster that the user names.
package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/testenv"
)

// Target is what the user chose by flags. The zero value is an API server in
// this process that keeps nothing.
type Target struct {
	// Namespace is the one whose ships the example reads; empty for all.
	Namespace string

	kubeconfig string
	cluster    bool
	installCRD bool
	dataDir    string
}

// answerTimeout bounds the first questions to a cluster, so that one that is
// away is reported soon.
const answerTimeout = 5 * time.Second

// AddFlags adds the flags that choose the API server.
func (t *Target) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "use the cluster of this kubeconfig `FILE` instead of an API server in this process")
	flags.BoolVar(&t.cluster, "cluster", false, "use the cluster that kubectl would use, or the one this process runs in")
	flags.BoolVar(&t.installCRD, "install-crd", false, "with --kubeconfig or --cluster: install the definition of Starfighters there if it is missing")
	flags.StringVar(&t.dataDir, "data-dir", "", "keep the data of the API server in this process in this `DIR`, for the next start")
}

// Server is a connection to an API server that serves the Starfighter API.
type Server struct {
	// Config is how to reach the API server.
	Config *rest.Config
	// Kubeconfig is the path of a kubeconfig for the API server in this
	// process; empty for a cluster, whose user has one already.
	Kubeconfig string

	stop func() error
}

// Connect starts or finds the API server and makes sure that it answers for
// Starfighters. The caller must Close the server it gets. An error says what
// the user can do about it.
func (t *Target) Connect(ctx context.Context) (*Server, error) {
	if t.kubeconfig == "" && !t.cluster {
		return t.start(ctx)
	}
	if t.dataDir != "" {
		return nil, errors.New("--data-dir is for the API server in this process: leave it out, or leave out --kubeconfig and --cluster")
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = t.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("load the cluster's address and credentials: %w", err)
	}
	// client-go's limit of 5 requests a second is from a time when API servers
	// could not defend themselves.
	config.QPS = -1
	if t.installCRD {
		if err := install(ctx, config); err != nil {
			return nil, err
		}
	}
	if err := check(ctx, config, t.Namespace); err != nil {
		return nil, err
	}
	return &Server{Config: config, stop: func() error { return nil }}, nil
}

func (t *Target) start(ctx context.Context) (*Server, error) {
	env, err := testenv.Start(ctx, testenv.Options{Dir: t.dataDir})
	if err != nil {
		return nil, err
	}
	dir, remove := t.dataDir, func() error { return nil }
	if dir == "" {
		if dir, err = os.MkdirTemp("", "starwars-"); err != nil {
			return nil, errors.Join(fmt.Errorf("make a folder for the kubeconfig: %w", err), env.Stop())
		}
		remove = func() error { return os.RemoveAll(dir) }
	}
	if dir, err = filepath.Abs(dir); err != nil { // for use in another terminal
		return nil, errors.Join(err, env.Stop(), remove())
	}
	server := &Server{
		Config:     env.RESTConfig(),
		Kubeconfig: filepath.Join(dir, "kubeconfig"),
		stop:       func() error { return errors.Join(env.Stop(), remove()) },
	}
	if err := env.WriteKubeconfig(server.Kubeconfig); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return server, nil
}

// Embedded tells whether the API server runs in this process, so that nobody
// else's objects are there.
func (s *Server) Embedded() bool { return s.Kubeconfig != "" }

// Close stops the API server if it runs in this process, and removes what
// Connect left on disk outside the data directory.
func (s *Server) Close() error { return s.stop() }

// check asks for one ship and for a watch, so that a cluster that is away, lacks the
// API or grants no access is reported in words instead of by an informer that waits.
func check(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	ships := client.StarwarsV1().Starfighters(namespace)
	if _, err := ships.List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
		return explain(config.Host, err)
	}
	// A watch from a resourceVersion that is none does not begin. But who may not
	// watch is told so first.
	watch, err := ships.Watch(ctx, metav1.ListOptions{ResourceVersion: "none"})
	if err == nil {
		watch.Stop()
	}
	if apierrors.IsForbidden(err) {
		return explain(config.Host, err)
	}
	return nil
}

// explain says what to do about the error of a request for Starfighters.
func explain(host string, err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s does not serve Starfighters: install their definition with --install-crd, or with kubectl apply -f config/crd/starwars.okontajneroch.sk_starfighters.yaml: %w", host, err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%s does not let you list and watch Starfighters: bind the role in config/rbac/starfighter-reader.yaml to your user: %w", host, err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%s does not accept your credentials: check the kubeconfig: %w", host, err)
	case apierrors.ReasonForError(err) == metav1.StatusReasonUnknown: // no answer of an API server
		return fmt.Errorf("cannot reach %s: check that the cluster runs, or use the API server in this process, without --kubeconfig and --cluster: %w", host, err)
	default:
		return fmt.Errorf("ask %s for Starfighters: %w", host, err)
	}
}
