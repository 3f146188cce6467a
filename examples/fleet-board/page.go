// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarslisters "github.com/okontajneroch/starwars/pkg/generated/listers/starwars/v1"
)

var (
	//go:embed static
	assets embed.FS
	//go:embed templates/board.html
	boardHTML     string
	boardTemplate = template.Must(template.New("board").Parse(boardHTML))
)

// pageRows is how many ships a column shows before the reader asks for more.
const pageRows = 30

// page is the board at one moment, for readers with and without JavaScript.
type page struct {
	Pilot   string // searched for
	Ships   int
	Matches int
	Time    string
	Trouble string
	Columns []column // those that have ships
	Rows    int      // most in a column
}

// column is a faction, or all that have no column of their own.
type column struct {
	Place   int
	Faction v1.Faction // empty for the other factions, and for the one without a name
	Others  bool
	Ships   int
	Matches int
	Rows    []ship
}

// More is how many matches have no row.
func (c column) More() int { return c.Matches - len(c.Rows) }

// servePage answers GET /.
func (s *site) servePage(w http.ResponseWriter, r *http.Request) {
	pilot := strings.TrimSpace(r.URL.Query().Get("pilot"))
	if !utf8.ValidString(pilot) || utf8.RuneCountInString(pilot) > maxValue {
		http.Error(w, fmt.Sprintf("pilot has to be a text of at most %d characters", maxValue), http.StatusBadRequest)
		return
	}
	page, err := s.board.page(pilot, time.Now())
	if err != nil { // an index that the lister lost; never seen
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// Into memory first: a page either comes whole or is an error.
	var out bytes.Buffer
	if err := boardTemplate.Execute(&out, page); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = out.WriteTo(w) // a reader that went away
}

// page asks the indexes for the ships of each faction, and for those of the
// pilots whose names contain the text.
func (b *board) page(pilot string, now time.Time) (*page, error) {
	p := &page{Pilot: pilot, Time: now.Format(time.TimeOnly), Trouble: b.health().trouble(now), Rows: pageRows}
	factions, err := b.lister.IndexValues(starwarslisters.StarfighterFactionIndex)
	if err != nil {
		return nil, err
	}
	var matching map[v1.Faction][]*v1.Starfighter
	if pilot != "" {
		if matching, err = b.search(pilot); err != nil {
			return nil, err
		}
	}
	var columns [maxFactions + 1]column
	var matches [maxFactions + 1][]*v1.Starfighter
	for _, name := range factions {
		faction := v1.Faction(name)
		ships, err := b.lister.ByFaction(faction)
		if err != nil {
			return nil, err
		}
		place := b.factions.of(faction)
		columns[place].Faction = faction
		columns[place].Ships += len(ships)
		p.Ships += len(ships)
		if pilot != "" {
			ships = matching[faction]
		}
		matches[place] = append(matches[place], ships...)
	}
	for place, c := range columns {
		if c.Ships == 0 {
			continue
		}
		c.Place, c.Matches, c.Rows = place, len(matches[place]), views(matches[place], pageRows)
		if place == otherFactions {
			c.Others, c.Faction = true, ""
		}
		p.Matches += c.Matches
		p.Columns = append(p.Columns, c)
	}
	return p, nil
}

// search returns by faction the ships whose pilot's name contains the text, in
// any case. It goes over the names that there are, not over the ships.
func (b *board) search(text string) (map[v1.Faction][]*v1.Starfighter, error) {
	pilots, err := b.lister.IndexValues(starwarslisters.StarfighterPilotIndex)
	if err != nil {
		return nil, err
	}
	found := map[v1.Faction][]*v1.Starfighter{}
	text = strings.ToLower(text)
	for _, pilot := range pilots {
		if strings.Contains(strings.ToLower(pilot), text) {
			for ship := range b.lister.AllByPilot(pilot) {
				found[ship.Spec.Faction] = append(found[ship.Spec.Faction], ship)
			}
		}
	}
	return found, nil
}
