package main

import (
	"context"
	"fmt"
	"slices"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/legible"
)

// whichFace says in f which face is added where a photograph has several: it lists them and takes
// the one that is the person, or the only unknown one. Otherwise it is an error: it does not guess.
// Of several photographs, those with several faces are left out.
func (a *app) whichFace(ctx context.Context, r *nrdl.Recogniser, path string, photos []string, f *adding) error {
	if len(photos) != 1 || !dataset.IsImage(photos[0]) {
		if f.face != 0 {
			return cli.Misuse("--face is for one photograph")
		}
		f.find.Which = face.Refuse
		return nil
	}
	find := f.find
	find.Which = face.All
	looking, err := r.With(find, r.Observer)
	if err != nil {
		return err
	}
	var faces []nrdl.Face
	for result, err := range looking.IdentifyAll(ctx, slices.Values([]nrdl.Photo{{Name: photos[0]}})) {
		if err != nil {
			return nil // add reads it again, and says so
		}
		faces = result.Faces
	}
	if len(faces) < 2 && f.face == 0 {
		return nil
	}
	n := f.face
	if n == 0 {
		n = a.faceOf(r, photos[0], f.name, faces)
	}
	if n < 0 || n > len(faces) || n > 0 && faces[n-1].Box.Empty() {
		return cli.Misuse("%s has no face %d: it has %d", photos[0], n, len(faces))
	}
	if n == 0 {
		err := fmt.Errorf("%s shows %d faces, and nothing says which one is %s", photos[0], len(faces), f.name)
		return advice.Add(err, "nrdl add %s -n %s --face N", legible.Arguments(path, photos[0]), legible.ShellWord(f.name))
	}
	b := faces[n-1].Box
	f.find.At, err = face.ParsePlace(fmt.Sprintf("%d,%d,%d,%d", b.Min.X, b.Min.Y, b.Dx(), b.Dy()), true)
	return err
}

// faceOf lists faces and returns the number of the one that is meant by name; 0 if that is not clear.
func (a *app) faceOf(r *nrdl.Recogniser, photo, name string, faces []nrdl.Face) int {
	var is, unknown []int
	for i, f := range faces {
		who := "unknown"
		switch {
		case f.Rejected != nil:
			who = f.Rejected.Error()
		case f.Known:
			who = f.Name + " " + f.Confidence
			if f.Name == name && r.Model().Calibration != nil {
				is = append(is, i+1)
			}
		default:
			unknown = append(unknown, i+1)
		}
		a.Tell("%s, face %d at %d,%d: %s", photo, i+1, f.Box.Min.X, f.Box.Min.Y, who)
	}
	switch {
	case len(is) == 1:
		a.Tell("face %d is taken: it is %s", is[0], name)
		return is[0]
	case len(is) == 0 && len(unknown) == 1:
		a.Tell("face %d is taken: it is the only unknown one", unknown[0])
		return unknown[0]
	}
	return 0
}
