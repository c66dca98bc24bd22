package faces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/parallel"
)

// ReadFiles reads the faces in image files, with the frame o.Frame. If the frame has no size,
// ReadFiles decides from the images whether they are photographs or crops, as Read does. The
// result has the unlabelled images in the order of files; NoFace marks those without a face. It
// leaves out labelled images without a face, and files that cannot be read, with a warning. It
// is an error if no face is found. Files with tags are all files, or none; of them the faces that
// have a name by tags are read, and no others.
func ReadFiles(ctx context.Context, files []dataset.File, o ReadOptions) (*dataset.Images, error) {
	if err := cmp.Or(noContext(ctx), o.Detect.Validate()); err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no image files")
	}
	if files[0].Tags != nil {
		return readTaggedFiles(ctx, files, o)
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
	if o.choose != nil {
		if err := o.choose(ctx, files, read); err != nil {
			return nil, err
		}
	}
	left := o.warnOfLeftOut(files, read)
	faces := o.readFaces(files, read)
	if !slices.ContainsFunc(faces, func(f readFace) bool { return f.values != nil }) {
		err := fmt.Errorf("no face can be used: %s left out", legible.Count(len(files), "image"))
		if o.Warn != nil { // the warnings have the hint
			return nil, err
		}
		return nil, advice.Add(err, "%s", advice.Text(left))
	}
	o.warnOfPeople(files, read, faces)
	return labelled(faces, o.Frame)
}

// A readFace is one image of the result of ReadFiles: a face, or an unlabelled image without
// one.
type readFace struct {
	values  []float64 // nil: no face
	person  string
	id      string
	quality *dataset.Quality // nil for an image that is used as it is
}

// readFaces returns the faces that can be used, in the order of files, and the unlabelled
// images without any.
func (o ReadOptions) readFaces(files []dataset.File, read []readFile) (faces []readFace) {
	for i, r := range read {
		f, n := files[i], 0
		for _, s := range r.faces {
			if s.Reason != nil {
				continue
			}
			id := f.ID
			if n++; n > 1 {
				id = fmt.Sprintf("%s#%d", f.ID, n) // as when a data set is opened
			}
			one := readFace{values: s.Values, person: f.Person, id: id}
			if s.Face != nil {
				one.quality = &s.Face.Quality
			}
			faces = append(faces, one)
		}
		if n == 0 && f.Person == "" && r.err == nil {
			one := readFace{id: f.ID}
			if !o.Frame.Eyes.IsZero() {
				one.quality = &dataset.Quality{}
			}
			faces = append(faces, one)
		}
	}
	return faces
}

// warnOfLeftOut warns of each face and file that is left out, and returns why the last file
// without a usable face has none.
func (o ReadOptions) warnOfLeftOut(files []dataset.File, read []readFile) (last error) {
	for i, r := range read {
		reasons := o.leftOut(files[i].Path, r)
		for _, err := range reasons {
			o.warn(fmt.Errorf("left out: %w", err))
		}
		if !r.usable() {
			last = reasons[0]
		}
	}
	return last
}

// leftOut returns why faces of the file at path, or the file, are left out.
func (o ReadOptions) leftOut(path string, r readFile) (reasons []error) {
	switch {
	case r.err != nil:
		return []error{r.err}
	case len(r.faces) == 0:
		return []error{advice.Add(fmt.Errorf("%s: %w", path, face.ErrNoFace), "%s", advice.Text(face.ErrNoFace))}
	case len(r.faces) > 1 && o.Detect.Which == face.Refuse:
		return []error{advice.Add(fmt.Errorf("%s: no face alone: there are %d", path, len(r.faces)), "cut out the one that is meant")}
	}
	for _, s := range r.faces {
		if s.Reason != nil {
			reasons = append(reasons, fmt.Errorf("%s: %w", path, s.Reason))
		}
	}
	return reasons
}

// warnOfPeople warns of people whose photographs show no usable face, and of photographs
// with several faces if any face has a person.
func (o ReadOptions) warnOfPeople(files []dataset.File, read []readFile, faces []readFace) {
	people := map[string]bool{}
	for _, f := range faces {
		people[f.person] = true
	}
	missing := map[string]bool{}
	several := 0
	for i, r := range read {
		if len(r.faces) > 0 && r.faces[0].Total > 1 {
			several++
		}
		if name := files[i].Person; name != "" && !people[name] {
			missing[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		o.warn(fmt.Errorf("%s is not added: no photograph shows a face", name))
	}
	if delete(people, ""); len(people) > 0 {
		o.warnOfSeveral(several, o.Detect.Which, "all of them are taken for those of the person")
	}
}

// framed returns o with the Frame and the Embedder that Read chooses for the images at
// paths; o itself if it has a size.
func (o ReadOptions) framed(ctx context.Context, paths []string) (ReadOptions, error) {
	if o.Frame.Size != (dataset.Size{}) || !o.Frame.Embedding.IsZero() {
		return o, nil
	}
	e := o.Embedder
	if e == nil {
		e = embedding.Default()
	}
	d := &face.Detector{Options: o.Detect, Frame: o.Frame, Embedder: e, Required: o.Embedder != nil}
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
// faces to enrol, identify or calibrate with. Of several faces in a photograph of a person it takes the
// one that Meant returns, unless r has a rule for that (face.Options.Which), and it warns of faces
// that r takes for somebody else, as Enrol does.
func (r *Recogniser) ReadFiles(ctx context.Context, files []dataset.File) (*dataset.Images, error) {
	if err := r.checkPhotos(ctx); err != nil {
		return nil, err
	}
	detect := r.detect
	detect.Search = r.search()
	if !r.detects() {
		detect.Detect = face.Never
	}
	o := ReadOptions{Frame: r.m.Frame, Detect: detect, Embedder: r.m.Embedder, Observer: r.Observer}
	named := slices.ContainsFunc(files, func(f dataset.File) bool { return f.Person != "" })
	if named && r.asks() {
		o.Detect.Which, o.choose = face.All, r.chooseMeant
	}
	images, err := ReadFiles(ctx, files, o)
	if err != nil {
		return nil, err
	}
	if err := r.warnOfKnown(ctx, images); err != nil {
		return nil, err
	}
	return images, nil
}

// labelled makes a data set of faces. It is unlabelled if no face has a person.
func labelled(faces []readFace, f dataset.Frame) (*dataset.Images, error) {
	x := mat.NewDense(f.Len(), len(faces), nil)
	var people, ids []string
	var quality []dataset.Quality
	var noFace []bool
	named := false
	for j, one := range faces {
		if one.values != nil {
			x.SetCol(j, one.values)
		}
		people, ids, noFace = append(people, one.person), append(ids, one.id), append(noFace, one.values == nil)
		if one.quality != nil {
			quality = append(quality, *one.quality)
		}
		named = named || one.person != ""
	}
	if !named {
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

// A readFile is a file as face.Decode reads it.
type readFile struct {
	faces []face.Seen
	size  image.Point // of the upright photograph
	err   error
}

// stored is the size of the stored photograph whose tags are p.
func (r readFile) stored(p *tags.Photo) image.Point {
	if p.Orientation >= 5 {
		return image.Pt(r.size.Y, r.size.X)
	}
	return r.size
}

// usable reports whether one of the faces can be used.
func (r readFile) usable() bool {
	return slices.ContainsFunc(r.faces, func(s face.Seen) bool { return s.Reason == nil })
}

// readAll reads files on all processors.
func (o ReadOptions) readAll(ctx context.Context, files []dataset.File, cut face.Cut) ([]readFile, error) {
	detect := o.Detect.Detect != face.Never && !o.Frame.Eyes.IsZero()
	all := make([]readFile, len(files))
	parallel.Each(ctx, len(files), o.progress("reading"), func(j int) {
		data, ctx, done, err := dataset.Load(ctx, files[j].Path, 0)
		defer done()
		if err == nil {
			all[j].faces, all[j].size, err = face.Decode(ctx, data, files[j].Path, detect, o.Detect.Which, cut)
		}
		all[j].err = err
	})
	return all, context.Cause(ctx)
}
