package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"nrdl/classify"
)

// traceLines collects a trace: an object a pass, a line an object, with the
// pass, μ, the residual and then the terms in the order of the method.
type traceLines struct {
	text bytes.Buffer
	n    int
}

func (t *traceLines) watch(p classify.Progress) {
	t.n++
	t.text.WriteString(`{"iter":` + strconv.Itoa(p.Iter))
	terms := p.Terms()
	if len(terms) > 0 && terms[0].Name == "mu" { // goes before the residual
		t.number(terms[0].Name, terms[0].Value)
		terms = terms[1:]
	}
	t.number("residual", p.Residual)
	for _, term := range terms {
		t.number(term.Name, term.Value)
	}
	t.text.WriteString("}\n")
}

// number adds a member; a value that is not finite is null, as JSON has none.
func (t *traceLines) number(name string, value float64) {
	key, _ := json.Marshal(name) // a string has a JSON form
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte("null")
	}
	t.text.WriteByte(',')
	t.text.Write(key)
	t.text.WriteByte(':')
	t.text.Write(text)
}

func (t *traceLines) write(w io.Writer) error {
	_, err := w.Write(t.text.Bytes())
	return err
}
