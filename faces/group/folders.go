package group

import (
	"context"
	_ "embed" // the page
	"fmt"
	"html/template"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/linkdir"
	"nrdl.example/nrdl/internal/kit/page"
)

// Folder returns the name of the folder of group i; "" for a single face.
func (p *Photographs) Folder(i int) string {
	switch g := p.Groups[i]; {
	case len(g.Faces) < 2:
		return ""
	case g.Loose:
		return fmt.Sprintf("person%04d may be several people", i+1)
	}
	return fmt.Sprintf("person%04d", i+1)
}

// Unused returns an error if dir holds groups of an earlier run. Their folders may have other
// names or other people now: a second run would give a person two names, or put two people
// into one folder.
func Unused(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, dataset.GroupsMark)); err != nil {
		return nil
	}
	return advice.Add(fmt.Errorf("group: %s has the groups of an earlier run", dir), "choose another folder, or remove it")
}

// WriteFolders makes in dir a folder for each group of two faces or more, with links to
// the photographs, and a page that shows the faces. Training uses the largest face of each
// photograph, so every other face of a group is written as a photograph of its own.
// Photographs without a face in a group are in the folder dataset.Unknown, those without a
// usable face in dataset.NoFaceFolder. The page explains, in the wording words, how to train
// on the folders. Warn is called if links cannot be made.
func (p *Photographs) WriteFolders(ctx context.Context, dir string, words advice.Wording, warn func(format string, args ...any)) error {
	var names []string
	linked := make([][]string, len(p.Paths)) // the folders with each photograph
	shown := make([]bool, len(p.Paths))      // whether a face of it is in a folder
	for i, members := range p.Groups {
		name := p.Folder(i)
		if name == "" {
			continue
		}
		names = append(names, name)
		for _, f := range members.Faces {
			face := p.Faces[f]
			if face.Largest {
				linked[face.Photograph] = append(linked[face.Photograph], name)
			}
			shown[face.Photograph] = shown[face.Photograph] || face.Largest || face.Cutout != nil
		}
	}
	sorter, err := linkdir.New(dir, names, dataset.FolderNames(names), warn)
	if err != nil {
		return err
	}
	defer sorter.Unlock()
	for i, path := range p.Paths {
		other := dataset.Unknown
		switch {
		case p.Errors[i] != nil:
			other = dataset.NoFaceFolder
		case shown[i] && linked[i] == nil:
			continue
		}
		if err := sorter.Place(path, linked[i], other); err != nil {
			return err
		}
	}
	if err := p.writeCutouts(ctx, dir); err != nil {
		return err
	}
	write := func(name string, content func(io.Writer) error) error {
		_, err := new(atomicfile.Writer).Write(ctx, filepath.Join(dir, name), content)
		return err
	}
	if err := write(dataset.GroupsMark, func(io.Writer) error { return nil }); err != nil {
		return err
	}
	return write(dataset.GroupsPage, func(w io.Writer) error { return p.writePage(w, dir, words) })
}

// writeCutouts writes the faces in groups that are not the largest of their photographs.
func (p *Photographs) writeCutouts(ctx context.Context, dir string) error {
	same := map[string]int{}              // photographs of a name so far
	names := make([]string, len(p.Paths)) // that differ
	for i, path := range p.Paths {
		base := filepath.Base(path)
		base = strings.TrimSuffix(base, filepath.Ext(base))
		if same[base]++; same[base] > 1 {
			base = fmt.Sprintf("%s~%d", base, same[base])
		}
		names[i] = base
	}
	for i, members := range p.Groups {
		for _, f := range members.Faces {
			face := p.Faces[f]
			if face.Cutout == nil || p.Folder(i) == "" {
				continue
			}
			name := fmt.Sprintf("%s face %d.jpg", names[face.Photograph], face.Number)
			if err := os.MkdirAll(filepath.Join(dir, p.Folder(i)), 0o777); err != nil {
				return err
			}
			_, err := new(atomicfile.Writer).Write(ctx, filepath.Join(dir, p.Folder(i), name), func(w io.Writer) error {
				_, err := w.Write(face.Cutout)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

//go:embed page.html.tmpl
var pageText string

// style of the page, after the shared one.
const style = `
.thumbs { display: flex; flex-wrap: wrap; gap: .3rem; }
.thumbs img { width: 96px; height: 96px; border-radius: 4px; }
code { background: var(--faint); border: 1px solid var(--line); padding: .1em .3em; border-radius: 3px; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }`

var groups = page.New(pageText, style, nil)

// A section of the page is a group, or the faces in none.
type section struct {
	Name  string
	Alone bool
	Loose bool
	Faces []shownFace
}

type shownFace struct {
	Photo string
	Image template.URL
}

// writePage writes a page with the faces of each group, which is in dir.
func (p *Photographs) writePage(w io.Writer, dir string, words advice.Wording) error {
	var sections []section
	alone := section{Name: dataset.Unknown, Alone: true}
	for i, members := range p.Groups {
		s := section{Name: p.Folder(i), Loose: members.Loose}
		for _, f := range members.Faces {
			thumb, err := page.JPEG(p.Faces[f].Thumb, jpeg.DefaultQuality)
			if err != nil {
				return err
			}
			s.Faces = append(s.Faces, shownFace{p.Paths[p.Faces[f].Photograph], page.Data("jpeg", thumb)})
		}
		if s.Name == "" {
			alone.Faces = append(alone.Faces, s.Faces...)
		} else {
			sections = append(sections, s)
		}
	}
	if len(alone.Faces) > 0 {
		sections = append(sections, alone)
	}
	return page.Write(w, groups, "page", struct {
		Sections               []section
		Train, Unknown, NoFace string
	}{sections, words.Action(Training(dir)), dataset.Unknown, dataset.NoFaceFolder})
}

// Training returns the action that trains a model on the folders in dir, for advice.
func Training(dir string) advice.Action {
	return advice.Train.With(advice.Data.To(dir), advice.Model.To(filepath.Clean(dir)+".nrdl"))
}
