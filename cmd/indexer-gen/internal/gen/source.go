// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/types"
)

// sources tells where things are in the files of packages. gengo keeps no
// positions, and gives the comment behind a field to the field on the next
// line, so this parses the files again.
type sources map[string]*source // by directory

// source is what the files of one package hold.
type source struct {
	declared map[string]string // "file:line" of "Type" and of "Type.Field"
	markers  []comment
}

// comment is a line of a comment that is a marker.
type comment struct {
	place string // "file:line"
	// owner is the type or field that the marker is for, a key of declared; ""
	// if it stands where it belongs to none.
	owner string
}

func (s sources) of(pkg *types.Package) *source {
	if found := s[pkg.Dir]; found != nil {
		return found
	}
	found := &source{declared: map[string]string{}}
	s[pkg.Dir] = found
	context := build.Default
	context.BuildTags = []string{gengo.StdBuildTag}
	entries, _ := os.ReadDir(pkg.Dir) // what cannot be read has no positions
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if match, err := context.MatchFile(pkg.Dir, name); err != nil || !match {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(pkg.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		found.add(files, file)
	}
	return found
}

// position returns where a type or field is declared, as "file:line"; what is
// not in the package's files it names in words.
func (s sources) position(pkg *types.Package, key string) string {
	if pkg != nil {
		if place := s.of(pkg).declared[key]; place != "" {
			return place
		}
	}
	return key
}

func (s *source) add(files *token.FileSet, file *ast.File) {
	owners := map[*ast.CommentGroup]string{}
	own := func(doc *ast.CommentGroup, key string) {
		if doc != nil {
			owners[doc] = key
		}
	}
	var fields func(expr ast.Expr, key string)
	fields = func(expr ast.Expr, key string) {
		switch t := expr.(type) {
		case *ast.StarExpr:
			fields(t.X, key)
		case *ast.ArrayType:
			fields(t.Elt, key)
		case *ast.MapType:
			fields(t.Value, key)
		case *ast.StructType:
			for _, f := range t.Fields.List {
				names := f.Names
				if len(names) == 0 {
					names = []*ast.Ident{embeddedName(f.Type)}
				}
				for _, name := range names {
					member := key + "." + name.Name
					s.declared[member] = place(files, name.Pos(), 0)
					own(f.Doc, member)
					fields(f.Type, member)
				}
			}
		}
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			key := spec.Name.Name
			s.declared[key] = place(files, spec.Name.Pos(), 0)
			doc, start := spec.Doc, spec.Pos()
			if !group.Lparen.IsValid() {
				doc, start = group.Doc, group.Pos()
			}
			if doc != nil {
				start = doc.Pos()
			}
			own(doc, key)
			// As in all generators of Kubernetes, a comment with a blank line
			// below it may stand above the doc comment.
			for _, detached := range file.Comments {
				if files.Position(detached.End()).Line == files.Position(start).Line-2 {
					own(detached, key)
				}
			}
			fields(spec.Type, key)
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/"), "//")
			for n, line := range strings.Split(text, "\n") {
				if _, ok := cutMarker(line); ok {
					s.markers = append(s.markers, comment{place: place(files, c.Pos(), n), owner: owners[group]})
				}
			}
		}
	}
}

func embeddedName(expr ast.Expr) *ast.Ident {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embeddedName(e.X)
	case *ast.IndexListExpr:
		return embeddedName(e.X)
	case *ast.Ident:
		return e
	}
	return ast.NewIdent("_") // not valid Go
}

// place returns the "file:line" that is some lines below a position; short for
// a person who works in the current directory.
func place(files *token.FileSet, pos token.Pos, below int) string {
	at := files.Position(pos)
	name := at.Filename
	if dir, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(short, "..") {
			name = short
		}
	}
	return fmt.Sprintf("%s:%d", name, at.Line+below)
}
