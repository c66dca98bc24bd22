// Command docgen writes what is generated of the documents. These are parts of pages
// between two markers: in doc/methods.md the table of the methods in method.All between
// <!-- methods:begin --> and <!-- methods:end -->, in doc/programs.md the lines of example_test.go
// between // example:begin and // example:end between those of example, in doc/research.md what
// the rates of the paper's table 2 can tell between those of results, and what inputs reach between those of inputs. From the
// names of the methods it makes the examples of lab/plans/plan.schema.json and their number in
// README.md and doc/research.md, and from the
// records in lab/experiment/results doc/results.md with its figures,
// doc/results.html, doc/frontends.md, and the rates as data. It runs in the folder tools, by go generate, and changes
// nothing the second time.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/lab/report"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/tools/internal/hint"
)

func main() {
	hint.Exit("docgen", run(".."))
}

// run renews the documents of the module in the folder root.
func run(root string) error {
	res, err := readResults(filepath.Join(root, "lab", "experiment", "results"))
	if err != nil {
		return err
	}
	files, err := res.files()
	if err != nil {
		return err
	}
	more, err := frontends(filepath.Join(root, "lab", "experiment", "results"))
	if err != nil {
		return err
	}
	maps.Copy(files, more)
	for _, page := range generatedPages {
		if err := update(filepath.Join(root, page), filepath.Join(root, "faces", "example_test.go"), res); err != nil {
			return err
		}
	}
	for _, page := range []string{"README.md", "doc/research.md"} {
		count := fmt.Sprintf("${1}%d${2}", len(method.Names()))
		if files[page], err = renewed(filepath.Join(root, page), `\b((?:it|nrdl) has )\d+( methods)\b`, count); err != nil {
			return err
		}
	}
	if files[schemaFile], err = schema(filepath.Join(root, schemaFile)); err != nil {
		return err
	}
	for name, content := range files {
		if err := replaceFile(filepath.Join(root, name), content); err != nil {
			return err
		}
	}
	stale, err := staleFigures(root, files)
	for _, path := range stale {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// generatedPages have generated parts.
var generatedPages = []string{"doc/methods.md", "doc/programs.md", "doc/research.md"}

// renewed returns the file at path with now for what matches the pattern.
func renewed(path, pattern, now string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if at := regexp.MustCompile(pattern); err == nil && at.Match(text) {
		return at.ReplaceAll(text, []byte(now)), nil
	}
	return nil, cmp.Or(err, fmt.Errorf("%s: nothing like %s", path, pattern))
}

// schemaFile is the schema of plans, whose examples editors offer.
const schemaFile = "lab/plans/plan.schema.json"

// schema returns the file at path with the names of all methods as examples of one.
func schema(path string) ([]byte, error) {
	names := method.Names()
	slices.Sort(names)
	return renewed(path, `("the name of a method[^\n]*\n *"examples": \[)[^\]]*`, `${1}"`+strings.Join(names, `", "`)+`"`)
}

// fill fills in a template.
func fill(text string, data any) ([]byte, error) {
	t, err := template.New("").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// staleFigures are the figures below root that are not among files any more.
func staleFigures(root string, files map[string][]byte) (stale []string, err error) {
	all, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(figurePath(report.Figure{Name: "*"}))))
	for _, path := range all {
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		if files[filepath.ToSlash(name)] == nil {
			stale = append(stale, path)
		}
	}
	return stale, err
}

// update rewrites the generated parts of the file at path.
func update(path, example string, res *results) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	updated, err := generate(text, example, res)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, updated)
}

// replaceFile writes content to the file at path, which is left alone where it
// holds it.
func replaceFile(path string, content []byte) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// generate returns text with its generated parts renewed.
func generate(text []byte, example string, res *results) ([]byte, error) {
	source, err := os.ReadFile(example)
	if err != nil {
		return nil, err
	}
	code, err := body(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", example, err)
	}
	rates, err := res.overview()
	if err != nil {
		return nil, err
	}
	n := 0
	for name, content := range map[string]string{"example": code, "results": rates, "inputs": res.inputs, "methods": table(method.All())} {
		if !bytes.Contains(text, []byte("<!-- "+name+":")) {
			continue
		}
		if text, err = replace(text, name, content); err != nil {
			return nil, err
		}
		n++
	}
	if n == 0 {
		return nil, errors.New("it has no generated part")
	}
	return text, nil
}

// body is what stands between the lines // example:begin and // example:end of a
// function in source, as a block of Markdown.
func body(source []byte) (string, error) {
	_, rest, ok := strings.Cut(string(source), "\t// example:begin\n")
	code, _, end := strings.Cut(rest, "\t// example:end\n")
	if !ok || !end {
		return "", errors.New("no lines between // example:begin and // example:end")
	}
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimPrefix(line, "\t"))
	}
	return "```go\n" + b.String() + "```\n", nil
}

// replace puts content between the markers of that name in text.
func replace(text []byte, name, content string) ([]byte, error) {
	begin, end := fmt.Sprintf("<!-- %s:begin -->", name), fmt.Sprintf("<!-- %s:end -->", name)
	before, rest, ok := bytes.Cut(text, []byte(begin))
	if !ok {
		return nil, errors.New("no " + begin)
	}
	_, after, ok := bytes.Cut(rest, []byte(end))
	if !ok {
		return nil, errors.New("no " + end + " after " + begin)
	}
	return fmt.Appendf(nil, "%s%s\n%s%s%s", before, begin, content, end, after), nil
}

// table has a row for every method.
func table(methods []classify.Method) string {
	var b strings.Builder
	b.WriteString("| method | what it is |\n| --- | --- |\n")
	for _, m := range methods {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.Name(), cell(method.Describe(m)))
	}
	return b.String()
}

// cell keeps text inside its cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
