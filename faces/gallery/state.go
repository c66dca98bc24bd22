package gallery

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/openset"
)

// state is what changes with the people of a gallery that shortlists, beside its faces.
type state struct {
	Options *openset.Options `json:"how,omitempty"`
	HeldOut *heldOut         `json:"held,omitempty"`
}

// State returns what Restore needs beside the faces; nil unless g shortlists.
func (g *Gallery) State() ([]byte, error) {
	if !g.Shortlists() {
		return nil, nil
	}
	return json.Marshal(state{g.Options(), g.heldOut})
}

// Restore returns a gallery that was stored and that shortlists: g with its classifiers and
// threshold. g has the stored faces, the method and the pipeline, p is what Shared returned, and
// text is what State returned, nil if the gallery was not calibrated.
func (g *Gallery) Restore(p classify.Parts, text []byte) (*Gallery, error) {
	x, t := g.Enrolled.Faces, *g
	d, info := x.Dims()
	if want := g.Frame.Len(); d != want || info != infos {
		return nil, fmt.Errorf("the faces have vectors of %d numbers, and the network makes %d", d, want)
	}
	people, faces := x.Len()
	if people < classify.MinClasses || !g.Projection.IsZero() || !t.Enrolled.hasIDs {
		return nil, errors.New("damaged gallery: it cannot shortlist")
	}
	t.ShortlistAbove = min(cmp.Or(g.ShortlistAbove, DefaultShortlistAbove), faces-1)
	t.setShared(g.Fitted, p)
	var s state
	if text != nil {
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("damaged gallery: %w", err)
		}
	}
	if s.Options != nil {
		if err := s.Options.Validate(); err != nil {
			return nil, fmt.Errorf("damaged gallery: %w", err)
		}
	}
	if t.OpenSet, t.heldOut = s.Options, s.HeldOut; s.HeldOut == nil {
		return &t, nil
	}
	for i := range s.HeldOut.Probes {
		p := &s.HeldOut.Probes[i]
		if len(p.Rivals) == 0 {
			return nil, errors.New("damaged gallery: a probe without rivals")
		}
		if t.separable() == nil {
			continue
		}
		r, found := x.Find(p.Name) // now, as the first change should be as quick as the others
		if !found {
			return nil, fmt.Errorf("damaged gallery: a probe of %q, who is not there", p.Name)
		}
		own, err := x.Person(r)
		if err != nil {
			return nil, err
		}
		j := slices.Index(own.IDs, p.ID)
		if j < 0 {
			return nil, fmt.Errorf("damaged gallery: a probe %q, which is not there", p.ID)
		}
		p.vector = own.Vectors[j*d : (j+1)*d]
	}
	return &t, t.byScores()
}

// Keep returns the images that a gallery stores: those that show a face, with
// their values rounded to single precision, as in a model file. It returns
// images itself if nothing changes. It is an error if no image shows a face.
func Keep(images *dataset.Images) (*dataset.Images, error) {
	if images == nil || images.Len() == 0 {
		return nil, errors.New("there are no images")
	}
	if err := dataset.CheckNames(images.Classes); err != nil {
		return nil, err
	}
	kept := images.Faces()
	if kept == nil {
		return nil, errors.New("every training image is black")
	}
	if kept.AreFaces() {
		kept = inSinglePrecision(kept)
	}
	return kept, nil
}

// inSinglePrecision returns s with its values rounded to what a model file
// keeps. It is s itself where they are that already.
func inSinglePrecision(s *dataset.Images) *dataset.Images {
	d, _ := s.X.Dims()
	var x *mat.Dense
	for i := range d {
		for j, v := range s.X.RawRowView(i) {
			r := float64(float32(v))
			if r == v || math.IsInf(r, 0) {
				continue
			}
			if x == nil {
				x = mat.DenseCopyOf(s.X)
			}
			x.Set(i, j, r)
		}
	}
	if x == nil {
		return s
	}
	t := *s
	t.X = x
	return &t
}
