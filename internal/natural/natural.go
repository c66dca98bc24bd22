// Package natural orders names as people do: a2 before a10.
package natural

import (
	"cmp"
	"strings"
)

// Compare compares a and b byte by byte, except that a sequence of digits 0 … 9 is compared
// as a number. A digit comes before any other byte. If two numbers are equal, the one with
// fewer leading zeros comes first.
func Compare(a, b string) int {
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n == 0 || m == 0 {
			if n != m {
				return cmp.Compare(m, n)
			}
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(n, m)); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits is the number of digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n
}
