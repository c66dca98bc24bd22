// Package legible shows text of unknown origin, such as the name of a file, so
// that a person sees what it holds and a terminal or a spreadsheet takes it for
// text; and it counts things in words.
package legible

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Count counts things whose plural ends in s: 1 image, 2 images.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Hidden reports whether r has no picture of its own: a control character, the
// end of a line or a paragraph, what changes the direction of the text beside it,
// a character of no width, or the blank braille pattern. A terminal may obey it; a
// person cannot see it.
func Hidden(r rune) bool {
	return r == '\u2800' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// Is reports whether s is valid UTF-8 without hidden characters.
func Is(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, Hidden)
}

// Escaped returns s with hidden characters and bytes that are no UTF-8 written as
// in Go: \n, \x1b, \u202e. It is for messages.
func Escaped(s string) string {
	if Is(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if broken := r == utf8.RuneError && n == 1; broken || Hidden(r) {
			q := strconv.QuoteToASCII(s[:n])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Printable returns s without what no page may have, though a name may: control
// characters, and bytes that are no UTF-8.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Quoted returns s as it is where it is legible and does not begin with a
// quotation mark, and else as a string of Go: strconv.Unquote gives it back. It
// is for tables and lists, which programs read too.
func Quoted(s string) string {
	if Is(s) && !strings.HasPrefix(s, `"`) {
		return s
	}
	return Escaped(strconv.Quote(s))
}

// JSON returns the JSON text s with the hidden characters in its strings written
// as \u202e; line ends and tabs stay. It means the same.
func JSON(s []byte) []byte {
	if Is(string(bytes.ReplaceAll(s, []byte{'\n'}, nil))) {
		return s
	}
	var out []byte
	for _, r := range string(s) {
		if r == '\n' || r == '\t' || !Hidden(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// Cell returns s as the field of a CSV file that spreadsheets show as text: with
// an apostrophe before it where they would take it for a formula.
func Cell(s string) string {
	if formula(s) {
		return "'" + s
	}
	return s
}

// FromCell is the inverse of Cell.
func FromCell(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && formula(rest) {
		return rest
	}
	return s
}

// Field is Quoted and Cell: the field of a CSV file for a name.
func Field(s string) string { return Cell(Quoted(s)) }

// FromField is the inverse of Field.
func FromField(s string) string {
	s = FromCell(s)
	if name, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return name
	}
	return s
}

// formula reports whether s is what Cell changes: a formula, with any number of
// apostrophes before it.
func formula(s string) bool {
	s = strings.TrimLeft(s, "' ")
	return s != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(s)[0])
}
