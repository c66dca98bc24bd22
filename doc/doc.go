// Package doc holds the documents that the program shows: a glossary, and a list of
// tasks.
//
// Experimental: this package may change in any version.
package doc

import (
	_ "embed"
	"strings"
)

var (
	//go:embed glossary.md
	glossary string

	// Tasks lists things that people want to do, with the command for each, on one
	// screen.
	//
	//go:embed tasks.txt
	Tasks string
)

// Glossary is the glossary as plain text.
func Glossary() string { return strings.NewReplacer("**", "", "# ", "", "`", "").Replace(glossary) }

// A Term is an entry of the glossary.
type Term struct{ Name, Text string }

// Terms returns the glossary, in its order. Text is one line.
func Terms() (all []Term) {
	for paragraph := range strings.SplitSeq(glossary, "\n\n") {
		if name, text, ok := strings.Cut(strings.TrimPrefix(paragraph, "**"), "**: "); ok {
			all = append(all, Term{name, strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "")})
		}
	}
	return all
}

// Define returns what the term means; ok is false if the glossary does not have it.
func Define(term string) (text string, ok bool) {
	for _, t := range Terms() {
		if t.Name == term {
			return t.Text, true
		}
	}
	return "", false
}
