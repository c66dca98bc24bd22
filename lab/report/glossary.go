package report

import (
	"fmt"
	"strings"

	"nrdl.example/nrdl/doc"
)

// terms are the terms of a page that are in the glossary.
var terms = []string{
	"setting", "split", "run", "SD", "~", "significant", "paired test", "average rank",
	"critical difference", "pass", "tuned",
}

// glossary explains the terms.
func glossary() []block {
	var items []item
	for _, name := range terms {
		text, err := define(name)
		if err != nil {
			panic(err) // a test writes a page
		}
		items = append(items, item{name, text})
	}
	return []block{{Items: items}}
}

// define returns the entry of a term in the glossary.
func define(term string) (string, error) {
	text, ok := doc.Define(term)
	if !ok {
		return "", fmt.Errorf("report: the glossary does not have %q", term)
	}
	return strings.ToUpper(text[:1]) + text[1:], nil
}
