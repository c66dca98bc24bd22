package faces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
)

// Meant returns which of the faces seen in one photograph shows the person name, by its index: the only
// face that r gives this name or, if there is none, the only one that is unknown. It is -1 where that is
// not clear, so that nobody has to guess. One face alone is the one that is meant. The result has the
// names that r gives; where r has no threshold, all faces are unknown.
func (r *Recogniser) Meant(ctx context.Context, name string, seen []face.Seen) ([]Face, int, error) {
	if err := r.checkPhotos(ctx); err != nil {
		return nil, -1, err
	}
	faces := facesOf(r.m, seen)
	which, err := r.meant(ctx, name, faces)
	return faces, which, err
}

// meant is Meant of faces, which it names.
func (r *Recogniser) meant(ctx context.Context, name string, faces []Face) (int, error) {
	if err := r.namePhotographs(ctx, nil, faces); err != nil {
		return -1, err
	}
	var is, unknown []int
	for i := range faces {
		f := &faces[i]
		if f.Known && r.m.Calibration == nil {
			f.Known, f.Name = false, ""
		}
		switch {
		case f.Rejection != nil:
		case !f.Known:
			unknown = append(unknown, i)
		case f.Name == name:
			is = append(is, i)
		}
	}
	switch {
	case len(faces) == 1:
		return 0, nil
	case len(is) == 1:
		return is[0], nil
	case len(is) == 0 && len(unknown) == 1:
		return unknown[0], nil
	}
	return -1, nil
}

// meantIn is meant for a photograph at path, "" for one without a file. An unknown face is the one that is
// like those that are alone in other new photographs of the person, if there are any. What it does is
// warned; where the face is not clear it is an error that wraps face.ErrSeveral, and says what to do.
func (r *Recogniser) meantIn(ctx context.Context, path, photo, name string, faces []Face, alone [][]float64) (int, error) {
	which, err := r.meant(ctx, name, faces)
	if err != nil || len(faces) < 2 {
		return which, err
	}
	why := "the only unknown one"
	if len(alone) > 0 && (which < 0 || !faces[which].Known) {
		which, why = agreeing(faces, alone), "like the other photographs of "+name
	}
	candidate := which
	for i, f := range faces {
		who := "unknown"
		switch {
		case f.Rejection != nil:
			who = f.Rejection.Error()
		case f.Known:
			who = strings.TrimSpace(f.Name + " " + f.Confidence)
		}
		if candidate < 0 && f.Rejection == nil && (!f.Known || f.Name == name) {
			candidate = i
		}
		r.tell("%s, face %d at %d,%d: %s", photo, i+1, f.Box.Min.X, f.Box.Min.Y, who)
	}
	switch {
	case which >= 0 && faces[which].Known:
		r.tell("%s: face %d is taken: it is %s", photo, which+1, name)
		return which, nil
	case which >= 0:
		r.tell("%s: face %d is taken: it is %s", photo, which+1, why)
		return which, nil
	}
	err = fmt.Errorf("%s shows %w: %d, and nothing says which one is %s", photo, face.ErrSeveral, len(faces), name)
	candidate = max(candidate, 0)
	settings := []advice.Setting{advice.Person.To(name), advice.Place.To(boxText(faces[candidate].Box))}
	if path != "" {
		settings = append(settings, advice.Data.To(path))
	}
	return -1, advice.Add(err, "if face %d is %s: %v", candidate+1, name, advice.Enrol.With(settings...))
}

// agreeing is which of the unknown faces is like those of other photographs, and more so than any other
// unknown face; -1 if none is.
func agreeing(faces []Face, others [][]float64) int {
	best, largest, second := -1, -1., -1.
	for i, f := range faces {
		if f.Known || f.Rejection != nil {
			continue
		}
		var like float64
		for _, o := range others {
			like += floats.Dot(f.values, o) / floats.Norm(f.values, 2) / floats.Norm(o, 2) / float64(len(others))
		}
		if like > largest {
			best, largest, second = i, like, largest
		} else {
			second = max(second, like)
		}
	}
	if largest < face.DefaultAgree.Like || largest < second+face.DefaultAgree.More {
		return -1
	}
	return best
}

// boxText is b as face.ParsePlace reads it.
func boxText(b image.Rectangle) string {
	return fmt.Sprintf("%d,%d,%d,%d", b.Min.X, b.Min.Y, b.Dx(), b.Dy())
}

// asks reports whether r finds out which of several faces a person is: the caller has not chosen.
func (r *Recogniser) asks() bool {
	return r.detects() && r.detect.At == nil && r.detect.Which == ""
}

// chooseMeant leaves in read the face that is meant in each file of a person, and an error where that is
// not clear.
func (r *Recogniser) chooseMeant(ctx context.Context, files []dataset.File, read []readFile) error {
	alone := map[string][][]float64{} // by person
	for i, one := range read {
		if r.m.Embedder != nil && len(one.faces) == 1 && one.faces[0].Reason == nil {
			alone[files[i].Person] = append(alone[files[i].Person], one.faces[0].Values)
		}
	}
	for i := range read {
		one := &read[i]
		if files[i].Person == "" {
			one.faces = one.faces[:min(1, len(one.faces))]
			continue
		}
		if one.err != nil || len(one.faces) < 2 {
			continue
		}
		path := files[i].Path
		which, err := r.meantIn(ctx, path, path, files[i].Person, facesOf(r.m, one.faces), alone[files[i].Person])
		switch {
		case errors.Is(err, face.ErrSeveral):
			one.faces, one.err = nil, err
		case err != nil:
			return err
		default:
			one.faces = one.faces[which : which+1]
			one.faces[0].Total = 1 // no warning that there are others
		}
	}
	return nil
}

// warnOfKnown warns of new faces that r takes for somebody else than they are called. Where nobody is
// warned, that is an error: a person would be enrolled under two names without anybody knowing.
func (r *Recogniser) warnOfKnown(ctx context.Context, more *dataset.Images) error {
	if len(more.Classes) == 0 || r.m.Calibration == nil {
		return nil
	}
	faces := make([]Face, more.Len())
	for j := range faces {
		faces[j] = Face{values: column(more, j), gallery: r.m}
	}
	if err := r.name(ctx, faces); err != nil {
		return err
	}
	type pair struct{ name, is string }
	var pairs []pair
	ids := map[pair][]string{}
	for j, f := range faces {
		p := pair{more.Classes[more.ClassOf(j)], f.Name}
		if !f.Known || p.is == p.name || f.TrainedID != "" { // equal faces are in the MergeReport
			continue
		}
		if ids[p] == nil {
			pairs = append(pairs, p)
		}
		ids[p] = append(ids[p], more.ID(j))
	}
	var err error
	for _, p := range pairs {
		one := fmt.Errorf("the model takes %s of %s for %s: %s", legible.Count(len(ids[p]), "photograph"),
			p.name, p.is, legible.Abridged(ids[p]))
		one = advice.Add(one, "if that is right, %v takes the change back", advice.Undo)
		r.warn(one)
		err = cmp.Or(err, one)
	}
	if r.Warn == nil {
		return err
	}
	return nil
}

// column is image j of s.
func column(s *dataset.Images, j int) []float64 {
	v := make([]float64, s.X.RawMatrix().Rows)
	for i := range v {
		v[i] = s.X.At(i, j)
	}
	return slices.Clip(v)
}
