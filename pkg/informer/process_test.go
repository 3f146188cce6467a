// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// What ends a process is tested in one of its own. The tests whose names begin with
// TestIn are for that, and do nothing otherwise.
const processVariable = "INFORMER_TEST_PROCESS"

func inProcess(t *testing.T) (what string) {
	what = os.Getenv(processVariable)
	if what == "" {
		t.Skip("it is for another test to run this one")
	}
	return what
}

// The cache mutation detector ends the process when somebody changes a cached
// object, and nothing else does.
func TestMutationDetector(t *testing.T) {
	t.Parallel()
	for what, dies := range map[string]bool{
		"initial list": true, "event": true, "late handler": true, "copy": false, "nothing": false,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			out, err := rerun(t, "TestInMutation", "KUBE_CACHE_MUTATION_DETECTOR=true", processVariable+"="+what)
			if died := err != nil; died != dies || died != strings.Contains(out, "ALTERED!") {
				t.Errorf("the process died: %t, want %t: %v:\n%s", died, dies, err, out)
			}
		})
	}
}

func TestInMutation(t *testing.T) {
	what := inProcess(t)
	heals(t, func(t *testing.T, ctx context.Context, server *apiServer) {
		i := newShips(t, server, Options[*v1.Starfighter]{})
		mutate := func(when string) func(ship *v1.Starfighter) {
			return func(ship *v1.Starfighter) {
				if what == when {
					ship.Spec.Pilot = "Vader"
				}
				if what == "copy" {
					ship.DeepCopy().Spec.Pilot = "Vader"
				}
			}
		}
		update := mutate("event")
		_, err := i.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc: mutate("initial list"), UpdateFunc: func(_, ship *v1.Starfighter) { update(ship) },
		})
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		server.put(shipOf("a", "Leia"))
		synctest.Wait()
		_, err = i.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{AddFunc: mutate("late handler")})
		must(t, err)
		time.Sleep(10 * time.Second)
	})
}

// A handler that panics ends the process, as with client-go, unless that was turned
// off, when the informer goes on with what comes next.
func TestPanicPolicy(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"handler client-go", "handler ours", "subscription ours"} {
		for _, crash := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/crash=%t", what, crash), func(t *testing.T) {
				t.Parallel()
				out, err := rerun(t, "TestInPanic", fmt.Sprintf("%s=%s %t", processVariable, what, crash))
				if died := err != nil; died != crash || !strings.Contains(out, "no hyperdrive") {
					t.Errorf("the process died: %t, want %t, and to say why: %v:\n%s", died, crash, err, out)
				}
			})
		}
	}
}

func TestInPanic(t *testing.T) {
	var kind, who string
	var crash bool
	if _, err := fmt.Sscan(inProcess(t), &kind, &who, &crash); err != nil {
		t.Fatal(err)
	}
	utilruntime.ReallyCrash = crash
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"))
		i := makers[who](t, server, 0)
		var told []string
		handler := cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc: func(ship *v1.Starfighter) {
				told = append(told, "add "+ship.Name)
				if ship.Name == "b" {
					panic("no hyperdrive")
				}
			},
			UpdateFunc: func(_, ship *v1.Starfighter) { told = append(told, "update "+ship.Name) },
		}
		var err error
		if kind == "subscription" {
			_, err = i.(*Informer[*v1.Starfighter]).Subscribe(ctx, handler, SubscribeOptions{})
		} else {
			_, err = i.AddTypedEventHandler(handler)
		}
		must(t, err)
		other := &events{}
		_, err = i.AddTypedEventHandler(other)
		must(t, err)
		go i.RunWithContext(ctx)
		synctest.Wait()
		server.put(shipOf("b", "Wedge"))
		synctest.Wait()
		server.put(shipOf("a", "Leia"))
		time.Sleep(2 * time.Second) // there is a pause after a panic
		synctest.Wait()
		if want := []string{"add a", "add b", "update a"}; !slices.Equal(told, want) {
			t.Errorf("told was %q, want %q", told, want)
		}
		if other.count() != 3 {
			t.Errorf("the other handler was told %d times", other.count())
		}
	})
}

// A subscription that isolates does not end the process, and does not pause.
func TestScenario14IsolationGoesOnAtOnce(t *testing.T) {
	within(t, func(t *testing.T, ctx context.Context) {
		server := newAPIServer(shipOf("a", "Luke"))
		i := newShips(t, server, Options[*v1.Starfighter]{})
		reported, told := []string{}, 0
		s, err := i.Subscribe(ctx, cache.TypedResourceEventHandlerFuncs[*v1.Starfighter]{
			AddFunc:    func(*v1.Starfighter) { panic("in add") },
			UpdateFunc: func(_, _ *v1.Starfighter) { panic(fmt.Errorf("in update")) },
			DeleteFunc: func(cache.DeletedObject[*v1.Starfighter]) { told++ },
		}, SubscribeOptions{Name: "roster", Isolate: true, Report: func(err error) { reported = append(reported, err.Error()) }})
		must(t, err)
		go i.RunWithContext(ctx)
		must(t, i.WaitForSync(ctx))
		server.put(shipOf("a", "Leia"))
		synctest.Wait()
		server.remove("default/a")
		synctest.Wait()
		if want := []string{"handler roster panicked: in add", "handler roster panicked: in update"}; !slices.Equal(reported, want) {
			t.Errorf("reported were %q, want %q", reported, want)
		}
		if status := s.Status(); told != 1 || status.Delivered != 3 {
			t.Errorf("told %d times after that, the status is %+v", told, status)
		}
	})
}
