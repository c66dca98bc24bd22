package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// The formula of each method is XML as MathML, and no character of it is lost: what scripts, brackets
// and marks become is undone before they are compared.
func TestFormulas(t *testing.T) {
	bare := strings.NewReplacer(" ", "", "_", "", "^", "", "{", "", "}", "", "√", "", "∑", "Σ", "∏", "Π")
	n := 0
	for _, m := range method.All() {
		for line := range strings.Lines(classify.TraitsOf(m).Formulation) {
			line = strings.TrimSpace(line)
			var want strings.Builder
			for _, r := range bare.Replace(line) {
				switch {
				case raised[r] != 0:
					want.WriteRune(raised[r])
				case lowered[r] != 0:
					want.WriteRune(lowered[r])
				default:
					want.WriteRune(r)
				}
			}
			text, err := characters(mathML(line, true))
			if got := bare.Replace(text); err != nil || got != want.String() {
				t.Errorf("%s: %q, %v; want %q", m.Name(), got, err, want.String())
			}
			n++
		}
	}
	if n < 60 {
		t.Errorf("%d formulas", n)
	}
}

// characters is the text of an XML document.
func characters(text string) (string, error) {
	var b strings.Builder
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if data, ok := token.(xml.CharData); ok {
			b.Write(data)
		}
	}
}

// A formula in a sentence is found, and words are left.
func TestFormulasInSentences(t *testing.T) {
	for text, want := range map[string]string{
		"DDᵀ is d×d and does not fit": "<math><mrow><mi>D</mi><msup><mrow><mi>D</mi></mrow><mrow><mi>T</mi></mrow></msup></mrow></math> " +
			"is d×d and does not fit",
		"a definition, as in NRDL": "a definition, as in NRDL",
		"min_η ‖x − Dη‖²":          "<munder><mrow><mo movablelimits=\"true\">min</mo></mrow><mrow><mi>η</mi></mrow></munder>",
		"s_i² grows":               "<msubsup><mrow><mi>s</mi></mrow><mrow><mi>i</mi></mrow><mrow><mn>2</mn></mrow></msubsup></mrow></math> grows",
	} {
		if got := withFormulas(text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
