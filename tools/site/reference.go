package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/cmd/nrdl/engine"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/server"
)

// commandPages adds a page for each command, which the command itself writes.
func (s *site) commandPages() error {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "run", "-tags", "man", "./cmd/nrdl", "pages", dir)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w: %s", cmd.Args, err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		page := strings.Replace(string(text), "## ", "# ", 1)
		page = strings.NewReplacer("# nrdl\n\nLearn to recognise people from photographs of their faces\n",
			"# All commands with their flags\n\nEach command with its examples and options.\n", "### Synopsis\n",
			"", "### SEE ALSO", "### See also").Replace(page)
		page = helpHeading.ReplaceAllString(options.ReplaceAllStringFunc(page, optionTable), "\n\n**$1**\n\n")
		prose, rest, fenced := strings.Cut(page, "\n```\n") // the first block is the usage
		lines := strings.Split(prose, "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, "    ") {
				lines[i] = inProse.ReplaceAllString(line, "$1`$2`")
			}
		}
		if page = strings.Join(lines, "\n"); fenced {
			page += "\n```\n" + rest
		}
		s.add("doc/commands/"+filepath.Base(name), page)
	}
	return nil
}

var (
	helpHeading = regexp.MustCompile(`\n\n([A-Z][^\n.]*):\n\n`)
	inProse     = regexp.MustCompile(`(^|[ (])(--[a-z][a-z-]*(?:=[a-z]+)?)`)
	options     = regexp.MustCompile("(?s)### Options[^\n]*\n\n```\n.*?\n```")
	option      = regexp.MustCompile(`(?m)^ +(-\w, )?(--\S+( \S+)?) {2,}(.*)$`)
)

// optionTable makes a table of the options of a command, which are in columns.
func optionTable(block string) string {
	heading, list, _ := strings.Cut(strings.TrimSuffix(block, "\n```"), "\n\n```\n")
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| option | meaning |\n| --- | --- |\n", heading)
	for line := range strings.SplitSeq(list, "\n") {
		m := option.FindStringSubmatch(line)
		if m == nil {
			return block
		}
		fmt.Fprintf(&b, "| `%s%s` | %s |\n", m[1], strings.ReplaceAll(m[2], "|", "\\|"), cell(m[4]))
	}
	return b.String()
}

// cell is text in a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;", "_", "\\_", "*", "\\*").Replace(text)
}

// thousands writes the large numbers in a text with commas.
func thousands(text string) string {
	return regexp.MustCompile(`\d{4,}`).ReplaceAllStringFunc(text, func(n string) string {
		for i := len(n) - 3; i > 0; i -= 3 {
			n = n[:i] + "," + n[i:]
		}
		return n
	})
}

// methodPage adds the page of the methods: problem and parameters of each.
func (s *site) methodPage() error {
	var b strings.Builder
	b.WriteString("# Methods: equations and parameters\n\nThe problem that each method solves, and its parameters with " +
		"their defaults. [Methods](methods.md) has the rules and the notation.\n")
	for _, m := range engine.Methods() {
		fmt.Fprintf(&b, "\n## %s\n\n`%s`, `method.%s`: %s.\n", m.Title, m.Name, m.Type, m.Description)
		if m.Formulation != "" {
			fmt.Fprintf(&b, "\n```math\n%s\n```\n", strings.ReplaceAll(m.Formulation, ";  class:", "\nclass:"))
		}
		if m.Limit != "" {
			fmt.Fprintf(&b, "\nLimit: %s.\n", strings.Replace(thousands(m.Limit), "(doc/scale.md)", "([more](scale.md))", 1))
		}
		if len(m.Params) == 0 {
			continue
		}
		b.WriteString("\n| parameter | type | default | where | meaning |\n| --- | --- | --- | --- | --- |\n")
		for _, p := range m.Params {
			kind := p.Type
			if len(p.Choices) > 0 {
				kind = strings.Join(p.Choices, ", ")
			}
			fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s |\n", p.Path, cell(kind), p.Value, cell(p.Equation), cell(p.Help))
		}
	}
	s.add("doc/method-parameters.md", b.String())
	return nil
}

// A schema is as much of a JSON schema as the pages show.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Defs        map[string]*schema `json:"$defs"`
	Items       *schema            `json:"items"`
	Required    []string           `json:"required"`
	OneOf       []*schema          `json:"oneOf"`
	AnyOf       []*schema          `json:"anyOf"`
}

// kind is the type of what s describes, in words.
func (s *schema) kind() string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return path.Base(s.Ref)
	case s.Items != nil:
		return "list of " + cmp.Or(s.Items.kind(), "values")
	case len(s.OneOf)+len(s.AnyOf) > 0:
		var all []string
		for _, o := range append(slices.Clone(s.OneOf), s.AnyOf...) {
			all = append(all, o.kind())
		}
		return strings.Join(all, " or ")
	case s.Type != nil:
		return strings.Trim(fmt.Sprint(s.Type), "[]")
	}
	return ""
}

// fields writes a table of the properties of s, if it has any.
func (s *schema) fields(b *strings.Builder) {
	if s == nil || len(s.Properties) == 0 {
		return
	}
	b.WriteString("\n| field | type | meaning |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, must := s.Properties[name], ""
		if slices.Contains(s.Required, name) {
			must = ", required"
		}
		fmt.Fprintf(b, "| `%s` | %s%s | %s |\n", name, cell(p.kind()), must, cell(p.Description))
	}
}

// planPage adds the page of the fields of plans.
func (s *site) planPage() error {
	var plan schema
	if err := json.Unmarshal(plans.Schema(), &plan); err != nil {
		return fmt.Errorf("schema of plans: %w", err)
	}
	var b strings.Builder
	b.WriteString("# Plans: the fields\n\nA plan is a JSON file that lists what `nrdl bench` compares. " +
		"`nrdl bench --schema` writes its schema, for editors.\n")
	plan.fields(&b)
	for _, name := range slices.Sorted(maps.Keys(plan.Defs)) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", name, plan.Defs[name].Description)
		plan.Defs[name].fields(&b)
	}
	s.add("doc/plan-fields.md", b.String())
	return nil
}

// An operation is one of the description of the interface.
type operation struct {
	Summary, Description string
	Parameters           []struct {
		Name, In, Description string
		Schema                *schema
	}
	RequestBody struct {
		Content map[string]struct{ Schema *schema }
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct{ Schema *schema }
	}
}

// interfacePage adds the page of the interface over HTTP.
func (s *site) interfacePage() error {
	answer := httptest.NewRecorder()
	server.New(nil, server.Options{}).ServeHTTP(answer, httptest.NewRequest("GET", "http://127.0.0.1:8080/openapi.json", nil))
	var api struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]*schema }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &api); err != nil || len(api.Paths) == 0 {
		return errors.Join(errors.New("the service does not describe its interface"), err)
	}
	var b strings.Builder
	b.WriteString("# The interface over HTTP\n\nAll operations of the service, with their parameters and answers, as " +
		"`/openapi.json` has them. [The service](service.md) has an example of each.\n")
	for _, at := range slices.Sorted(maps.Keys(api.Paths)) {
		for _, verb := range slices.Sorted(maps.Keys(api.Paths[at])) {
			o := api.Paths[at][verb]
			fmt.Fprintf(&b, "\n## %s %s\n\n%s. %s\n", strings.ToUpper(verb), strings.NewReplacer("{", "\\{", "_", "\\_").Replace(at),
				strings.TrimSuffix(o.Summary, "."), o.Description)
			if len(o.Parameters) > 0 {
				b.WriteString("\n| parameter | in | type | meaning |\n| --- | --- | --- | --- |\n")
			}
			for _, p := range o.Parameters {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, p.In, cell(p.Schema.kind()), cell(cmp.Or(p.Description, p.Schema.Description)))
			}
			for kind, body := range o.RequestBody.Content {
				fmt.Fprintf(&b, "\nBody (%s): %s\n", kind, body.Schema.kind())
				body.Schema.fields(&b)
			}
			for _, code := range slices.Sorted(maps.Keys(o.Responses)) {
				number, _ := strconv.Atoi(code) // 0: default
				fmt.Fprintf(&b, "\n* %s: %s", code, cmp.Or(o.Responses[code].Description, http.StatusText(number), "any other answer"))
				for _, content := range o.Responses[code].Content {
					if k := content.Schema.kind(); k != "" {
						fmt.Fprintf(&b, ", %s", k)
					}
				}
			}
			b.WriteString("\n")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(api.Components.Schemas)) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", name, api.Components.Schemas[name].Description)
		api.Components.Schemas[name].fields(&b)
	}
	s.add("doc/interface.md", b.String())
	return nil
}

// packagePages adds a page for each package that other modules can import.
func (s *site) packagePages() error {
	folders := map[string]bool{}
	err := fs.WalkDir(s.root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "internal", "cmd", "testdata", "examples", "tools", "doc"}, d.Name()) {
			return fs.SkipDir
		}
		if path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			folders[path.Dir(name)] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	var list strings.Builder
	list.WriteString(
		"# Packages\n\nThe packages of the library. `go doc` shows the same in a terminal.\n\n| package | what it is for |\n| --- | --- |\n")
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		p, files, err := parsePackage(s.root, folder)
		if err != nil {
			return fmt.Errorf("package in %s: %w", folder, err)
		}
		if p.Name == "main" {
			continue
		}
		at := path.Join("nrdl.example/nrdl", folder)
		name := strings.ReplaceAll(strings.TrimPrefix(at, "nrdl.example/"), "/", "-")
		fmt.Fprintf(&list, "| [`%s`](packages/%s.md) | %s |\n", at, name, cell(p.Synopsis(p.Doc)))
		s.add("doc/packages/"+name+".md", packageText(p, files, at))
	}
	s.add("doc/packages.md", list.String())
	return nil
}

// parsePackage parses the package in a folder.
func parsePackage(root fs.FS, folder string) (*doc.Package, *token.FileSet, error) {
	names, err := fs.Glob(root, path.Join(folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	set, files := token.NewFileSet(), []*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, nil, err
		}
		f, err := parser.ParseFile(set, path.Base(name), text, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, path.Join("nrdl.example/nrdl", folder))
	return p, set, err
}

// hasHeading reports whether the page of a package has a heading for a name.
func hasHeading(p *doc.Package, name string) bool {
	named := func(f *doc.Func) bool { return f.Name == name }
	return slices.ContainsFunc(p.Funcs, named) || slices.ContainsFunc(p.Types, func(t *doc.Type) bool {
		method, ok := strings.CutPrefix(name, t.Name+".")
		return t.Name == name || slices.ContainsFunc(t.Funcs, named) ||
			ok && slices.ContainsFunc(t.Methods, func(f *doc.Func) bool { return f.Name == method })
	})
}

// packageText is the page of a package.
func packageText(p *doc.Package, files *token.FileSet, at string) string {
	var b strings.Builder
	printer := p.Printer()
	printer.HeadingLevel = 4
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(l *comment.DocLink) string {
		name := strings.TrimPrefix(l.Recv+"."+l.Name, ".")
		if l.ImportPath != "" || !hasHeading(p, name) {
			return ""
		}
		return "#" + name
	}
	text := func(c string) string { return string(printer.Markdown(p.Parser().Parse(c))) }
	declare := func(n ast.Node) {
		var code bytes.Buffer
		if err := format.Node(&code, files, n); err == nil {
			fmt.Fprintf(&b, "\n```go\n%s\n```\n\n", code.String())
		}
	}
	values := func(title string, all []*doc.Value) {
		for i, v := range all {
			if i == 0 {
				fmt.Fprintf(&b, "\n## %s\n", title)
			}
			declare(v.Decl)
			b.WriteString(text(v.Doc))
		}
	}
	functions := func(level string, all []*doc.Func) {
		for _, f := range all {
			name, id := f.Name, f.Name
			if f.Recv != "" {
				name, id = fmt.Sprintf("(%s) %s", f.Recv, f.Name), strings.Trim(f.Recv, "*")+"."+f.Name
			}
			fmt.Fprintf(&b, "\n%s func %s {#%s}\n", level, strings.ReplaceAll(name, "*", "\\*"), id)
			declare(f.Decl)
			b.WriteString(text(f.Doc))
		}
	}
	fmt.Fprintf(&b, "# package %s\n\n`import \"%s\"`\n\n%s", p.Name, at, text(p.Doc))
	values("Constants", p.Consts)
	values("Variables", p.Vars)
	functions("##", p.Funcs)
	for _, t := range p.Types {
		fmt.Fprintf(&b, "\n## type %s {#%[1]s}\n", t.Name)
		declare(t.Decl)
		b.WriteString(text(t.Doc))
		values("Constants of "+t.Name, t.Consts)
		values("Variables of "+t.Name, t.Vars)
		functions("###", t.Funcs)
		functions("###", t.Methods)
	}
	return b.String()
}
