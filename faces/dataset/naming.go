package dataset

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/natural"
)

// A Naming says which part of the path of an image, below the folder of the data set, is the
// name of the person.
type Naming string

// The namings. The zero value is the first folder, after a check that it is not a date.
const (
	NameFirst Naming = "first" // the first folder: Ann/2023/1.jpg
	NameLast  Naming = "last"  // the folder that the image is in: 2023/Ann/1.jpg
	NameFiles Naming = "files" // the file, without a number after a separator: Ann.jpg, Ann 2.jpg, Ann_0003.jpg, Ann (4).jpg
)

// Namings are all of them.
var Namings = []string{string(NameFirst), string(NameLast), string(NameFiles)}

// fileNumber matches the number at the end of the name of a file.
var fileNumber = regexp.MustCompile(`([ _.#-]+\d+| *\(\d+\))$`)

// cameraName matches the names that cameras, telephones and programs give to files, without
// their number.
var cameraName = regexp.MustCompile(
	`^(?i:_?img|_?dsc[nf]?|dscf?|pxl|p|gopr|mvimg|photo|image|picture|face|screenshot.*|whatsapp.*|signal.*)?[-_ ]*\d*([-_ ]\d+)*$`)

// person returns the name of the person in the image at p, a slash-separated path below the
// folder of the data set; "" if p has none.
func (n Naming) person(p string) string {
	switch n {
	case NameFiles:
		name := strings.TrimSpace(strings.TrimSuffix(path.Base(p), path.Ext(p)))
		return strings.TrimSpace(fileNumber.ReplaceAllString(name, ""))
	case NameLast:
		if dir := path.Dir(p); dir != "." {
			return strings.TrimSpace(path.Base(dir))
		}
		return ""
	}
	dir, _, below := strings.Cut(p, "/")
	if !below {
		return ""
	}
	return strings.TrimSpace(dir)
}

// check is an error if name, which the image at p has below root, is no name of a person.
func (n Naming) check(root, p, name string) error {
	err := CheckName(name)
	if err == nil && n == NameFiles && cameraName.MatchString(name) {
		err = advice.Add(fmt.Errorf("%q is a name that a camera gives, not one of a person", strings.TrimSuffix(path.Base(p), path.Ext(p))),
			"name the files like the people, as Ann.jpg and Ann 2.jpg, or give one folder per person, without %v", advice.Names)
	}
	if err == nil && n == NameLast && date.MatchString(name) {
		err = advice.Add(fmt.Errorf("the folder %s looks like a date, not like a person", name),
			"put the images of each person into a folder of their name")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(root, filepath.FromSlash(p)), err)
	}
	return nil
}

// assign returns the people of images, slash-separated paths below root, and the images that
// have one. It is an error if the name of a folder is not allowed or if nobody has images; files
// whose names are those of no person are left out.
func (n Naming) assign(root string, images []string, warn func(error)) (people, of []string, err error) {
	without := 0
	var refused []error // of files
	for _, p := range images {
		name := n.person(p)
		if name == "" && n != NameFiles {
			without++
			continue
		}
		switch err := n.check(root, p, name); {
		case err != nil && n == NameFiles:
			refused = append(refused, err)
			continue
		case err != nil:
			return nil, nil, err
		}
		people, of = append(people, name), append(of, p)
	}
	switch {
	case len(of) == 0 && len(refused) > 0:
		return nil, nil, refused[0]
	case len(of) == 0 && without > 0:
		return nil, nil, namelessFolder(root, images)
	case len(of) == 0:
		return nil, nil, advice.Add(fmt.Errorf("%s holds no images", root), layout)
	case without > 0 && warn != nil:
		warn(fmt.Errorf("left out: %s of %s in no folder of a person", legible.Count(without, "image"), root))
	case len(refused) > 0 && warn != nil:
		warn(fmt.Errorf("left out: %s, named like no person, as %w", legible.Count(len(refused), "image"), refused[0]))
	}
	return people, of, nil
}

// openNamed reads the images below root, whose paths name people as opt.Names says.
func openNamed(ctx context.Context, root string, opt Options) (*Images, error) {
	w, err := walk(ctx, root, opt.Skip)
	if err != nil {
		return nil, err
	}
	images, others := w.divide()
	for _, err := range append(w.unreadable, w.links...) {
		opt.warn("left out: %v", err)
	}
	if s := w.skipped(others).String(); s != "" {
		opt.warn("left out: %s", s)
	}
	labels, images, err := opt.Names.assign(root, images, func(err error) { opt.warn("%v", err) })
	if err != nil {
		return nil, err
	}
	people := slices.Compact(slices.SortedFunc(slices.Values(labels), natural.Compare))
	paths := make([]string, len(images))
	for i, f := range images {
		paths[i], images[i] = filepath.Join(root, filepath.FromSlash(f)), labels[i]+"/"+Text(f)
	}
	read, err := readAll(ctx, paths, nil, opt)
	if err != nil {
		return nil, err
	}
	return read.set(labels, images, people, opt)
}

// NamedFiles lists the images in the folder root as images of the people that n finds in their
// paths. CanonicalName maps a name to the spelling that is in use. Warn is called for files
// that are left out; what a pattern of skip matches is left out without a word (Options.Skip).
func NamedFiles(root string, n Naming, canonicalName func(string) string, warn func(error), skip ...string) ([]File, error) {
	files, err := ImageFiles(root, skip...)
	for _, one := range Joined(err) {
		if len(files) == 0 {
			return nil, one
		}
		warn(fmt.Errorf("left out: %w", one))
	}
	below := make([]string, len(files))
	for i, f := range files {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			return nil, err
		}
		if below[i] = filepath.ToSlash(rel); rel == "." {
			return nil, advice.Add(errors.New(root+" is one image, not a folder"), "give the folder, or say who it is: %v", advice.Person.To("NAME"))
		}
	}
	people, below, err := n.assign(root, below, warn)
	if err != nil {
		return nil, err
	}
	list := make([]File, len(below))
	for i, p := range below {
		name := canonicalName(people[i])
		list[i] = File{Path: filepath.Join(root, filepath.FromSlash(p)), Person: name, ID: name + "/" + Text(p)}
	}
	return list, nil
}

// namelessFolder is the error that images lie in root and not in folders of people.
func namelessFolder(root string, images []string) error {
	err := fmt.Errorf("%s holds %s (%s, …) but no folder of a person", root, legible.Count(len(images), "image"), images[0])
	return advice.Add(err, "%v", ungrouped(root, images))
}
