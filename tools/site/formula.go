package main

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Formulas of the documents are lines of text, as they are in terminals and in code. The site shows them
// as MathML, which browsers draw and readers for the blind speak.

// raised and lowered are the letters that Unicode has as superscripts and subscripts.
var (
	raised  = letters("²³¹⁰⁴⁵⁶⁷⁸⁹⁺⁻ᵀᵏⁿʲⁱ", "2310456789+−Tknji")
	lowered = letters("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙᵤᵥₐₘₚ", "0123456789+−ijknuvamp")
)

func letters(from, to string) map[rune]rune {
	all, plain := map[rune]rune{}, []rune(to)
	for i, r := range []rune(from) {
		all[r] = plain[i]
	}
	return all
}

// wordsOfMath are words that a formula has in upright letters.
var wordsOfMath = regexp.MustCompile(`^(argmin|argmax|min|max|soft|sign|mean|diag|rank|const|class|with|for|and|if|in|of|or|at|tr|exp|log|ln|s\.t\.|[a-z]{3,})`)

// A formula is what is left of a text to be read.
type formula struct{ rest string }

// mathML is the text as MathML, with limits below their signs if display is set.
func mathML(text string, display bool) string {
	f := formula{text}
	attribute := ""
	if display {
		attribute = ` displaystyle="true"`
	}
	return "<math" + attribute + "><mrow>" + f.row("") + "</mrow></math>"
}

func (f *formula) next() rune {
	r, _ := utf8.DecodeRuneInString(f.rest)
	return r
}

func (f *formula) take() rune {
	r, n := utf8.DecodeRuneInString(f.rest)
	f.rest = f.rest[n:]
	return r
}

// row reads until one of the characters of end, which it takes.
func (f *formula) row(end string) string {
	var b strings.Builder
	for f.rest != "" {
		if strings.ContainsRune(end, f.next()) {
			f.take()
			break
		}
		b.WriteString(f.scripted())
	}
	return b.String()
}

// scripted reads an atom with its subscripts and superscripts.
func (f *formula) scripted() string {
	base, under := f.atom()
	low, high := "", ""
	for {
		switch r := f.next(); {
		case raised[r] != 0:
			high += f.run(raised)
		case lowered[r] != 0:
			low += f.run(lowered)
		case (r == '_' || r == '^') && len(f.rest) > 1 && base != "":
			f.take()
			script := f.script()
			if r == '_' {
				low += script
			} else {
				high += script
			}
		default:
			return withScripts(base, low, high, under)
		}
	}
}

func withScripts(base, low, high string, under bool) string {
	row := func(s string) string { return "<mrow>" + s + "</mrow>" }
	switch {
	case low != "" && high != "":
		return "<msubsup>" + row(base) + row(low) + row(high) + "</msubsup>"
	case low != "" && under:
		return "<munder>" + row(base) + row(low) + "</munder>"
	case low != "":
		return "<msub>" + row(base) + row(low) + "</msub>"
	case high != "":
		return "<msup>" + row(base) + row(high) + "</msup>"
	}
	return base
}

// run reads characters that are scripts of Unicode.
func (f *formula) run(of map[rune]rune) string {
	var b strings.Builder
	for of[f.next()] != 0 {
		b.WriteString(glyph(of[f.take()]))
	}
	return b.String()
}

// script reads what follows _ or ^: a group in braces, or letters and digits; a capital begins another name.
func (f *formula) script() string {
	if f.next() == '{' {
		f.take()
		return f.row("}")
	}
	var b strings.Builder
	b.WriteString(glyph(f.take()))
	for r := f.next(); unicode.IsLower(r) && raised[r] == 0 && lowered[r] == 0 && r < utf8.RuneSelf || unicode.IsDigit(r); r = f.next() {
		b.WriteString(glyph(f.take()))
	}
	return b.String()
}

// closing are the brackets that end a group.
var closing = map[rune]string{'(': ")", '[': "]"}

// atom reads one thing that may have scripts, and whether they stand below it.
func (f *formula) atom() (text string, under bool) {
	if word := wordsOfMath.FindString(f.rest); word != "" {
		after, _ := utf8.DecodeRuneInString(f.rest[len(word):])
		if !unicode.IsLower(after) || after > unicode.MaxASCII {
			f.rest = f.rest[len(word):]
			if strings.HasPrefix(word, "arg") || word == "min" || word == "max" {
				return "<mo movablelimits=\"true\">" + word + "</mo>", true
			}
			if strings.Contains(" soft sign mean diag rank tr exp log ln ", " "+word+" ") {
				return "<mi>" + word + "</mi>", false
			}
			return "<mtext>" + word + "</mtext>", false
		}
	}
	r := f.take()
	switch {
	case r == '√':
		return "<msqrt>" + f.scripted() + "</msqrt>", false
	case closing[r] != "" && strings.Contains(f.rest, closing[r]):
		group := formula{f.rest}
		inner := group.row(closing[r])
		f.rest = group.rest
		return "<mrow><mo>" + string(r) + "</mo>" + inner + "<mo>" + closing[r] + "</mo></mrow>", false
	case r == 'Σ' || r == 'Π':
		return `<mo largeop="true" movablelimits="true">` + map[rune]string{'Σ': "∑", 'Π': "∏"}[r] + "</mo>", true
	case unicode.IsDigit(r):
		number := string(r)
		for n := f.next(); unicode.IsDigit(n) || (n == '.' || n == ',') && len(f.rest) > 1 && unicode.IsDigit(rune(f.rest[1])); n = f.next() {
			number += string(f.take())
		}
		return "<mn>" + number + "</mn>", false
	case unicode.IsSpace(r):
		return `<mspace width="0.2em"></mspace>`, false
	}
	return glyph(r), false
}

// glyph is a character as an identifier, a number or an operator.
func glyph(r rune) string {
	text := html.EscapeString(string(r))
	switch {
	case unicode.IsLetter(r):
		return "<mi>" + text + "</mi>"
	case unicode.IsDigit(r):
		return "<mn>" + text + "</mn>"
	}
	return `<mo stretchy="false">` + text + "</mo>"
}

var (
	mathBlock = regexp.MustCompile(`(?s)<pre><code class="language-math">(.*?)</code></pre>`)
	clauses   = regexp.MustCompile(` {2,}`)
	plainCode = regexp.MustCompile(`(?s)<pre><code>(.*?)</code></pre>`)
	pieces    = regexp.MustCompile(`(?s)<pre>.*?</pre>|<math.*?</math>|<code>.*?</code>|<[^>]*>|[^<]+`)
	strong    = regexp.MustCompile(`[‖ΣᵀΩ⊙√←⁻¹²∞_₁₂αβγλμρωε]`)
	symbols   = regexp.MustCompile(`^[(\[{|]*(?:tr|min|max|argmin|diag|soft|s\.t\.|[A-Za-zα-ωΩΣΔ](?:_(?:\{[^}]*\}|[a-zα-ω0-9]{1,2}|[A-Z]))?|[ᵀ²³⁻¹₀₁₂₃ᵢⱼ‖⊙√·+−=≥≤<>≠←∞/|,:()\[\]{}′*ˣx̂m̄×]|\d[\d.]*|\{[^}]*\}|_)+[,;.:]?$`)
	formulaic = regexp.MustCompile(`[‖Σᵀ⊙←⁻]`)
	inWords   = regexp.MustCompile(`[a-z]{3,}|^[A-Z]{3,}[,;.:]?$`)
)

// formulas turns the formulas of a page into MathML: blocks of mathematics, and on the page of equations
// what stands in sentences and cells.
func formulas(source, body string) string {
	block := func(code string) string {
		var b strings.Builder
		for _, line := range strings.Split(strings.TrimRight(html.UnescapeString(code), "\n"), "\n") {
			b.WriteString(`<div class="formula">`)
			for _, clause := range clauses.Split(strings.TrimSpace(line), -1) {
				b.WriteString(mathML(clause, true) + " ")
			}
			b.WriteString("</div>")
		}
		return b.String()
	}
	body = mathBlock.ReplaceAllStringFunc(body, func(s string) string { return block(mathBlock.FindStringSubmatch(s)[1]) })
	if source != "doc/equations.md" && !strings.HasPrefix(source, "doc/notebooks/") {
		return body
	}
	body = plainCode.ReplaceAllStringFunc(body, func(s string) string {
		if code := plainCode.FindStringSubmatch(s)[1]; formulaic.MatchString(code) {
			return block(code)
		}
		return s
	})
	if source != "doc/equations.md" {
		return body
	}
	return pieces.ReplaceAllStringFunc(body, func(s string) string {
		if strings.HasPrefix(s, "<") {
			return s
		}
		return withFormulas(html.UnescapeString(s))
	})
}

// withFormulas is a text whose formulas are MathML: runs of words that are all symbols, with a strong one.
func withFormulas(text string) string {
	words := strings.SplitAfter(text, " ")
	var b strings.Builder
	for i := 0; i < len(words); {
		j := i
		for j < len(words) && isSymbols(strings.TrimRight(words[j], " ")) {
			j++
		}
		run := strings.Join(words[i:j], "")
		if j == i || !strong.MatchString(run) {
			j = max(j, i+1)
			b.WriteString(html.EscapeString(strings.Join(words[i:j], "")))
			i = j
			continue
		}
		bare := strings.TrimRight(run, " ,;.:")
		b.WriteString(chunks(bare) + html.EscapeString(run[len(bare):]))
		i = j
	}
	return b.String()
}

// chunks is a formula in a sentence. Lines may break at its spaces outside of brackets.
func chunks(text string) string {
	var all []string
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ' ':
			if depth == 0 {
				all, from = append(all, mathML(text[from:i], false)), i+1
			}
		}
	}
	return strings.Join(append(all, mathML(text[from:], false)), " ")
}

var shortWords = regexp.MustCompile(`^(a|ad|an|and|as|at|be|by|for|if|in|is|it|no|of|on|or|so|to|we)[,;.:]?$`)

// isSymbols tells whether a word may be a part of a formula.
func isSymbols(word string) bool {
	bare := strings.NewReplacer("argmin", "", "min", "", "max", "", "diag", "", "soft", "").Replace(word)
	return symbols.MatchString(word) && !inWords.MatchString(bare) && !shortWords.MatchString(word)
}
