package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
)

// A newcomer is a photograph that is to be added.
type newcomer struct {
	path, person string
	id           string // as train would have it: person, slash, its place in their folder
}

// newcomers lists the images at paths: those of the person name, or where that is
// empty those in folders of folders, one a person. People are those of the model.
// What cannot be read in a folder is left out with a warning.
func (a *app) newcomers(paths []string, name string, people []string) ([]newcomer, error) {
	name = known(name, people)
	var list []newcomer
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if name == "" && !info.IsDir() {
			return nil, hint.Add(misuse("whose face is in %s?", path), "--name NAME says it, or give a folder with one folder of images a person")
		}
		files, err := dataset.Images(path)
		for _, one := range parts(err) {
			if len(files) == 0 {
				return nil, one
			}
			a.warn("left out: %v", one)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s holds no images", path)
		}
		found, err := a.placed(path, info.IsDir(), files, name, people)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// placed says of the files in the folder at root, or of the one file there, whose
// they are.
func (a *app) placed(root string, folder bool, files []string, name string, people []string) ([]newcomer, error) {
	var list []newcomer
	names := map[string]string{} // of folders
	stray := 0
	for _, file := range files {
		at := filepath.Base(file)
		if folder {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			at = filepath.ToSlash(rel)
		}
		person := name
		if name == "" {
			dir, rest, below := strings.Cut(at, "/")
			if !below {
				stray++
				continue
			}
			if _, seen := names[dir]; !seen {
				clean, err := a.cleaned(dir)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", filepath.Join(root, dir), err)
				}
				names[dir] = known(clean, people)
			}
			person, at = names[dir], rest
		}
		list = append(list, newcomer{path: file, person: person, id: person + "/" + at})
	}
	switch {
	case len(list) == 0:
		return nil, hint.Add(misuse("%s holds images, and no folder of a person", root), "if they are all of one: --name NAME")
	case stray > 0:
		a.warn("left out: %s of %s in no folder of a person", imageCount(stray), root)
	}
	return list, nil
}

func imageCount(n int) string {
	if n == 1 {
		return "1 image"
	}
	return fmt.Sprintf("%d images", n)
}

// A cropReader reads images as they are.
type cropReader struct{ input nrdl.Input }

// Read implements dataset.Reader.
func (r cropReader) Read(data []byte, name string) ([]dataset.Crop, error) {
	v, err := dataset.DecodeImage(data, name, nrdl.Input{Size: r.input.Size, Crop: r.input.Crop})
	if err == nil && dataset.Blank(v) {
		err = fmt.Errorf("%s: %w", name, errBlank)
	}
	if err != nil {
		return nil, err
	}
	return []dataset.Crop{{Values: v}}, nil
}

// look returns the faces in list as images that m is learnt from. What cannot be
// read and what shows no face is left out with a warning; it is an error where
// nothing is left.
func (a *app) look(ctx context.Context, m *nrdl.Model, list []newcomer, find *faceFlags) (*nrdl.Set, error) {
	v, err := newViewer(m, find)
	if err != nil {
		return nil, err
	}
	images := m.Parts().Enrolled.Input
	var reader dataset.Reader = cropReader{images}
	var photos *face.Reader
	if v.detect {
		photos = &face.Reader{Finder: face.DefaultFinder, Limits: face.DefaultLimits, Which: v.which, Input: images}
		reader = photos
	}
	var files []string
	for _, one := range list {
		files = append(files, one.path)
	}
	a.warnOfPhotographs(ctx, v, files)
	crops, errs := a.read(ctx, reader, list)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if photos != nil {
		a.tellSeveral(photos.Tally().Several, v.which)
	}
	return a.enrolling(list, crops, errs, images)
}

// tellSeveral tells of photographs with several faces.
func (a *app) tellSeveral(n int, which face.Which) {
	switch {
	case n == 0:
	case which == face.Largest:
		a.warn("%s with several faces: the largest is taken", photographs(n))
	case which == face.All:
		a.warn("%s with several faces: all of them are taken for those of the person", photographs(n))
	}
}

// read reads the files of list on all processors.
func (a *app) read(ctx context.Context, reader dataset.Reader, list []newcomer) ([][]dataset.Crop, []error) {
	step, done := a.count("reading")
	defer done()
	crops, errs := make([][]dataset.Crop, len(list)), make([]error, len(list))
	var mu sync.Mutex
	finished := 0
	inParallel(ctx, len(list), func(j int) {
		data, err := dataset.ReadFile(list[j].path)
		if err == nil {
			crops[j], err = reader.Read(data, list[j].path)
		}
		errs[j] = err
		mu.Lock()
		defer mu.Unlock()
		if finished++; step != nil {
			step(finished, len(list))
		}
	})
	return crops, errs
}

// enrolling is the set of the crops of list.
func (a *app) enrolling(list []newcomer, crops [][]dataset.Crop, errs []error, in nrdl.Input) (*nrdl.Set, error) {
	var (
		all         []dataset.Crop
		people, ids []string
		lost        []string // people, once for each photograph that is left out
		last        error
	)
	for j, n := range list {
		if errs[j] != nil {
			a.warn("left out: %v", errs[j])
			lost, last = append(lost, n.person), errs[j]
			continue
		}
		for i, c := range crops[j] {
			id := n.id
			if i > 0 {
				id = fmt.Sprintf("%s#%d", n.id, i+1) // as when a data set is opened
			}
			all, people, ids = append(all, c), append(people, n.person), append(ids, id)
		}
	}
	if len(all) == 0 {
		err := fmt.Errorf("no face can be added: %s left out", imageCount(len(list)))
		if h := hint.Of(last); h != "" {
			err = hint.Add(err, "%s", h)
		}
		return nil, err
	}
	slices.Sort(lost)
	for _, name := range slices.Compact(lost) {
		if !slices.Contains(people, name) {
			a.warn("%s is not added: no photograph shows a face", name)
		}
	}
	x := mat.NewDense(in.Size.Len(), len(all), nil)
	for j, c := range all {
		x.SetCol(j, c.Values)
	}
	set, err := nrdl.NewSet(x, people, ids, nil, in)
	if err != nil || in.Eyes.IsZero() {
		return set, err
	}
	order, err := nrdl.Order(people, set.Classes)
	for _, from := range order {
		set.Quality = append(set.Quality, all[from].Quality)
	}
	return set, err
}
