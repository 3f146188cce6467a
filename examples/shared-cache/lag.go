// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/informer"
)

// lag remembers of each consumer how many changes waited for it at most when it was
// measured. It is for one goroutine at a time.
type lag struct {
	informer *informer.Informer[*v1.Starfighter]
	most     map[string]int // by the consumer's name
}

// consumer is what there is to say of one.
type consumer struct {
	informer.ConsumerStatus
	name string
	most int
}

// measure asks the informer how its consumers are doing.
func (l *lag) measure() []consumer {
	if l.most == nil {
		l.most = map[string]int{}
	}
	var consumers []consumer
	for _, status := range l.informer.Status().Consumers {
		l.most[status.Name] = max(l.most[status.Name], status.Pending)
		// Handlers are called by their types, as *main.squadrons.
		name := strings.TrimPrefix(status.Name, "*main.")
		consumers = append(consumers, consumer{status, name, l.most[status.Name]})
	}
	return consumers
}

// String is a table of the consumers.
func (l *lag) String() string {
	var table strings.Builder
	table.WriteString("CONSUMER      NOTIFIED  COALESCED    WAITING    AT MOST\n")
	for _, c := range l.measure() {
		table.WriteString(english.Sprintf("%-12s %9d  %9d  %9d  %9d\n", c.name, c.Delivered, c.Coalesced, c.Pending, c.most))
	}
	table.WriteString("Coalesced are those that a later one of the same ship took the place of.\n")
	return table.String()
}
