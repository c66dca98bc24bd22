package group

import (
	"context"
	"fmt"
	"image"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl/dataset"
	"nrdl/face"
	"nrdl/frontend"
	"nrdl/internal/hint"
	"nrdl/openset"
)

// A Face is a face in a photograph.
type Face struct {
	Photograph int             // which
	Box        image.Rectangle // in pixels of the upright photograph
	Thumb      *image.RGBA     // the aligned face, for people to look at
}

// Photographs are photographs with their faces in groups.
type Photographs struct {
	Paths  []string
	Errors []error // of each photograph: why it has no faces here; nil if it has
	Faces  []Face  // of all photographs, in their order, the largest of each first
	Groups [][]int // of the indices of Faces, as Faces returns them
}

// InPhotographs finds the faces in the image files at paths and groups them, by the
// network of in. A file that cannot be read, and a photograph without a usable face,
// has an error in the result. Progress is called after each file, by any goroutine but
// never by two at once; may be nil.
func InPhotographs(ctx context.Context, paths []string, in frontend.Pipeline, o Options, progress func(done, total int)) (*Photographs, error) {
	if in.Embedder == nil {
		return nil, hint.Add(fmt.Errorf("group: input %v has no network", in), "leave out --input, or name a network: --input embedding:FILE.onnx")
	}
	l := openset.ImpostorsOf(in.Embedding.Digest, in.Embedding.Mirror)
	if l == nil {
		return nil, hint.Add(fmt.Errorf("group: how similar network %s finds different people was not measured", in.Embedding.Name), "leave out --input: it was measured for the built-in network, with mirror images")
	}
	in.Frame = in.Embedder.Frame() // a preset says nothing of the pupils
	p := &Photographs{Paths: paths, Errors: make([]error, len(paths))}
	seen := make([][]looked, len(paths))
	next := make(chan int)
	var workers sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				seen[i], p.Errors[i] = look(ctx, paths[i], in)
				mu.Lock()
				done++
				if progress != nil {
					progress(done, len(paths))
				}
				mu.Unlock()
			}
		})
	}
	for i := range paths {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var of []int
	var vectors [][]float64
	for i, faces := range seen {
		for _, f := range faces {
			p.Faces = append(p.Faces, Face{i, f.box, f.thumb})
			of, vectors = append(of, i), append(vectors, f.values)
		}
	}
	if len(vectors) == 0 {
		return p, nil
	}
	x := mat.NewDense(len(vectors[0]), len(vectors), nil)
	for j, v := range vectors {
		x.SetCol(j, v)
	}
	var err error
	p.Groups, err = Faces(ctx, x, of, l, o)
	return p, err
}

// A looked is a usable face in a photograph.
type looked struct {
	values []float64
	box    image.Rectangle
	thumb  *image.RGBA
}

// look finds the usable faces in the image file at path.
func look(ctx context.Context, path string, in frontend.Pipeline) (all []looked, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	data, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	photo, err := dataset.DecodeColour(data, path)
	if err != nil {
		return nil, err
	}
	seen, err := face.In(ctx, photo, face.All, face.Cut{Frame: in.Frame, Embedder: in.Embedder, Thumbs: true})
	if err != nil {
		return nil, err
	}
	why := fmt.Errorf("%s: %w", path, face.ErrNoFace)
	for _, s := range seen {
		if s.Refused != nil {
			why = fmt.Errorf("%s: %w", path, s.Refused)
			continue
		}
		all = append(all, looked{s.Values, s.Face.Box, s.Thumb})
	}
	if len(all) == 0 {
		return nil, why
	}
	return all, nil
}
