package output

import (
	"nrdl.example/nrdl"
	"nrdl.example/nrdl/explain"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/results"
)

// An Explained is what nrdl explain writes as JSON for a photograph. Numbers are rounded
// as in results.Object.
type Explained struct {
	File  string          `json:"file"`
	Faces []ExplainedFace `json:"faces"`
}

// An ExplainedFace is the result of identify for a face, with the reasons.
type ExplainedFace struct {
	Number   int    `json:"face"`
	Sentence string `json:"sentence"`
	results.Face
	Threshold *float64              `json:"threshold"` // of the margin; null if the model has none
	Atoms     []Atom                `json:"atoms,omitempty"`
	Embedding *explain.Similarities `json:"embedding,omitempty"`
}

// An Atom is a dictionary atom with its weight in the code of a face.
type Atom struct {
	Atom        int     `json:"atom"`
	Person      string  `json:"person"`
	Image       string  `json:"image,omitempty"` // the enrolled one that is nearest to the atom
	Coefficient float64 `json:"coefficient"`
	Share       float64 `json:"share"`
}

// Explain returns the JSON form of face f of a photograph, counted from 1, and of the
// reasons why model m names it.
func Explain(m *gallery.Gallery, number int, f nrdl.Face, why *explain.Explanation) ExplainedFace {
	o := ExplainedFace{Number: number, Sentence: explain.Sentence(m, why), Face: results.NewFace(f, explain.DefaultShow.People)}
	if m.Calibration != nil {
		o.Threshold = results.Rounded(m.Calibration.Threshold)
	}
	if why.Similarities != nil {
		o.Embedding = why.Similarities.Rounded(results.Round)
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
