// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Package e2e tests the SDK and its programs against a real API server.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) (code int) {
	code = m.Run()
	err := errors.Join(shared.end(code != 0), binaries.Remove())
	if code == 0 {
		err = errors.Join(err, goleak.Find())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// shared is the API server of all tests that leave the server alone and keep to
// a namespace of their own. It starts when the first of them asks for it.
var shared commonServer

type commonServer struct {
	once   sync.Once
	dir    string
	server *server.Server
	err    error
}

func (c *commonServer) start() {
	if c.dir, c.err = os.MkdirTemp("", "starwars-e2e-"); c.err == nil {
		c.server, c.err = server.Start(c.dir)
	}
}

func (c *commonServer) end(tell bool) error {
	var err error
	if c.server != nil {
		if tell {
			fmt.Fprintln(os.Stderr, "the server that tests share:", c.server.Describe())
		}
		err = c.server.End()
	}
	if c.dir != "" {
		err = errors.Join(err, os.RemoveAll(c.dir))
	}
	return err
}

func sharedServer(t *testing.T) *server.Server {
	t.Helper()
	shared.once.Do(shared.start)
	if shared.err != nil {
		t.Fatalf("the server that tests share: %v", shared.err)
	}
	return shared.server
}

func configFor(t *testing.T, s *server.Server) *rest.Config {
	t.Helper()
	config, err := s.Config()
	noError(t, err)
	return config
}

func clientFor(t *testing.T, config *rest.Config) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(config)
	noError(t, err)
	return client
}

// sharedShips returns a client for the test's own namespace of the shared
// server, and the namespace's name.
func sharedShips(t *testing.T) (starwarsclient.StarfighterInterface, string) {
	t.Helper()
	namespace := namespaceOf(t)
	return clientFor(t, configFor(t, sharedServer(t))).StarwarsV1().Starfighters(namespace), namespace
}

// namespaces has one for each test that asked, also when a test runs again.
var namespaces struct {
	mu     sync.Mutex
	byTest map[*testing.T]string
}

// namespaceOf returns the test's own namespace, named after it.
func namespaceOf(t *testing.T) string {
	t.Helper()
	namespaces.mu.Lock()
	defer namespaces.mu.Unlock()
	if known, ok := namespaces.byTest[t]; ok {
		return known
	}
	if namespaces.byTest == nil {
		namespaces.byTest = map[*testing.T]string{}
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, t.Name())
	name = fmt.Sprintf("%s-%d", name, len(namespaces.byTest))
	if len(name) > 63 {
		t.Fatalf("the name of the test is too long for a namespace: %s", name)
	}
	namespaces.byTest[t] = name
	return name
}

// timeLimited returns a context that ends with the test, and long before the
// test binary gives up.
func timeLimited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), process.Timeout, fmt.Errorf("not done after %s", process.Timeout))
	t.Cleanup(cancel)
	return ctx
}

// noError ends the test at an error.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var xWing = v1.StarfighterSpec{Faction: v1.Rebellion, Type: "X-Wing", Pilot: "Luke Skywalker"}

// ship makes an object with a complete spec; edits change it.
func ship(name string, edits ...func(*v1.Starfighter)) *v1.Starfighter {
	s := &v1.Starfighter{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: xWing}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

func flownBy(pilot string) func(*v1.Starfighter) {
	return func(s *v1.Starfighter) { s.Spec.Pilot = pilot }
}

func flyingFor(faction v1.Faction) func(*v1.Starfighter) {
	return func(s *v1.Starfighter) { s.Spec.Faction = faction }
}

func labelled(key, value string) func(*v1.Starfighter) {
	return func(s *v1.Starfighter) { metav1.SetMetaDataLabel(&s.ObjectMeta, key, value) }
}

func create(t *testing.T, ships starwarsclient.StarfighterInterface, toCreate ...*v1.Starfighter) []*v1.Starfighter {
	t.Helper()
	var created []*v1.Starfighter
	for _, s := range toCreate {
		got, err := ships.Create(t.Context(), s, metav1.CreateOptions{})
		if err != nil {
			t.Fatalf("create %s: %v", s.Name, err)
		}
		created = append(created, got)
	}
	return created
}

// change reads a ship from the server, edits it and writes it back.
func change(t *testing.T, ships starwarsclient.StarfighterInterface, name string, edits ...func(*v1.Starfighter)) *v1.Starfighter {
	t.Helper()
	s, err := ships.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("get %s: %v", name, err)
	}
	for _, edit := range edits {
		edit(s)
	}
	s, err = ships.Update(t.Context(), s, metav1.UpdateOptions{})
	if err != nil {
		t.Fatalf("update %s: %v", name, err)
	}
	return s
}

func remove(t *testing.T, ships starwarsclient.StarfighterInterface, name string) {
	t.Helper()
	if err := ships.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("delete %s: %v", name, err)
	}
}

// namesOf returns the ships' names in the order of the ships.
func namesOf(ships []v1.Starfighter) []string {
	names := make([]string, 0, len(ships))
	for _, s := range ships {
		names = append(names, s.Name)
	}
	return names
}
