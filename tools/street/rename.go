package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An edit puts text in place of the bytes from, to of a file.
type edit struct {
	from, to int
	text     string
}

func apply(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out []byte
	at := 0
	for _, e := range slices.Compact(edits) {
		if e.from < at {
			continue
		}
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// rename finds the edits for imports, and for the names of packages that change.
func (c *checkout) rename() error {
	var load []string
	for _, name := range c.files {
		if path.Ext(name) != ".go" {
			continue
		}
		uses, err := c.imports(name)
		if err != nil {
			return err
		}
		if uses && !strings.HasPrefix(name, "examples/outside/") {
			load = append(load, "./"+path.Dir(name))
		}
	}
	slices.Sort(load)
	work := filepath.Join(os.TempDir(), fmt.Sprintf("street%d.work", os.Getpid()))
	defer os.Remove(work)
	if err := os.WriteFile(work, fmt.Appendf(nil, "go 1.26.0\nuse %q\nuse %q\n", c.root, filepath.Join(c.root, "studies")), 0o666); err != nil {
		return err
	}
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile,
		Dir:  c.root, Tests: true, Env: append(os.Environ(), "GOWORK="+work),
	}, slices.Compact(load)...)
	if err != nil {
		return err
	}
	for _, p := range all {
		for _, e := range p.Errors {
			return e
		}
	}
	checked := map[string]bool{}
	// A package with its tests has more files than without.
	slices.SortStableFunc(all, func(a, b *packages.Package) int { return cmp.Compare(len(b.Syntax), len(a.Syntax)) })
	for _, p := range all {
		c.renameIn(p, checked)
	}
	for _, name := range c.files { // of other systems, and outside
		if path.Ext(name) == ".go" && !checked[name] {
			if err := c.renameByName(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// imports reports whether a file imports a package that gets another name, and finds the edits of its
// imports and its package clause.
func (c *checkout) imports(name string) (uses bool, err error) {
	text, err := os.ReadFile(filepath.Join(c.root, name))
	if err != nil {
		return false, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	for _, s := range file.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return false, err
		}
		if to := imported(p); to != p {
			text := strconv.Quote(to)
			if p == module {
				uses = true
				both, faces := coreNames(file)
				switch {
				case both && !faces:
					continue
				case both:
					text = strconv.Quote(p) + "\n" + text
				}
			}
			c.edit(name, set, s.Path.Pos(), s.Path.End(), text)
			uses = uses || renamed[p] != ""
		}
	}
	if to := renamed[path.Join(module, path.Dir(name))]; to != "" && place(name) != name {
		text := to
		if strings.HasSuffix(file.Name.Name, "_test") {
			text += "_test"
		}
		c.edit(name, set, file.Name.Pos(), file.Name.End(), text)
	}
	return uses, nil
}

// coreNames reports whether a file uses names of the package nrdl that stay there, and others.
func coreNames(file *ast.File) (staying, moving bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "nrdl" {
				staying, moving = staying || core[s.Sel.Name], moving || !core[s.Sel.Name]
			}
		}
		return true
	})
	return staying, moving
}

func (c *checkout) edit(name string, set *token.FileSet, from, to token.Pos, text string) {
	c.edits[name] = append(c.edits[name], edit{set.Position(from).Offset, set.Position(to).Offset, text})
}

// renameIn finds the edits in the files of a package, by its types.
func (c *checkout) renameIn(p *packages.Package, checked map[string]bool) {
	shadows := map[types.Object]string{}
	for _, file := range p.Syntax {
		name, ok := c.name(p.Fset, file)
		if !ok || checked[name] {
			continue
		}
		staying := coreUses(file)
		for x, object := range p.TypesInfo.Uses {
			if x.Pos() < file.FileStart || x.Pos() >= file.FileEnd {
				continue
			}
			imported, ok := object.(*types.PkgName)
			if !ok || renamed[imported.Imported().Path()] == "" || imported.Name() != imported.Imported().Name() || staying[x] {
				continue
			}
			to := renamed[imported.Imported().Path()]
			c.edit(name, p.Fset, x.Pos(), x.End(), to)
			scope := p.Types.Scope().Innermost(x.Pos())
			for ; scope != nil; scope = scope.Parent() {
				if o := scope.Lookup(to); o != nil {
					if _, same := o.(*types.PkgName); !same {
						shadows[o] = to
					}
				}
			}
		}
	}
	for object, to := range shadows {
		c.renameObject(p, object, to, checked)
	}
	for _, file := range p.Syntax {
		if name, ok := c.name(p.Fset, file); ok {
			checked[name] = true
		}
	}
}

// coreUses are the identifiers that qualify names that stay in the package nrdl.
func coreUses(file *ast.File) map[*ast.Ident]bool {
	all := map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && core[s.Sel.Name] {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "nrdl" {
				all[x] = true
			}
		}
		return true
	})
	return all
}

// renameObject gives another name to what has the new name of a package in its scope.
func (c *checkout) renameObject(p *packages.Package, object types.Object, taken string, checked map[string]bool) {
	var uses []*ast.Ident
	for x, o := range p.TypesInfo.Defs {
		if o == object {
			uses = append(uses, x)
		}
	}
	for x, o := range p.TypesInfo.Uses {
		if o == object {
			uses = append(uses, x)
		}
	}
	for _, name := range instead[taken] {
		if slices.ContainsFunc(uses, func(x *ast.Ident) bool {
			for scope := p.Types.Scope().Innermost(x.Pos()); scope != nil; scope = scope.Parent() {
				if scope.Lookup(name) != nil {
					return true
				}
			}
			return false
		}) {
			continue
		}
		for _, x := range uses {
			for _, file := range p.Syntax {
				if x.Pos() >= file.FileStart && x.Pos() < file.FileEnd {
					if at, ok := c.name(p.Fset, file); ok && !checked[at] {
						c.edit(at, p.Fset, x.Pos(), x.End(), name)
					}
				}
			}
		}
		return
	}
	fmt.Fprintf(os.Stderr, "street: %s: no name instead of %s\n", p.Fset.Position(object.Pos()), taken)
}

// name is the path of a file in the checkout.
func (c *checkout) name(set *token.FileSet, file *ast.File) (string, bool) {
	name, err := filepath.Rel(c.root, set.Position(file.FileStart).Filename)
	return filepath.ToSlash(name), err == nil && filepath.IsLocal(name)
}

// renameByName finds the edits in a file that is not compiled here.
func (c *checkout) renameByName(name string) error {
	text, err := os.ReadFile(filepath.Join(c.root, name))
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, s := range file.Imports {
		if p, err := strconv.Unquote(s.Path.Value); err == nil && renamed[p] != "" && s.Name == nil {
			names[path.Base(p)] = renamed[p]
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && names[x.Name] != "" && !(x.Name == "nrdl" && core[s.Sel.Name]) {
				c.edit(name, set, x.Pos(), x.End(), names[x.Name])
			}
		}
		return true
	})
	return nil
}

// exported are the names that the folder of a package exports.
func exported(folder string) map[string]bool {
	all := map[string]bool{}
	p, err := build.ImportDir(folder, 0)
	if err != nil {
		return all
	}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					all[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						all[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							all[n.Name] = true
						}
					}
				}
			}
		}
	}
	return all
}
