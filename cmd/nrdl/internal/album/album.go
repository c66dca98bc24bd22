// Package album writes pages for a browser with the photographs of each person, by date. An album
// is a folder that works from a disk, without a network and without scripts. It keeps the names
// that were found and the thumbnails, so that an interrupted run goes on where it was.
package album

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/jsonl"
	"nrdl.example/nrdl/internal/kit/linkdir"
	"nrdl.example/nrdl/internal/kit/regular"
	"nrdl.example/nrdl/internal/legible"
)

// What is in the folder of an album.
const (
	resultsFile  = "album.jsonl"   // as identify writes it; paths count from the folder
	earlierFile  = "earlier.jsonl" // of another model, until all of its photographs are named again
	thumbFolder  = "thumbs"
	peopleFolder = "people"
	indexFile    = "index.html"
	suspectsFile = "suspects.html" // of a model, if it has any
)

// An Album is an open album, locked by this process. It is safe for concurrent use.
type Album struct {
	*output.File          // of the names
	Earlier      []string // paths of its photographs that another model named: they have no names any more
	dir          string
	unlock       func()
	files        atomicfile.Writer // of pages and thumbnails, which the same command makes again
}

// Open opens the album in the folder dir, which it makes, for names by the model with this
// checksum. Names by another model are dropped, which tell reports: the caller names the photographs
// in Earlier again. The caller closes it.
func Open(dir, model string, tell func(format string, args ...any)) (a *Album, err error) {
	path := filepath.Join(dir, resultsFile)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 && missing(path) && missing(filepath.Join(dir, earlierFile)) {
		return nil, advice.Add(fmt.Errorf("album: %s has other files than those of an album", dir), "choose another folder, or a new one")
	}
	for _, folder := range []string{dir, filepath.Join(dir, thumbFolder), filepath.Join(dir, peopleFolder)} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, fmt.Errorf("album: %w", err)
		}
	}
	a = &Album{dir: linkdir.Real(dir), files: atomicfile.Writer{Renewable: true}}
	if a.unlock, err = atomicfile.LockFolder(dir); err != nil {
		return nil, fmt.Errorf("album: %w", err)
	}
	if a.File, err = a.open(path, model, tell); err != nil {
		a.unlock()
		return nil, err
	}
	a.Name = a.relative
	return a, nil
}

// open opens the file of results at path, and lists the photographs that have to be named again.
func (a *Album) open(path, model string, tell func(format string, args ...any)) (*output.File, error) {
	earlier := filepath.Join(a.dir, earlierFile)
	for _, own := range []string{path, earlier} {
		if info, err := os.Stat(own); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("album: %s %w", own, regular.ErrNot)
		}
	}
	f, err := output.OpenFile(path, 1, model, true)
	if errors.Is(err, output.ErrOtherModel) {
		if err := a.keep(earlier, path); err != nil {
			return nil, fmt.Errorf("album: %w", err)
		}
		f, err = output.OpenFile(path, 1, model, true)
	}
	if err != nil || missing(earlier) {
		return f, err
	}
	all, _, err := a.photos(earlierFile)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("album: %w", err), f.Close())
	}
	for _, p := range all {
		a.Earlier = append(a.Earlier, a.path(p.File))
	}
	tell("%s was made with another model: %s of it are named again", a.dir, legible.Count(len(all), "photograph"))
	return f, nil
}

// keep adds the results at path to those at earlier, which may be there from an interrupted run,
// and removes path.
func (a *Album) keep(earlier, path string) error {
	_, err := a.files.Write(context.Background(), earlier, func(w io.Writer) error {
		for _, from := range []string{earlier, path} {
			f, _, err := regular.Open(from)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			_, err = io.Copy(w, f)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// Write writes the pages of all photographs that a has, each whole or not at all, the index last,
// and removes those of an earlier run that are no longer needed. Model is the file that named the faces, for the
// commands that correct it; "" if there is none. Suspects are its photographs that look mislabelled, which have a
// page if there are any; nil if they are not known.
func (a *Album) Write(ctx context.Context, model string, suspects *explain.People) (Counts, error) {
	if err := a.Flush(); err != nil {
		return Counts{}, err
	}
	all, absent, err := a.photos(resultsFile)
	if err != nil {
		return Counts{}, fmt.Errorf("album: %w", err)
	}
	w := newWriting(a, all, absent)
	if w.suspects = suspects; model != "" {
		w.model = legible.ShellWord(model)
	}
	if err = w.shelves(ctx); err == nil {
		err = a.suspectsPage(ctx, w)
	}
	if err == nil {
		err = w.index(ctx, model)
	}
	if err != nil {
		return w.counts, err
	}
	if err := os.Remove(filepath.Join(a.dir, earlierFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.counts, fmt.Errorf("album: %w", err)
	}
	return w.counts, a.clean(w.names)
}

// Close closes a.
func (a *Album) Close() error {
	defer a.unlock()
	return a.File.Close()
}

// Index is the path of the first page.
func (a *Album) Index() string { return filepath.Join(a.dir, indexFile) }

// relative is how a keeps the path of a photograph: from its folder, with slashes, so that folder
// and photographs can be moved together.
func (a *Album) relative(path string) string {
	real := linkdir.Real(path)
	if rel, err := filepath.Rel(a.dir, real); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(real) // on another drive
}

// path is the path of the photograph that a keeps as name.
func (a *Album) path(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// A photo is a photograph of an album.
type photo struct {
	results.Object
	date   time.Time
	byFile bool // taken is the time of the file
}

// newPhoto is the photograph in which o was found, with the time of its file.
func newPhoto(o results.Object, changed time.Time) *photo {
	p := &photo{Object: o}
	var err error
	if p.date, err = time.Parse(results.TakenLayout, o.Taken); err != nil {
		p.date, p.byFile = changed, true
	}
	return p
}

// Counts says what an album has.
type Counts struct {
	Photographs, People          int
	NamedPhotographs, Unreadable int // photographs with somebody's name, and files that are none
	AbsentPhotographs            int // photographs that are no longer where they were
	Pages                        int
}

// countsOf counts the photographs all, and so many that are absent.
func countsOf(all []*photo, absent int) Counts {
	n := Counts{Photographs: len(all), AbsentPhotographs: absent}
	for _, p := range all {
		switch {
		case p.Error != "":
			n.Unreadable++
		case slices.ContainsFunc(p.Faces, func(f results.Face) bool { return f.Name != nil }):
			n.NamedPhotographs++
		}
	}
	return n
}

// String says how many people the photographs show.
func (n Counts) String() string {
	text := fmt.Sprintf("%s: %d show somebody of the %s", legible.Count(n.Photographs, "photograph"),
		n.NamedPhotographs, legible.People(n.People))
	if others := n.Photographs - n.NamedPhotographs - n.Unreadable; others > 0 {
		text += fmt.Sprintf(", %d nobody of them", others)
	}
	if n.Unreadable > 0 {
		text += fmt.Sprintf(", %d that could not be read", n.Unreadable)
	}
	return text
}

// photos reads the photographs of a, or of an earlier model, from the file name. Those that are not there any more are counted only.
func (a *Album) photos(name string) (all []*photo, absent int, err error) {
	f, _, err := regular.Open(filepath.Join(a.dir, name))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	last := map[string]*photo{}
	_, _, err = jsonl.Read(f, output.MaxLine, func(_ int, line []byte) error {
		p := &photo{}
		if err := json.Unmarshal(line, &p.Object); err != nil {
			return err
		}
		if q := last[p.File]; q != nil {
			*q = *p
			return nil
		}
		last[p.File] = p
		all = append(all, p)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	there := all[:0]
	for _, p := range all {
		info, err := os.Stat(a.path(p.File))
		if err != nil {
			absent++
			continue
		}
		there = append(there, newPhoto(p.Object, info.ModTime()))
	}
	return there, absent, nil
}

// clean removes pages and thumbnails of an earlier run that are not in written.
func (a *Album) clean(written map[string]bool) error {
	for _, folder := range []string{peopleFolder, thumbFolder} {
		var folders []string
		err := filepath.WalkDir(filepath.Join(a.dir, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				folders = append(folders, path)
				return nil
			}
			rel, err := filepath.Rel(a.dir, path)
			if ext := filepath.Ext(path); err != nil || written[filepath.ToSlash(rel)] || strings.HasPrefix(d.Name(), ".") ||
				ext != ".html" && ext != ".jpg" {
				return err
			}
			return os.Remove(path)
		})
		if err != nil {
			return err
		}
		for i := len(folders) - 1; i > 0; i-- {
			_ = os.Remove(folders[i]) // only if it is empty
		}
	}
	return nil
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
