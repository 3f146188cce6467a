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
}

func (i index) goName() string { return goName(i.name) }

// collector gathers the indexes of one API type and the mistakes in its
// markers.
type collector struct {
	universe types.Universe
	api      *types.Type
	indexes  []index
	places   []string // where indexes[i] was declared
	mistakes []error
}

// indexesOf returns the indexes that the markers on an API type, and on the
// fields reachable from it, ask for; in the order of declaration, composite
// ones last. The error has a line for every mistake.
func indexesOf(universe types.Universe, api *types.Type) ([]index, error) {
	c := &collector{universe: universe, api: api}
	c.walk(api, nil, "")
	c.composites()
	return c.indexes, errors.Join(c.mistakes...)
}

func (c *collector) mistake(place string, err error) {
	if err == nil {
		return
	}
	if line := fmt.Errorf("%s: %w", place, err); !slices.ContainsFunc(c.mistakes, func(e error) bool { return e.Error() == line.Error() }) {
		c.mistakes = append(c.mistakes, line)
	}
}

// walk visits the fields reachable from t, whose path from the API type is
// given. inside names what keeps the fields of t from being indexed: a slice or
// a map on the path.
func (c *collector) walk(t *types.Type, path []types.Member, inside string) {
	structure := underlying(t)
	if structure.Kind != types.Struct {
		return
	}
	owner := t
	for _, member := range structure.Members {
		here := append(slices.Clip(path), member)
		place := func() string {
			return position(c.universe[owner.Name.Package], owner.Name.Name, member.Name)
		}
		markers, err := parseMarkers(member.CommentLines)
		if err != nil {
			c.mistake(place(), err)
		}
		for _, m := range markers {
			switch name, inline := jsonName(member); {
			case inside != "":
				c.mistake(place(), fmt.Errorf("a field inside %s cannot be indexed by a marker: index it with a function of your own, see AddTypedIndexers", inside))
			case m.fields != nil:
				c.mistake(place(), fmt.Errorf("the option fields belongs on the type %s, not on a field of it", c.api.Name.Name))
			case name == "" || inline:
				c.mistake(place(), fmt.Errorf("the field has no name in JSON: give it a json tag, or index one of its own fields"))
			default:
				f, err := newField(here)
				if err != nil {
					c.mistake(place(), err)
					continue
				}
				if m.name != "" {
					name = m.name
				}
				c.add(index{name: name, fields: []field{f}}, place())
			}
		}
		c.descend(member, here, inside)
	}
}

// descend walks into the type of a member.
func (c *collector) descend(member types.Member, path []types.Member, inside string) {
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
			if t != c.api {
				c.walk(t, path, inside)
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

// composites adds the indexes that the markers on the API type ask for.
func (c *collector) composites() {
	t := c.api
	place := position(c.universe[t.Name.Package], t.Name.Name, "")
	markers, err := parseMarkers(append(slices.Clone(t.SecondClosestCommentLines), t.CommentLines...))
	if err != nil {
		c.mistake(place, err)
	}
	for _, m := range markers {
		if m.name == "" || m.fields == nil {
			c.mistake(place, fmt.Errorf("on a type, the marker names the index and its fields, such as %s:name=faction-type,fields=spec.faction;spec.type", markerName))
			continue
		}
		i := index{name: m.name}
		for _, path := range m.fields {
			members, err := find(t, path)
			if err == nil {
				var f field
				if f, err = newField(members); err == nil {
					i.fields = append(i.fields, f)
				}
			}
			if err != nil {
				c.mistake(place, fmt.Errorf("index %q: %w", m.name, err))
			}
		}
		if len(i.fields) == len(m.fields) {
			c.add(i, place)
		}
	}
}

func (c *collector) add(i index, place string) {
	if err := checkName(i.name); err != nil {
		c.mistake(place, err)
		return
	}
	for n, other := range c.indexes {
		switch {
		case other.name == i.name:
			c.mistake(place, fmt.Errorf("index %q of %s is there already, declared at %s: give one of them another name with %s:name=NAME", i.name, c.api.Name.Name, c.places[n], markerName))
			return
		case strings.EqualFold(other.goName(), i.goName()):
			c.mistake(place, fmt.Errorf("index %q of %s would generate the same method By%s as index %q, declared at %s: give one of them another name", i.name, c.api.Name.Name, i.goName(), other.name, c.places[n]))
			return
		}
	}
	c.indexes = append(c.indexes, i)
	c.places = append(c.places, place)
}
