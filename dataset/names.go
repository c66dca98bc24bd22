package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

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
