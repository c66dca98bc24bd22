package file

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
)

// fewImages is how many images a model keeps at most of which the rest is derived:
// a second of work when the file is opened. Of more, the file has what follows too.
const fewImages = 500

// follows says what of a model follows from its images, to the last bit, and is not
// stored.
type follows struct {
	basis bool // the projection is fit to the images
	atoms bool // the dictionary is their samples
}

// derives reports whether what follows from images is derived: where they are few, or
// where nothing has to be computed, as the samples are the images.
func derives(in frontend.Pipeline, images *dataset.Images) bool {
	return images.Len() <= fewImages || in.Projection.IsZero() && !in.Mirror && !in.Embedding.IsZero()
}

// followsOf compares m with what follows from its images.
func followsOf(m *gallery.Gallery) (f follows) {
	d := m.Shared().D
	if d == nil || m.Enrolled == nil || !derives(m.Pipeline, m.Images()) {
		return f
	}
	fitted, atoms, err := derive(m.Pipeline, m.Images())
	if err != nil {
		return f
	}
	if b := m.Basis; b != nil {
		f.basis = mat.Equal(b.P, fitted.Basis.P) && slices.Equal(b.M, fitted.Basis.M)
	}
	r, c := d.Dims()
	ar, ac := atoms.Dims()
	f.atoms = (m.Basis == nil || f.basis) && r == ar && c == ac && mat.Equal(d, atoms)
	return f
}

// derive returns in as it is fitted to images, and their samples at unit norm, but
// those that are zero.
func derive(in frontend.Pipeline, images *dataset.Images) (frontend.Fitted, *mat.Dense, error) {
	fitted, samples, err := in.Fit(context.Background(), images)
	if err != nil {
		return fitted, nil, err
	}
	if seen := classify.NonZero(samples.X); len(seen) == 0 {
		return fitted, nil, errors.New("every sample is zero")
	} else if len(seen) < samples.Len() {
		samples = samples.Select(seen)
	}
	return fitted, classify.Unit(samples.X), nil
}

// complete derives what the file does not have from the images of m.
func (c *contents) complete(m *gallery.Gallery) error {
	if c.d != nil && (m.Basis != nil || m.Projection.IsZero()) {
		return nil
	}
	switch {
	case m.Enrolled == nil: // Validate tells of a projection that is missing
		return nil
	case !derives(m.Pipeline, m.Images()):
		return fmt.Errorf("no tensor D, or no projection, which do not follow from more than %d images", fewImages)
	}
	if err := m.Images().Validate(); err != nil {
		return err
	}
	fitted, atoms, err := derive(m.Pipeline, m.Images())
	if err != nil {
		return err
	}
	if c.d == nil {
		c.d = atoms
	}
	if m.Basis == nil {
		m.Basis = fitted.Basis
	}
	return nil
}
