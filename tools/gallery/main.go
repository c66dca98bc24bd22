//go:build linux

// Command gallery measures time and memory of galleries of 10⁴ to 10⁶ faces beside NumPy,
// and prints what doc/scale.md shows:
//
//	go -C tools run ./gallery -data DIR
//
// DIR has the vectors lfw_several.npz, as for go -C tools run ./people. They are centred, and the faces
// of a gallery are drawn to have their statistics; without DIR, by the mean cosines of the
// built-in network alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/tools/internal/hint"
)

var (
	data     = flag.String("data", "", "folder with the embeddings")
	maxFaces = flag.Int("faces", 1_000_000, "of the largest gallery")
	minFaces = flag.Int("from", 10_000, "faces of the smallest gallery")
	dims     = flag.Int("dims", 192, "of the vectors, which are those drawn, rotated")
	numpy    = flag.String("numpy", "/usr/bin/python3", "a Python with NumPy; empty for none")
	opened   = flag.String("opened", "", "measure only the use of this model file, which has -faces faces")
)

// each is the number of photographs of an enrolled person.
const each = 4

func main() {
	flag.Parse()
	hint.Exit("gallery", run(context.Background()))
}

func run(ctx context.Context) error {
	d := plain()
	if *data != "" {
		several, err := centred(ctx, filepath.Join(*data, "lfw_several.npz"))
		if err == nil {
			d, err = fit(several)
		}
		if err != nil {
			return err
		}
	}
	if *opened != "" { // costs starts it
		return rotate(d, *dims).opened(ctx, *opened, *maxFaces)
	}
	return costs(ctx, d)
}

// centred reads the faces of a file, with vectors as the program makes them.
func centred(ctx context.Context, path string) (*dataset.Images, error) {
	set, err := dataset.Open(ctx, path, dataset.Options{})
	if err != nil {
		return nil, err
	}
	c := embedding.Default().Centring()
	if set = set.Faces(); set.Frame.Embedding.Centring != "" {
		return set, nil
	}
	v := make([]float64, set.Frame.Len())
	for j := range set.Len() {
		mat.Col(v, j, set.X)
		if !c.Apply(v) {
			return nil, fmt.Errorf("%s: the vector of %s cannot be centred", path, set.ID(j))
		}
		set.X.SetCol(j, v)
	}
	return set, nil
}

// frame is that of the built-in network, whose embeddings are drawn.
func frame() dataset.Frame { return embedding.Default().Frame() }

// grow returns a gallery of images that shortlists, whatever its size.
func grow(ctx context.Context, images *dataset.Images, by classify.Method) (*gallery.Gallery, error) {
	return gallery.Learn(ctx, images, frontend.Pipeline{}.ForImages(images.Frame), by, classify.Run{}, 1)
}

// enrol returns g with more people.
func enrol(ctx context.Context, g *gallery.Gallery, more *dataset.Images) (*gallery.Gallery, error) {
	e, _, err := g.Enrolled.Merge(more)
	if err != nil {
		return nil, err
	}
	return g.Refit(ctx, e, classify.Run{})
}
