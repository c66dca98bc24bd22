package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	module  = "nrdl.example/nrdl"
	command = module + "/cmd/nrdl"
)

// An output is the JSON that a command writes.
type output struct {
	title       string
	description string
	kind        string // type of the object, PACKAGE.TYPE below the module
}

// outputs are the JSON objects of the commands. A test compares them with what the commands
// print and with their flags.
var outputs = []output{
	{"identify --json", "JSON Lines, one object a photograph; `--watch` and `--nats` write the same.", "faces/results.Object"},
	{"verify --json", "One object.", "faces/results.Comparison"},
	{"group --json", "One object.", "faces/group.Listing"},
	{"people --json", "One object.", "faces/gallery.Survey"},
	{"explain --json", "One object.", "cmd/nrdl/internal/output.Explained"},
	{"evaluate --json", "One object, of one method. Rates are parts of 1.", "lab/experiment.Result"},
	{"evaluate --json, several methods", "One object.", "lab/experiment.Comparison"},
	{"evaluate --open-set --json", "One object.", "lab/experiment.OpenSetResult"},
	{"tune --json", "One object.", "lab/experiment.TunedRecord"},
	{"compare --json", "One object.", "lab/report.Changes"},
	{"bench", "JSON Lines, one record a run (`-o RUNS.jsonl`).", "lab/experiment.Record"},
	{"predict --json", "JSON Lines, one object a sample.", "cmd/nrdl.predicted"},
	{"methods --json", "A list of these objects.", "cmd/nrdl/engine.Description"},
	{"methods NAME --json", "One object.", "cmd/nrdl/internal/catalogue.Method"},
	{"methods INPUT --json", "One object, of a part of inputs, such as `lbp`.", "cmd/nrdl/internal/catalogue.Stage"},
	{"network measure --json", "One object; the file that `-o` writes has the same.", "openset.Impostors"},
	{"data info DATA --json", "One object.", "cmd/nrdl/internal/describe.Data"},
	{"data info MODEL --json", "One object.", "cmd/nrdl/internal/describe.Model"},
	{"data check --json", "One object.", "lab/reference.Result"},
	{"version --json", "One object.", "cmd/nrdl/internal/buildinfo.Info"},
}

// objects are the JSON objects of the commands: their types, and where these are declared.
type objects struct {
	dir      string
	files    *token.FileSet // of the sources that meanings are read from
	sources  map[string]*ast.File
	imports  types.Importer
	main     *types.Package
	outputs  []string // types of what the commands print
	queue    []*types.Named
	sections map[string]bool
	gaps     []string // fields without a meaning
}

// loadObjects reads the types of the command in dir.
func loadObjects(dir string) (*objects, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", "./cmd/nrdl")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%q: %w", cmd.Args, err)
	}
	type pkg struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
	o := &objects{dir: dir, files: token.NewFileSet(), sources: map[string]*ast.File{}, sections: map[string]bool{}}
	o.imports = importer.ForCompiler(o.files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(all[path].Export)
	})
	var files []*ast.File
	for _, name := range all[command].GoFiles {
		f, err := parser.ParseFile(o.files, filepath.Join(all[command].Dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: o.imports}
	if o.main, err = config.Check(command, o.files, files, &info); err != nil {
		return nil, err
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "printJSON" {
					o.outputs = append(o.outputs, name(element(info.Types[call.Args[0]].Type)))
				}
			}
			return true
		})
	}
	return o, nil
}

// element is the type of the objects in t: what pointers and lists hold.
func element(t types.Type) types.Type {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		default:
			return u
		}
	}
}

// name is the name of a type below the module.
func name(t types.Type) string {
	return strings.TrimPrefix(types.TypeString(t, nil), module+"/")
}

// objectPage adds the page of the JSON objects.
func (s *site) objectPage() error {
	o, err := loadObjects(s.dir)
	if err != nil {
		return err
	}
	text, err := o.page()
	s.add("doc/json.md", text)
	return err
}

// page is the page: a section a command, and then one a type within these.
func (o *objects) page() (string, error) {
	var b strings.Builder
	b.WriteString("# JSON of the commands: the fields\n\nEvery object that a command writes as JSON, made from the types of the program. " +
		"A field that *may be missing* is left out where it would be empty. Probabilities and rates are parts of 1, and " +
		"null stands for what is not known. " +
		"[Scripting](scripting.md) has examples; the service has [its own description](interface.md).\n")
	for _, out := range outputs {
		t, err := o.lookup(out.kind)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## nrdl %s\n\n%s\n", out.title, out.description)
		o.fields(&b, t)
	}
	for i := 0; i < len(o.queue); i++ {
		t := o.queue[i]
		fmt.Fprintf(&b, "\n### %s {#%s}\n\n%s\n", heading(t), heading(t), cell(o.docOf(t)))
		o.fields(&b, t)
	}
	return b.String(), nil
}

// heading is the title of the section of a type.
func heading(t *types.Named) string { return t.Obj().Pkg().Name() + "." + t.Obj().Name() }

// lookup returns the type PACKAGE.TYPE below the module.
func (o *objects) lookup(kind string) (*types.Named, error) {
	at := strings.LastIndex(kind, ".")
	p := o.main
	if path := module + "/" + kind[:at]; path != command {
		var err error
		if p, err = o.imports.Import(path); err != nil {
			return nil, err
		}
	}
	if found := p.Scope().Lookup(kind[at+1:]); found != nil {
		if t, ok := found.Type().(*types.Named); ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no type %s", kind)
}

// fields writes the table of the fields of t.
func (o *objects) fields(b *strings.Builder, t *types.Named) {
	o.sections[name(t)] = true
	b.WriteString("\n| field | type | meaning |\n| --- | --- | --- |\n")
	o.rows(b, t)
}

// rows writes the rows of the fields of t, and of structs within it that have no name of their own.
func (o *objects) rows(b *strings.Builder, t types.Type) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := reflect.StructTag(s.Tag(i))
		as, option, _ := strings.Cut(tag.Get("json"), ",")
		switch {
		case as == "-" || !f.Exported() && !f.Embedded():
			continue
		case f.Embedded() && as == "" && !written(f.Type()):
			o.rows(b, element(f.Type()))
			continue
		}
		kind := o.kind(f.Type())
		if strings.Contains(option, "omit") {
			kind += ", may be missing"
		} else if _, ok := types.Unalias(f.Type()).(*types.Pointer); ok {
			kind += " or null"
		}
		as = cmp.Or(as, f.Name())
		meaning := cmp.Or(tag.Get("doc"), tag.Get("help"), o.comment(f), meanings[as])
		if n, ok := element(f.Type()).(*types.Named); ok && meaning == "" && n.Obj().Pkg() != nil {
			meaning = sentence(o.docOf(n))
		}
		if meaning == "" {
			o.gaps = append(o.gaps, name(t)+" "+as)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", as, kind, cell(meaning))
	}
}

// written reports whether t writes its own JSON.
func written(t types.Type) bool {
	for _, method := range []string{"MarshalJSON", "MarshalText"} {
		if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, method); m != nil {
			return true
		}
	}
	return false
}

// kind is a type in words. A struct of the module gets a section.
func (o *objects) kind(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return o.kind(u.Elem())
	case *types.Slice:
		if types.Identical(u.Elem(), types.Typ[types.Byte]) {
			return "text"
		}
		return "list of " + o.kind(u.Elem())
	case *types.Array:
		return fmt.Sprintf("list of %d: %s", u.Len(), o.kind(u.Elem()))
	case *types.Map:
		return o.kind(u.Elem()) + " by " + o.kind(u.Key())
	case *types.Interface:
		return "any value"
	case *types.Named:
		if u.Obj().Pkg() != nil && (written(u) || !strings.HasPrefix(u.Obj().Pkg().Path(), module)) {
			if u.Obj().Name() == "RawMessage" {
				return "any value"
			}
			return "text"
		}
		if _, ok := u.Underlying().(*types.Struct); ok {
			if !o.sections[name(u)] && !slices.Contains(o.queue, u) {
				o.queue = append(o.queue, u)
			}
			return fmt.Sprintf("[%s](#%s)", heading(u), heading(u))
		}
		return o.kind(u.Underlying())
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "true or false"
		case u.Info()&types.IsInteger != 0:
			return "whole number"
		case u.Info()&types.IsNumeric != 0:
			return "number"
		}
	}
	return "text"
}

// source is the file of a position, with its comments, and the line there; nil if it cannot be read.
func (o *objects) source(at token.Pos) (*ast.File, int) {
	p := o.files.Position(at)
	file := p.Filename
	if below, ok := strings.CutPrefix(file, module+"/"); ok { // -trimpath
		file = filepath.Join(o.dir, below)
	}
	if o.sources[file] == nil {
		f, err := parser.ParseFile(o.files, file, nil, parser.ParseComments)
		if err != nil {
			return nil, 0
		}
		o.sources[file] = f
	}
	return o.sources[file], p.Line
}

// docOf is what the source says of a type.
func (o *objects) docOf(t *types.Named) string {
	f, line := o.source(t.Obj().Pos())
	if f == nil {
		return ""
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			if s, ok := s.(*ast.TypeSpec); ok && o.files.Position(s.Name.Pos()).Line == line {
				return words(cmp.Or(s.Doc.Text(), g.Doc.Text()))
			}
		}
	}
	return ""
}

// comment is what the source says of a field: beside it, above it, or with its name above the
// fields to which it belongs.
func (o *objects) comment(f *types.Var) (text string) {
	file, line := o.source(f.Pos())
	if file == nil {
		return ""
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		group := ""
		for _, field := range s.Fields.List {
			group = cmp.Or(field.Doc.Text(), group)
			if !slices.ContainsFunc(append(slices.Clone(field.Names), embedded(field)), func(i *ast.Ident) bool {
				return i != nil && i.Name == f.Name() && o.files.Position(i.Pos()).Line == line
			}) {
				continue
			}
			text = field.Comment.Text()
			if doc := field.Doc.Text(); text == "" && doc != "" && !strings.HasPrefix(doc, "Of ") {
				text = doc
			}
			for one := range strings.SplitSeq(strings.ReplaceAll(group, "\n", " "), ". ") {
				if text == "" && slices.Contains(strings.FieldsFunc(one, func(r rune) bool { return !unicode.IsLetter(r) }), f.Name()) {
					text = one
				}
			}
		}
		return true
	})
	return words(text)
}

// words makes a sentence for readers of JSON of a comment.
func words(comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if before, _, ok := strings.Cut(text, "; see "); ok {
		text = before
	}
	text = regexp.MustCompile(`\bnil\b`).ReplaceAllString(text, "null")
	if text != "" {
		first, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return text
}

// sentence is the first sentence of a text.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".")
}

// embedded is the name of a field that has none of its own.
func embedded(f *ast.Field) *ast.Ident {
	switch t := f.Type.(type) {
	case *ast.Ident:
		return t
	case *ast.SelectorExpr:
		return t.Sel
	}
	return nil
}
