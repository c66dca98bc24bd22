package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

// writeMarkdown writes d as GitHub reads Markdown. Link may be nil.
func writeMarkdown(w io.Writer, d *document, link func(Figure) string) error {
	m := markdown{bufio.NewWriter(w), link}
	fmt.Fprintf(m.w, "# %s\n", markdownText(d.Title))
	for _, h := range d.Headline {
		m.w.WriteString("\n")
		if h.Term != "" {
			fmt.Fprintf(m.w, "**%s**: ", markdownText(h.Term))
		}
		fmt.Fprintf(m.w, "%s\n", markdownText(h.Text))
	}
	for _, s := range d.Sections {
		fmt.Fprintf(m.w, "\n%s %s\n", strings.Repeat("#", s.Level), markdownText(s.Title))
		for _, b := range s.Blocks {
			m.block(b)
		}
	}
	return m.w.Flush()
}

type markdown struct {
	w    *bufio.Writer // remembers its error until Flush
	link func(Figure) string
}

func (m *markdown) block(b block) {
	if b.Text != "" {
		fmt.Fprintf(m.w, "\n%s\n", markdownText(b.Text))
	}
	for i, it := range b.Items {
		if i == 0 {
			m.w.WriteString("\n")
		}
		fmt.Fprintf(m.w, "- **%s**: %s\n", markdownText(it.Term), markdownText(it.Text))
	}
	if len(b.Code) > 0 {
		m.w.WriteString("\n")
		for _, line := range b.Code { // indented: no fence that a line could close
			fmt.Fprintf(m.w, "    %s\n", oneLine(line))
		}
	}
	if b.Table != nil {
		m.table(b.Table)
	}
	for _, f := range b.Figures {
		if m.link != nil {
			fmt.Fprintf(m.w, "\n![%s](<%s>)\n\n%s\n", markdownText(f.Alt), linkTarget(m.link(*f)), markdownText(f.Title+". "+f.Caption))
		}
		if t := f.numbers(); t != nil {
			m.table(t)
		}
	}
}

func (m *markdown) table(t *table) {
	fmt.Fprintf(m.w, "\n%s:\n\n", markdownText(t.Caption))
	head, rule := "|", "|"
	for i, h := range t.Head {
		text := markdownText(h.Title)
		if h.Sub != "" {
			text += "<br>" + markdownText(h.Sub)
		}
		head += " " + text + " |"
		if i == 0 || h.Words {
			rule += " --- |"
		} else {
			rule += " ---: |"
		}
	}
	fmt.Fprintln(m.w, head)
	fmt.Fprintln(m.w, rule)
	for _, row := range t.Rows {
		line := "|"
		for _, c := range row {
			line += " " + markdownCell(c) + " |"
		}
		fmt.Fprintln(m.w, line)
	}
	for i, n := range t.Notes {
		if i == 0 {
			m.w.WriteString("\n")
		}
		fmt.Fprintf(m.w, "%d. %s\n", i+1, markdownText(n))
	}
}

func markdownCell(c cell) string {
	s := markdownText(c.Text)
	if c.Spread != "" {
		s += " ± " + markdownText(c.Spread)
	}
	if c.Best {
		s = "**" + s + "**"
	}
	if c.Alike {
		s += ` \~`
	}
	if len(c.Notes) > 0 {
		s += " <sup>" + numbers(c.Notes) + "</sup>"
	}
	if c.Sub != "" {
		s += "<br>" + markdownText(c.Sub)
	}
	return s
}

// numbers lists the numbers of notes.
func numbers(notes []int) string {
	words := make([]string, len(notes))
	for i, n := range notes {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "$", `\$`, "!", `\!`, "://", ":&#47;/", "www.", "www&#46;", "@", "&#64;",
)

// markdownText is s as text alone, in one line: nothing in it is a mark, a
// link or HTML.
func markdownText(s string) string { return markdownEscapes.Replace(oneLine(s)) }

// oneLine joins the lines of s, and drops what is not printed.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if legible.Hidden(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " "))
}

// linkTarget keeps an address within its brackets.
func linkTarget(s string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C").Replace(oneLine(s))
}
