// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// gates are the feature gates of client-go that change its informers or its
// reflector. A program may turn each of them off.
var gates = []features.Feature{
	features.AtomicFIFO,
	features.InOrderInformers, // locked: to turn it off does nothing
	features.InOrderInformersBatchProcess,
	features.InformerResourceVersion,
	features.UnlockWhileProcessingFIFO,
	features.WatchListClient,
}

// starfighters is what the metrics of an informer are for.
var starfighters = v1.Resource("starfighters").WithVersion(v1.GroupVersion.Version)

const gateVariable = "INFORMER_TEST_GATE_OFF"

// rerun runs one test in a process of its own, with more environment variables,
// and returns what it printed.
func rerun(t *testing.T, test string, environment ...string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$", "-test.count=1", "-test.v")
	command.Env = append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	if err == nil && !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%s did not run:\n%s", test, out)
	}
	return string(out), err
}

// The informer works the same whatever gates are off.
func TestGates(t *testing.T) {
	t.Parallel()
	for _, gate := range gates {
		t.Run(string(gate), func(t *testing.T) {
			t.Parallel()
			if out, err := rerun(t, "TestSmoke", "KUBE_FEATURE_"+string(gate)+"=false", gateVariable+"="+string(gate)); err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// TestSmoke is a bit of everything: sync, handlers, indexes, a transform, changes,
// a resync, a relist.
func TestSmoke(t *testing.T) {
	gate := features.Feature(os.Getenv(gateVariable))
	if gate != "" && gate != features.InOrderInformers && features.FeatureGates().Enabled(gate) {
		t.Fatalf("the gate %s is on", gate)
	}
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		options := Options[*v1.Starfighter]{}
		options.ResyncPeriod = time.Minute
		name, err := cache.NewInformerName("smoke")
		must(t, err)
		defer name.Release()
		options.Identifier = name.WithResource(starfighters)
		i := newShips(t, server, options)
		must(t, i.SetTransform(func(obj any) (any, error) {
			obj.(*v1.Starfighter).Spec.Type = "stripped"
			return obj, nil
		}))
		must(t, i.AddTypedIndexers(cache.TypedIndexers[*v1.Starfighter]{"pilot": pilotOf}))
		handler, subscriber := &events{}, &events{}
		_, err = i.AddTypedEventHandler(handler)
		must(t, err)
		_, err = i.Subscribe(ctx, subscriber, SubscribeOptions{})
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		must(t, i.WaitForResourceVersion(ctx, server.put(shipOf("a", "Leia"))))
		synctest.Wait()
		server.remove("default/b")
		time.Sleep(61 * time.Second)
		server.silence()
		server.remove("default/a")
		server.put(shipOf("c", "Biggs"))
		server.expire()
		server.cut()
		time.Sleep(30 * time.Second)
		want := map[string][]string{
			"default/a": {"add Luke initial=true", "update Luke to Leia", "update Leia to Leia", "delete Leia unknown=true"},
			"default/b": {"add Wedge initial=true", "delete Wedge unknown=false"},
			"default/c": {"add Biggs initial=false"},
		}
		for key, want := range want {
			for name, h := range map[string]*events{"handler": handler, "subscriber": subscriber} {
				if got := h.snapshot()[key]; !slices.Equal(got, want) {
					t.Errorf("of %s the %s was told %q, want %q", key, name, got, want)
				}
			}
		}
		found, err := i.Store().ByTypedIndex("pilot", "Biggs")
		if err != nil || len(found) != 1 || found[0].Spec.Type != "stripped" {
			t.Errorf("found are %v, %v", found, err)
		}
		server.has(t, i)
		if got := i.LastSyncResourceVersion(); got != found[0].ResourceVersion {
			t.Errorf("it is at %s, want %s", got, found[0].ResourceVersion)
		}
	})
}
