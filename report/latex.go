package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// writeLaTeX writes the tables of d, to be read by \input.
func writeLaTeX(w io.Writer, d *document) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%% %s\n", oneLine(d.Title))
	out.WriteString("% \\usepackage{booktabs,graphicx,textcomp,amssymb} \\usepackage[T1]{fontenc}\n")
	out.WriteString("% With names in other than Latin letters: XeLaTeX or LuaLaTeX, and a font that has them.\n")
	for _, s := range d.Sections {
		tables := 0
		for _, b := range s.Blocks {
			if b.Table == nil {
				if tables > 0 && b.Text != "" { // what the marks of the tables above mean
					fmt.Fprintf(out, "\n{\\footnotesize\\noindent %s\\par}\n", strings.ReplaceAll(latexText(b.Text), `\textasciitilde{}`, `$\sim$`))
				}
				continue
			}
			if tables++; tables == 1 {
				fmt.Fprintf(out, "\n%% %s\n", oneLine(s.Title))
			}
			latexTable(out, b.Table)
		}
		if tables > 0 {
			out.WriteString("\\clearpage\n") // LaTeX holds few floats back
		}
	}
	return out.Flush()
}

func latexTable(w *bufio.Writer, t *table) {
	spec := ""
	subs := false
	for i, h := range t.Head {
		subs = subs || h.Sub != ""
		switch {
		case h.Words && i == len(t.Head)-1:
			spec += "p{0.35\\textwidth}" // the reasons and lists, which are long
		case i == 0 || h.Words:
			spec += "l"
		default:
			spec += "r"
		}
	}
	fmt.Fprintf(w, "\n\\begin{table}[htbp]\n\\centering\\small\n\\caption{%s}\n", latexText(t.Caption))
	w.WriteString("\\resizebox{\\ifdim\\width>\\textwidth\\textwidth\\else\\width\\fi}{!}{%\n") // shrunk where too wide
	fmt.Fprintf(w, "\\begin{tabular}{%s}\n\\toprule\n", spec)
	latexRow(w, len(t.Head), func(i int) string { return latexText(t.Head[i].Title) })
	if subs {
		latexRow(w, len(t.Head), func(i int) string { return "\\footnotesize " + latexText(t.Head[i].Sub) })
	}
	w.WriteString("\\midrule\n")
	for _, row := range t.Rows {
		latexRow(w, len(row), func(i int) string { return latexCell(row[i]) })
	}
	w.WriteString("\\bottomrule\n\\end{tabular}}\n")
	for i, n := range t.Notes {
		fmt.Fprintf(w, "\\par\\footnotesize\\textsuperscript{%d} %s\n", i+1, latexText(n))
	}
	w.WriteString("\\end{table}\n")
}

func latexRow(w *bufio.Writer, n int, text func(i int) string) {
	for i := range n {
		if i > 0 {
			w.WriteString(" & ")
		}
		// In braces: a row that begins with [ or * is no option of the \\ before.
		w.WriteString("{" + text(i) + "}")
	}
	w.WriteString(" \\\\\n")
}

func latexCell(c cell) string {
	s := latexText(c.Text)
	if c.Spread != "" {
		s = fmt.Sprintf("$%s \\pm %s$", c.Text, c.Spread)
	}
	switch {
	case c.Best && c.Spread != "":
		s = fmt.Sprintf("$\\mathbf{%s} \\pm %s$", c.Text, c.Spread)
	case c.Best:
		s = "\\textbf{" + s + "}"
	}
	if c.Alike {
		s += " $\\sim$"
	}
	if len(c.Notes) > 0 {
		s += "\\textsuperscript{" + numbers(c.Notes) + "}"
	}
	if c.Sub != "" {
		s = "\\begin{tabular}[t]{@{}r@{}}" + s + "\\\\[-2pt]{\\scriptsize " + latexText(c.Sub) + "}\\end{tabular}"
	}
	return s
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\textquotedbl{}`,
	"−", "$-$", "±", `$\pm$`, "×", `$\times$`, "…", `\ldots{}`, "—", "---", "·", `$\cdot$`, "²", `\textsuperscript{2}`, "χ", `$\chi$`, "∞", `$\infty$`,
)

// latexText is s as text alone.
func latexText(s string) string { return latexEscapes.Replace(oneLine(s)) }
