package nrdl_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
)

// layers are the packages of the module from the bottom to the top; those of
// one line do not know each other, and a package imports from lines above its
// own only.
var layers = []string{
	"internal/testing/lacking",
	"doc client/go advice internal/kit/testing/edits internal/natural internal/kit/packed internal/kit/version faces/internal/videorange internal/legible internal/testing/realdata internal/blas faces/internal/scatter lab/significance plans internal/kit/testing/onnxfile internal/kit/testing/postgres internal/kit/testing/smalldisk cmd/nrdl/licences/embedded internal/kit/picture internal/kit/metadata internal/kit/regular",
	"cmd/nrdl/internal/natsserver faces/internal/sandbox faces/internal/bounded internal/parallel internal/kit/page faces/dataset/bundled cmd/nrdl/licences lettering",
	"internal/kit/array network internal/lin faces/internal/tiff faces/internal/libjpeg internal/kit/atomicfile internal/config tools/asm tools/asm/neon",
	"coding faces/internal/mat5 internal/kit/npz faces/internal/safetensors internal/kit/jsonl internal/kit/linkdir faces/gallery/index",
	"classify faces/frontend/feature projection",
	"dictionary openset tags",
	"dataset method",
	"faces/frontend/embedding lab/reference heic",
	"synthetic frontend face",
	"gallery group measure",
	"faces/gallery/file explain",
	"experiment lab/report/plot method/methodtest",
	"report",
	".",
	"results server/store worker",
	"engine service server/clients cmd/nrdl/wording cmd/nrdl/internal/console cmd/nrdl/internal/watchdir",
	"cmd/nrdl/internal/cli cmd/nrdl/internal/catalogue cmd/nrdl/internal/buildinfo cmd/nrdl/internal/photolist cmd/nrdl/internal/threshold cmd/nrdl/internal/output",
	"cmd/nrdl/internal/describe cmd/nrdl/internal/album cmd/nrdl/internal/demo",
	"tools/release tools/site tools/modulepath tools/fileproxy examples/external/nearest",
	"cmd/nrdl",
}

// layerOf is the layer of each package, by its path in the module.
func layerOf() map[string]int {
	layer := map[string]int{}
	for i, line := range layers {
		for _, p := range strings.Fields(line) {
			layer[p] = i
		}
	}
	return layer
}

// A listed package is what go list says of one of the module.
type listed struct {
	name, dir, path string
	imports         []string
}

// packages are those of the module.
var packages = sync.OnceValues(func() (all []listed, err error) {
	out, err := exec.Command("go", "list", "-f", "{{.Name}}\t{{.Dir}}\t{{.ImportPath}}\t{{join .Imports \" \"}}", "./...").Output()
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, listed{fields[0], fields[1], fields[2], strings.Fields(fields[3])})
	}
	return all, err
})

func TestImportsPointOneWay(t *testing.T) {
	layer := layerOf()
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	inModule := func(p string) string {
		if p == "nrdl.example/nrdl" {
			return "."
		}
		return strings.TrimPrefix(p, "nrdl.example/nrdl/")
	}
	for _, p := range all {
		own, ok := layer[inModule(p.path)]
		if !ok {
			t.Errorf("%s is in no layer", p.path)
		}
		for _, imported := range p.imports {
			if l, ours := layer[inModule(imported)]; ours && l >= own {
				t.Errorf("%s imports %s", p.path, imported)
			}
		}
	}
}

// The packages in internal are the ground: of what programs outside can import, they
// know advice only. Those that serve one package or the command are in its folder. Programs
// are no ground, as nothing can import them.
func TestInternalIsTheGround(t *testing.T) {
	const module = "nrdl.example/nrdl/"
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.name == "main" || !strings.HasPrefix(p.path, module+"internal/") {
			continue
		}
		for _, imported := range p.imports {
			if other, ours := strings.CutPrefix(imported, module); ours && !strings.HasPrefix(other, "internal/") && other != "advice" {
				t.Errorf("%s imports %s", p.path, imported)
			}
		}
	}
}

// What helps tests is no part of the product.
func TestProductImportsNoHelpersOfTests(t *testing.T) {
	const helpers = "nrdl.example/nrdl/internal/testing/"
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, imported := range p.imports {
			if strings.HasPrefix(imported, helpers) && !strings.HasPrefix(p.path, helpers) {
				t.Errorf("%s imports %s", p.path, imported)
			}
		}
	}
}

// A lower package does not name what a higher one exports, in comments either.
func TestNamesPointOneWay(t *testing.T) {
	layer := layerOf()
	qualified := regexp.MustCompile(`\b([a-z]+)\.[A-Z]\w*`)
	above := map[string]int{"nrdl": layer["."]} // by the name of the package
	for p, l := range layer {
		if p != "." && !strings.HasPrefix(p, "internal/") && !strings.HasPrefix(p, "cmd/") {
			above[path.Base(p)] = l
		}
	}
	for p, own := range layer {
		files, err := filepath.Glob(filepath.Join(p, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				_, comment, ok := strings.Cut(line, "//")
				if !ok {
					continue
				}
				for _, name := range qualified.FindAllStringSubmatch(comment, -1) {
					if l, ours := above[name[1]]; ours && l > own {
						t.Errorf("%s names %s", file, name[0])
					}
				}
			}
		}
	}
}

// The files that the architecture names are there.
func TestArchitectureNamesFiles(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([a-z0-9_/]+(/[a-z0-9_]*|\\.go))`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 30 {
		t.Errorf("it names %d files", len(names))
	}
	for _, name := range names {
		if _, err := os.Stat(name[1]); err != nil {
			t.Error(err)
		}
	}
}

// Each package that a program outside can import shows its typical use.
func TestPackagesHaveExamples(t *testing.T) {
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile(`(?m)^func Example`)
	n := 0
	for _, p := range all {
		if p.name == "main" || strings.Contains(filepath.ToSlash(p.dir), "/internal/") {
			continue
		}
		n++
		files, err := filepath.Glob(filepath.Join(p.dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && example.Match(text)
		}) {
			t.Errorf("%s has no example", p.dir)
		}
	}
	if n < 20 {
		t.Errorf("%d packages", n)
	}
}

// The package that users meet first has few exported names: 45 at most.
func TestFewNames(t *testing.T) {
	const most = 45
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names = append(names, d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	if len(names) > most || len(names) < most/2 {
		t.Errorf("%d exported names: %q", len(names), names)
	}
	t.Logf("%d exported names", len(names))
}

// mostLines is the length of a function that fits a screen.
const mostLines = 60

// longFunctions are the functions that are longer, with the reason.
var longFunctions = map[string]string{
	"tools/asm/conv.go: conv":                 "a kernel: its instructions in their order",
	"tools/asm/conv.go: window":               "a kernel: its instructions in their order",
	"tools/asm/gemm.go: gemm":                 "a kernel: its instructions in their order",
	"tools/asm/neon/conv.go: window":          "a kernel: its instructions in their order",
	"tools/asm/neon/gemm.go: gemm":            "a kernel: its instructions in their order",
	"tools/asm/neon/winograd.go: winogradOut": "a kernel: its instructions in their order",
	"tools/asm/winograd.go: winogradOut":      "a kernel: its instructions in their order",
}

// Functions fit a screen, unless there is a reason.
func TestFunctionsFitAScreen(t *testing.T) {
	long := map[string]int{}
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || path == "tools"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > mostLines {
					long[fmt.Sprintf("%s: %s", filepath.ToSlash(path), f.Name.Name)] = n
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range long {
		if longFunctions[name] == "" {
			t.Errorf("%s has %d lines: split it, or give a reason in longFunctions", name, n)
		}
	}
	for name := range longFunctions {
		if long[name] == 0 {
			t.Errorf("%s is short by now, or gone: take it out of longFunctions", name)
		}
	}
}

// A program that imports one of these packages is linked with few others.
func TestFewPackages(t *testing.T) {
	const never = `^(C|runtime/cgo|plugin|github\.com/ebitengine/purego.*|github\.com/nats-io/nats-server.*|gonum\.org/v1/plot.*)$`
	for _, c := range []struct {
		of                string
		packages, modules int
		only              string // other modules that are allowed
	}{
		{"./method", 110, 2, `^(gonum\.org/v1/gonum|golang\.org/x/sys)$`},
		{".", 285, 10, `.`},
		{"./cmd/nrdl", 540, 42, `.`},
	} {
		list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", c.of)
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		packages, modules := 0, map[string]bool{}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			packages++
			if regexp.MustCompile(never).MatchString(fields[0]) {
				t.Errorf("%s is linked with %s", c.of, fields[0])
			}
			for _, m := range fields[1:] {
				modules[m] = true
				if !regexp.MustCompile(c.only).MatchString(m) {
					t.Errorf("%s is linked with module %s", c.of, m)
				}
			}
		}
		if packages > c.packages || len(modules) > c.modules || packages < 50 {
			t.Errorf("%s is linked with %d packages and %d other modules, want at most %d and %d", c.of, packages, len(modules), c.packages, c.modules)
		}
		t.Logf("%s: %d packages, %d other modules", c.of, packages, len(modules))
	}
}

// Another module can require this one: a replace line would not be read there.
func TestNoReplace(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace) > 0 || len(mod.Exclude) > 0 {
		t.Errorf("go.mod has %d replace lines and %d exclude lines", len(mod.Replace), len(mod.Exclude))
	}
}

// The command, as releases build it, has 57 MB at most beside the network that is the default.
func TestSmallCommand(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("links the command: set NRDL_LONG=1")
	}
	network, err := os.Stat("faces/frontend/embedding/weights/faceplugin.onnx.zst")
	if err != nil {
		t.Fatal(err)
	}
	most := 57_000_000 + network.Size()
	program := filepath.Join(t.TempDir(), "nrdl")
	build := exec.Command("go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-o", program, "./cmd/nrdl")
	build.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOFLAGS=") }), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && file.Size() > most {
		t.Errorf("the command has %d bytes, want at most %d", file.Size(), most)
	}
	t.Logf("%d bytes", file.Size())
}
