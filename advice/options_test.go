package advice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// declared returns the names that the packages of the module at the folders declare:
// package.Type.Field, package.Func, package.Type.Method.
func declared(t *testing.T, folders ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				declare(names, file.Name.Name+".", d)
			}
		}
	}
	return names
}

func declare(names map[string]bool, prefix string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if p, ok := receiver.(*ast.StarExpr); ok {
				receiver = p.X
			}
			if name, ok := receiver.(*ast.Ident); ok {
				prefix += name.Name + "."
			}
		}
		names[prefix+d.Name.Name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			spec, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range fields.Fields.List {
					for _, name := range f.Names {
						names[prefix+spec.Name.Name+"."+name.Name] = true
					}
					if embedded, ok := f.Type.(*ast.Ident); ok && f.Names == nil {
						names[prefix+spec.Name.Name+"."+embedded.Name] = true
					}
				}
			}
		}
	}
}

// Options and verbs are named as the module names them: an option in lower case is an
// argument.
func TestNamesAreThoseOfTheModule(t *testing.T) {
	text, err := os.ReadFile("options.go")
	if err != nil {
		t.Fatal(err)
	}
	names := declared(t, "faces", "faces/dataset", "lab/experiment", "faces/face", "faces/frontend",
		"faces/group", "faces/measure", "method", "cmd/nrdl/internal/cluster")
	n := 0
	for line := range strings.Lines(string(text)) {
		_, name, ok := strings.Cut(line, ` = "`)
		if name, _, _ = strings.Cut(name, `"`); !ok || !strings.Contains(name, ".") {
			continue
		}
		if n++; !names[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if n < 15 {
		t.Errorf("%d names", n)
	}
}

func TestNewKeepsTypes(t *testing.T) {
	setting := advice.Detect.To("never")
	action := advice.Train.With(advice.Model.To("a.nrdl"), setting)
	inner := advice.New("without %v", advice.Forget)
	a := advice.New("%d × %s%v: %v, %v", 2, "%v ", setting, action, inner)
	want := advice.Advice{
		{Text: "2 × %v "},
		{Setting: setting},
		{Text: ": "},
		{Action: action},
		{Text: ", "},
		{Text: "without "},
		{Setting: advice.Setting{Option: advice.Forget}},
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("%#v", a)
	}
	if got := a.Settings(); !reflect.DeepEqual(got, []advice.Setting{setting, action.Settings[0], setting, {Option: advice.Forget}}) {
		t.Errorf("%v", got)
	}
	if got := a.String(); got !=
		"2 × %v face.Options.Detect: never: faces.Train with face.Options.Detect: never, without faces.Options.Forget" {
		t.Error(got)
	}
}
