// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// literalImports are the packages that the template of a lister names, by their
// names in it.
var literalImports = map[string]string{
	"cache":   "k8s.io/client-go/tools/cache",
	"errors":  "errors",
	"iter":    "iter",
	"labels":  "k8s.io/apimachinery/pkg/labels",
	"listers": "k8s.io/client-go/listers",
	"strconv": "strconv",
}

// lister generates the lister of one API type.
type lister struct {
	generator.GoGenerator
	resource
	imports    namer.ImportTracker
	importPath string
}

func newLister(r resource, importPath string) generator.Generator {
	imports := generator.NewImportTrackerForPackage(importPath)
	// A package that the tracker holds for invalid gets no import, but its name
	// is taken: an API package cannot be imported as "errors".
	valid := imports.IsInvalidType
	imports.IsInvalidType = func(*types.Type) bool { return true }
	for name := range literalImports {
		imports.AddType(&types.Type{Name: types.Name{Package: name}})
	}
	imports.IsInvalidType = valid
	return &lister{
		GoGenerator: generator.GoGenerator{OutputFilename: strings.ToLower(r.api.Name.Name) + ".go"},
		resource:    r,
		imports:     imports,
		importPath:  importPath,
	}
}

func (g *lister) Filter(_ *generator.Context, t *types.Type) bool { return t == g.api }

func (g *lister) Namers(*generator.Context) namer.NameSystems {
	return namer.NameSystems{"raw": namer.NewRawNamer(g.importPath, g.imports)}
}

func (g *lister) Imports(*generator.Context) []string {
	used := []string{"errors", "labels", "listers", "cache"}
	if len(g.indexes) > 0 {
		used = append(used, "iter")
	}
	for _, i := range g.indexes {
		if slices.ContainsFunc(i.fields, func(f field) bool { return kindOf(f.value) != "string" }) {
			used = append(used, "strconv")
			break
		}
	}
	lines := g.imports.ImportLines()
	for _, name := range used {
		lines = append(lines, strconv.Quote(literalImports[name]))
	}
	return lines
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
	// What the methods' bodies use, besides imported packages.
	inUse := map[string]bool{"s": true, "obj": true, "values": true, "compositeKey": true}
	for _, i := range g.indexes {
		inUse[data.Private+"By"+i.goName()] = true
	}
	for _, i := range g.indexes {
		data.Indexes = append(data.Indexes, newIndexData(i, data.Public, inUse, raw))
	}
	return templates.ExecuteTemplate(w, "lister.go.tmpl", data)
}

func newIndexData(i index, public string, inUse map[string]bool, raw func(*types.Type) string) indexData {
	d := indexData{Name: i.name, GoName: i.goName(), Composite: i.composite()}
	names := params(i, inUse)
	var declared, describe []string
	for n, f := range i.fields {
		declared = append(declared, names[n]+" "+raw(f.value))
		d.Args = append(d.Args, text(f.value, names[n]))
		describe = append(describe, f.json+" "+map[shape]string{single: "is", elements: "has the element", keys: "has the key"}[f.shape]+" "+names[n])
	}
	d.Params = strings.Join(declared, ", ")
	d.Describe = strings.Join(describe, " and ")
	key := func(exprs ...string) string { return text(i.fields[0].value, exprs[0]) }
	if d.Composite {
		key = func(exprs ...string) string {
			return fmt.Sprintf("%s%sKey(%s)", public, d.GoName, strings.Join(exprs, ", "))
		}
	}
	d.Key = key(names...)
	d.Body = body(i, names, key)
	return d
}

// text returns the Go expression that makes the text of a value.
func text(t *types.Type, expr string) string {
	convert := func(to string) string {
		if t.Kind == types.Builtin && t.Name.Name == to {
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

// body returns the body of the function that computes the values of an index:
// a loop for each field that holds several, and the key of each combination.
// names are for the variables of the loops.
func body(i index, names []string, key func(exprs ...string) string) string {
	var b strings.Builder
	var exprs, loops, sizes, absent []string
	for n, f := range i.fields {
		expr, notNil := f.selector("obj")
		for _, pointer := range notNil {
			if condition := pointer + " == nil"; !slices.Contains(absent, condition) {
				absent = append(absent, condition)
			}
		}
		if f.shape == single {
			exprs = append(exprs, expr)
			continue
		}
		variable := names[n]
		if f.shape == elements {
			variable = "_, " + variable
		}
		loops = append(loops, fmt.Sprintf("for %s := range %s {\n", variable, expr))
		sizes = append(sizes, "len("+expr+")")
		exprs = append(exprs, names[n])
	}
	if len(absent) > 0 {
		fmt.Fprintf(&b, "if %s {\nreturn nil\n}\n", strings.Join(absent, " || "))
	}
	if len(loops) == 0 {
		fmt.Fprintf(&b, "return []string{%s}\n", key(exprs...))
		return b.String()
	}
	fmt.Fprintf(&b, "values := make([]string, 0, %s)\n", strings.Join(sizes, "*"))
	for _, loop := range loops {
		b.WriteString(loop)
	}
	fmt.Fprintf(&b, "values = append(values, %s)\n", key(exprs...))
	b.WriteString(strings.Repeat("}\n", len(loops)))
	b.WriteString("return values\n")
	return b.String()
}
