package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// nameFrom takes the names of the samples from the list at path, if that exists and
// fits. It is an error if a name is not allowed for a person.
func (t *table) nameFrom(path string, opt Options) error {
	list, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = t.name(string(list))
	}
	if err != nil {
		opt.warn("ignored %s: %v", path, err)
		return nil
	}
	for _, name := range t.classes {
		if err := CheckName(name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// name takes the sources of the samples, "person/image", from the lines of a list. The
// fields of a line are separated by tabs: row, label, source; or the source alone; or
// row, label, person, image. If classes and people correspond one to one, the classes get
// the names of the people.
func (t *table) name(list string) error {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(list, "\r\n", "\n"), "\n"), "\n")
	if len(lines) != len(t.labels) {
		return fmt.Errorf("%s for %s", legible.Count(len(lines), "line"), legible.Count(len(t.labels), "sample"))
	}
	ids, people := make([]string, len(lines)), make([]string, len(lines))
	for j, line := range lines {
		fields := strings.Split(line, "\t")
		if len(fields) >= 3 && fields[1] != t.labels[j] {
			return fmt.Errorf("line %d has label %s, the sample has %s", j+1, fields[1], t.labels[j])
		}
		if ids[j] = fields[len(fields)-1]; ids[j] == "" {
			return fmt.Errorf("line %d is empty", j+1)
		}
		if len(fields) == 4 {
			people[j] = fields[2]
			ids[j] = people[j] + "/" + ids[j]
			continue
		}
		person, _, nested := strings.Cut(ids[j], "/")
		if nested {
			people[j] = person
		}
	}
	for j, id := range ids {
		ids[j] = Text(id)
	}
	t.ids = ids
	t.namePeople(people)
	return nil
}

// namePeople gives the classes the names of the people, where people[j] is the person of
// sample j, or "" if that is not known.
func (t *table) namePeople(people []string) {
	person, label := make(map[string]string), make(map[string]string)
	for j, name := range people {
		l := t.labels[j]
		if name == "" || setDefault(person, l, name) != name || setDefault(label, name, l) != l {
			return
		}
	}
	for j, l := range t.labels {
		t.labels[j] = person[l]
	}
	for c, l := range t.classes {
		t.classes[c] = person[l]
	}
}

// setDefault sets the value of a key that has none, and returns the value of the key.
func setDefault(m map[string]string, key, value string) string {
	if kept, ok := m[key]; ok {
		return kept
	}
	m[key] = value
	return value
}

// namesFile is the path of the list with the names of the rows of a MATLAB file.
func namesFile(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".names.txt"
}

// writeNames writes a line "row, label, person/source", separated by tabs, for
// every sample; rows count from 0 and labels from 1.
func writeNames(w io.Writer, set *Images) error {
	for j := range set.Groups[len(set.Classes)] {
		c := set.ClassOf(j)
		_, err := fmt.Fprintf(w, "%d\t%d\t%s/%s\n", j, c+1, set.Classes[c], source(set, j))
		if err != nil {
			return err
		}
	}
	return nil
}

// source returns the name of sample j within its person.
func source(set *Images, j int) string {
	c := set.ClassOf(j)
	if set.IDs == nil {
		return fmt.Sprintf("%04d", j-set.Groups[c]+1)
	}
	id := strings.TrimPrefix(set.IDs[j], set.Classes[c]+"/")
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '_'
		}
		return r
	}, id)
}

// fileNames turns names of people into names of folders that are valid on every system
// and differ in more than case.
func fileNames(people []string) []string {
	names := make([]string, len(people))
	taken := make(map[string]bool, len(people))
	key := func(name string) string { return norm.NFC.String(strings.ToLower(name)) } // systems differ in what is one name
	for i, p := range people {
		name := fileName(p)
		for n := 2; taken[key(name)]; n++ {
			name = fmt.Sprintf("%s_%d", fileName(p), n)
		}
		taken[key(name)] = true
		names[i] = name
	}
	return names
}

const maxName = 200 // bytes; file systems allow 255

func fileName(person string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, legible.Without(strings.ToValidUTF8(person, "_"), "_"))
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	name = strings.TrimRight(name, ". ")
	if name == "" || hidden(name) || isLeftFolder(name, "") || reserved(name) {
		return "_" + name
	}
	return name
}

// oneSpelling returns names in which those that differ only in how their letters are composed
// (é, or e and an accent) are equal to the first of them, and lists these first ones.
func oneSpelling(names []string) (same, merged []string) {
	first := map[string]string{} // by the composed form
	same = make([]string, len(names))
	for i, name := range names {
		plain := norm.NFC.String(name)
		if _, seen := first[plain]; !seen {
			first[plain] = name
		}
		if same[i] = first[plain]; same[i] != name && !slices.Contains(merged, same[i]) {
			merged = append(merged, same[i])
		}
	}
	return same, merged
}

func mergedMessage(name string) string {
	return fmt.Sprintf("%q is written in two ways that look alike (as Macs and network drives do): taken for one person", name)
}

// reserved reports whether name, without its extension, is a device of Windows.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem = strings.TrimRight(stem, " "); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, of := strings.CutPrefix(stem, "COM")
	if !of {
		port, of = strings.CutPrefix(stem, "LPT")
	}
	return of && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, port)
}

// FolderNames turns people's names into folder names that are valid on every
// system and differ in more than case. Forbidden characters become _; a Windows
// device name, a hidden or an empty name gets a _ before it; long names are
// cut, and equal ones get a number. No name is Unknown or NoFaceFolder.
func FolderNames(people []string) []string {
	return fileNames(append([]string{Unknown, NoFaceFolder}, people...))[2:]
}

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
		return advice.Add(
			fmt.Errorf("the name %+q holds a character that cannot be seen: a control character, the end of a line, or one of no width", name),
			"write it in one line, of letters, digits, spaces and signs")
	case strings.ContainsAny(name, `/\`):
		return advice.Add(fmt.Errorf("the name %q holds a slash or a backslash", name),
			"a name is that of one folder: write ann-smith instead of ann/smith")
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
