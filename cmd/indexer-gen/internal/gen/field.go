// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"k8s.io/gengo/v2/types"
)

// shape is how an indexed field holds its values.
type shape int

const (
	single   shape = iota // the field is the value
	elements              // a slice: each element is a value
	keys                  // a map: each key is a value
)

// field is a field of an API type that an index can read.
type field struct {
	path  []types.Member // from the API type to the field
	json  string         // the same path in JSON names, such as "spec.faction"
	shape shape
	value *types.Type // the type of one value, without pointer
}

// kind of the value: "string", "bool", "int" or "uint"; "" if none of these.
func kindOf(t *types.Type) string {
	switch u := underlying(t); {
	case u.Kind != types.Builtin:
		return ""
	case u.Name.Name == "string", u.Name.Name == "bool":
		return u.Name.Name
	case strings.HasPrefix(u.Name.Name, "int"), u.Name.Name == "rune":
		return "int"
	case strings.HasPrefix(u.Name.Name, "uint"), u.Name.Name == "byte":
		return "uint"
	}
	return ""
}

func underlying(t *types.Type) *types.Type {
	for t.Kind == types.Alias {
		t = t.Underlying
	}
	return t
}

func pointee(t *types.Type) *types.Type {
	if u := underlying(t); u.Kind == types.Pointer {
		return u.Elem
	}
	return t
}

// classify tells how the last member of the path holds values, or what is
// wrong with it.
func classify(path []types.Member) (shape, *types.Type, error) {
	t := path[len(path)-1].Type
	target := pointee(t)
	switch u := underlying(target); {
	case kindOf(target) != "":
		return single, target, nil
	case target == t && u.Kind == types.Slice && kindOf(u.Elem) == "string":
		return elements, u.Elem, nil
	case target == t && u.Kind == types.Map && kindOf(u.Key) == "string":
		return keys, u.Key, nil
	}
	return 0, nil, fmt.Errorf("a field of type %s cannot be indexed: it must be a string, bool or integer, a pointer to one, "+
		"a slice of strings or a map with string keys; index anything else with a function of your own, see AddTypedIndexers", t.Name.Name)
}

// jsonName returns the JSON name of a member, and whether its own fields stand
// in the JSON object of its parent. The name is "" if JSON has none for it.
func jsonName(m types.Member) (name string, inline bool) {
	name, options, _ := strings.Cut(reflect.StructTag(m.Tags).Get("json"), ",")
	switch {
	case name == "-" && options == "":
		return "", false
	case name != "":
		return name, false
	case m.Embedded:
		return "", true
	}
	return m.Name, false
}

// find resolves a JSON path such as "spec.faction", starting at a type.
func find(t *types.Type, path string) ([]types.Member, error) {
	var found []types.Member
	for _, name := range strings.Split(path, ".") {
		members := lookup(t, name)
		if members == nil {
			return nil, fmt.Errorf("field %q of %q is not in the JSON of %s", name, path, t.Name.Name)
		}
		found = append(found, members...)
		t = pointee(members[len(members)-1].Type)
	}
	return found, nil
}

// lookup finds the member with a JSON name, with the embedded structs that lead
// to it; nil if there is none.
func lookup(t *types.Type, name string) []types.Member {
	u := underlying(t)
	if u.Kind != types.Struct {
		return nil
	}
	for _, member := range u.Members {
		switch json, inline := jsonName(member); {
		case inline:
			if rest := lookup(pointee(member.Type), name); rest != nil {
				return append([]types.Member{member}, rest...)
			}
		case json == name && name != "":
			return []types.Member{member}
		}
	}
	return nil
}

func newField(path []types.Member) (field, error) {
	f := field{path: path}
	var names []string
	for _, member := range path {
		if name, inline := jsonName(member); !inline {
			names = append(names, name)
		}
	}
	f.json = strings.Join(names, ".")
	var err error
	f.shape, f.value, err = classify(path)
	return f, err
}

// selector returns the Go expression for the field of obj, and the expressions
// that must not be nil for it to exist, outermost first.
func (f field) selector(obj string) (expr string, notNil []string) {
	expr = obj
	for _, member := range f.path {
		expr += "." + member.Name
		if underlying(member.Type).Kind == types.Pointer {
			notNil = append(notNil, expr)
		}
	}
	if f.shape == single && underlying(f.path[len(f.path)-1].Type).Kind == types.Pointer {
		expr = "*" + expr
	}
	return expr, notNil
}

// param is a name for a Go parameter that holds one value of the field.
func (f field) param() string {
	name := f.path[len(f.path)-1].Name
	// An acronym in front, as in ID or URLPath, is lower-cased as a whole.
	i := 0
	for i < len(name) && name[i] >= 'A' && name[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(name) {
		i--
	}
	name = strings.ToLower(name[:i]) + name[i:]
	if token.IsKeyword(name) || taken[name] {
		name += "Value"
	}
	return name
}

// taken are names that a parameter would hide: what generated code uses, and
// Go's predeclared types.
var taken = map[string]bool{"s": true, "string": true, "bool": true, "error": true, "any": true, "int": true, "uint": true, "byte": true, "rune": true, "iter": true, "cache": true}
