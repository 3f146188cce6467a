// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

func parse(t *testing.T, args ...string) *Target {
	t.Helper()
	target := &Target{}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	target.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatalf("parse %q: %v", args, err)
	}
	return target
}

// kubeconfigFor writes a kubeconfig for a server and returns its path.
func kubeconfigFor(t *testing.T, address string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: address}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	config.CurrentContext = "c"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatalf("write the kubeconfig: %v", err)
	}
	return path
}

// TestConnectSaysWhatToDo covers clusters that cannot be used.
func TestConnectSaysWhatToDo(t *testing.T) {
	ships := v1.Resource("starfighters")
	tests := []struct {
		name   string
		answer apierrors.APIStatus
		want   string
		is     func(error) bool
	}{
		{"no such API", apierrors.NewNotFound(ships, ""), "kubectl apply -f config/crd/", apierrors.IsNotFound},
		{"no permission", apierrors.NewForbidden(ships, "", nil), "config/rbac/starfighter-reader.yaml", apierrors.IsForbidden},
		{"bad credentials", apierrors.NewUnauthorized("no"), "check the kubeconfig", apierrors.IsUnauthorized},
		{"broken", apierrors.NewInternalError(http.ErrAbortHandler), "ask http://", apierrors.IsInternalError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				status := test.answer.Status()
				status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(int(status.Code))
				if err := json.NewEncoder(w).Encode(status); err != nil {
					t.Errorf("answer: %v", err)
				}
			}))
			defer server.Close()

			_, err := parse(t, "--kubeconfig", kubeconfigFor(t, server.URL)).Connect(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || !test.is(err) {
				t.Errorf("error %v; want the cause wrapped, and %q", err, test.want)
			}
		})
	}
}

func TestConnectRefusesWhatItCannotDo(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"nobody listens", []string{"--kubeconfig", kubeconfigFor(t, closed.URL)}, "connection refused"},
		{"no such kubeconfig", []string{"--kubeconfig", filepath.Join(t.TempDir(), "none")}, "load the cluster's address"},
		{"data of somebody else's server", []string{"--cluster", "--data-dir", t.TempDir()}, "--data-dir"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(t, test.args...).Connect(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v; want %q", err, test.want)
			}
		})
	}
}
