package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Documents are ours, so what they have as HTML stays.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()), goldmark.WithRendererOptions(html.WithUnsafe()))

// ids makes the same names of headings as GitHub.
type ids map[string]int

func (i ids) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	i[id]++
	if n := i[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n-1)
	}
	return []byte(id)
}

func (ids) Put([]byte) {}

// convert converts all pages.
func (s *site) convert() error {
	trees := map[*Document]ast.Node{}
	anchors := map[*Document][]string{}
	for _, p := range s.pages {
		source := []byte(p.text)
		tree := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))
		trees[p], p.Parts = tree, parts(tree, source)
		p.Lead = cmp.Or(p.Lead, lead(tree, source))
		for _, part := range p.Parts {
			anchors[p] = append(anchors[p], part.ID)
		}
	}
	var errs []error
	for _, p := range s.pages {
		err := ast.Walk(trees[p], func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			var err error
			switch n := n.(type) {
			case *ast.Link:
				n.Destination, err = s.link(p, n.Destination, anchors)
			case *ast.Image:
				n.Destination, err = s.link(p, n.Destination, anchors)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.Source, err))
			}
			return ast.WalkContinue, nil
		})
		var b bytes.Buffer
		if err = errors.Join(err, markdown.Renderer().Render(&b, []byte(p.text), trees[p])); err != nil {
			errs = append(errs, err)
		}
		body := fitting(formulas(p.Source, b.String()))
		if strings.HasPrefix(p.Source, "doc/results/") {
			body = folded(body)
		}
		p.Body = template.HTML(body) // ours
	}
	return errors.Join(errs...)
}

var (
	citation = regexp.MustCompile(`\s*\[[a-z0-9²-]+\]`)
	lines    = regexp.MustCompile(`<code class="language-(sh|text)">[^<]*`)
	gap      = regexp.MustCompile(`\S {2,}\S`)
	aligned  = regexp.MustCompile(`(?m)^\S.*\S {2,}\S.* {2,}\S`)
	inline   = regexp.MustCompile(`(<pre>)?<code>[^<]*`)
	camel    = regexp.MustCompile(`([a-z])([A-Z])`)
	dashed   = regexp.MustCompile(`(^|[ >(])(--?[a-z][a-z-]*(=[a-z]+)?)`)
)

// lead is the first sentence of a page, "" if it has no paragraph.
func lead(tree ast.Node, source []byte) string {
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindParagraph {
			if sentence, _, _ := strings.Cut(citation.ReplaceAllString(plain(n, source), "")+" ", ". "); sentence != " " {
				return strings.TrimRight(sentence, " .:") + "."
			}
		}
	}
	return ""
}

// fitting changes what a page has as HTML so that it fits narrow windows: tables, and output in
// columns, can be moved sideways; commands and other output wrap, but not within the name of a flag.
// Output that is left out is not shown.
func fitting(body string) string {
	body = strings.NewReplacer("<pre><code class=\"language-text\">…\n</code></pre>", "", "<table>",
		`<div class="wide"><table>`, "</table>", "</table></div>").Replace(body)
	body = outward.ReplaceAllString(body, `<span title="$1 in the repository">$2</span>`)
	body = lines.ReplaceAllStringFunc(body, func(block string) string {
		tag, code, _ := strings.Cut(block, ">")
		table := len(aligned.FindAllString(code, 2)) == 2 && strings.HasSuffix(tag, `-text"`)
		all := strings.Split(strings.TrimSuffix(code, "\n"), "\n")
		for i, line := range all {
			class := "line"
			if table && gap.MatchString(line) {
				class = "line row"
			}
			all[i] = `<span class="` + class + `">` + line + "</span>"
		}
		code = strings.Join(all, "")
		return tag + ">" + dashed.ReplaceAllString(code, `$1<span class="flag">$2</span>`)
	})
	return inline.ReplaceAllStringFunc(body, func(code string) string {
		if strings.HasPrefix(code, "<pre>") {
			return code
		}
		return camel.ReplaceAllString(dashed.ReplaceAllString(code, `$1<span class="flag">$2</span>`), "$1<wbr>$2")
	})
}

// folded hides the sections of a page of results, but the rates that it begins with.
func folded(body string) string {
	sections := strings.Split(body, "<h2 ")
	for i, section := range sections[1:] {
		title, text, _ := strings.Cut(section, "</h2>")
		sections[i+1] = "<details class=\"section\"><summary><h2 " + title + "</h2></summary>" + text + "</details>\n"
	}
	return strings.Join(sections, "")
}

// inSite are the files that pages link to and the site has.
var inSite = []string{".png", ".jpg", ".svg", ".html", ".bib", ".ipynb", ".json"}

// elsewhere begins the destination of a link to what is no page of the site, such as a folder of the
// checkout: fitting leaves its words, and says where it is.
const elsewhere = "in-the-repository:"

var outward = regexp.MustCompile(`(?s)<a href="` + elsewhere + `([^"]*)">(.*?)</a>`)

// link is the destination in the site of a link of page p.
func (s *site) link(p *Document, destination []byte, anchors map[*Document][]string) ([]byte, error) {
	u, err := url.Parse(string(destination))
	if err != nil || u.Scheme != "" || strings.HasPrefix(string(destination), "//") {
		return destination, err
	}
	to := p.Source
	if u.Path != "" {
		to = path.Join(path.Dir(p.Source), u.Path)
	}
	target := s.paths[to]
	if target == nil && s.paths[path.Join(to, "README.md")] != nil {
		target = s.paths[path.Join(to, "README.md")]
	}
	if to == "doc/how-to" {
		return []byte(relative(p.URL, "how-to.html")), nil
	}
	if target != nil {
		if u.Fragment != "" && !slices.Contains(anchors[target], u.Fragment) {
			return nil, fmt.Errorf("%s has no heading #%s", target.Source, u.Fragment)
		}
		at := ""
		if u.Fragment != "" {
			at = "#" + u.Fragment
		}
		if u.Path == "" {
			return []byte(at), nil
		}
		return []byte(relative(p.URL, target.URL) + at), nil
	}
	info, err := fs.Stat(s.root, to)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && strings.HasPrefix(to, "doc/") && slices.Contains(inSite, path.Ext(to)) {
		s.files[to] = true
		return []byte(relative(p.URL, fileAddress(to))), nil
	}
	return []byte(elsewhere + to), nil
}

// fileAddress is the path in the site of a file that is no page.
func fileAddress(name string) string {
	name = strings.TrimPrefix(name, "doc/")
	if path.Ext(name) == ".html" { // results.html is beside results.md
		return path.Join("pages", name)
	}
	return name
}

// relative is the way from the page at one path to another file.
func relative(from, to string) string {
	r, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		return to
	}
	return filepath.ToSlash(r)
}

// parts divides a document at its headings. The text of a part is what can be searched: long
// tables are cut.
func parts(tree ast.Node, source []byte) (all []part) {
	const maxLength = 1500
	all = append(all, part{})
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			p := part{Title: plain(h, source), Level: h.Level}
			if name, ok := id.([]byte); ok {
				p.ID = string(name)
			}
			all = append(all, p)
			continue
		}
		if last := &all[len(all)-1]; len(last.text) < maxLength {
			text := plain(n, source)
			if cut := maxLength - len(last.text); len(text) > cut {
				text = strings.ToValidUTF8(text[:cut], "")
			}
			last.text += text + " "
		}
	}
	if all[0].text == "" {
		all = all[1:]
	}
	return all
}

// plain is the text in a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(n.Segment.Value(source)))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
