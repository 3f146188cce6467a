// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

// logEvent is the audit log: a line for every change. Text that others wrote
// is quoted, so that it cannot do anything to a terminal.
func logEvent(event string, before, after *v1.Starfighter) {
	switch {
	case event == "found":
		// there before the log began
	case after == nil:
		fmt.Printf("audit: %s %s/%s\n", event, before.Namespace, before.Name)
	case before == nil:
		fmt.Printf("audit: %s %s/%s: faction %q, pilot %q\n", event, after.Namespace, after.Name, after.Spec.Faction, after.Spec.Pilot)
	default:
		fmt.Printf("audit: %s %s/%s:%s%s\n", event, after.Namespace, after.Name,
			changed("faction", string(before.Spec.Faction), string(after.Spec.Faction)),
			changed("pilot", before.Spec.Pilot, after.Spec.Pilot))
	}
}

func changed(field, before, after string) string {
	if before == after {
		return ""
	}
	return fmt.Sprintf(" %s %q -> %q", field, before, after)
}

func report(consumers []*consumer, tallies map[string]*tally) {
	fmt.Println("\nWhat each consumer was told:")
	for _, c := range consumers {
		seen, _ := c.seen()
		fmt.Printf("  %-10s %2d found, %d added, %d updated, %d deleted\n", c.name, seen.Initial, seen.Added, seen.Updated, seen.Deleted)
	}
	for _, title := range slices.Sorted(maps.Keys(tallies)) {
		fmt.Printf("  %s: %s\n", title, tallies[title])
	}
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, value := range slices.Sorted(maps.Keys(t.count)) {
		if t.count[value] != 0 {
			parts = append(parts, fmt.Sprintf("%q %d", value, t.count[value]))
		}
	}
	return strings.Join(parts, ", ")
}

// reportIndexes prints what the indexes answer for every value they have. To
// check it fails if the API server's own field selector answers otherwise; that
// is for a fleet that nobody else changes.
func reportIndexes(ctx context.Context, client versioned.Interface, lister starwarslisters.StarfighterLister, check bool) error {
	for _, index := range []string{starwarslisters.StarfighterFactionIndex, starwarslisters.StarfighterPilotIndex} {
		fmt.Printf("\nIndex %q:\n", index)
		values, err := lister.IndexValues(index)
		if err != nil {
			return err
		}
		slices.Sort(values)
		for _, value := range values {
			cached, err := lister.ByIndex(index, value)
			if err != nil {
				return err
			}
			if check {
				if err := compare(ctx, client, index, value, cached); err != nil {
					return err
				}
			}
			fmt.Printf("  %-20q %d  %s\n", value, len(cached), strings.Join(names(cached), " "))
		}
	}
	if check {
		fmt.Println("  The API server gives the same answers.")
	}
	return nil
}

// compare asks the API server the question that an index answered.
func compare(ctx context.Context, client versioned.Interface, index, value string, cached []*v1.Starfighter) error {
	list, err := client.StarwarsV1().Starfighters(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec."+index, value).String(),
	})
	if err != nil {
		return fmt.Errorf("ask the API server for ships whose %s is %q: %w", index, value, err)
	}
	served := make([]*v1.Starfighter, 0, len(list.Items))
	for i := range list.Items {
		served = append(served, &list.Items[i])
	}
	if got, want := revisions(cached), revisions(served); !slices.Equal(got, want) {
		return fmt.Errorf("index %q has for %q the ships %v, the API server has %v", index, value, got, want)
	}
	return nil
}

func names(ships []*v1.Starfighter) []string {
	return sorted(ships, func(ship *v1.Starfighter) string { return ship.Namespace + "/" + ship.Name })
}

func revisions(ships []*v1.Starfighter) []string {
	return sorted(ships, func(ship *v1.Starfighter) string {
		return ship.Namespace + "/" + ship.Name + "@" + ship.ResourceVersion
	})
}

// sorted: indexes, as listers, give ships in no particular order.
func sorted(ships []*v1.Starfighter, text func(*v1.Starfighter) string) []string {
	var texts []string
	for _, ship := range ships {
		texts = append(texts, text(ship))
	}
	slices.Sort(texts)
	return texts
}

func reportRequests(counted requests, err error, consumers int) {
	if err != nil {
		fmt.Printf("\nHow many requests the API server counted is not known: %v\n", err)
		return
	}
	fmt.Printf("\nRequests for Starfighters that the API server counted for the informer of these %d consumers:\n", consumers)
	fmt.Printf("  LIST %d, WATCH %d\n", counted["LIST"], counted["WATCH"])
}
