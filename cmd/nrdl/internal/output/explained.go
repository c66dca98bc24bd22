package output

import (
	"nrdl.example/nrdl"
	"nrdl.example/nrdl/explain"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/results"
)

// An Explained is the JSON of a photograph whose faces are explained. Numbers are
// rounded as those of an Object.
type Explained struct {
	File  string          `json:"file"`
	Faces []ExplainedFace `json:"faces"`
}

// An ExplainedFace has what identify writes of a face, and why.
type ExplainedFace struct {
	Number   int    `json:"face"`
	Sentence string `json:"sentence"`
	results.Face
	Threshold *float64          `json:"threshold"` // of the margin; null if the model has none
	Atoms     []Atom            `json:"atoms,omitempty"`
	Embedding *explain.Embedded `json:"embedding,omitempty"`
}

// An Atom has a weight in the code of a face.
type Atom struct {
	Atom        int     `json:"atom"`
	Person      string  `json:"person"`
	Image       string  `json:"image,omitempty"` // the enrolled one that is nearest to the atom
	Coefficient float64 `json:"coefficient"`
	Share       float64 `json:"share"`
}

// Explain returns the ExplainedFace of f, the face of this number in a photograph,
// which m names for these reasons.
func Explain(m *gallery.Gallery, number int, f nrdl.Face, why *explain.Explanation) ExplainedFace {
	o := ExplainedFace{Number: number, Sentence: explain.Sentence(m, why), Face: results.OfFace(f, explain.DefaultShow.People)}
	if m.Calibration != nil {
		o.Threshold = results.Rounded(m.Calibration.Threshold)
	}
	if why.Embedded != nil {
		o.Embedding = why.Embedded.Rounded(results.Round)
		return o
	}
	for _, a := range why.Atoms[:min(explain.DefaultShow.Atoms, len(why.Atoms))] {
		one := Atom{Atom: a.Atom, Person: m.Parts().Classes[a.Class], Coefficient: results.Round(a.Coefficient), Share: results.Round(a.Share)}
		if a.Enrolled >= 0 {
			one.Image = m.Images().ID(a.Enrolled)
		}
		o.Atoms = append(o.Atoms, one)
	}
	return o
}
