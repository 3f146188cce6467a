// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mistakes are API packages with something wrong in each. In their source, <n>
// stands for what is on the line that message n is about.
var mistakes = map[string]struct {
	source string
	want   []string // what the message begins with after "file:line: "
}{
	"unknownoption": {spec("// +genindex:nam=x\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex:nam=x": unknown option "nam": the options are name and, on types, fields`}},
	"novalue": {spec("// +genindex:name=\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex:name=": option "name" has no value: write it as name=VALUE`}},
	"noequals": {spec("// +genindex:name\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex:name": option "name" has no value: write it as name=VALUE`}},
	"twice": {spec("// +genindex:name=x,name=y\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex:name=x,name=y": option "name" is given twice: keep one`}},
	"equals": {spec("// +genindex=x\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex=x": write +genindex alone, or +genindex:name=NAME`}},
	"nooptions": {spec("// +genindex:\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex:": write +genindex alone, or +genindex:name=NAME`}},
	"prose": {spec("// +genindex please\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genindex please": write +genindex alone, or +genindex:name=NAME`}},
	"lettercase": {spec("// +genIndex\n A string `json:\"a\"` // <0>"),
		[]string{`marker "+genIndex": write it in small letters, +genindex`}},
	"two": {spec("// +genindex:nam=x\n// +genindex:name=a b\n // +genindex:name=fine\n A string `json:\"a\"` // <0> <1>"),
		[]string{`marker "+genindex:nam=x": unknown option`, `index name "a b": use letters and digits`}},
	"badname": {spec("// +genindex:name=1st\n A string `json:\"a\"` // <0>"),
		[]string{`index name "1st": use letters and digits, in words joined by '-', '.' or '_', that start with a letter; +genindex:name=NAME gives`}},
	"slash": {spec("// +genindex:name=namespace/x\n A string `json:\"a\"` // <0>"),
		[]string{`index name "namespace/x": use letters and digits`}},
	"badjson": {spec("// +genindex\n A string `json:\"größe\"` // <0>"),
		[]string{`index name "größe": use letters and digits`}},
	"namespace": {spec("// +genindex:name=namespace\n A string `json:\"a\"` // <0>"),
		[]string{`index name "namespace" is taken by the index that every informer of client-go has: choose another one with +genindex:name=NAME`}},
	"byindex": {spec("// +genindex\n Index string `json:\"index\"` // <0>"),
		[]string{`index name "index" would generate a second method ByIndex: choose another one with +genindex:name=NAME`}},
	"duplicate": {spec("// +genindex\n A string `json:\"a\"`\n// +genindex:name=a\n B string `json:\"b\"` // <0>"),
		[]string{`index "a" of Ship is there already, declared at duplicate/v1/types.go:14: give one of them another name with +genindex:name=NAME`}},
	"twopaths": {spec("Main Engine `json:\"main\"`\nSpare *Engine `json:\"spare\"`") + "type Engine struct {\n// +genindex\n Model string `json:\"model\"` // <0>\n}\n",
		[]string{`index "model" of Ship would be of two fields, spec.main.model and spec.spare.model: take the marker away and name each on the type Ship, with +genindex:name=NAME,fields=spec.spare.model`}},
	"sharedname": {spec("// +genindex:name=a-b\n A string `json:\"a\"`\n// +genindex:name=a.b\n B string `json:\"b\"` // <0>"),
		[]string{`index "a.b" of Ship would generate the same method ByAB as index "a-b", declared at sharedname/v1/types.go:14: give one of them another name`}},
	"gonames": {spec("// +genindex:name=faction-type\n A string `json:\"a\"`\n// +genindex:name=factionType\n B string `json:\"b\"` // <0>"),
		[]string{`index "factionType" of Ship would generate the same method ByFactionType as index "faction-type"`}},
	"unsupported": {spec(`
		// +genindex
		Float float64 // <0>
		// +genindex
		Struct struct{ A string } // <1>
		// +genindex
		Named Inner // <2>
		// +genindex
		Time time.Time // <3>
		// +genindex
		Interface any // <4>
		// +genindex
		Slices [][]string // <5>
		// +genindex
		IntKeys map[int]string // <6>
		// +genindex
		Ints []int // <7>
		// +genindex
		Pointers []*string // <8>
		// +genindex
		Array [3]string // <9>
		// +genindex
		PointerToSlice *[]string // <10>
		// +genindex
		Bytes []byte // <11>
		// +genindex
		Small int8 // <12>
	`) + "type Inner struct{ A string }\n",
		slices.Repeat([]string{"a field of type "}, 13)},
	"unknowntype": {spec("// +genindex\n A Missing `json:\"a\"` // <0>"),
		[]string{"the type of the field is not known: make the package compile first"}},
	"inslice": {spec("Engines []Engine `json:\"engines\"`") + "type Engine struct {\n// +genindex\n Model string `json:\"model\"` // <0>\n}\n",
		[]string{"a field inside the list Engines cannot be indexed by a marker: index it with a function of your own"}},
	"inmap": {spec("Engines map[string]*Engine `json:\"engines\"`") + "type Engine struct {\n// +genindex\n Model string `json:\"model\"` // <0>\n}\n",
		[]string{"a field inside the map Engines cannot be indexed by a marker: index it with a function of your own"}},
	"anonymous": {spec("Engines []struct {\n// +genindex\n Model string `json:\"model\"` // <0>\n} `json:\"engines\"`"),
		[]string{"a field inside the list Engines cannot be indexed by a marker"}},
	"nojson": {spec("// +genindex\n A string `json:\"-\"` // <0>"),
		[]string{"the field has no name in JSON: give it a json tag, or index one of its own fields"}},
	"hidden": {spec("Inner Inner `json:\"-\"`") + "type Inner struct {\n// +genindex\n A string `json:\"a\"` // <0>\n}\n",
		[]string{"the field Inner is not in JSON, so that it is empty in every object of a cache: give it a json tag"}},
	"inline": {spec("// +genindex\n Inner `json:\",inline\"` // <0>") + "type Inner struct { A string }\n",
		[]string{"the field has no name in JSON: give it a json tag, or index one of its own fields"}},
	"private": {spec("// +genindex\n a string // <0>\n inner `json:\",inline\"`") + "type inner struct {\n// +genindex\n B string `json:\"b\"` // <1>\n}\n",
		[]string{"the listers cannot read a, which is not exported: export it", "the listers cannot read inner, which is not exported: export it"}},
	"privatetype": {spec("// +genindex\n A faction `json:\"a\"` // <0>") + "type faction string\n",
		[]string{"the listers' methods cannot have a parameter of type faction: use one that is exported and not generic"}},
	"generic": {spec("// +genindex\n A ID[int] `json:\"a\"` // <0>") + "type ID[T any] string\n",
		[]string{"the listers' methods cannot have a parameter of type ID[int]: use one that is exported and not generic"}},
	"fieldsonfield": {spec("// +genindex:name=x,fields=spec.a\n A string `json:\"a\"` // <0>"),
		[]string{"the option fields belongs on a type such as Ship, not on a field: use +genindex alone, or +genindex:name=NAME"}},
	"trailing": {spec("A /* <0> */ string `json:\"a\"` // +genindex\nB string `json:\"b\"`"),
		[]string{"the marker is not in the comment right above a field or type: move it there"}},
	"detached": {spec("// +genindex <0>\n\nA string `json:\"a\"`"),
		[]string{"the marker is not in the comment right above a field or type: move it there"}},
	"noclient": {spec("// +genindex\nA string `json:\"a\"`") + "// +genindex:name=x <0>\ntype Other struct{\n/*\n +genindex <1>\n*/\nA string\n}\n",
		[]string{"the marker on Other has no effect: it belongs on a type that has +genclient with the verbs list and get, or on a field that such a type reaches", "the marker on Other.A has no effect"}},
	"nothing": {onType("// +genindex"),
		[]string{"on a type, the marker names the index and its fields, such as +genindex:name=faction-type,fields=spec.faction;spec.type"}},
	"nameonly":   {onType("// +genindex:name=x"), []string{"on a type, the marker names the index and its fields"}},
	"fieldsonly": {onType("// +genindex:fields=spec.a;spec.b"), []string{"on a type, the marker names the index and its fields"}},
	"unknownpath": {onType("// +genindex:name=x,fields=spec.a;spec.missing;;a"),
		[]string{
			`index "x", field "spec.missing": field "missing" of "spec.missing" is not in the JSON of spec: name fields as in JSON, from the top, such as spec.faction`,
			`index "x", field "": field "" of "" is not in the JSON of Ship`,
			`index "x", field "a": field "a" of "a" is not in the JSON of Ship`}},
	"unsupportedpath": {onType("// +genindex:name=x,fields=spec.a;spec.float"),
		[]string{`index "x", field "spec.float": a field of type float64 cannot be indexed`}},
	"pathinlist": {onType("// +genindex:name=x,fields=spec.a;spec.list.a"),
		[]string{`index "x", field "spec.list.a": field "a" of "spec.list.a" is inside a list or map, "list": index it with a function of your own`}},
	"oneindex": {onType("// +genindex:name=x,fields=spec.a\n// +genindex:name=x,fields=spec.b"),
		[]string{`index "x" of Ship would be of two fields, spec.a and spec.b`}},
	"declared": {spec("// +genindex:name=class-name\n A string `json:\"a\"`") +
		"// +genclient\ntype ShipClass struct {\n// +genindex\n Name string `json:\"name\"` // <0>\n}\n",
		[]string{`index "name" of ShipClass would declare the name ShipClassNameIndex, as index "class-name" at declared/v1/types.go:14 does: give one of them another name`}},
	"plural": {strings.ReplaceAll(spec("// +genindex:name=wings\n A string `json:\"a\"`"), "type Ship struct {", "type ByWing struct { // <0>"),
		[]string{"the lister of ByWing would have two methods ByWings, for a namespace and for an index: give the index another name, or the type another plural with --plural-exceptions"}},
	"client": {strings.ReplaceAll(strings.ReplaceAll(spec("A string"), "// +genclient\n", "// +genclient\n// +genclient:frobnicate\n"), "Ship struct {", "Ship struct { // <0>"),
		[]string{"unknown tag detected: genclient:frobnicate"}},
}

// spec is the source of an API type whose spec has the given fields.
func spec(fields string) string {
	return `package v1

import "time"

var _ time.Time

// +genclient
type Ship struct {
	Spec ShipSpec ` + "`json:\"spec\"`" + `
}

type ShipSpec struct {
	` + fields + `
}
`
}

// onType is the source of an API type with the given comment.
func onType(comment string) string {
	return `package v1

// +genclient
` + comment + `
type Ship struct { // <0> <1> <2>
	Spec ShipSpec ` + "`json:\"spec\"`" + `
}

type ShipSpec struct {
	A string ` + "`json:\"a\"`" + `
	B string ` + "`json:\"b\"`" + `
	Float float64 ` + "`json:\"float\"`" + `
	List []struct { A string ` + "`json:\"a\"`" + `} ` + "`json:\"list\"`" + `
}
`
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	module := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		// What is right in between does not make the others pass.
		"good/v1/types.go": kind,
		// Two packages whose listers have one folder.
		"a/fleet/v1/types.go": kind,
		"b/fleet/v1/types.go": kind,
		"v1-2/types.go":       kind,
		// No listers are asked for, so no marker is read.
		"optout/v1/doc.go":   "// +k8s:lister-gen=false\npackage v1\n",
		"optout/v1/types.go": mistakes["badname"].source,
		"verbs/v1/types.go":  strings.ReplaceAll(mistakes["badname"].source, "+genclient", "+genclient\n// +genclient:skipVerbs=list"),
	}
	for name, mistake := range mistakes {
		module[name+"/v1/types.go"] = mistake.source
	}
	write(t, dir, module)

	stderr, code := indexerGen(t, dir, "--output-dir", "out", "--output-pkg", "example.com/m/out", "./...")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); !os.IsNotExist(err) {
		t.Errorf("something is written: %v", err)
	}
	said := map[string][]string{} // by package
	for line := range strings.Lines(stderr) {
		name := strings.TrimPrefix(line, "package example.com/m/")
		name = name[:strings.IndexAny(name, "/:")]
		said[name] = append(said[name], strings.TrimSuffix(line, "\n"))
	}
	for name, mistake := range mistakes {
		t.Run(name, func(t *testing.T) {
			lines := said[name]
			if len(lines) != len(mistake.want) {
				t.Errorf("says %q", lines)
			}
			for n, message := range mistake.want {
				want := fmt.Sprintf("%s/v1/types.go:%d: %s", name, lineOf(t, mistake.source, n), message)
				if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
					t.Errorf("does not say %q, but %q", want, lines)
				}
			}
		})
	}
	for name, want := range map[string]string{
		"b":    "package example.com/m/b/fleet/v1: its listers would go into the same folder fleet/v1 as those of package example.com/m/a/fleet/v1: generate them with another --output-dir",
		"v1-2": `package example.com/m/v1-2: its listers would be of a package named "v1-2", which Go does not allow: let the import path end in GROUP/VERSION, such as fleet/v1`,
	} {
		if lines := said[name]; len(lines) != 1 || lines[0] != want {
			t.Errorf("says %q, want %q", lines, want)
		}
	}
	for _, name := range []string{"good", "a", "optout", "verbs"} {
		if lines := said[name]; len(lines) > 0 {
			t.Errorf("says of a good package: %q", lines)
		}
	}
}

// lineOf returns the line of <n> in the source; all messages may be about one.
func lineOf(t *testing.T, source string, n int) int {
	t.Helper()
	for at, line := range strings.Split(source, "\n") {
		if strings.Contains(line, fmt.Sprintf("<%d>", n)) {
			return at + 1
		}
	}
	t.Fatalf("the source has no <%d>", n)
	return 0
}

// TestMistakeRootPackage is about an import path of one element.
func TestMistakeRootPackage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module fleet\n\ngo 1.24\n", "types.go": kind})
	stderr, code := indexerGen(t, dir, "--output-dir", "out", "--output-pkg", "fleet/out", ".")
	if want := "package fleet: its import path names no group: let it end in GROUP/VERSION\n"; stderr != want || code != 1 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
