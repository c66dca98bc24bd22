package nrdl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend/embedding"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/parallel"
)

// ReadFiles reads the faces in image files, cut out as o.Frame says; without a size
// they are photographs or crops as for Read. Unlabelled
// images stay in the order of files; those without a face are kept and marked
// in NoFace. Labelled images without a face are left out with a warning, and so
// are files that cannot be read. It is an error if no face is found.
func ReadFiles(ctx context.Context, files []dataset.File, o ReadOptions) (*dataset.Images, error) {
	if err := o.Detect.Validate(); err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no image files")
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	o, err := o.framed(ctx, paths)
	if err != nil {
		return nil, err
	}
	if err := face.Mistaken(ctx, o.Frame, paths); err != nil {
		o.warn(err)
	}
	cut, err := o.cut()
	if err != nil {
		return nil, err
	}
	read, err := o.readAll(ctx, files, cut)
	if err != nil {
		return nil, err
	}
	var all [][]float64
	var people, ids []string
	var quality []dataset.Quality
	var noFace []bool
	var lost []string
	var last error
	several, found := 0, 0
	for i, r := range read {
		f := files[i]
		if len(r.seen) > 0 && r.seen[0].Of > 1 {
			several++
		}
		used := 0
		var why []error
		for _, s := range r.seen {
			if s.Refused != nil {
				why = append(why, fmt.Errorf("%s: %w", f.Path, s.Refused))
				continue
			}
			id := f.ID
			if used++; used > 1 {
				id = fmt.Sprintf("%s#%d", f.ID, used) // as when a data set is opened
			}
			all, people, ids, noFace = append(all, s.Values), append(people, f.Person), append(ids, id), append(noFace, false)
			if s.Face != nil {
				quality = append(quality, s.Face.Quality)
			}
		}
		found += used
		switch {
		case r.err != nil:
			why = []error{r.err}
		case len(r.seen) > 1 && o.Detect.Which == face.Refuse:
			why = []error{advice.Add(fmt.Errorf("%s: no face alone: there are %d", f.Path, len(r.seen)), "cut out the one that is meant")}
		case len(r.seen) == 0:
			why = []error{advice.Add(fmt.Errorf("%s: %w", f.Path, face.ErrNoFace), "%s", advice.Text(face.ErrNoFace))}
		}
		for _, err := range why {
			o.warn(fmt.Errorf("left out: %w", err))
		}
		if used > 0 {
			continue
		}
		last, lost = why[0], append(lost, f.Person)
		if f.Person == "" && r.read {
			all, people, ids, noFace = append(all, nil), append(people, ""), append(ids, f.ID), append(noFace, true)
			if !o.Frame.Eyes.IsZero() {
				quality = append(quality, dataset.Quality{})
			}
		}
	}
	if found == 0 {
		err := fmt.Errorf("no face can be used: %s left out", legible.Count(len(files), "image"))
		if o.Warn != nil { // which was told what to do
			return nil, err
		}
		return nil, advice.Add(err, "%s", advice.Text(last))
	}
	slices.Sort(lost)
	for _, name := range slices.Compact(lost) {
		if name != "" && !slices.Contains(people, name) {
			o.warn(fmt.Errorf("%s is not added: no photograph shows a face", name))
		}
	}
	if several > 0 && slices.ContainsFunc(people, func(p string) bool { return p != "" }) {
		o.warnOfSeveral(several, o.Detect.Which, "all of them are taken for those of the person")
	}
	x := mat.NewDense(o.Frame.Len(), len(all), nil)
	for j, v := range all {
		if v != nil {
			x.SetCol(j, v)
		}
	}
	return labelled(x, people, ids, quality, noFace, o.Frame)
}

// framed returns o with the Frame and the Embedder that Read would choose for the images
// at paths, if o has no size.
func (o ReadOptions) framed(ctx context.Context, paths []string) (ReadOptions, error) {
	if o.Frame.Size != (dataset.Size{}) || !o.Frame.Embedding.IsZero() {
		return o, nil
	}
	e := o.Embedder
	if e == nil {
		e = embedding.Default()
	}
	d := &face.Detector{Options: o.Detect, Frame: o.Frame, Embedder: e}
	reader, frame, err := d.Faces(ctx, paths)
	switch {
	case err != nil:
		return o, err
	case reader != nil:
		o.Frame, o.Embedder = frame, e
	case o.Embedder != nil:
		crop := o.Frame.Crop
		o.Frame = e.Frame()
		o.Frame.Eyes, o.Frame.Crop = dataset.Eyes{}, crop
	default:
		o.Frame.Size = defaultFrame.Size
	}
	return o, nil
}

// ReadFiles is the function ReadFiles with the frame and the options of r: for
// faces to enrol, identify or calibrate with.
func (r *Recogniser) ReadFiles(ctx context.Context, files []dataset.File) (*dataset.Images, error) {
	if err := r.sees(); err != nil {
		return nil, err
	}
	detect := r.detect
	detect.By = r.by()
	if !r.detects() {
		detect.Detect = face.Never
	}
	return ReadFiles(ctx, files, ReadOptions{r.m.Frame, detect, r.m.Embedder, r.Observer})
}

// labelled are the images in the columns of x; of nobody in particular where
// nobody has a name.
func labelled(x *mat.Dense, people, ids []string, quality []dataset.Quality, noFace []bool, f dataset.Frame) (*dataset.Images, error) {
	if !slices.ContainsFunc(people, func(p string) bool { return p != "" }) {
		images := dataset.Unlabelled(x, f)
		images.IDs, images.Quality, images.NoFace = ids, quality, noFace
		return images, nil
	}
	images, err := dataset.NewImages(x, people, ids, nil, f)
	if err != nil || quality == nil {
		return images, err
	}
	order, err := images.Order(people)
	for _, from := range order {
		images.Quality = append(images.Quality, quality[from])
	}
	return images, err
}

// A readFile is what was seen in a file.
type readFile struct {
	seen []face.Seen
	read bool
	err  error
}

// readAll reads files on all processors.
func (o ReadOptions) readAll(ctx context.Context, files []dataset.File, cut face.Cut) ([]readFile, error) {
	detect := o.Detect.Detect != face.Never && !o.Frame.Eyes.IsZero()
	all := make([]readFile, len(files))
	step := o.progress("reading")
	var mu sync.Mutex
	done := 0
	parallel.For(len(files), 1, func(j, _ int) {
		if ctx.Err() != nil {
			return
		}
		data, err := dataset.ReadFile(files[j].Path)
		if err == nil {
			all[j].seen, _, err = face.Decode(ctx, data, files[j].Path, detect, o.Detect.Which, cut)
		}
		all[j].err, all[j].read = err, err == nil
		mu.Lock()
		defer mu.Unlock()
		if done++; step != nil {
			step(done, len(files))
		}
	})
	return all, context.Cause(ctx)
}
