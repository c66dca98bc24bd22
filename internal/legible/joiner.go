package legible

import (
	"unicode"
	"unicode/utf8"
)

// The joiners have no width, and change how the letters beside them are drawn.
const nonJoiner, joiner = '\u200c', '\u200d'

// unjoined are the scripts whose letters are drawn the same beside a joiner: there it cannot be seen.
var unjoined = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew, unicode.Han,
	unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Common, unicode.Inherited,
}

// first decodes the first character of s, and reports whether it is hidden there. A joiner is not
// hidden between two letters of a script whose letters are joined, as in Persian and Hindi, and
// between two pictures, as in 👨‍👩‍👧. Before is what stands before s.
func first(before, s string) (r rune, n int, hidden bool) {
	r, n = utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return r, n, true
	case r != nonJoiner && r != joiner:
		return r, n, Hidden(r)
	}
	left, right := lastBase(before), rune(0)
	right, _ = utf8.DecodeRuneInString(s[n:])
	return r, n, !(joined(left) && joined(right) || r == joiner && pictured(left) && pictured(right))
}

// lastBase is the last character of s but for marks that every script has, and selectors.
func lastBase(s string) rune {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !unicode.In(r, unicode.Inherited, unicode.Sk) || r == nonJoiner || r == joiner {
			return r
		}
		s = s[:len(s)-n]
	}
	return 0
}

func joined(r rune) bool { return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unjoined...) }

// pictured reports whether r is a picture: a symbol, or the arrow of a head that shakes.
func pictured(r rune) bool { return unicode.Is(unicode.So, r) || r == '↔' }

// Without returns s with each hidden character, and each byte that is no UTF-8, replaced by with.
func Without(s, with string) string {
	if Is(s) {
		return s
	}
	var out []byte
	for at := 0; at < len(s); {
		_, n, hidden := first(s[:at], s[at:])
		if hidden {
			out = append(out, with...)
		} else {
			out = append(out, s[at:at+n]...)
		}
		at += n
	}
	return string(out)
}
