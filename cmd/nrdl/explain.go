package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/explain"
	"nrdl/face"
	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
)

func (a *app) explainCmd() *cobra.Command {
	e := &explaining{app: a}
	c := &cobra.Command{
		Use:   "explain MODEL PHOTO -o WHY",
		Short: "Show why a face has its name",
		Long: `explain writes a page that shows why a model names a face, or reports it as ` + unknown + `:
the aligned face and its reconstruction from the atoms, the atoms with the largest
weights, the scores of the most likely people with the threshold, and the errors that
a robust coder finds. It begins with a summary in one sentence, which it also prints.

WHY is a page for a browser (.html), which needs no network, with a section for each
face of the photograph, or a picture (.png) of one face: the largest one, or the one
that --face selects.`,
		Example: `  nrdl explain people.nrdl people/person001/0001.png -o why.html
  nrdl explain people.nrdl people/person002/0001.png -o why.png --face 1`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.check(args); err != nil {
				return err
			}
			return e.run(c.Context(), args[0], args[1])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []cobra.Completion{"nrdl"}, cobra.ShellCompDirectiveFilterFileExt
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	e.find.which = choiceFlag{value: string(face.All)}
	e.find.detect = choiceFlag{string(face.Auto), face.Detects}
	e.find.detect.register(c, "detect", "whether to search the image for faces: auto, as the model does, always or never")
	c.Flags().StringVarP(&e.output, "output", "o", "", "`WHY` file to write, .html or .png")
	numberVar(c, &e.number, "face", "", inRange(1, many), "explain face `N` only, 1 being the largest")
	complete(c, "output", completeFiles("html", "png"))
	return c
}

// explaining is one run of explain.
type explaining struct {
	*app
	find   faceFlags
	output string
	number int // of the face; 0 for all, or the largest of a picture
}

// check reports a command line that makes no sense.
func (e *explaining) check(args []string) error {
	switch ext := strings.ToLower(filepath.Ext(e.output)); {
	case e.output == "":
		return hint.Add(misuse("explain needs -o WHY, the file to write"), "for example: nrdl explain %s %s -o why.html", quoted(args[0]), quoted(args[1]))
	case ext != ".html" && ext != ".png":
		return hint.Add(misuse("--output %s is neither a page nor a picture", e.output), "write NAME.html or NAME.png")
	}
	if path := sameFile(e.output, args); path != "" {
		return misuse("the explanation would take the place of %s", path)
	}
	return nil
}

func (e *explaining) picture() bool { return strings.EqualFold(filepath.Ext(e.output), ".png") }

func (e *explaining) run(ctx context.Context, model, photo string) error {
	m, err := loadModel(model)
	if err != nil {
		return err
	}
	if m.Parts().Input.Size == (nrdl.Size{}) {
		return hint.Add(fmt.Errorf("%s was learnt from samples that are not images of a known size", model), "only faces in images can be explained")
	}
	if err := atomicfile.Check(e.output); err != nil {
		return err
	}
	views, of, err := e.look(m, photo)
	if err != nil {
		return err
	}
	page := &explain.Page{Title: filepath.Base(photo), Model: m, Show: explain.DefaultShow}
	for i, v := range views {
		one, err := m.Explain(ctx, oneFace(m, v.sample))
		if err != nil {
			return fmt.Errorf("%s: %w", photo, err)
		}
		f := explain.Face{Explanation: one}
		if of > 1 {
			f.Title = titleOf(v, of)
		}
		page.Faces = append(page.Faces, f)
		if i > 0 {
			e.print("\n")
		}
		e.print("%s\n", explain.Sentence(m, one))
	}
	write := page.HTML
	if e.picture() {
		write = page.PNG
	}
	size, err := atomicfile.Write(ctx, e.output, func(w io.Writer) error { return write(w) })
	if err != nil {
		return err
	}
	e.tell("wrote %s, %s", e.output, megabytes(size))
	return nil
}

func oneFace(m *nrdl.Model, sample []float64) *nrdl.Set {
	return &nrdl.Set{X: mat.NewDense(len(sample), 1, sample), Input: m.Parts().Input.Images()}
}

// An explainedView is one of several.
type explainedView struct {
	view
	number int // from 1, the largest first
}

// titleOf says which of so many faces v is.
func titleOf(v explainedView, of int) string {
	b := v.face.Box
	return fmt.Sprintf("Face %d of %d (at %d, %d of the photograph)", v.number, of, (b.Min.X+b.Max.X)/2, (b.Min.Y+b.Max.Y)/2)
}

// look returns the faces of the photograph that are to be explained, and how many
// faces it has.
func (e *explaining) look(m *nrdl.Model, photo string) ([]explainedView, int, error) {
	v, err := newViewer(m, &e.find)
	if err != nil {
		return nil, 0, err
	}
	data, err := dataset.ReadFile(photo)
	if err != nil {
		return nil, 0, readable(err)
	}
	found, err := v.look(data, photo)
	if err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		return nil, 0, hint.Add(fmt.Errorf("%s: no face found", photo), "for a face crop, use --detect never: the whole image is the face")
	}
	if e.number > len(found) {
		return nil, 0, fmt.Errorf("%s: there is no face %d: it shows %s", photo, e.number, plural(len(found), "face"))
	}
	var seen []explainedView
	var refused error
	for i, w := range found {
		switch {
		case e.number != 0 && i+1 != e.number:
		case w.refused != nil:
			err := fmt.Errorf("%s: %w", photo, w.refused)
			if len(found) > 1 {
				err = fmt.Errorf("%s, face %d: %w", photo, i+1, w.refused)
			}
			if refused = errors.Join(refused, err); e.number == 0 && len(found) > 1 {
				e.warn("left out: %v", err)
			}
		case e.picture() && len(seen) > 0: // the largest is there
		default:
			seen = append(seen, explainedView{w, i + 1})
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
