package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/parallel"
)

// maxElements bounds a data set: 8 GiB of numbers.
const maxElements = 1 << 30

// A Reader finds the faces in an image file and cuts them out. It is safe for concurrent
// use. Name is for errors. The error wraps ErrNoFace if the image can be read and has no
// face.
type Reader interface {
	Read(ctx context.Context, data []byte, name string) ([]Crop, error)
}

// A Crop is the image of a face that a Reader found.
type Crop struct {
	Values  []float64 // grey values as DecodeImage gives them, or the vector that a network made of them
	Quality Quality
}

// ErrNoFace is returned by a Reader for an image without a face.
var ErrNoFace = errors.New("no face")

// A reading is many images being read at once.
type reading struct {
	opt        Options
	crops      [][]Crop      // of each image; none where there is no face
	unreadable map[int]error // images that could not be read
	faceless   map[int]error // images without a face: why
}

// samples are the columns that were made of images. An image with several faces has
// several; one without a face has one, which is zero; one that cannot be read has none.
type samples struct {
	frame      Frame
	x          *mat.Dense
	quality    []Quality // nil without a Reader
	images     []int     // the image of each sample
	faceless   []faceless
	unreadable map[int]error // by image
	reader     Reader
}

// faceless is an image without a face.
type faceless struct {
	sample int
	reason error
}

// readAll reads the images at paths on all processors. An image that cannot be read is
// left out if opt.Warn is set and other images can be read. Otherwise the error is that of
// the first one, in the order of paths. Names, if not nil, are prefixes of errors.
func readAll(ctx context.Context, paths, names []string, opt Options) (*samples, error) {
	if err := opt.choose(ctx, paths); err != nil {
		return nil, err
	}
	in := opt.images()
	if len(paths) > maxElements/in.Len() {
		return nil, advice.Add(fmt.Errorf("%d images of %v are too many to hold", len(paths), in.Size), "choose a smaller size")
	}
	r := &reading{opt, make([][]Crop, len(paths)), map[int]error{}, map[int]error{}}
	errs := make([]error, len(paths))
	parallel.Each(ctx, len(paths), opt.Progress, func(j int) { r.crops[j], errs[j] = opt.read(ctx, paths[j]) })
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("read images: %w", err)
	}
	for j, err := range errs {
		switch {
		case errors.Is(err, ErrNoFace):
			r.faceless[j] = err
		case err != nil && names != nil:
			r.unreadable[j] = fmt.Errorf("%s: %w", names[j], err)
		case err != nil:
			r.unreadable[j] = err
		}
	}
	if len(r.unreadable) > 0 && (opt.Warn == nil || len(r.unreadable) == len(paths)) {
		return nil, advise(r.unreadable[slices.Min(slices.Collect(maps.Keys(r.unreadable)))])
	}
	return r.samples(), nil
}

// set makes a data set of s. Image i shows the person labels[i] and has the ID ids[i].
// Classes are the people in their order, or nil for natural order. People without a face
// are left out.
func (s *samples) set(labels, ids, classes []string, opt Options) (*Images, error) {
	labels, merged := oneSpelling(labels)
	for _, name := range merged {
		opt.warn("%s", mergedMessage(name))
	}
	if len(merged) > 0 && classes != nil {
		all, seen := classes, map[string]bool{}
		classes, _ = oneSpelling(all)
		classes = slices.DeleteFunc(classes, func(name string) bool { again := seen[name]; seen[name] = true; return again })
	}
	s.chosen(labels, ids, opt)
	classes = s.withoutUnreadable(labels, classes, opt)
	perImage := map[int]int{}
	of, names := make([]string, len(s.images)), make([]string, len(s.images))
	for j, i := range s.images {
		of[j], names[j] = labels[i], ids[i]
		if perImage[i]++; perImage[i] > 1 {
			names[j] = fmt.Sprintf("%s#%d", ids[i], perImage[i])
		}
	}
	set, err := NewImages(s.x, of, names, classes, s.frame)
	if err != nil || s.quality == nil {
		return set, err
	}
	order, _, _, err := classify.Group(of, set.Classes)
	if err != nil {
		return nil, err
	}
	without := make([]bool, len(s.images))
	for _, f := range s.faceless {
		without[f.sample] = true
	}
	set.Quality = make([]Quality, len(order))
	for j, from := range order {
		set.Quality[j] = s.quality[from]
		if s.faceless != nil {
			set.NoFace = append(set.NoFace, without[from])
		}
	}
	return s.withFaces(set, of, opt)
}

// withoutUnreadable warns about the images that could not be read, and returns those of
// classes that have other images.
func (s *samples) withoutUnreadable(labels, classes []string, opt Options) []string {
	if len(s.unreadable) == 0 {
		return classes
	}
	has, lost := map[string]bool{}, map[string]int{}
	for _, i := range s.images {
		has[labels[i]] = true
	}
	for _, i := range slices.Sorted(maps.Keys(s.unreadable)) {
		opt.warn("left out: %v", s.unreadable[i])
		lost[labels[i]]++
	}
	opt.warn("%d of %s could not be read", len(s.unreadable), legible.Count(len(labels), "image"))
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		if !has[name] {
			opt.warn("%q is left out: %s could not be read", name, legible.Count(lost[name], "image"))
		}
	}
	return slices.DeleteFunc(slices.Clone(classes), func(name string) bool { return !has[name] })
}

// withFaces warns about the images without a face, and returns set without the people who
// have no others.
func (s *samples) withFaces(set *Images, labels []string, opt Options) (*Images, error) {
	without := map[string]int{}
	for i, f := range s.faceless {
		without[labels[f.sample]]++
		if i < maxNamed {
			opt.warn("%v", f.reason)
		}
	}
	if more := len(s.faceless) - maxNamed; more > 0 {
		opt.warn("and %s more without a face", legible.Count(more, "image"))
	}
	var keep []int
	for c, name := range set.Classes {
		lo, hi := set.Groups[c], set.Groups[c+1]
		if without[name] == hi-lo {
			opt.warn("%q is left out: no face was found in %s", name, legible.Count(hi-lo, "image"))
			continue
		}
		for j := lo; j < hi; j++ {
			keep = append(keep, j)
		}
	}
	switch len(keep) {
	case 0:
		return nil, advice.Add(errors.New("no face was found in any of the images"), "%v takes images as they are", advice.Detect.To("never"))
	case len(s.images):
		return set, nil
	}
	return set.Select(keep), nil
}

// samples collects the crops of all images.
func (r *reading) samples() *samples {
	in := r.opt.images()
	n := 0
	for _, crops := range r.crops {
		n += max(1, len(crops))
	}
	n -= len(r.unreadable)
	s := &samples{frame: in, x: mat.NewDense(in.Len(), n, nil), unreadable: r.unreadable, reader: r.opt.reader}
	for i, crops := range r.crops {
		if r.unreadable[i] != nil {
			continue
		}
		if len(crops) == 0 {
			s.faceless = append(s.faceless, faceless{len(s.images), r.faceless[i]})
			crops = []Crop{{}}
		}
		for _, c := range crops {
			if c.Values != nil {
				s.x.SetCol(len(s.images), c.Values)
			}
			s.images = append(s.images, i)
			if r.opt.reader != nil {
				s.quality = append(s.quality, c.Quality)
			}
		}
		r.crops[i] = nil
	}
	return s
}

// advise adds advice to the error of an image that could not be read.
func advise(err error) error {
	switch {
	case advice.Text(err) != "":
		return err
	case errors.Is(err, fs.ErrPermission):
		return advice.Add(err, "make the file readable")
	}
	return advice.Add(err, "remove the file, or replace it by an image that opens")
}

// read returns the faces of the image at path.
func (opt Options) read(ctx context.Context, path string) ([]Crop, error) {
	if opt.reader == nil && opt.Embedder == nil {
		v, err := ReadImage(ctx, path, opt.images())
		return []Crop{{Values: v}}, err
	}
	data, ctx, done, err := Load(ctx, path, 0)
	if err != nil {
		return nil, err
	}
	defer done()
	if opt.reader != nil {
		return opt.reader.Read(ctx, data, path)
	}
	photo, err := DecodeColour(ctx, data, path)
	if err != nil {
		return nil, err
	}
	v, err := photo.Embed(ctx, opt.images(), opt.Embedder)
	return []Crop{{Values: v}}, err
}
