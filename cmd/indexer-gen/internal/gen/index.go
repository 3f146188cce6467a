// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// index is one index of an API type.
type index struct {
	name   string
	fields []field // several: a composite index
	place  string  // "file:line" of what asks for it
}

func (i index) goName() string { return goName(i.name) }

func (i index) composite() bool { return len(i.fields) > 1 }

// collector gathers the indexes of API types and the mistakes in markers.
type collector struct {
	universe types.Universe
	sources  sources
	mistakes []string
	// reached are the types and fields whose markers were read.
	reached map[reached]bool
}

type reached struct {
	pkg string
	key string // as in source.declared
}

func newCollector(universe types.Universe) *collector {
	return &collector{universe: universe, sources: sources{}, reached: map[reached]bool{}}
}

// err has a line for every mistake.
func (c *collector) err() error {
	if len(c.mistakes) == 0 {
		return nil
	}
	return errors.New(strings.Join(c.mistakes, "\n"))
}

func (c *collector) mistake(place string, err error) {
	if err == nil {
		return
	}
	for message := range strings.SplitSeq(err.Error(), "\n") {
		if line := place + ": " + message; !slices.Contains(c.mistakes, line) {
			c.mistakes = append(c.mistakes, line)
		}
	}
}

func (c *collector) mistakef(place, format string, args ...any) {
	c.mistake(place, fmt.Errorf(format, args...))
}

// indexesOf returns the indexes that the markers on an API type, and on the
// fields reachable from it, ask for; in the order of declaration, those of the
// type's own markers last.
func (c *collector) indexesOf(api *types.Type) []index {
	w := &walker{collector: c, api: api}
	w.walk(api, api.Name.Name, api.Name.Package, nil, "")
	w.typeMarkers()
	return w.indexes
}

// strays reports the markers in the files of a package that nothing reads: they
// would be ignored without a word.
func (c *collector) strays(pkg *types.Package) {
	for _, marker := range c.sources.of(pkg).markers {
		switch {
		case marker.owner == "":
			c.mistakef(marker.place, "the marker is not in the comment right above a field or type: move it there")
		case !c.reached[reached{pkg.Path, marker.owner}]:
			c.mistakef(marker.place, "the marker on %s has no effect: it belongs on a type that has %s with the verbs list and get, or on a field that such a type reaches", marker.owner, "+genclient")
		}
	}
}

// walker visits one API type.
type walker struct {
	*collector
	api     *types.Type
	indexes []index
}

// walk visits the fields of t, whose path from the API type is given. key and
// pkg tell where t is declared: an anonymous struct is where its field is.
// inside names what keeps the fields of t from being indexed: a list or a map
// on the path.
func (w *walker) walk(t *types.Type, key, pkg string, path []types.Member, inside string) {
	structure := underlying(t)
	if structure.Kind != types.Struct {
		return
	}
	if t.Name.Package != "" {
		key, pkg = t.Name.Name, t.Name.Package
	}
	for _, member := range structure.Members {
		here := append(slices.Clip(path), member)
		at := key + "." + member.Name
		w.reached[reached{pkg, at}] = true
		markers, err := parseMarkers(member.CommentLines)
		if err != nil || len(markers) > 0 {
			place := w.sources.position(w.universe[pkg], at)
			w.mistake(place, err)
			for _, m := range markers {
				w.fieldMarker(m, here, inside, place)
			}
		}
		w.descend(member, at, pkg, here, inside)
	}
}

func (w *walker) fieldMarker(m marker, path []types.Member, inside, place string) {
	name, inline := jsonName(path[len(path)-1])
	switch {
	case inside != "":
		w.mistakef(place, "a field inside %s cannot be indexed by a marker: %s", inside, ownFunction)
	case m.fields != nil:
		w.mistakef(place, "the option fields belongs on a type such as %s, not on a field: use %s alone, or %s:name=NAME", w.api.Name.Name, markerName, markerName)
	case name == "" || inline:
		w.mistakef(place, "the field has no name in JSON: give it a json tag, or index one of its own fields")
	default:
		f, err := newField(path)
		if err != nil {
			w.mistake(place, err)
			return
		}
		if m.name != "" {
			name = m.name
		}
		w.add(index{name: name, fields: []field{f}, place: place})
	}
}

// descend walks into the type of a member.
func (w *walker) descend(member types.Member, key, pkg string, path []types.Member, inside string) {
	t := pointee(member.Type)
	for {
		u := underlying(t)
		switch u.Kind {
		case types.Slice, types.Array:
			inside = "the list " + member.Name
		case types.Map:
			inside = "the map " + member.Name
		default:
			// A type that contains itself has no end: its first level counts.
			for _, above := range path[:len(path)-1] {
				if elementOf(above.Type) == t {
					return
				}
			}
			if t != w.api {
				w.walk(t, key, pkg, path, inside)
			}
			return
		}
		t = pointee(u.Elem)
	}
}

// elementOf strips pointers, slices, arrays and maps.
func elementOf(t *types.Type) *types.Type {
	for {
		switch u := underlying(t); u.Kind {
		case types.Pointer, types.Slice, types.Array, types.Map:
			t = u.Elem
		default:
			return t
		}
	}
}

// typeMarkers adds the indexes that the markers on the API type ask for.
func (w *walker) typeMarkers() {
	t := w.api
	w.reached[reached{t.Name.Package, t.Name.Name}] = true
	place := w.sources.position(w.universe[t.Name.Package], t.Name.Name)
	markers, err := parseMarkers(append(slices.Clone(t.SecondClosestCommentLines), t.CommentLines...))
	w.mistake(place, err)
	for _, m := range markers {
		if m.name == "" || m.fields == nil {
			w.mistakef(place, "on a type, the marker names the index and its fields, such as %s:name=faction-type,fields=spec.faction;spec.type", markerName)
			continue
		}
		i := index{name: m.name, place: place}
		for _, path := range m.fields {
			members, err := find(t, path)
			if err == nil {
				var f field
				if f, err = newField(members); err == nil {
					i.fields = append(i.fields, f)
					continue
				}
			}
			w.mistakef(place, "index %q, field %q: %w", m.name, path, err)
		}
		if len(i.fields) == len(m.fields) {
			w.add(i)
		}
	}
}

func (w *walker) add(i index) {
	if err := checkName(i.name); err != nil {
		w.mistake(i.place, err)
		return
	}
	for _, other := range w.indexes {
		switch {
		case other.name == i.name && other.place == i.place && other.fields[0].json != i.fields[0].json:
			w.mistakef(i.place, "index %q of %s would be of two fields, %s and %s: take the marker away and name each on the type %s, with %s:name=NAME,fields=%s",
				i.name, w.api.Name.Name, other.fields[0].json, i.fields[0].json, w.api.Name.Name, markerName, i.fields[0].json)
			return
		case other.name == i.name:
			w.mistakef(i.place, "index %q of %s is there already, declared at %s: give one of them another name with %s:name=NAME", i.name, w.api.Name.Name, other.place, markerName)
			return
		case other.goName() == i.goName():
			w.mistakef(i.place, "index %q of %s would generate the same method By%s as index %q, declared at %s: give one of them another name with %s:name=NAME", i.name, w.api.Name.Name, i.goName(), other.name, other.place, markerName)
			return
		}
	}
	w.indexes = append(w.indexes, i)
}
