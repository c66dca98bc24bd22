package dataset

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// maxPersonName bounds the name of a person, in bytes. File systems allow 255 for a
// folder.
const maxPersonName = 200

// Unknown is the label of a face that matches nobody.
const Unknown = "unknown"

// CheckName returns an error if name is not allowed as the name of a person, which is also the
// name of a folder. Accents, spaces inside and emoji are allowed. Invisible characters are
// not, since two different names would look the same.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return advice.Add(errors.New("the name is empty"), "give one, for example ann")
	case !utf8.ValidString(name):
		return advice.Add(fmt.Errorf("the name %q is not valid UTF-8", name), "write it in UTF-8")
	case len(name) > maxPersonName:
		return advice.Add(fmt.Errorf("the name %.20q… has %d bytes, at most %d are allowed", name, len(name), maxPersonName), "shorten it")
	case !legible.Is(name) || strayVariation(name):
		return advice.Add(fmt.Errorf("the name %+q holds a character that cannot be seen: a control character, the end of a line, or one of no width", name),
			"write it in one line, of letters, digits, spaces and signs")
	case strings.ContainsAny(name, `/\`):
		return advice.Add(fmt.Errorf("the name %q holds a slash or a backslash", name), "a name is that of one folder: write ann-smith in place of ann/smith")
	case strings.HasPrefix(name, "."):
		return advice.Add(fmt.Errorf("the name %q begins with a dot, as hidden folders do", name), "give the name of a person")
	case strings.EqualFold(norm.NFKC.String(name), Unknown):
		return advice.Add(fmt.Errorf("the name %q is what strangers are called", name),
			"give a person another name; photographs of strangers are for %v", advice.Strangers)
	case strings.TrimSpace(name) != name:
		return advice.Add(fmt.Errorf("the name %q begins or ends with a space", name), "leave the space out")
	}
	return nil
}

// strayVariation reports whether name has a variation selector, which is invisible, after
// a character other than a symbol or an ideograph.
func strayVariation(name string) bool {
	last := ' '
	for _, r := range name {
		if unicode.Is(unicode.Variation_Selector, r) && !unicode.In(last, unicode.S, unicode.Ideographic) {
			return true
		}
		last = r
	}
	return false
}

// CheckNames reports the first class name that CheckName refuses or that occurs twice.
// Two Unicode forms of a name are the same.
func CheckNames(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if err := CheckName(name); err != nil {
			return err
		}
		plain := norm.NFC.String(name)
		if seen[plain] {
			return fmt.Errorf("two classes are named %q", name)
		}
		seen[plain] = true
	}
	return nil
}
