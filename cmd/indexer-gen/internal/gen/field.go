// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"fmt"
	"go/token"
	gotypes "go/types"
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

// ownFunction is what to do about a field that no marker can index.
const ownFunction = "index it with a function of your own, see AddTypedIndexers of client-go's informers"

// kind of the value: "string", "bool", "int" or "uint"; "" if none of these.
func kindOf(t *types.Type) string {
	u := underlying(t)
	if u.Kind != types.Builtin {
		return ""
	}
	switch name := u.Name.Name; name {
	case "string", "bool":
		return name
	case "int", "int16", "int32", "int64":
		return "int"
	case "uint", "uint16", "uint32", "uint64":
		return "uint"
	}
	// gengo calls both int8 and uint8 "byte": a negative one would be indexed
	// as a positive number.
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
	case u.Name.Name == "invalid type":
		return 0, nil, errors.New("the type of the field is not known: make the package compile first")
	}
	return 0, nil, fmt.Errorf("a field of type %s cannot be indexed: it must be a string, a bool, an integer of 16 bits or more, "+
		"a pointer to one of these, a slice of strings or a map with string keys; %s", t.Name.Name, ownFunction)
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
	case m.Embedded && underlying(pointee(m.Type)).Kind == types.Struct:
		return "", true
	}
	return m.Name, false
}

// find resolves a JSON path such as "spec.faction", starting at a type.
func find(t *types.Type, path string) ([]types.Member, error) {
	var found []types.Member
	above := t.Name.Name
	for name := range strings.SplitSeq(path, ".") {
		switch u := underlying(t); u.Kind {
		case types.Slice, types.Array, types.Map:
			return nil, fmt.Errorf("field %q of %q is inside a list or map, %q: %s", name, path, above, ownFunction)
		}
		members := lookup(t, name)
		if members == nil {
			return nil, fmt.Errorf("field %q of %q is not in the JSON of %s: name fields as in JSON, from the top, such as spec.faction", name, path, above)
		}
		found = append(found, members...)
		t = pointee(members[len(members)-1].Type)
		above = name
	}
	return found, nil
}

// lookup finds the member with a JSON name, with the embedded structs that lead
// to it; nil if there is none. As in JSON, a field of the struct itself goes
// before those that it embeds.
func lookup(t *types.Type, name string) []types.Member {
	u := underlying(t)
	if u.Kind != types.Struct {
		return nil
	}
	for _, member := range u.Members {
		if json, _ := jsonName(member); json == name && name != "" {
			return []types.Member{member}
		}
	}
	for _, member := range u.Members {
		if _, inline := jsonName(member); inline && pointee(member.Type) != t {
			if rest := lookup(pointee(member.Type), name); rest != nil {
				return append([]types.Member{member}, rest...)
			}
		}
	}
	return nil
}

func newField(path []types.Member) (field, error) {
	f := field{path: path}
	var names []string
	for _, member := range path {
		name, inline := jsonName(member)
		switch {
		case !token.IsExported(member.Name):
			return f, fmt.Errorf("the listers cannot read %s, which is not exported: export it", member.Name)
		case name == "" && !inline:
			return f, fmt.Errorf("the field %s is not in JSON, so that it is empty in every object of a cache: give it a json tag", member.Name)
		case !inline:
			names = append(names, name)
		}
	}
	f.json = strings.Join(names, ".")
	var err error
	if f.shape, f.value, err = classify(path); err != nil {
		return f, err
	}
	if name := f.value.Name; name.Package != "" && (!token.IsExported(name.Name) || strings.Contains(name.Name, "[")) {
		return f, fmt.Errorf("the listers' methods cannot have a parameter of type %s: use one that is exported and not generic", name.Name)
	}
	return f, nil
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

// params are names for Go parameters that hold one value of each field of an
// index. They keep clear of the names that generated code uses.
func params(i index, inUse map[string]bool) []string {
	names := make([]string, len(i.fields))
	taken := map[string]bool{}
	for n, f := range i.fields {
		base := lowerFirst(f.path[len(f.path)-1].Name)
		if !i.composite() {
			base = lowerFirst(i.goName()) // says what the field is for: a tag of all tags
		}
		if token.IsKeyword(base) || gotypes.Universe.Lookup(base) != nil || literalImports[base] != "" || inUse[base] {
			base += "Value"
		}
		name := base
		for more := 2; taken[name]; more++ {
			name = fmt.Sprintf("%s%d", base, more)
		}
		taken[name] = true
		names[n] = name
	}
	return names
}

// lowerFirst makes a Go name private. An acronym in front, as in ID or URLPath,
// is lower-cased as a whole.
func lowerFirst(name string) string {
	i := 0
	for i < len(name) && name[i] >= 'A' && name[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(name) {
		i--
	}
	return strings.ToLower(name[:i]) + name[i:]
}
