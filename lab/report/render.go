package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	text "text/template"

	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/legible"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.md.tmpl
	markdownPage string
	//go:embed tables.tex.tmpl
	latexTables string
)

// functions are those that all templates have.
var functions = map[string]any{
	"notes":   numbers,
	"numbers": (*Figure).numbers,
	"heat":    (*Figure).heatTable,
	"line":    oneLine,
	"next":    func(i int) int { return i + 1 },
}

var (
	htmlPage = page.New(pageText, pageStyle, functions, template.FuncMap{
		"image": func(png []byte) template.URL { return page.Data("png", png) },
		"svg":   drawing,
		"term":  define,
		"about": func(title string) string {
			text, _ := doc.Define(title)
			return text
		},
	})
	markdownTemplate = sync.OnceValue(func() *text.Template {
		return text.Must(text.New("page").Funcs(functions).Funcs(text.FuncMap{"text": markdownText, "target": linkTarget}).Parse(markdownPage))
	})
	latexTemplate = sync.OnceValue(func() *text.Template {
		return text.Must(text.New("tables").Delims("<<", ">>").Funcs(functions).Funcs(text.FuncMap{
			"text": latexText,
			// key is a text about the marks in the tables.
			"key": func(s string) string {
				return strings.ReplaceAll(latexText(s), `\textasciitilde{}`, `$\sim$`)
			},
		}).Parse(latexTables))
	})
)

// writeHTML writes d as one page that needs no network and no script.
func writeHTML(w io.Writer, d *document) error { return page.Write(w, htmlPage, "page", d) }

// writeMarkdown writes d as GitHub reads Markdown. If link is nil, figures are left out,
// but not their numbers.
func writeMarkdown(w io.Writer, d *document, link func(Figure) string) error {
	linked := struct {
		*document
		Link func(*Figure) string
	}{document: d}
	if link != nil {
		linked.Link = func(f *Figure) string { return link(*f) }
	}
	return execute(w, markdownTemplate(), linked)
}

// writeText writes d for a terminal, without figures.
func writeText(w io.Writer, d *document) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if b.Text != "" {
				fmt.Fprintf(t, "%s\n\n", legible.Escaped(b.Text))
			}
			if b.Table == nil {
				continue
			}
			for _, h := range b.Table.Head {
				fmt.Fprintf(t, "%s\t", strings.TrimSpace(h.Sub+" "+h.Title))
			}
			for _, row := range b.Table.Rows {
				fmt.Fprintln(t)
				for _, c := range row {
					if c.Spread != "" {
						c.Text += " ± " + c.Spread
					}
					fmt.Fprintf(t, "%s\t", legible.Escaped(c.Text))
				}
			}
			fmt.Fprint(t, "\n\n")
		}
	}
	return t.Flush()
}

// execute writes the result of a template in one piece.
func execute(w io.Writer, t *text.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// drawing returns the SVG of a figure. If no point of it is finite, or positive on a
// logarithmic axis, it returns a paragraph with the error.
func drawing(f *Figure) template.HTML {
	svg, err := f.SVG()
	if err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(err.Error()) + "</p>")
	}
	return template.HTML(svg) // its texts are escaped
}

// numbers lists the numbers of notes.
func numbers(notes []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(notes), " ", ", "), "[]")
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\textquotedbl{}`,
	"−", "$-$", "±", `$\pm$`, "×", `$\times$`, "…", `\ldots{}`, "—", "---", "·", `$\cdot$`, "²",
	`\textsuperscript{2}`, "χ", `$\chi$`, "∞", `$\infty$`,
)

// latexText escapes s for LaTeX and puts it on one line.
func latexText(s string) string { return latexEscapes.Replace(oneLine(s)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "$", `\$`, "!", `\!`, "://", ":&#47;/", "www.", "www&#46;", "@", "&#64;",
)

// markdownText escapes s for Markdown and puts it on one line, so that nothing in it is
// a mark, a link or HTML.
func markdownText(s string) string { return markdownEscapes.Replace(oneLine(s)) }

// oneLine joins the lines of s and drops invisible characters.
func oneLine(s string) string {
	return legible.Without(strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " "), "")
}

// linkTarget escapes an address that stands in angle brackets.
func linkTarget(s string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C").Replace(oneLine(s))
}
