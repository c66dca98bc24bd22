package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/feature"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/synthetic"
)

// inputTable measures what makes samples of faces, and robust coding, on drawn
// faces.
func inputTable(w io.Writer) error {
	fmt.Fprintln(w, "| inputs and robust coding | measured | asked |\n| --- | --- | --- |")
	for _, f := range []struct{ spec, asked string }{{"lbp", "≤ 0.4 ms"}, {"hog", "≤ 0.4 ms"}, {"igo", ""}, {"gabor", ""}, {frontend.Faces96.Features.String(), ""}} {
		took, err := oneFace(f.spec, frontend.Faces96.Size)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s of a 96×96 face, one thread | %.3f ms | %s |\n", f.spec, 1e3*took, f.asked)
	}
	took, err := oneFace(frontend.Faces32.Features.String(), frontend.Faces32.Size)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| faces32 of a 32×32 face, one thread | %.3f ms | |\n", 1e3*took)
	if err := convertTable(w); err != nil {
		return err
	}
	return robustTable(w)
}

// oneFace is the time that features take for one face of a size, on one thread.
func oneFace(spec string, size dataset.Size) (seconds float64, err error) {
	set, err := drawnFaces(2, 1, size)
	if err != nil {
		return 0, err
	}
	f, err := feature.ParseFeatures(spec)
	if err != nil {
		return 0, err
	}
	e, err := f.Over(size.Height, size.Width)
	if err != nil {
		return 0, err
	}
	image, dst := mat.Col(nil, 0, set.X), make([]float64, f.Len(size.Height, size.Width))
	return best(func() { e.Extract(dst, image) }), nil
}

func drawnFaces(people, each int, size dataset.Size) (*dataset.Images, error) {
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = people, each, size
	return s.Draw(context.Background())
}

// convertTable measures nrdl data convert of 10,000 faces: reading, making
// samples and writing.
func convertTable(w io.Writer) error {
	const faces = 10_000
	dir, err := os.MkdirTemp("", "nrdl-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	set, err := drawnFaces(100, faces/100, dataset.DefaultSize)
	if err != nil {
		return err
	}
	from := filepath.Join(dir, "faces.npz")
	if err := dataset.Save(ctx, from, set); err != nil {
		return err
	}
	for _, spec := range []string{"hog:4", "lbp:5.34", "igo+lbp:5.34+hog:4", "faces32"} {
		in, err := frontend.Parse(spec)
		if err != nil {
			return err
		}
		least := time.Duration(1<<63 - 1)
		for range 3 {
			start := time.Now()
			read, err := dataset.Open(ctx, from, dataset.Options{})
			if err != nil {
				return err
			}
			samples, err := in.ForImages(read.Frame).Samples(read)
			if err != nil {
				return err
			}
			if err := dataset.Save(ctx, filepath.Join(dir, "features.npz"), &dataset.Images{Samples: *samples}); err != nil {
				return err
			}
			least = min(least, time.Since(start))
		}
		fmt.Fprintf(w, "| 10,000 faces of 32×32 from .npz to .npz by %s, %d features | %.0f a second | ≥ 5,000 |\n", spec, in.ForImages(set.Frame).Len(), faces/least.Seconds())
	}
	return nil
}

// robustTable measures robust coding of one face of 56×46 over 240 atoms.
func robustTable(w io.Writer) error {
	defer blas.SetThreads(blas.SetThreads(1))
	set, err := drawnFaces(40, 7, dataset.Size{Height: 56, Width: 46})
	if err != nil {
		return err
	}
	unit := classify.Unit(mat.DenseCopyOf(lin.Cols(set.X, 0, 240)))
	over, err := coding.DefaultRobust.Over(unit, nil)
	if err != nil {
		return err
	}
	y, s := classify.Unit(mat.DenseCopyOf(lin.Cols(set.X, 240, 241))), mat.NewDense(240, 1, nil)
	took := best(func() { err = over.Code(context.Background(), s, y) })
	fmt.Fprintf(w, "| robust coding of one 56×46 face over 240 atoms, one thread | %.1f ms | ≤ 10 ms |\n", 1e3*took)
	return err
}
