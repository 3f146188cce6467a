// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// lister generates the lister of one API type.
type lister struct {
	generator.GoGenerator
	resource
	imports    namer.ImportTracker
	importPath string
}

func newLister(r resource, importPath string) generator.Generator {
	return &lister{
		GoGenerator: generator.GoGenerator{OutputFilename: strings.ToLower(r.api.Name.Name) + ".go"},
		resource:    r,
		imports:     generator.NewImportTrackerForPackage(importPath),
		importPath:  importPath,
	}
}

func (g *lister) Filter(_ *generator.Context, t *types.Type) bool { return t == g.api }

func (g *lister) Namers(*generator.Context) namer.NameSystems {
	return namer.NameSystems{"raw": namer.NewRawNamer(g.importPath, g.imports)}
}

func (g *lister) Imports(*generator.Context) []string {
	imports := append([]string{
		`"errors"`,
		`"k8s.io/apimachinery/pkg/labels"`,
		`"k8s.io/client-go/listers"`,
		`"k8s.io/client-go/tools/cache"`,
	}, g.imports.ImportLines()...)
	if len(g.indexes) > 0 {
		imports = append(imports, `"iter"`)
	}
	for _, i := range g.indexes {
		for _, f := range i.fields {
			if kindOf(f.value) != "string" {
				return append(imports, `"strconv"`)
			}
		}
	}
	return imports
}

// listerData is what the template of a lister is filled with.
type listerData struct {
	Type                    string // the API type as Go code
	Public, Private, Plural string // names of the kind
	Kind, Singular          string // for messages and for the resource
	Resource                string // the function that makes a resource of a name
	Namespaced              bool
	Indexes                 []indexData
}

// indexData is what the template needs of one index.
type indexData struct {
	Name, GoName string
	Composite    bool
	Describe     string   // "spec.faction is faction"
	Params       string   // of the methods
	Args         []string // the parameters as strings
	Key          string   // the value to ask the index for, from the parameters
	Body         string   // of the function that computes the values
}

func (g *lister) GenerateType(c *generator.Context, t *types.Type, w io.Writer) error {
	raw := c.Namers["raw"].Name
	data := listerData{
		Type:       raw(t),
		Public:     c.Namers["public"].Name(t),
		Private:    c.Namers["private"].Name(t),
		Plural:     c.Namers["publicPlural"].Name(t),
		Kind:       t.Name.Name,
		Singular:   strings.ToLower(t.Name.Name),
		Resource:   raw(resourceNameFunction(c, t)),
		Namespaced: g.namespaced,
	}
	for _, i := range g.indexes {
		data.Indexes = append(data.Indexes, newIndexData(i, data.Public, raw))
	}
	return templates.ExecuteTemplate(w, "lister.go.tmpl", data)
}

func newIndexData(i index, public string, raw func(*types.Type) string) indexData {
	d := indexData{Name: i.name, GoName: i.goName(), Composite: len(i.fields) > 1}
	var params, describe, names []string
	used := map[string]int{}
	for _, f := range i.fields {
		name := f.param()
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s%d", name, used[name])
		}
		names = append(names, name)
		params = append(params, name+" "+raw(f.value))
		d.Args = append(d.Args, text(f.value, name))
		describe = append(describe, f.json+" "+map[shape]string{single: "is", elements: "has the element", keys: "has the key"}[f.shape]+" "+name)
	}
	d.Params = strings.Join(params, ", ")
	d.Describe = strings.Join(describe, " and ")
	if d.Composite {
		d.Key = fmt.Sprintf("%s%sKey(%s)", public, d.GoName, strings.Join(names, ", "))
		d.Body = compositeBody(i)
	} else {
		d.Key = d.Args[0]
		d.Body = singleBody(i.fields[0])
	}
	return d
}

// text returns the Go expression that makes the text of a value.
func text(t *types.Type, expr string) string {
	plain := t.Kind == types.Builtin
	convert := func(to string) string {
		if plain && t.Name.Name == to {
			return expr
		}
		return to + "(" + expr + ")"
	}
	switch kindOf(t) {
	case "bool":
		return "strconv.FormatBool(" + convert("bool") + ")"
	case "int":
		return "strconv.FormatInt(" + convert("int64") + ", 10)"
	case "uint":
		return "strconv.FormatUint(" + convert("uint64") + ", 10)"
	default:
		return convert("string")
	}
}

// singleBody is the body of the function for an index of one field.
func singleBody(f field) string {
	var b strings.Builder
	expr, notNil := f.selector("obj")
	if len(notNil) > 0 {
		fmt.Fprintf(&b, "if %s == nil {\nreturn nil\n}\n", strings.Join(notNil, " == nil || "))
	}
	if f.shape == single {
		fmt.Fprintf(&b, "return []string{%s}\n", text(f.value, expr))
		return b.String()
	}
	fmt.Fprintf(&b, "values := make([]string, 0, len(%s))\n", expr)
	fmt.Fprintf(&b, "for %s := range %s {\nvalues = append(values, %s)\n}\n", loop(f), expr, text(f.value, "value"))
	b.WriteString("return values\n")
	return b.String()
}

// compositeBody is the body of the function for an index of several fields.
func compositeBody(i index) string {
	var b strings.Builder
	var parts []string
	for n, f := range i.fields {
		expr, notNil := f.selector("obj")
		if len(notNil) > 0 {
			fmt.Fprintf(&b, "if %s == nil {\nreturn nil\n}\n", strings.Join(notNil, " == nil || "))
		}
		if f.shape == single {
			parts = append(parts, "[]string{"+text(f.value, expr)+"}")
			continue
		}
		part := fmt.Sprintf("part%d", n)
		fmt.Fprintf(&b, "%s := make([]string, 0, len(%s))\n", part, expr)
		fmt.Fprintf(&b, "for %s := range %s {\n%s = append(%s, %s)\n}\n", loop(f), expr, part, part, text(f.value, "value"))
		parts = append(parts, part)
	}
	fmt.Fprintf(&b, "return compositeKeys(%s)\n", strings.Join(parts, ", "))
	return b.String()
}

func loop(f field) string {
	if f.shape == keys {
		return "value"
	}
	return "_, value"
}
