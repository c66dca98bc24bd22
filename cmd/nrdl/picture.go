package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/internal/legible"
)

// picturing is the flags of picture.
type picturing struct {
	output       string
	people, side int
}

func (a *app) pictureCmd() *cobra.Command {
	p := picturing{people: 12, side: 64}
	c := &cobra.Command{
		Use:  "picture MODEL [PHOTO] -o PICTURE",
		Args: cli.Arguments(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(p.output), "."))
			switch {
			case p.output == "":
				return advice.Add(cli.Misuse("picture needs -o PICTURE, the file to write"),
					"for example: nrdl picture %s -o atoms.png", legible.ShellWord(args[0]))
			case !slices.Contains(picture.Formats, ext):
				return advice.Add(cli.Misuse("--output %s is no picture", p.output), "write NAME.png, NAME.svg or NAME.pdf")
			}
			if path := cli.SameFile(p.output, args...); path != "" {
				return cli.Misuse("the picture would take the place of %s", path)
			}
			if len(args) > 1 {
				face := explaining{app: a, find: face.Options{Which: face.All}, output: p.output}
				return face.run(c.Context(), args[0], args[1])
			}
			return a.picture(c.Context(), args[0], &p)
		},
		ValidArgsFunction: completeModel,
	}
	c.Flags().StringVarP(&p.output, "output", "o", "", "`PICTURE` file to write, .png, .svg or .pdf")
	cli.Number(c, &p.people, "people", "", cli.InRange(1, cli.Many), "draw the atoms of the first `N` people")
	cli.Number(c, &p.side, "side", "", cli.InRange(8, 1024), "height of an atom in `PIXELS`")
	cli.Complete(c, "output", cli.Files(picture.Formats...))
	return c
}

// picture draws the atoms of the model at path.
func (a *app) picture(ctx context.Context, path string, p *picturing) error {
	r, err := faces.Open(path)
	if err != nil {
		return err
	}
	m := r.Model()
	if !m.Pipeline.ArePixels() || m.Frame.Size.Len() == 0 {
		err := fmt.Errorf("the atoms of %s are features (%v), which cannot be shown", path, m.Pipeline)
		if !m.Pipeline.SeesImages() {
			return err
		}
		return advice.Add(err, "train with --input pixels; nrdl explain %s PHOTO -o why.png draws what can be shown of a face",
			legible.ShellWord(path))
	}
	if m, err = m.Whole(); err != nil {
		return err
	}
	sheet, err := atomsOf(m, p)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	parts := m.Parts()
	img, err := picture.Sheet(parts.D.Slice(0, m.Frame.Size.Len(), 0, sheet.Groups[len(sheet.Groups)-1]).(*mat.Dense),
		picture.Size(m.Frame.Size), sheet)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := a.write(ctx, p.output, func(w io.Writer) error { return picture.Write(w, p.output, img) }); err != nil {
		return err
	}
	a.Next("nrdl explain %s PHOTO -o why.png (which atoms make a face)", legible.ShellWord(path))
	return nil
}

// atomsOf says how the atoms of m are drawn. It is an error if they are no images.
func atomsOf(m *gallery.Gallery, p *picturing) (picture.SheetOptions, error) {
	opt, parts := picture.DefaultSheet, m.Parts()
	d := 0
	if parts.D != nil {
		d, _ = parts.D.Dims()
	}
	if d != m.Frame.Size.Len() {
		return opt, advice.Add(fmt.Errorf("method %s has no atoms that are images", parts.Method),
			"dictionary learning has some: train with --method nrdl")
	}
	n := min(p.people, len(parts.Classes))
	opt.Title = fmt.Sprintf("Atoms of %s, of %d of %d people", parts.Method, n, len(parts.Classes))
	if opt.Groups = parts.Groups; len(parts.Groups) > n {
		opt.Groups, opt.Captions = parts.Groups[:n+1], parts.Classes[:n]
	}
	opt.Side, opt.Range, opt.Letters, opt.Heading = p.side, picture.Full, lettering.Regular, lettering.Bold
	return opt, nil
}
