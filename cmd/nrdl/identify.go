package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/hint"
)

// errBlank is why a black or constant image is not named.
var errBlank = errors.New("the image is blank")

func (a *app) identifyCmd() *cobra.Command {
	var (
		top         int
		asJSON, csv bool
	)
	c := &cobra.Command{
		Use:   "identify MODEL IMAGE|DIR...",
		Short: "Name the faces in images",
		Long: `identify names the face in every image: a line file,name,score each, the
larger the score the surer. In folders it finds all images, in the folders in
them too. The images must be cropped like those that the model was learnt from.

Every face gets the name of a person that the model knows. An image that cannot
be read is reported and left out, and the exit status is 1. A blank image, black
or of one grey, gets an empty name and no score (null in JSON); if there are no
others, the exit status is 1.`,
		Example: `  nrdl identify people.nrdl people/person001
  nrdl identify people.nrdl people/person001/0001.png --top 3
  nrdl identify people.nrdl people --csv
  nrdl identify people.nrdl people --json --top 5`,
		Args: arguments(2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case top < 1:
				return misuse("--top %d is not a number of names ≥ 1", top)
			case asJSON && csv:
				return misuse("--json and --csv exclude each other")
			}
			i := &identification{app: a, top: top, json: asJSON, header: csv}
			return i.run(c.Context(), args[0], args[1:])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []cobra.Completion{"nrdl"}, cobra.ShellCompDirectiveFilterFileExt
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	c.Flags().IntVarP(&top, "top", "t", 1, "name the `N` likeliest people, best first")
	c.Flags().BoolVar(&asJSON, "json", false, "write an object a line: file, name, score, top")
	c.Flags().BoolVar(&csv, "csv", false, "begin with a header line: file,name,score,name2,score2…")
	return c
}

// identification is one run of identify.
type identification struct {
	*app
	top          int
	json, header bool

	model  *nrdl.Model
	files  int // found
	failed int // of them unreadable
	blank  int // of them
}

// faces is how many images are held at a time.
const faces = 512

func (i *identification) run(ctx context.Context, model string, paths []string) error {
	m, err := loadModel(model)
	if err != nil {
		return err
	}
	p := m.Parts()
	if p.Input.Size == (nrdl.Size{}) {
		return hint.Add(fmt.Errorf("%s was learnt from samples that are not images of a known size", model),
			"judge it on such samples: nrdl evaluate DATA --model %s", model)
	}
	i.model, i.top = m, min(i.top, len(p.Classes))
	files := i.find(paths)
	i.files += len(files)
	if i.header {
		i.writeHeader()
	}
	for batch := range slices.Chunk(files, faces) {
		if err := i.batch(ctx, batch); err != nil {
			return err
		}
	}
	if i.failed > 0 && i.files > 1 {
		i.complain(fmt.Errorf("%d of %d images could not be read", i.failed, i.files))
	}
	if i.blank > 0 && i.blank+i.failed == i.files {
		return errors.New("no image could be named")
	}
	if i.failed > 0 {
		return errReported
	}
	return nil
}

// find lists the images at paths; those that are not there have failed.
func (i *identification) find(paths []string) []string {
	var files []string
	for _, path := range paths {
		found, err := dataset.Images(path)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s holds no images", path)
		}
		for _, one := range parts(err) {
			i.complain(readable(one))
			i.files++
			i.failed++
		}
		files = append(files, found...)
	}
	return files
}

// parts are the errors that err joins.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// readable adds what to do about a file without permission.
func readable(err error) error {
	if errors.Is(err, fs.ErrPermission) && hint.Of(err) == "" {
		return hint.Add(err, "make it readable")
	}
	return err
}

// batch names the faces in files and writes a row for each that can be read.
func (i *identification) batch(ctx context.Context, files []string) error {
	samples, errs := i.decode(ctx, files)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	images := i.model.Parts().Input.Images()
	x := mat.NewDense(images.Size.Len(), len(files), nil)
	for j, v := range samples {
		if v != nil {
			x.SetCol(j, v)
		}
	}
	scores, err := i.model.ScoresOf(ctx, &nrdl.Set{X: x, Input: images})
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	for j, file := range files {
		switch {
		case errors.Is(errs[j], errBlank) && i.files > 1:
			i.blank++
			i.warn("%v", errs[j])
			i.write(file, nil)
		case errs[j] != nil:
			i.failed++
			i.complain(readable(errs[j]))
		default:
			i.write(file, i.best(scores.ColView(j)))
		}
	}
	return i.out.Flush()
}

// decode reads files on all processors. A file has a sample or an error.
func (i *identification) decode(ctx context.Context, files []string) ([][]float64, []error) {
	in := i.model.Parts().Input.Images()
	samples, errs := make([][]float64, len(files)), make([]error, len(files))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() {
			for j := range next {
				v, err := dataset.ReadImage(files[j], in)
				switch {
				case err != nil:
					errs[j] = err
				case dataset.Blank(v):
					errs[j] = fmt.Errorf("%s: %w", files[j], errBlank)
				default:
					samples[j] = v
				}
			}
		})
	}
	for j := range files {
		if ctx.Err() != nil {
			break
		}
		next <- j
	}
	close(next)
	wg.Wait()
	return samples, errs
}

// A guess is a person with a score.
type guess struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// best returns the likeliest people, best first, the first of equals first.
func (i *identification) best(scores mat.Vector) []guess {
	names := i.model.Parts().Classes
	all := make([]guess, len(names))
	for c, name := range names {
		all[c] = guess{name, scores.AtVec(c)}
	}
	slices.SortStableFunc(all, func(a, b guess) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return all[:i.top]
}
