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
	"unicode/utf8"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// A house is a module of the street: its folder, the modules that it may import, the lines of Go without
// tests that it may have, and its exported types, 0 where nobody outside can import it. A commit that
// needs more raises the number, and says why in its message.
type house struct {
	folder       string
	below        string
	lines, types int
}

// street are the modules from the bottom to the top.
var street = []house{
	{".", "", 28_200, 170},
	{"doc", ".", 60, 0},
	{"internal/kit", ".", 5_800, 0},
	{"faces", ". doc internal/kit", 44_000, 170},
	{"client/go", "", 1_800, 0},
	{"lab", ". doc internal/kit faces", 12_500, 0},
	{"server", ". doc internal/kit faces client/go", 16_600, 0},
	{"cmd/nrdl", ". doc internal/kit faces client/go lab server", 17_100, 0},
	{"tools", ". doc internal/kit faces client/go lab server cmd/nrdl", 15_800, 0},
}

// houseOf is the module of a file or folder, by its path in the repository.
func houseOf(name string) string {
	for folder := path.Clean(name); folder != "."; folder = path.Dir(folder) {
		if slices.ContainsFunc(street, func(h house) bool { return h.folder == folder }) {
			return folder
		}
	}
	return "."
}

// layers are the packages of all modules from the bottom to the top; those of
// one line do not know each other, and a package imports from lines above its
// own only.
var layers = []string{
	"internal/testing/lacking",
	"doc client/go advice internal/kit/testing/edits internal/natural internal/kit/packed internal/kit/version " +
		"faces/internal/videorange internal/legible internal/testing/realdata internal/blas faces/internal/scatter " +
		"lab/significance lab/plans internal/kit/testing/onnxfile internal/kit/testing/postgres internal/kit/testing/smalldisk " +
		"cmd/nrdl/licences/embedded internal/kit/picture internal/kit/metadata internal/kit/regular",
	"cmd/nrdl/internal/natsserver faces/internal/sandbox faces/internal/bounded internal/parallel internal/kit/page " +
		"faces/dataset/bundled cmd/nrdl/licences faces/lettering",
	"internal/kit/array faces/network internal/lin faces/internal/tiff faces/internal/libjpeg internal/kit/atomicfile internal/config",
	"coding faces/internal/mat5 internal/kit/npz faces/internal/safetensors internal/kit/jsonl internal/kit/linkdir faces/gallery/index",
	"classify faces/frontend/feature projection",
	"dictionary openset faces/tags",
	"faces/dataset method",
	". method/methodtest faces/frontend/embedding lab/reference faces/heic",
	"faces/synthetic faces/frontend faces/face",
	"faces/gallery faces/group faces/measure",
	"faces/gallery/file faces/explain",
	"lab/experiment lab/report/plot",
	"lab/report",
	"faces",
	"faces/results server/store cmd/nrdl/internal/cluster",
	"cmd/nrdl/engine server/people cmd/nrdl/wording cmd/nrdl/internal/console cmd/nrdl/internal/watchdir",
	"server/jobs server/mqtt server/login",
	"server/api",
	"server",
	"server/clients cmd/nrdl/internal/cli cmd/nrdl/internal/catalogue cmd/nrdl/internal/buildinfo cmd/nrdl/internal/photolist " +
		"cmd/nrdl/internal/threshold cmd/nrdl/internal/output",
	"cmd/nrdl/internal/describe cmd/nrdl/internal/album",
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

// A listed package is what go list says of one of ours.
type listed struct {
	name, dir, path string
	imports         []string
}

// packages are those of all modules.
var packages = sync.OnceValues(func() (all []listed, err error) {
	out, err := exec.Command("go", "list", "-f", "{{.Name}}\t{{.Dir}}\t{{.ImportPath}}\t{{join .Imports \" \"}}", "work").Output()
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, listed{fields[0], fields[1], fields[2], strings.Fields(fields[3])})
	}
	return all, err
})

// inModule is the folder of a package.
func inModule(p string) string {
	if p == "nrdl.example/nrdl" {
		return "."
	}
	return strings.TrimPrefix(p, "nrdl.example/nrdl/")
}

// No module imports one that stands above it, in tests either.
func TestModulesPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f",
		"{{.ImportPath}} {{join .Imports \" \"}} {{join .TestImports \" \"}} {{join .XTestImports \" \"}}", "work").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		own := houseOf(inModule(fields[0]))
		at := slices.IndexFunc(street, func(h house) bool { return h.folder == own })
		for _, imported := range fields[1:] {
			if imported != "nrdl.example/nrdl" && !strings.HasPrefix(imported, "nrdl.example/nrdl/") {
				continue
			}
			n++
			if other := houseOf(inModule(imported)); other != own && !slices.Contains(strings.Fields(street[at].below), other) {
				t.Errorf("%s imports %s", fields[0], imported)
			}
		}
	}
	if n < 500 {
		t.Errorf("%d imports", n)
	}
}

// Each module keeps its budget, and what others can import few types.
func TestBudgets(t *testing.T) {
	lines, types := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." &&
			(strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "examples", "node_modules"}, d.Name())):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(name))
		lines[houseOf(folder)] += strings.Count(string(text), "\n")
		if !slices.Contains(strings.Split(folder, "/"), "internal") {
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			types[houseOf(folder)] += exportedTypes(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range street {
		t.Logf("%s: %d lines, %d exported types", h.folder, lines[h.folder], types[h.folder])
		if lines[h.folder] > h.lines || lines[h.folder] < h.lines/2 {
			t.Errorf("%s has %d lines of Go without tests, its budget is %d: what can go?", h.folder, lines[h.folder], h.lines)
		}
		if h.types > 0 && types[h.folder] > h.types {
			t.Errorf("%s exports %d types, its budget is %d", h.folder, types[h.folder], h.types)
		}
	}
}

func exportedTypes(file *ast.File) (n int) {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

// Lines that are not generated have at most 140 characters, names of bounds begin with max or min, fields have
// nouns as names, and comments do without some old words, but for few of each.
func TestPlainCode(t *testing.T) {
	words := regexp.MustCompile(`\b(said|told|anew|in place of|whom)\b`)
	bounds := regexp.MustCompile(`^(most|least|fewest)([A-Z]|$)`)
	counts := map[string][]string{}
	count := func(what string, where ...any) { counts[what] = append(counts[what], fmt.Sprint(where...)) }
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 140 {
				count("long lines", name)
			}
			if name != "house_test.go" && words.MatchString(strings.ReplaceAll(line, `\t`, " ")) {
				count("old words", name, ": ", strings.TrimSpace(line))
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if bounds.MatchString(n.Name) {
					count("names of bounds", files.Position(n.Pos()), ": ", n.Name)
				}
			case *ast.StructType:
				for _, f := range n.Fields.List {
					for _, field := range f.Names {
						if !strings.HasSuffix(name, "_test.go") && !isNoun(field.Name, f) {
							count("fields", files.Position(field.Pos()), ": ", field.Name)
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, limit := range map[string]int{"long lines": 150, "old words": 20, "names of bounds": 0, "fields": 60} {
		if n := len(counts[what]); n > limit {
			t.Errorf("%d %s, want at most %d:\n%s", n, what, limit, strings.Join(counts[what], "\n"))
		}
		t.Logf("%d %s", len(counts[what]), what)
	}
}

var (
	// notNouns are prepositions, and participles without another use.
	notNouns = regexp.MustCompile(`(?i)^(about|above|after|around|as|at|before|behind|below|beside|between|beyond|by|from|in|into|` +
		`like|near|of|off|on|out|over|past|per|since|through|till|to|under|until|up|via|with|within|without|` +
		`begun|born|broken|chosen|done|drawn|found|given|held|hidden|kept|known|made|read|seen|sent|shown|taken|written|\w*ed|\w*ing)$`)
	nouns = regexp.MustCompile(`(?i)(seed|squared|wing|^(centr|cod|embedd|fitt|follow|group|head|learn|rank|read|sett|sight|spell|tun|upload|word)ing|ceiling)$`)
)

// isNoun reports whether the name of a field is a noun, as far as its ending tells. Fields that are true or false,
// times or functions may be participles, and those of JSON have the names of the interface.
func isNoun(name string, f *ast.Field) bool {
	switch kind := f.Type.(type) {
	case *ast.FuncType, *ast.ChanType:
		return true
	case *ast.Ident:
		if kind.Name == "bool" {
			return true
		}
	case *ast.SelectorExpr:
		if kind.Sel.Name == "Time" || kind.Sel.Name == "Bool" {
			return true
		}
	case *ast.ArrayType:
		if elem, ok := kind.Elt.(*ast.Ident); ok && elem.Name == "bool" {
			return true
		}
	case *ast.MapType:
		if elem, ok := kind.Value.(*ast.Ident); ok && elem.Name == "bool" {
			return true
		}
	}
	return nouns.MatchString(name) || !notNouns.MatchString(name) || f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`)
}

// Who opens the repository sees one screen: at most 40 entries, three of them Go files.
func TestFewEntries(t *testing.T) {
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		lacking.Skip(t, "there is no repository: ", err)
	}
	entries := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		entry, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		entries[entry] = true
	}
	goFiles, err := filepath.Glob("*.go")
	if err != nil || len(entries) > 40 || len(goFiles) > 3 {
		t.Errorf("%d entries, Go files %q, %v", len(entries), goFiles, err)
	}
}

func TestImportsPointOneWay(t *testing.T) {
	layer := layerOf()
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		own, ok := layer[inModule(p.path)]
		if houseOf(inModule(p.path)) == "tools" || strings.HasPrefix(inModule(p.path), "examples/") {
			continue // which nothing imports
		}
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
// know advice only. Those that serve one module are in its own folder.
func TestInternalIsTheGround(t *testing.T) {
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if !strings.HasPrefix(inModule(p.path), "internal/") {
			continue
		}
		for _, imported := range p.imports {
			other := inModule(imported)
			if other != imported && !strings.HasPrefix(other, "internal/") && other != "advice" {
				t.Errorf("%s imports %s", p.path, imported)
			}
		}
	}
}

// What helps tests is no part of the product.
func TestProductImportsNoHelpersOfTests(t *testing.T) {
	helpers := regexp.MustCompile(`^nrdl\.example/nrdl/(internal/(kit/)?testing/|cmd/nrdl/internal/natsserver)`)
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, imported := range p.imports {
			if houseOf(inModule(p.path)) == "tools" {
				continue // which is no part of the product
			}
			if helpers.MatchString(imported) && !helpers.MatchString(p.path) {
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
		if p != "." && !strings.Contains(p, "internal/") && !strings.HasPrefix(p, "cmd/") {
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
		if p.name == "main" || strings.Contains(filepath.ToSlash(p.dir), "/internal/") || strings.HasPrefix(inModule(p.path), "cmd/") ||
			houseOf(inModule(p.path)) == "tools" {
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

// The package that users meet first has few exported names: 48 at most.
func TestFewNames(t *testing.T) {
	const maxMethods = 48
	files, err := filepath.Glob("faces/*.go")
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
	if len(names) > maxMethods || len(names) < maxMethods/2 {
		t.Errorf("%d exported names: %q", len(names), names)
	}
	t.Logf("%d exported names", len(names))
}

// maxLines is the length of a function that fits a screen.
const maxLines = 60

// longFunctions are the functions that are longer, with the reason.
var longFunctions = map[string]string{
	"tools/detect/found.go: found":            "a study: read from top to bottom",
	"tools/detect/main.go: measure":           "a study: read from top to bottom",
	"tools/detect/scenes.go: of":              "a study: read from top to bottom",
	"tools/detect/turned.go: turned":          "a study: read from top to bottom",
	"tools/service/large.go: large":           "a study: read from top to bottom",
	"tools/service/soak.go: soak":             "a study: read from top to bottom",
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
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
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
				if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > maxLines {
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

// maxMethods is how many methods a type has that a reader can keep in mind.
const maxMethods = 40

// largeTypes are the types that have more, with the reason.
var largeTypes = map[string]string{
	"cmd/nrdl: app":             "a method for each command, in a file of its own",
	"faces: Recogniser":         "what a program can ask of a model",
	"faces/explain: view":       "what the template of the page can ask",
	"faces/gallery: Gallery":    "one type for learning, naming and checking, by decision 0055",
	"faces/network: call":       "a method for each operation of ONNX",
	"lab/report: Plan":          "a method for each figure and table",
	"tools/asm/neon: assembler": "a method for each instruction",
}

// No type has more methods than a reader can keep in mind, unless there is a reason.
func TestTypesHaveFewMethods(t *testing.T) {
	methods := map[string]int{} // by folder and type
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[path.Dir(filepath.ToSlash(name))+": "+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range methods {
		if n > maxMethods && largeTypes[name] == "" {
			t.Errorf("%s has %d methods, want at most %d", name, n, maxMethods)
		}
	}
	for name := range largeTypes {
		if n := methods[name]; n <= maxMethods {
			t.Errorf("%s has %d methods: take it out of largeTypes", name, n)
		}
	}
	if len(methods) < 100 {
		t.Errorf("%d types", len(methods))
	}
}

// receiver is the name of the type that a receiver has.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
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
		{"./faces", 285, 10, `.`},
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
			t.Errorf("%s is linked with %d packages and %d other modules, want at most %d and %d", c.of,
				packages, len(modules), c.packages, c.modules)
		}
		t.Logf("%s: %d packages, %d other modules", c.of, packages, len(modules))
	}
}

// Another module can require each of ours: a replace line would not be read there. The tools, which nobody
// requires, are also built without the workspace.
func TestNoReplace(t *testing.T) {
	for _, h := range street {
		text, err := os.ReadFile(filepath.Join(h.folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`(?m)^(replace|exclude)\b`).Find(text); found != nil && h.folder != "tools" {
			t.Errorf("%s/go.mod has a line %s", h.folder, found)
		}
	}
}

// The command, as releases build it, has 58 MB at most beside the network that is the default.
func TestSmallCommand(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("links the command: set NRDL_LONG=1")
	}
	network, err := os.Stat("faces/frontend/embedding/weights/faceplugin.onnx.zst")
	if err != nil {
		t.Fatal(err)
	}
	maxMethods := 58_000_000 + network.Size()
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
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && file.Size() > maxMethods {
		t.Errorf("the command has %d bytes, want at most %d", file.Size(), maxMethods)
	}
	t.Logf("%d bytes", file.Size())
}
