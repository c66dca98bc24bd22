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
	"nrdl.example/nrdl/internal/legible"
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

var groups = page.New(pageText,
	"code { background: var(--faint); border: 1px solid var(--line); padding: .1em .3em; border-radius: 3px; } "+
		"section { margin-top: 1.6rem; }")

// writePage writes a page with the faces of each group, which is in dir.
func (p *Photographs) writePage(w io.Writer, dir string, words advice.Wording) error {
	var all []page.Group
	alone := page.Group{
		Title:   "Faces that are in no group",
		Caption: "Photographs with no face in a group are in the folder " + dataset.Unknown + ".", Address: dataset.Unknown + "/",
	}
	for i, members := range p.Groups {
		name := p.Folder(i)
		g := page.Group{Title: "Folder " + name, Address: template.URL(name + "/")}
		if members.Loose {
			g.Caption = "This group may be several people: its faces are not much more alike than different people here are. Look at each one."
		}
		for _, f := range members.Faces {
			face, err := page.Thumb(p.Faces[f].Thumb, jpeg.DefaultQuality)
			if err != nil {
				return err
			}
			face.Alt = p.Paths[p.Faces[f].Photograph]
			face.Name = filepath.Base(face.Alt)
			g.Pictures = append(g.Pictures, face)
		}
		if name == "" {
			alone.Pictures = append(alone.Pictures, g.Pictures...)
		} else {
			all = append(all, g)
		}
	}
	if len(alone.Pictures) > 0 {
		all = append(all, alone)
	}
	for i := range all {
		all[i].Count = legible.Count(len(all[i].Pictures), "face")
	}
	return page.Write(w, groups, "page", struct {
		Groups                 []page.Group
		Train, Unknown, NoFace string
	}{all, words.Action(Training(dir)), dataset.Unknown, dataset.NoFaceFolder})
}

// Training returns the action that trains a model on the folders in dir, for advice.
func Training(dir string) advice.Action {
	return advice.Train.With(advice.Data.To(dir), advice.Model.To(filepath.Clean(dir)+".nrdl"))
}
