package percale_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// undocumented returns the exported names of a package that have no comment, neither their own nor
// one of the group that contains them.
func undocumented(t *testing.T, folder string) (names []string, documented int) {
	t.Helper()
	tests := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), folder, tests, parser.ParseComments)
	if err != nil || len(packages) != 1 {
		t.Fatal(folder, err, len(packages))
	}
	note := func(name string, comments ...*ast.CommentGroup) {
		for _, comment := range comments {
			if strings.TrimSpace(comment.Text()) != "" {
				documented++
				return
			}
		}
		names = append(names, name)
	}
	for _, files := range packages {
		if doc.New(files, folder, doc.PreserveAST).Doc == "" {
			names = append(names, "package "+files.Name)
		}
		for _, file := range files.Files {
			for _, declaration := range file.Decls {
				switch d := declaration.(type) {
				case *ast.FuncDecl:
					if name, exported := method(d); exported {
						note(name, d.Doc)
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						noteSpec(note, d, spec)
					}
				}
			}
		}
	}
	return names, documented
}

// method returns the name of a function or method, and whether it is exported.
func method(d *ast.FuncDecl) (name string, exported bool) {
	if d.Recv == nil {
		return d.Name.Name, d.Name.IsExported()
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	// Methods of well-known interfaces need no comment.
	known := d.Name.Name == "Error" || d.Name.Name == "String" || d.Name.Name == "Unwrap"
	receiver, ok := of.(*ast.Ident)
	if !ok {
		return d.Name.Name, false
	}
	return receiver.Name + "." + d.Name.Name, receiver.IsExported() && d.Name.IsExported() && !known
}

// noteSpec notes what a declaration of types, constants or variables exports. Fields on one line
// share its comment. Names in a block without blank lines share the comment above the block.
func noteSpec(note func(string, ...*ast.CommentGroup), d *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				note(name.Name, s.Doc, s.Comment, d.Doc)
			}
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		note(s.Name.Name, s.Doc, d.Doc)
		if of, ok := s.Type.(*ast.StructType); ok {
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() {
						note(s.Name.Name+"."+name.Name, field.Doc, field.Comment)
					}
				}
			}
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, folder := range []string{".", "ops"} {
		names, documented := undocumented(t, folder)
		if len(names) > 0 {
			t.Errorf("in %s %d names have no comment: %s", folder, len(names), strings.Join(names, ", "))
		}
		if documented < 100 {
			t.Errorf("%s has only %d names, which is not all of it", folder, documented)
		}
	}
}
