// Command docgen writes the generated parts of the documents: it replaces what
// stands between <!-- methods:begin --> and <!-- methods:end --> in README.md
// by the table of the methods in method.All. It runs in the root of the module,
// by go generate, and changes nothing the second time.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"nrdl"
	"nrdl/method"
)

func main() {
	if err := update("README.md"); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// update rewrites the generated parts of the file at path.
func update(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	updated, err := replace(text, "methods", table(method.All))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(text, updated) {
		return nil
	}
	return os.WriteFile(path, updated, 0o644)
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
func table(methods []nrdl.Method) string {
	var b strings.Builder
	b.WriteString("| method | what it is | parameters and their defaults |\n| --- | --- | --- |\n")
	for _, m := range methods {
		var params []string
		for _, p := range method.Params(m) {
			params = append(params, fmt.Sprintf("`%s=%s`", p.Path, p.Value))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name(), cell(describe(m)), strings.Join(params, " "))
	}
	return b.String()
}

// describe says in a line what m is, or gives its name.
func describe(m nrdl.Method) string {
	if d, ok := m.(interface{ Describe() string }); ok {
		return d.Describe()
	}
	return m.Name()
}

// cell keeps text inside its cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
