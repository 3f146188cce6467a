// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/rest"

	"github.com/okontajneroch/starwars/testenv"
)

func TestOnlyTheTokenOpens(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	cert, key := foreignClientCert(t)
	for name, change := range map[string]func(*rest.Config){
		"no token":                           func(c *rest.Config) { c.BearerToken = "" },
		"wrong token":                        func(c *rest.Config) { c.BearerToken = strings.Repeat("0", len(c.BearerToken)) },
		"token with something after it":      func(c *rest.Config) { c.BearerToken += "0" },
		"user and password":                  func(c *rest.Config) { c.BearerToken, c.Username, c.Password = "", "admin", "admin" },
		"client certificate of a foreign CA": func(c *rest.Config) { c.BearerToken, c.CertData, c.KeyData = "", cert, key },
	} {
		t.Run(name, func(t *testing.T) {
			config := e.RESTConfig()
			change(config)
			for _, path := range []string{"/apis", "/version", "/readyz", "/metrics", "/openapi/v2", "/debug/pprof/", "/apis/starwars.okontajneroch.sk/v1/starfighters"} {
				if err := get(t, config, path); !apierrors.IsUnauthorized(err) {
					t.Errorf("GET %s: %v, want 401", path, err)
				}
			}
		})
	}
	if token := e.RESTConfig().BearerToken; len(token) != 32 {
		t.Errorf("the token has %d hex digits, want 32 for 128 bits", len(token))
	}
	for _, path := range []string{"/healthz", "/livez", "/readyz", "/metrics", "/version"} {
		if err := get(t, e.RESTConfig(), path); err != nil {
			t.Errorf("GET %s with the token: %v", path, err)
		}
	}
}

func TestClientsVerifyTheServer(t *testing.T) {
	expectNothingLeft(t)
	e := testenv.New(t, testenv.Options{})
	config := e.RESTConfig()
	config.CAData = nil
	if err := get(t, config, "/apis"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the CA: %v, want a certificate error", err)
	}
}

// foreignClientCert returns a client certificate for the most powerful group
// there is, signed by a CA that the server does not know.
func foreignClientCert(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

func TestAuthorizerDecides(t *testing.T) {
	expectNothingLeft(t)
	var deny atomic.Bool
	deny.Store(true) // also while the server starts
	e := testenv.New(t, testenv.Options{Authorizer: authorizer.AuthorizerFunc(
		func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
			if got := a.GetUser().GetName(); got != "admin" {
				t.Errorf("asked about user %q", got)
			}
			if deny.Load() && a.GetVerb() == "list" {
				return authorizer.DecisionDeny, "not on my watch", nil
			}
			return authorizer.DecisionAllow, "", nil
		})})
	client := newClient(t, e)
	create(t, client, "x-wing-1")
	_, err := client.StarwarsV1().Starfighters("").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "not on my watch") {
		t.Errorf("LIST: %v, want forbidden with the reason", err)
	}
	if err := e.InstallCRDs(t.Context(), []byte(widgets("v1"))); err != nil {
		t.Errorf("InstallCRDs is not above the authorizer: %v", err)
	}
	if err := e.Restart(t.Context(), testenv.RestartOptions{}); err != nil {
		t.Errorf("Restart is not above the authorizer: %v", err)
	}
	deny.Store(false)
	if got, want := names(t, client), []string{"x-wing-1"}; !slices.Equal(got, want) {
		t.Errorf("names = %q, want %q", got, want)
	}
}

// TestNoSocketForOthers checks that etcd, which asks for no credentials,
// cannot be reached through a socket without a file, which has no permissions.
func TestNoSocketForOthers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/net/unix")
	}
	expectNothingLeft(t)
	before := abstractListeners(t)
	testenv.New(t, testenv.Options{})
	for _, name := range abstractListeners(t) {
		if !slices.Contains(before, name) {
			t.Errorf("the server listens on the abstract socket %s", name)
		}
	}
}

func abstractListeners(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		// Num RefCount Protocol Flags Type St Inode Path; the flag 0x10000 is a listener's.
		fields := strings.Fields(line)
		if len(fields) == 8 && fields[3] == "00010000" && strings.HasPrefix(fields[7], "@") {
			names = append(names, fields[7])
		}
	}
	return names
}
