// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/okontajneroch/starwars/bench/internal/child"
	"github.com/okontajneroch/starwars/bench/internal/fleet"
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
)

func TestMain(m *testing.M) {
	child.Main()
	goleak.VerifyTestMain(m)
}

var config = Config{Fleet: fleet.Fleet{Ships: 37, Seed: 3}, Updates: 60, CBOR: true}

// serveHere serves in this process.
func serveHere(t *testing.T, config Config) string {
	t.Helper()
	handler, err := NewHandler(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func client(t *testing.T, url string) versioned.Interface {
	t.Helper()
	config := &rest.Config{Host: url, QPS: -1}
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.CloseIdleConnections)
	client, err := versioned.NewForConfigAndClient(config, http)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestList(t *testing.T) {
	for _, gzip := range []bool{false, true} {
		config := config
		config.Gzip = gzip
		url := serveHere(t, config)
		for _, test := range []struct {
			path      string
			options   metav1.ListOptions
			wantPages int
		}{
			{"", metav1.ListOptions{}, 1},
			{"", metav1.ListOptions{ResourceVersion: "0", Limit: 10}, 1},
			{"", metav1.ListOptions{Limit: 10}, 4},
			{PagedPath, metav1.ListOptions{ResourceVersion: "0", Limit: 10}, 4},
			{PagedPath, metav1.ListOptions{ResourceVersion: "0", Limit: 37}, 1},
		} {
			var digest fleet.Digest
			ships, pages, options := client(t, url+test.path).StarwarsV1().Starfighters(""), 0, test.options
			for {
				list, err := ships.List(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				if list.ResourceVersion != "100036" {
					t.Errorf("resourceVersion %q", list.ResourceVersion)
				}
				for i := range list.Items {
					digest.Add(&list.Items[i])
				}
				pages++
				if options.Continue = list.Continue; options.Continue == "" {
					break
				}
				options.ResourceVersion = ""
			}
			if pages != test.wantPages || digest != config.Fleet.Digest() {
				t.Errorf("%s %+v: %d pages, %v; want %d, %v", test.path, test.options, pages, digest, test.wantPages, config.Fleet.Digest())
			}
		}
	}
}

func TestWatchListAndUpdates(t *testing.T) {
	url := serveHere(t, config)
	yes := true
	w, err := client(t, url).StarwarsV1().Starfighters("").Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	ships := map[string]*starwarsv1.Starfighter{}
	modified := 0
	for modified < config.Updates {
		var event watch.Event
		select {
		case event = <-w.ResultChan():
		case <-time.After(20 * time.Second):
			t.Fatal("nothing comes")
		}
		ship, ok := event.Object.(*starwarsv1.Starfighter)
		if !ok {
			t.Fatalf("%+v", event)
		}
		switch event.Type {
		case watch.Added, watch.Modified:
			ships[ship.Name] = ship
			if event.Type == watch.Modified {
				modified++
			}
		case watch.Bookmark:
			if ship.Annotations[metav1.InitialEventsAnnotationKey] != "true" || len(ships) != config.Fleet.Ships {
				t.Fatalf("%+v after %d ships", ship, len(ships))
			}
			post(t, url+UpdatesPath)
		default:
			t.Fatalf("%+v", event)
		}
	}
	var digest fleet.Digest
	for _, ship := range ships {
		digest.Add(ship)
	}
	if want := config.Fleet.DigestAfter(config.Updates); digest != want {
		t.Errorf("%v, want %v", digest, want)
	}
}

func post(t *testing.T, url string) {
	t.Helper()
	response, err := http.Post(url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
}

func TestRefusals(t *testing.T) {
	ships := client(t, serveHere(t, config)).StarwarsV1().Starfighters("")
	for _, options := range []metav1.ListOptions{{LabelSelector: "a=b"}, {FieldSelector: "spec.pilot=x"}, {Continue: "x"}, {Continue: "38"}} {
		if _, err := ships.List(t.Context(), options); err == nil {
			t.Errorf("%+v: no error", options)
		}
	}
	if _, err := ships.Watch(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a watch from nowhere")
	}
}

func TestOwnProcess(t *testing.T) {
	ready, process, err := Start(t.Context(), Config{Fleet: config.Fleet, Updates: 3})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(ready.URL + shipsPath)
	if err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(response.Body).ReadString('[')
	if err != nil || first != `{"apiVersion":"starwars.okontajneroch.sk/v1","items":[` {
		t.Errorf("%s, %v", first, err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if ready.Before != config.Fleet.Digest() || ready.After != config.Fleet.DigestAfter(3) {
		t.Errorf("%+v", ready)
	}
	if err := process.Stop(); err != nil {
		t.Error(err)
	}
}
