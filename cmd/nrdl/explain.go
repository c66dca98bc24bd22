package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) explainCmd() *cobra.Command {
	e := &explaining{app: a}
	c := &cobra.Command{
		Use:  "explain MODEL PHOTO [-o WHY]",
		Args: cli.Arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.check(args); err != nil {
				return err
			}
			err := e.run(c.Context(), args[0], args[1])
			switch {
			case err != nil || e.json:
			case len(e.additions) > 0:
				for _, which := range e.additions {
					e.Next(which, legible.ShellWord(args[0]), legible.ShellWord(args[1]))
				}
			case e.output == "":
				e.Next("nrdl explain %s %s -o why.html (with pictures)", legible.ShellWord(args[0]), legible.ShellWord(args[1]))
			case e.hasEnrolled:
				e.Next("--photos DIR, the folder that the model was trained on, shows the photographs of the model beside this face")
			}
			return err
		},
		ValidArgsFunction: completeModel,
	}
	e.find.Which = face.All
	detectVar(c, &e.find, "as the model does")
	c.Flags().StringVarP(&e.output, "output", "o", "", "`WHY` file to write, .html, .png, .svg or .pdf")
	cli.Number(c, &e.number, "face", "", cli.InRange(1, cli.Many), "explain face `N` only, 1 being the largest")
	c.Flags().StringVar(&e.photos, "photos", "", "show the photographs of the model from the folder `DIR`, which it was trained on")
	c.Flags().BoolVar(&e.json, "json", false, "write one object with the numbers, instead of the sentence")
	cli.Complete(c, "output", cli.Files(append([]string{"html"}, picture.Formats...)...))
	cli.Complete(c, "photos", cli.Folders)
	return c
}

// explaining is one run of explain.
type explaining struct {
	*app
	find        face.Options
	output      string
	photos      string // folder of the enrolled photographs
	json        bool
	number      int  // of the face; 0 for all, or the largest of a picture
	hasEnrolled bool // enrolled faces could stand beside the face

	additions []string // how each unknown face is added, with %s for model and photograph; nil if the model takes nobody new
}

// check reports a command line that makes no sense.
func (e *explaining) check(args []string) error {
	switch ext := strings.ToLower(filepath.Ext(e.output)); {
	case e.output == "":
		return nil
	case ext != ".html" && !e.picture():
		return advice.Add(cli.Misuse("--output %s is neither a page nor a picture", e.output), "write NAME.html, NAME.png, NAME.svg or NAME.pdf")
	}
	if path := cli.SameFile(e.output, args...); path != "" {
		return cli.Misuse("the explanation would take the place of %s", path)
	}
	return nil
}

func (e *explaining) picture() bool {
	return slices.Contains(picture.Formats, strings.ToLower(strings.TrimPrefix(filepath.Ext(e.output), ".")))
}

func (e *explaining) run(ctx context.Context, model, photo string) error {
	o, done := e.observer("explaining")
	defer done()
	r, err := e.open(model, e.find, o)
	if err != nil {
		return err
	}
	if !r.Model().Pipeline.SeesImages() {
		return advice.Add(fmt.Errorf("%s was trained on vectors, or on images of an unknown size", model),
			"only faces in images can be explained")
	}
	if e.output != "" {
		if err := atomicfile.Check(e.output); err != nil {
			return err
		}
	}
	faces, of, err := e.faces(ctx, r, photo)
	if err != nil {
		return err
	}
	page := &explain.Page{Title: filepath.Base(photo), Model: r.Model(), Show: explain.DefaultShow}
	if e.photos != "" {
		page.Photograph = explain.PortraitsIn(ctx, r.Model(), e.photos, e.WarnOf)
	}
	object := output.Explained{File: dataset.Text(photo)}
	for _, f := range faces {
		one, err := r.Explain(ctx, f.Face, e.covering()...)
		if err != nil {
			return fmt.Errorf("%s: %w", photo, err)
		}
		shown := explain.Face{Explanation: one}
		if of > 1 {
			shown.Title = fmt.Sprintf("Face %d of %d (box %s)", f.number, of, corners(f.Box))
		}
		switch {
		case f.Known || r.Keeps() != nil:
		case of == 1:
			e.additions = append(e.additions, "if you know who it is: nrdl add %s %s -n NAME")
		default:
			e.additions = append(e.additions, fmt.Sprintf("if you know who face %d is: nrdl add %%s %%s -n NAME --box %s", f.number, corners(f.Box)))
		}
		page.Faces = append(page.Faces, shown)
		object.Faces = append(object.Faces, output.Explain(r.Model(), f.number, f.Face, one))
	}
	done()
	if err := e.tell(object, page.Faces); err != nil || e.output == "" {
		return err
	}
	write := page.HTML
	if e.picture() {
		img, err := page.Picture(lettering.Regular, lettering.Bold)
		if err != nil {
			return err
		}
		write = func(w io.Writer) error { return picture.Write(w, e.output, img) }
	}
	e.hasEnrolled = e.photos == "" && !r.Model().Embedding.IsZero() && r.Model().Enrolled != nil
	return e.app.write(ctx, e.output, write)
}

// covering says how parts of a face are covered: not at all where only sentences are shown.
func (e *explaining) covering() []explain.Occluder {
	if e.output == "" && !e.json {
		return []explain.Occluder{{}}
	}
	return nil
}

// corners writes a box as --box of nrdl add takes it.
func corners(b image.Rectangle) string {
	return fmt.Sprintf("%d,%d,%d,%d", b.Min.X, b.Min.Y, b.Dx(), b.Dy())
}

// tell prints the sentences of o, or all of it.
func (e *explaining) tell(o output.Explained, faces []explain.Face) error {
	if e.json {
		return e.printJSON(o)
	}
	for i, f := range o.Faces {
		if i > 0 {
			e.Print("\n")
		}
		if title := faces[i].Title; title != "" {
			e.Print("%s: ", title)
		}
		e.Print("%s\n", f.Sentence)
	}
	return nil
}

// A numbered face is one of several.
type numbered struct {
	faces.Face
	number int // from 1, the largest first
}

// faces returns the faces of the photograph that are to be explained, and how many
// faces it has.
func (e *explaining) faces(ctx context.Context, r *faces.Recogniser, photo string) ([]numbered, int, error) {
	img, err := dataset.ReadPhoto(ctx, photo)
	if err != nil {
		return nil, 0, readable(err)
	}
	found, err := r.Identify(ctx, img)
	if err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		return nil, 0, advice.Add(fmt.Errorf("%s: no face found", photo),
			"a brighter or larger photograph may help; only if the whole image is one face: --detect never")
	}
	if e.number > len(found) {
		return nil, 0, fmt.Errorf("%s: there is no face %d: it shows %s", photo, e.number, legible.Count(len(found), "face"))
	}
	var seen []numbered
	var refused error
	for i, f := range found {
		switch {
		case e.number != 0 && i+1 != e.number:
		case f.Rejection != nil:
			err := fmt.Errorf("%s: %w", photo, f.Rejection)
			if len(found) > 1 {
				err = fmt.Errorf("%s, face %d: %w", photo, i+1, f.Rejection)
			}
			if refused = errors.Join(refused, err); e.number == 0 && len(found) > 1 {
				e.Warn("left out: %v", err)
			}
		case e.picture() && len(seen) > 0: // the largest is there
		default:
			seen = append(seen, numbered{f, i + 1})
		}
	}
	switch {
	case len(seen) > 0:
		return seen, len(found), nil
	case e.number == 0 && len(found) > 1:
		return nil, 0, fmt.Errorf("%s: no face can be seen well enough", photo)
	}
	return nil, 0, refused
}
