// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/test/e2e/internal/binaries"
	"github.com/okontajneroch/starwars/test/e2e/internal/process"
	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// board is a fleet-board that runs.
type board struct {
	*process.Process
	url string // without a slash at the end
}

// launchBoard starts fleet-board on a free port and waits until it knows the fleet.
func launchBoard(t *testing.T, args ...string) *board {
	t.Helper()
	p := launch(t, binaries.FleetBoard, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	text, err := p.Await(&p.Stdout, "address of the page", func(text string) bool { return strings.HasSuffix(text, "/\n") })
	noError(t, err)
	b := &board{p, strings.TrimSuffix(strings.TrimPrefix(text, "Fleet board: "), "/\n")}
	eventually(timeLimited(t), t, "the board is ready", func() bool {
		status, _ := b.get(t, "/readyz")
		return status == http.StatusOK
	})
	return b
}

// get asks the board for a path, and returns the status and the body.
func (b *board) get(t *testing.T, path string, edits ...func(*http.Request)) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(timeLimited(t), http.MethodGet, b.url+path, nil)
	noError(t, err)
	request.Close = true // leaves nothing behind
	for _, edit := range edits {
		edit(request)
	}
	response, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	noError(t, err)
	return response.StatusCode, string(body)
}

// boardAnswer is what the JSON endpoint answers.
type boardAnswer struct {
	Index string
	Total int
	Items []struct{ Namespace, Name, Faction, Type, Pilot, Phase string }
}

func (b *board) ask(t *testing.T, query url.Values) boardAnswer {
	t.Helper()
	status, body := b.get(t, "/api/v1/starfighters?"+query.Encode())
	var answer boardAnswer
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK {
		t.Fatalf("%v: status %d, %v in %s", query, status, err, body)
	}
	return answer
}

// boardFleet is a fleet with pilots that several ships have.
func boardFleet() []*v1.Starfighter {
	return []*v1.Starfighter{
		ship("x-wing-1"), ship("x-wing-2", flownBy("Wedge Antilles")), ship("x-wing-3"), ship("snowspeeder-1", flownBy("Zev Senesca")),
		ship("tie-1", flyingFor(v1.Empire), flownBy("Darth Vader")), ship("tie-2", flyingFor(v1.Empire), flownBy("Soontir Fel")),
		ship("slave-1", flyingFor("bounty-hunters"), flownBy("Boba Fett")), ship("defector", flyingFor(v1.Empire)),
	}
}

// The endpoint answers from the indexes of the cache what the API server answers
// with field selectors.
func TestFleetBoardAnswersAsTheServer(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	create(t, ships, boardFleet()...)
	b := launchBoard(t, "--kubeconfig", sharedServer(t).Kubeconfig, "--namespace", namespace)

	for _, test := range []struct{ faction, pilot, index string }{
		{"", "", ""},
		{"rebellion", "", "faction"},
		{"empire", "", "faction"},
		{"republic", "", "faction"},
		{"", "Luke Skywalker", "pilot"},
		{"", "Nobody", "pilot"},
		{"empire", "Luke Skywalker", "pilot"},
	} {
		t.Run(test.faction+" "+test.pilot, func(t *testing.T) {
			selector := fields.Set{}
			if test.faction != "" {
				selector["spec.faction"] = test.faction
			}
			if test.pilot != "" {
				selector["spec.pilot"] = test.pilot
			}
			list, err := ships.List(t.Context(), metav1.ListOptions{FieldSelector: selector.AsSelector().String()})
			noError(t, err)
			var want, got []string
			for _, s := range list.Items {
				want = append(want, fmt.Sprint(s.Namespace, "/", s.Name, " ", s.Spec.Faction, " ", s.Spec.Type, " ", s.Spec.Pilot))
			}
			answer := b.ask(t, url.Values{"faction": {test.faction}, "pilot": {test.pilot}})
			for _, s := range answer.Items {
				got = append(got, fmt.Sprint(s.Namespace, "/", s.Name, " ", s.Faction, " ", s.Type, " ", s.Pilot))
			}
			if !slices.Equal(got, want) || answer.Total != len(want) || answer.Index != test.index {
				t.Errorf("from index %q %d:\n%q\nwant from index %q:\n%q", answer.Index, answer.Total, got, test.index, want)
			}
		})
	}
	remove(t, ships, "x-wing-1")
	eventually(timeLimited(t), t, "the index knows of a delete", func() bool {
		return b.ask(t, url.Values{"pilot": {"Luke Skywalker"}}).Total == 2
	})
	interrupt(t, b.Process)
	wantQuietEnd(t, b.Process)
}

func TestFleetBoardMetrics(t *testing.T) {
	t.Parallel()
	ships, namespace := sharedShips(t)
	fleet := create(t, ships, boardFleet()...)
	b := launchBoard(t, "--kubeconfig", sharedServer(t).Kubeconfig, "--namespace", namespace)
	// What the informer lists at its start does not pass through its queue.
	change(t, ships, "tie-1", flownBy("Mauler Mithel"))
	remove(t, ships, "tie-2")
	eventually(timeLimited(t), t, "the board knows", func() bool {
		return b.ask(t, nil).Total == len(fleet)-1 && b.ask(t, url.Values{"pilot": {"Mauler Mithel"}}).Total == 1
	})

	_, text := b.get(t, "/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	noError(t, err)
	// value sums up what has all the labels, name=value.
	value := func(name string, labels ...string) float64 {
		t.Helper()
		family := families[name]
		if family == nil {
			t.Fatalf("there is no %s in\n%s", name, text)
		}
		sum, found := 0.0, false
		for _, metric := range family.Metric {
			var has []string
			for _, label := range metric.Label {
				has = append(has, label.GetName()+"="+label.GetValue())
			}
			if slices.ContainsFunc(labels, func(label string) bool { return !slices.Contains(has, label) }) {
				continue
			}
			found = true
			sum += metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
		if !found {
			t.Errorf("there is no %s with %q in\n%s", name, labels, text)
		}
		return sum
	}
	informer := []string{"name=fleet-board", "group=" + v1.GroupName, "version=v1", "resource=starfighters"}
	for _, test := range []struct {
		name   string
		labels []string
		want   func(float64) bool
	}{
		{"informer_queued_items", informer, func(n float64) bool { return n == 0 }},
		{"informer_processing_latency_seconds", informer, func(n float64) bool { return n >= 2 }},
		{"informer_store_resource_version", informer, func(n float64) bool { return n > 0 }},
		{"fleet_board_consumer_pending_changes", []string{"consumer=feed"}, func(n float64) bool { return n >= 0 }},
		{"fleet_board_consumer_delivered_changes_total", []string{"consumer=feed"}, func(n float64) bool { return n >= 8 }},
		{"fleet_board_consumer_delivered_changes_total", []string{"consumer=meter"}, func(n float64) bool { return n >= 8 }},
		{"fleet_board_ships", nil, func(n float64) bool { return n == float64(len(fleet)-1) }},
		{"fleet_board_synced", nil, func(n float64) bool { return n == 1 }},
		{"fleet_board_trouble", nil, func(n float64) bool { return n == 0 }},
		{"go_goroutines", nil, func(n float64) bool { return n > 1 }},
	} {
		if got := value(test.name, test.labels...); !test.want(got) {
			t.Errorf("%s%q is %v", test.name, test.labels, got)
		}
	}
}

// A page elsewhere can have its own name lead to this computer.
func TestFleetBoardKnowsItsName(t *testing.T) {
	t.Parallel()
	_, namespace := sharedShips(t)
	b := launchBoard(t, "--kubeconfig", sharedServer(t).Kubeconfig, "--namespace", namespace)
	for _, path := range []string{"/", "/events", "/api/v1/starfighters", "/metrics"} {
		status, body := b.get(t, path, func(r *http.Request) { r.Host = "holonet.example" })
		if status != http.StatusMisdirectedRequest || strings.Count(body, "\n") != 1 {
			t.Errorf("%s under another name: status %d, %s", path, status, body)
		}
	}
	if status, body := b.get(t, "/healthz", func(r *http.Request) { r.Host = "localhost:1977" }); status != http.StatusOK {
		t.Errorf("as localhost, through another port: status %d, %s", status, body)
	}
}

// Without any cluster the board has a fleet to which something happens, and ends
// while somebody follows it.
func TestFleetBoardByItself(t *testing.T) {
	t.Parallel()
	b := launchBoard(t, "--ships", "30", "--rate", "50")
	if answer := b.ask(t, nil); answer.Total < 15 || len(answer.Items) != answer.Total {
		t.Errorf("the fleet has %d ships, the answer %d", answer.Total, len(answer.Items))
	}
	wantIn(t, openTerminal(t, kubeconfigIn(t, b.Process)).run("get", "starfighters", "-A"), row("default", "x-wing-1", "rebellion"))

	request, err := http.NewRequestWithContext(timeLimited(t), http.MethodGet, b.url+"/events", nil)
	noError(t, err)
	request.Close = true
	stream, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer stream.Body.Close()
	lines, changes := bufio.NewScanner(stream.Body), 0
	lines.Buffer(nil, 1<<20)
	for changes < 5 && lines.Scan() {
		if lines.Text() == "event: ships" {
			changes++
		}
	}
	if changes < 5 {
		t.Fatalf("the stream ended after %d changes: %v", changes, lines.Err())
	}
	interrupt(t, b.Process)
	for line := range strings.Lines(b.Stderr.String()) {
		if strings.HasPrefix(line, "fleet-board:") || strings.Contains(line, "panic") {
			t.Errorf("stderr: %s", line)
		}
	}
}

func TestFleetBoardSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := server.New(t)
	refused := newProxy(t, configFor(t, s))
	refused.set(refuse(apierrors.NewForbidden(v1.Resource("starfighters"), "", nil), anyRequest))
	dir := t.TempDir()
	kubeconfig := func(name, address string, ca []byte) string {
		config := api.NewConfig()
		config.Clusters["c"] = &api.Cluster{Server: address, CertificateAuthorityData: ca}
		config.Contexts["c"] = &api.Context{Cluster: "c"}
		config.CurrentContext = "c"
		path := filepath.Join(dir, name)
		noError(t, clientcmd.WriteToFile(*config, path))
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	defer taken.Close()

	tests := map[string]struct {
		args  []string
		code  int
		words []string
	}{
		"unknown flag":    {[]string{"--lightsaber"}, 2, []string{"unknown flag: --lightsaber", "--help"}},
		"for the network": {[]string{"--listen", "0.0.0.0:8080"}, 2, []string{"--listen", "0.0.0.0", "no login"}},
		"no rate":         {[]string{"--rate", "ludicrous"}, 2, []string{"--rate", "ludicrous"}},
		"too many ships":  {[]string{"--ships", "1000000"}, 2, []string{"--ships", "10000"}},
		"no namespace":    {[]string{"--namespace", "Outer Rim"}, 2, []string{"--namespace", "Outer Rim"}},
		"port is taken":   {[]string{"--kubeconfig", s.Kubeconfig, "--listen", taken.Addr().String()}, 1, []string{taken.Addr().String(), "choose another"}},
		"server is away":  {[]string{"--kubeconfig", kubeconfig("away", "https://127.0.0.1:1", nil)}, 1, []string{"cannot reach https://127.0.0.1:1", "check that"}},
		"no permission":   {[]string{"--kubeconfig", kubeconfig("refused", refused.through.Host, refused.through.CAData)}, 1, []string{"config/rbac/starfighter-reader.yaml"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := launch(t, binaries.FleetBoard, test.args...)
			wantExit(t, p, test.code)
			wantOneLine(t, p.Stderr.String(), append(test.words, "fleet-board: ")...)
			if text := p.Stdout.String(); text != "" {
				t.Errorf("stdout:\n%s", text)
			}
		})
	}
	t.Run("no definition", func(t *testing.T) {
		openTerminal(t, s.Kubeconfig).run("delete", "crd", "starfighters."+v1.GroupName)
		p := launch(t, binaries.FleetBoard, "--kubeconfig", s.Kubeconfig)
		wantExit(t, p, 1)
		wantOneLine(t, p.Stderr.String(), "--install-crd", "kubectl apply -f config/crd/")
	})
}
