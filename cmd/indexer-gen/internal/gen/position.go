// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/gengo/v2/types"
)

// position finds where a type, or a field of it, is declared, as "file:line".
// gengo keeps no positions, so this parses the package's files again; it is
// called for mistakes only. What it cannot find it names in words.
func position(pkg *types.Package, typeName, field string) string {
	if pkg != nil {
		entries, _ := os.ReadDir(pkg.Dir) // unreadable: named in words
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(pkg.Dir, entry.Name()), nil, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			if pos := declaration(file, typeName, field); pos.IsValid() {
				at := files.Position(pos)
				return fmt.Sprintf("%s:%d", relative(at.Filename), at.Line)
			}
		}
	}
	if field != "" {
		return typeName + "." + field
	}
	return typeName
}

func declaration(file *ast.File, typeName, field string) (pos token.Pos) {
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok || spec.Name.Name != typeName {
			return !pos.IsValid()
		}
		pos = spec.Pos()
		if structure, ok := spec.Type.(*ast.StructType); ok && field != "" {
			for _, f := range structure.Fields.List {
				if len(f.Names) == 0 && embeddedName(f.Type) == field {
					pos = f.Pos()
				}
				for _, name := range f.Names {
					if name.Name == field {
						pos = name.Pos()
					}
				}
			}
		}
		return false
	})
	return pos
}

func embeddedName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// relative shortens a path for a person who works in the current directory.
func relative(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	short, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(short, "..") {
		return path
	}
	return short
}
