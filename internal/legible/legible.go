// Package legible formats text of unknown origin, such as file names, so that all of it is
// visible and terminals and spreadsheets treat it as text. It also formats counts.
package legible

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Count returns a number and a noun whose plural ends in s: 1 image, 2 images.
func Count(n int, thing string) string {
	return Plural(n, thing, thing+"s")
}

// Plural returns a number and the noun for it: Plural(3, "person", "people") is 3 people.
func Plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// People writes a number of people: "1 person", "3 people".
func People(n int) string { return Plural(n, "person", "people") }

// Classes writes a number of classes: "1 class", "3 classes".
func Classes(n int) string { return Plural(n, "class", "classes") }

var faceWords = regexp.MustCompile(`\b(people|person|images?|faces?|photographs?)\b`)

// OfSamples is a text on faces in the words for samples of any kind: classes for people, samples
// for faces, images and photographs.
func OfSamples(text string) string {
	text = strings.NewReplacer("people who", "classes that", "their name", "their class").Replace(text)
	return faceWords.ReplaceAllStringFunc(text, func(word string) string {
		switch {
		case word == "people":
			return "classes"
		case word == "person":
			return "class"
		case strings.HasSuffix(word, "s"):
			return "samples"
		}
		return "sample"
	})
}

// Hidden reports whether r is invisible: a control character, a line or paragraph
// separator, a character that changes the direction of text, a character without width, or
// the blank braille pattern. Terminals may act on such characters.
func Hidden(r rune) bool {
	return r == '\u2800' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// Is reports whether s is valid UTF-8 without hidden characters. Joiners that change how the letters
// beside them are drawn are not hidden.
func Is(s string) bool {
	for at := 0; at < len(s); {
		_, n, hidden := first(s[:at], s[at:])
		if hidden {
			return false
		}
		at += n
	}
	return true
}

// Escaped returns s for messages: hidden characters and invalid UTF-8 are escaped as in Go:
// \n, \x1b, \u202e.
func Escaped(s string) string {
	if Is(s) {
		return s
	}
	var b strings.Builder
	for at := 0; at < len(s); {
		_, n, hidden := first(s[:at], s[at:])
		if hidden {
			q := strconv.QuoteToASCII(s[at : at+n])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[at : at+n])
		}
		at += n
	}
	return b.String()
}

// Printable returns s without characters that are not allowed in HTML: control characters
// and invalid UTF-8.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Quoted returns s unchanged if it is legible and does not begin with a quotation mark, or
// else as a Go string, which strconv.Unquote reads. It is for tables and lists that
// programs may read.
func Quoted(s string) string {
	if Is(s) && !strings.HasPrefix(s, `"`) {
		return s
	}
	return Escaped(strconv.Quote(s))
}

// JSON returns the JSON text s with the hidden characters in its strings escaped, as
// \u202e. Line ends and tabs are kept. Both texts have the same meaning.
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

// Cell returns s as a field of a CSV file that spreadsheets show as text: with an
// apostrophe in front if they would treat it as a formula.
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

// Field returns a name as a field of a CSV file: Cell of Quoted.
func Field(s string) string { return Cell(Quoted(s)) }

// FromField is the inverse of Field.
func FromField(s string) string {
	s = FromCell(s)
	if name, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return name
	}
	return s
}

// formula reports whether s is a formula, with any number of apostrophes in front.
func formula(s string) bool {
	s = strings.TrimLeft(s, "' ")
	return s != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(s)[0])
}

// ShellWord quotes text where a shell needs it, for a command that is printed.
func ShellWord(text string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+,-./:=_@", r)
	}
	if strings.ContainsFunc(text, special) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// Arguments quotes the arguments of a command that is printed, with -- before them where one looks
// like a flag.
func Arguments(args ...string) string {
	text := ""
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") && !strings.HasPrefix(text, "--") {
			text = "-- " + text
		}
		text += ShellWord(arg) + " "
	}
	return strings.TrimSuffix(text, " ")
}

// Seconds writes a duration that was measured.
func Seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.01:
		return fmt.Sprintf("%.2g ms", 1000*s)
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	default:
		return fmt.Sprintf("%.1f s", s)
	}
}

// Took formats a number of seconds as Seconds does; "—" if it was not measured.
func Took(seconds float64) string {
	if seconds == 0 {
		return "—"
	}
	return Seconds(time.Duration(seconds * float64(time.Second)))
}

// rarest is the largest N in "1 in N".
const rarest = 1_000_000

// OneIn formats 10^evidence with two digits: 210 for 2.32.
func OneIn(evidence float64) string {
	n := math.Pow(10, min(evidence, math.Log10(rarest)))
	unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
	return fmt.Sprintf("%.0f", math.Round(n/unit)*unit)
}

// AtLeast writes n with two digits, rounded down: 1200 for 1290.
func AtLeast(n float64) string {
	n = min(n, rarest)
	unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
	return fmt.Sprintf("%.0f", math.Floor(n/unit)*unit)
}

// AsSimilar describes the share of strangers with at least this evidence: "about 1 in 64000
// strangers in general is".
func AsSimilar(evidence float64) string {
	const many = 0.3 // as 1 in 2
	switch {
	case evidence < many:
		return "most strangers in general are"
	case evidence > math.Log10(rarest):
		return "fewer than 1 in 1000000 strangers in general are"
	}
	return "about 1 in " + OneIn(evidence) + " strangers in general is"
}

// Percent formats a fraction in percent, without the sign %.
func Percent(fraction float64) string {
	if v := 100 * fraction; v > 0 && v < minPercent {
		return strconv.FormatFloat(v, 'f', 1-int(math.Floor(math.Log10(v))), 64)
	}
	return fmt.Sprintf("%.2f", 100*fraction)
}

// minPercent is the smallest percentage with two decimals; smaller ones have two
// significant digits.
const minPercent = 0.01

// Abridged joins at most five names, and counts the others.
func Abridged(names []string) string {
	if len(names) <= 5 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
}
