package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/legible"
)

// A File is an image file of a person.
type File struct {
	Path   string
	Person string // "" if unlabelled
	ID     string // as Open makes it: person, slash, path below the folder of the person

	// Tags, if not nil, say whose faces the file shows, and Person is "". ID is then the path.
	Tags *tags.Photo
}

// PhotoFiles lists the images at path, unlabelled, without duplicates.
func PhotoFiles(path string) ([]File, error) {
	files, _, err := Photographs(path)
	if err != nil {
		return nil, err
	}
	list := make([]File, len(files))
	for i, f := range files {
		list[i] = File{Path: f, ID: f}
	}
	return list, nil
}

// ErrNoPerson is returned if a photograph has no label.
var ErrNoPerson = errors.New("no person is named")

// PeopleFiles lists the images at paths as images of person. If person is empty, each
// path must be a folder with one folder per person. CanonicalName maps a name to the
// spelling that is in use. Warn is called for files that are left out; what a pattern of skip
// matches is left out without a word (Options.Skip).
func PeopleFiles(paths []string, person string, canonicalName func(string) string, warn func(error), skip ...string) ([]File, error) {
	if person != "" {
		person = canonicalName(person)
	}
	var list []File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if person == "" && !info.IsDir() {
			return nil, advice.Add(fmt.Errorf("whose face is in %s? %w", path, ErrNoPerson),
				"%v says it, or give a folder with one folder of images per person", advice.Person.To("NAME"))
		}
		files, err := ImageFiles(path, skip...)
		for _, one := range Joined(err) {
			if len(files) == 0 {
				return nil, one
			}
			warn(fmt.Errorf("left out: %w", one))
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s holds no images", path)
		}
		found, err := assignPeople(path, info.IsDir(), files, person, canonicalName, warn)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// assignPeople gives each of files a person: person or, if that is "", the one named by
// its folder below root. Root is a folder, or the only file.
func assignPeople(root string, folder bool, files []string, person string, canonicalName func(string) string, warn func(error)) ([]File, error) {
	var list []File
	names := map[string]string{} // of folders, by the composed form
	unassigned := 0
	if folder && person == "" {
		below := make([]string, len(files))
		for i, file := range files {
			below[i] = filepath.ToSlash(strings.TrimPrefix(file, filepath.Clean(root)+string(filepath.Separator)))
		}
		if err := refuseDates(root, below); err != nil {
			return nil, err
		}
		if message := repeatedNames(root, below); message != "" {
			warn(errors.New(message))
		}
		warnOfSpellings(below, warn)
	}
	isLeftover, ignored := leftover(root), map[string]bool{}
	for _, file := range files {
		at := filepath.Base(file)
		if folder {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			at = filepath.ToSlash(rel)
		}
		name := person
		if name == "" {
			dir, rest, below := strings.Cut(at, "/")
			if !below {
				unassigned++
				continue
			}
			if isLeftover(dir) {
				if !ignored[dir] {
					warn(errors.New(leftoverMessage(dir)))
				}
				ignored[dir] = true
				continue
			}
			if _, seen := names[norm.NFC.String(dir)]; !seen {
				if err := CheckName(strings.TrimSpace(dir)); err != nil {
					return nil, fmt.Errorf("%s: %w", filepath.Join(root, dir), err)
				}
				names[norm.NFC.String(dir)] = canonicalName(strings.TrimSpace(dir))
			}
			name, at = names[norm.NFC.String(dir)], rest
		}
		list = append(list, File{Path: file, Person: name, ID: name + "/" + at})
	}
	switch {
	case len(list) == 0:
		return nil, advice.Add(fmt.Errorf("%s holds images, and no folder of a person: %w", root, ErrNoPerson),
			"if they are all of one: %v; otherwise %v", advice.Person.To("NAME"), ungrouped(root, files))
	case unassigned > 0:
		warn(fmt.Errorf("left out: %s of %s in no folder of a person", legible.Count(unassigned, "image"), root))
	}
	return list, nil
}

// warnOfSpellings warns of the first folders of images, slash-separated paths, that have one name
// in several spellings.
func warnOfSpellings(images []string, warn func(error)) {
	var folders []string
	for _, f := range images {
		if dir, _, below := strings.Cut(f, "/"); below {
			folders = append(folders, dir)
		}
	}
	_, merged := oneSpelling(slices.Compact(folders))
	for _, name := range merged {
		warn(errors.New(mergedMessage(name)))
	}
}

// Joined returns the errors that errors.Join put into err; none for nil.
func Joined(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
