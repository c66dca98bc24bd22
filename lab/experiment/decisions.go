package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
)

// Decisions count the decisions about test faces at a threshold. Right, Wrong and Unknown
// are faces of enrolled people.
type Decisions struct {
	FPIR      float64 `json:"fpir"`      // share of strangers that the threshold should accept
	Right     int     `json:"right"`     // with the right name
	Wrong     int     `json:"wrong"`     // with a wrong name
	Unknown   int     `json:"unknown"`   // below the threshold, or no face was found
	Strangers int     `json:"strangers"` // faces of people who are not enrolled
	Named     int     `json:"named"`     // Strangers with a name
}

// Decisions sums the decisions of all runs; nil if a run has none.
func (r *Result) Decisions() *Decisions {
	var sum Decisions
	for _, one := range r.Runs {
		d := one.Decisions
		if d == nil {
			return nil
		}
		sum.FPIR = d.FPIR
		sum.Right, sum.Wrong, sum.Unknown = sum.Right+d.Right, sum.Wrong+d.Wrong, sum.Unknown+d.Unknown
		sum.Strangers, sum.Named = sum.Strangers+d.Strangers, sum.Named+d.Named
	}
	return &sum
}

// decide counts the decisions of m, which has a calibration, on test.
func decide(ctx context.Context, m *gallery.Gallery, test *dataset.Images) (*Decisions, error) {
	faces, err := m.Identify(ctx, test)
	if err != nil {
		return nil, err
	}
	strangers := Strangers(m.Names(), test)
	d := &Decisions{FPIR: m.Calibration.FPIR}
	for j, f := range faces {
		name := test.Classes[test.ClassOf(j)]
		switch {
		case slices.Contains(strangers, name):
			d.Strangers++
			if f.Known {
				d.Named++
			}
		case !f.Known:
			d.Unknown++
		case m.Parts().Classes[f.Class] == name:
			d.Right++
		default:
			d.Wrong++
		}
	}
	return d, nil
}

// calibrated calibrates model, which m trained on the columns learn, as p asks, and counts
// its decisions on the columns judge; nil if p asks for no threshold.
func (p Protocol) calibrated(ctx context.Context, set *dataset.Images, model *frontend.Model,
	m classify.Method, learn, judge []int,
) (*Decisions, error) {
	g := &gallery.Gallery{Model: model, Method: m}
	if p.Calibrate == nil || p.LawOnly && g.Impostors() == nil {
		return nil, nil
	}
	kept, err := gallery.Keep(set.Select(learn))
	if err != nil {
		return nil, err
	}
	g.Enrolled = gallery.Enrolling(kept)
	if g, err = g.Calibrate(ctx, *p.Calibrate, nil, nil); err != nil {
		return nil, err
	}
	return decide(ctx, g, set.Select(judge))
}

// withoutTrained returns set without the images on which m was trained, and the IDs of
// these images. It is an error if there are no other images or, unless skip is set, if
// there are any trained images. If Checks reports false, it returns set.
func withoutTrained(set *dataset.Images, m *gallery.Gallery, skip bool) (*dataset.Images, []string, error) {
	if !Checks(m, set) {
		return set, nil, nil
	}
	equal, err := m.Enrolled.Duplicates(set)
	if err != nil {
		return nil, nil, err
	}
	var others []int
	var trained []string
	faces := 0 // others that show a face: a model keeps no image without one
	for j, e := range equal {
		switch {
		case e.Exists:
			trained = append(trained, set.ID(j))
			continue
		case !set.Faceless(j):
			faces++
		}
		others = append(others, j)
	}
	switch {
	case len(trained) > 0 && faces == 0:
		err := fmt.Errorf("the model was trained on all test images, %d: the rate would say nothing", len(trained))
		return nil, nil, advice.Add(err, "test on other images, or give the %v and %v of the training", advice.Split, advice.Seed)
	case len(trained) > 0 && !skip:
		more := ""
		if len(trained) > 3 {
			more = ", …"
		}
		err := fmt.Errorf("the model was trained on %d of the %d test images: %s%s", len(trained), len(equal),
			strings.Join(trained[:min(3, len(trained))], ", "), more)
		return nil, nil, advice.Add(err, "%v tests on the others only; or give the %v and %v of the training",
			advice.SkipTrained, advice.Split, advice.Seed)
	case len(trained) > 0:
		set = set.Select(others)
	}
	return set, trained, nil
}

// Checks reports whether EvaluateModel can find the images of set on which m was trained:
// m must keep its images, of the same kind as those of set.
func Checks(m *gallery.Gallery, set *dataset.Images) bool {
	return m.Enrolled != nil && !m.Shortlists() && m.Enrolled.Frame.Same(set.Frame) && m.Images().X.RawMatrix().Rows == set.X.RawMatrix().Rows
}
