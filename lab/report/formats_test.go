package report

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/experiment"
)

// hostileNames are texts that mean something in a format.
var hostileNames = []string{
	`<script>alert(1)</script>`, "a|b\nc", `"><img src=http://x.org/y onerror=z>`, `\input{/etc/passwd}$&%#_^~{}`,
	"`code` [link](http://x.org) *b*",
	"]]>&amp;", "--><!--", "=1+1", "名前 ± −", "\x00\x1b[31m\xff",
}

// named makes records whose every text is hostile.
func named(t *testing.T) []experiment.Record {
	records := realistic(t)
	for i := range records {
		r := &records[i]
		h := hostileNames[(len(r.Method)+len(r.Dataset.Name))%len(hostileNames)]
		r.Plan += h
		r.Label += h
		r.Dataset.Title, r.Dataset.About, r.Dataset.Name = h+r.Dataset.Name, h, r.Dataset.Name+h
		r.Note = h
		r.Cost.Version, r.Cost.BLAS = h, h
		if r.Error != "" {
			r.Error += h
		}
		if r.Published != nil {
			r.Published.Source = h
		}
		if r.Variation != nil {
			r.Variation = &experiment.Variation{Path: h, Value: r.Variation.Value + h}
		}
		if r.Trace != nil {
			trace := *r.Trace
			trace.Terms = append([]string{h}, trace.Terms[1:]...)
			r.Trace = &trace
		}
		r.Confusions = slices.Clone(r.Confusions)
		for j := range r.Confusions {
			r.Confusions[j].Person += h
		}
	}
	return records
}

var loads = regexp.MustCompile(`(?i)(?:src|srcset|href|action|poster|data)\s*=\s*["']?([^"'\s>]*)|url\(|@import`)

func TestPage(t *testing.T) {
	for _, records := range [][]experiment.Record{realistic(t), named(t)} {
		page := written(t, records, Options{Commands: hostileNames})
		dec := xml.NewDecoder(strings.NewReader(page))
		dec.Strict, dec.AutoClose, dec.Entity = false, []string{"meta", "img", "br"}, xml.HTMLEntity
		var open []string
		ids := map[string]bool{}
		for {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch tok := tok.(type) {
			case xml.StartElement:
				open = append(open, tok.Name.Local)
				if tok.Name.Local == "script" || tok.Name.Local == "link" || tok.Name.Local == "iframe" {
					t.Errorf("the page has a <%s>", tok.Name.Local)
				}
				for _, a := range tok.Attr {
					switch {
					case strings.HasPrefix(a.Name.Local, "on"):
						t.Errorf("<%s> has %s", tok.Name.Local, a.Name.Local)
					case a.Name.Local == "id" && ids[a.Value]:
						t.Errorf("id %s twice", a.Value)
					case a.Name.Local == "id":
						ids[a.Value] = true
					case (a.Name.Local == "href" || a.Name.Local == "src") && !strings.HasPrefix(a.Value, "#"):
						t.Errorf("<%s> loads %q", tok.Name.Local, a.Value)
					}
				}
				if tok.Name.Local == "th" && !hasAttr(tok, "scope") {
					t.Error("a <th> without scope")
				}
				if tok.Name.Local == "svg" && !hasAttr(tok, "aria-label") && !hasAttr(tok, "role") {
					t.Error("an <svg> without a text")
				}
			case xml.EndElement:
				if len(open) == 0 || open[len(open)-1] != tok.Name.Local {
					t.Fatalf("</%s> closes %v", tok.Name.Local, open)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%v stay open", open)
		}
		for _, l := range loads.FindAllStringSubmatch(pageText+pageStyle, -1) {
			if to := l[1]; !strings.HasPrefix(to, "#") {
				t.Errorf("the template loads %q", l[0])
			}
		}
	}
}

func hasAttr(e xml.StartElement, name string) bool {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return true
		}
	}
	return false
}

// pipe is a | that divides cells.
var pipe = regexp.MustCompile(`(^|[^\\])(\\\\)*\|`)

func TestMarkdownTables(t *testing.T) {
	for _, records := range [][]experiment.Record{realistic(t), named(t)} {
		text := written(t, records,
			Options{Format: "md", Commands: hostileNames, Link: func(f Figure) string { return "figures/" + f.Name + ".svg" }})
		width, tables := 0, 0
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "|") {
				width = 0
				continue
			}
			n := len(pipe.FindAllString(line, -1))
			if width == 0 {
				width = n
				tables++
			}
			if n != width {
				t.Errorf("%d cells, not %d: %s", n, width, line)
			}
		}
		if tables < 20 {
			t.Errorf("%d tables", tables)
		}
		outside := regexp.MustCompile(`(?m)^    .*$`).ReplaceAllString(text, "") // code is shown as it is
		tags := regexp.MustCompile(`</?(br|sup)>|\(<figures/figure-\d+\.svg>\)`)
		if rest := tags.ReplaceAllString(outside, ""); strings.ContainsAny(rest, "<>") || strings.Contains(rest, "://") {
			t.Error("a name is taken for HTML or a link")
		}
	}
}

var tabular = regexp.MustCompile(`(?s)\\begin\{tabular\}\{(.*?)\}\n\\toprule\n(.*?)\\bottomrule`)

func TestLaTeX(t *testing.T) {
	for _, records := range [][]experiment.Record{realistic(t), named(t)} {
		text := written(t, records, Options{Format: "latex"})
		depth := 0
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++ // what it escapes
			case '{':
				depth++
			case '}':
				depth--
			case '%':
				for i < len(text) && text[i] != '\n' {
					i++
				}
			}
			if depth < 0 {
				t.Fatal("a } too many")
			}
		}
		if depth != 0 {
			t.Errorf("%d braces stay open", depth)
		}
		if strings.Contains(text, `\input`) {
			t.Error("a name is taken for a command")
		}
		tables := tabular.FindAllStringSubmatch(text, -1)
		if len(tables) < 20 {
			t.Errorf("%d tables", len(tables))
		}
		amp := regexp.MustCompile(`[^\\]&`)
		for _, table := range tables {
			columns := len(regexp.MustCompile(`p\{[^}]*\}?|[lr]`).FindAllString(table[1], -1))
			for line := range strings.Lines(table[2]) {
				if strings.HasSuffix(line, "\\\\\n") && len(amp.FindAllString(line, -1)) != columns-1 {
					t.Errorf("%s: %s", table[1], line)
				}
			}
		}
	}
}

func TestSpreadsheetsSeeText(t *testing.T) {
	for in, want := range map[string]string{"=1+1": "'=1+1", "-x": "'-x", "NRDL": "NRDL", "a\nb": "a b", "": ""} {
		if got := cellText(in); got != want {
			t.Errorf("%q is %q", in, got)
		}
	}
}
