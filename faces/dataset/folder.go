package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// openFolder reads DATA/person/image and DATA/person/folder/image, or what opt.Names says.
func openFolder(ctx context.Context, root string, opt Options) (*Images, error) {
	if opt.Names != "" {
		return openNamed(ctx, root, opt)
	}
	w, err := walk(ctx, root, opt.Skip)
	if err != nil {
		return nil, err
	}
	images, others := w.divide()
	for _, err := range append(w.unreadable, w.links...) {
		if len(images) > 0 && opt.Warn != nil {
			opt.warn("left out: %v", err)
			continue
		}
		if advice.Text(err) == "" {
			err = advice.Add(err, "make it readable, or move it out of %s", root)
		}
		return nil, err
	}
	isLeftover := leftover(root)
	belongsToNobody := func(f string) bool {
		entry, _, _ := strings.Cut(f, "/")
		return isLeftover(entry)
	}
	images, others = slices.DeleteFunc(images, belongsToNobody), slices.DeleteFunc(others, belongsToNobody)
	for _, f := range w.foreignCounts() {
		opt.warn("%s cannot be read: convert them to JPEG", f)
	}
	if err := refuseDates(root, images); err != nil {
		return nil, err
	}
	if message := repeatedNames(root, images); message != "" {
		opt.warn("%s", message)
	}
	people, err := w.people(images, opt)
	if err != nil {
		return nil, err
	}
	s := w.skipped(others)
	s.Links, s.Foreign = 0, "" // there was a warning for each
	if skipped := s.String(); len(others) > 0 {
		opt.warn("left out: %s, for example %s", skipped, others[0])
	} else if skipped != "" {
		opt.warn("left out: %s", skipped)
	}
	images = slices.DeleteFunc(images, func(f string) bool { return !strings.Contains(f, "/") })
	paths, labels := make([]string, len(images)), make([]string, len(images))
	for i, f := range images {
		paths[i] = filepath.Join(root, filepath.FromSlash(f))
		labels[i], _, _ = strings.Cut(f, "/")
		images[i] = Text(f)
	}
	read, err := readAll(ctx, paths, nil, opt)
	if err != nil {
		return nil, err
	}
	return read.set(labels, images, people, opt)
}

// foreignCounts counts the foreign images: "3 HEIC files".
func (w *walker) foreignCounts() (counts []string) {
	number := make(map[string]int)
	for _, f := range w.foreign {
		number[f.name]++
	}
	for _, f := range foreign {
		if n := number[f.name]; n > 0 {
			counts = append(counts, legible.Count(n, f.name+" file"))
		}
	}
	return counts
}

// people returns the folders of root with images, in natural order. It is an error if
// the layout is not root/person/image or root/person/folder/image.
func (w *walker) people(images []string, opt Options) ([]string, error) {
	if len(images) == 0 && len(w.foreign) > 0 {
		return nil, advice.Add(fmt.Errorf("%s holds no images that can be read", w.root), "convert the %s to JPEG",
			strings.Join(w.foreignCounts(), " and the "))
	}
	if len(images) == 0 {
		return nil, advice.Add(fmt.Errorf("%s holds no images", w.root), layout)
	}
	direct, nested := make(map[string]int), make(map[string]int)
	var unassigned []string
	for _, f := range images {
		switch parts := strings.Split(f, "/"); len(parts) {
		case 1:
			unassigned = append(unassigned, f)
		case 2:
			direct[parts[0]]++
		case 3:
			nested[parts[0]]++
		default:
			return nil, advice.Add(fmt.Errorf("%s in %s lies more than one folder below that of a person", f, w.root), layout)
		}
	}
	if len(unassigned) == len(images) {
		return nil, namelessFolder(w.root, unassigned)
	}
	if len(unassigned) > 0 {
		opt.warn("ignored what lies in no folder of a person: %s, for example %s", legible.Count(len(unassigned), "image"), unassigned[0])
	}
	var people []string
	isLeftover := leftover(w.root)
	for _, f := range w.folders {
		switch {
		case strings.Contains(f, "/"):
		case isLeftover(f):
			opt.warn("%s", leftoverMessage(f))
		case direct[f]+nested[f] == 0:
			opt.warn("ignored the folder %s: it holds no images", f)
		case direct[f] == 0 && isPart(f):
			return nil, advice.Add(fmt.Errorf("%s holds the folders of people one level down, in %s", w.root, f),
				"give %s itself", filepath.Join(w.root, f))
		default:
			if err := CheckName(f); err != nil {
				return nil, fmt.Errorf("the folder %s: %w", filepath.Join(w.root, f), err)
			}
			people = append(people, f)
		}
	}
	if len(people) == 1 {
		return people, refuseLonely(w.root, people[0], images)
	}
	return people, nil
}

// isPart reports whether name is common for a part of a data set, such as "train".
func isPart(name string) bool {
	switch strings.ToLower(name) {
	case "train", "training", "test", "testing", "val", "valid", "validation", "gallery", "probe":
		return true
	}
	return false
}
