// Package output writes what a Recogniser says of photographs: lines of text, a
// table, JSON, a file of JSON that a later run goes on with, and the photographs
// with boxes and names.
package output

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/legible"
)

// A Writer writes the result of a photograph. Unread is the error of a photograph that
// could not be read, else nil.
type Writer func(r faces.Result, unread error) error

// Lines returns a Writer of one line of CSV per face: file, name and probability, in a word and
// as a number, then the top likeliest people with their scores.
func Lines(to io.Writer, top int) Writer {
	return func(r faces.Result, unread error) error {
		if unread != nil {
			return nil
		}
		found := r.Faces
		if len(found) == 0 {
			found = []faces.Face{{Rejection: face.ErrNoFace}}
		}
		var rows [][]string
		for _, f := range found {
			fields := []string{legible.Field(r.Photo.Name), legible.Field(labelOf(f)), ""}
			if f.Known {
				fields[2] = f.Confidence
			}
			rows = append(rows, append(fields, guesses(f, top)...))
		}
		return csv.NewWriter(to).WriteAll(rows)
	}
}

// nameOf is whose face it is, faces.Unknown, or "" where it is refused.
func nameOf(f faces.Face) string {
	switch {
	case f.Rejection != nil:
		return ""
	case !f.Known:
		return faces.Unknown
	}
	return f.Name
}

// labelOf is nameOf and, for an unknown face, who it may be, or whose name another face has,
// and which parts of it may be covered.
func labelOf(f faces.Face) string {
	if f.Known || f.Rejection != nil {
		return nameOf(f)
	}
	var notes []string
	switch {
	case f.Maybe == "" && f.LostName != "":
		notes = append(notes, f.LostName+" is another face")
	case f.Maybe == "" && f.Unborn != "":
		notes = append(notes, f.Unborn+" was not born")
	case f.Maybe == "":
	case math.IsNaN(f.Probability):
		notes = append(notes, "maybe "+f.Maybe)
	default:
		notes = append(notes, "maybe "+f.Maybe, gallery.Probability(f.Probability))
	}
	if f.Rival != "" {
		notes = append(notes, "or "+f.Rival)
	}
	if c := coveredOf(f); c != "" {
		notes = append(notes, c+" probably covered")
	}
	if notes == nil {
		return faces.Unknown
	}
	return fmt.Sprintf("%s (%s)", faces.Unknown, strings.Join(notes, ", "))
}

// coveredOf says which parts of f are probably covered; "" for none.
func coveredOf(f faces.Face) string {
	if f.Detection == nil {
		return ""
	}
	return f.Detection.Covered
}

// guesses are the fields of the top likeliest people and their scores, empty where
// the face is refused.
func guesses(f faces.Face, top int) []string {
	fields := make([]string, 2*top)
	for n, g := range f.Ranking[:min(top, len(f.Ranking))] {
		fields[2*n], fields[2*n+1] = legible.Field(g.Name), decimals(g.Score, 4)
	}
	return fields
}

// header has the columns of a table but for further guesses and those of footer.
var header = []string{
	"file", "face", "name", "probability", "guess", "score", "margin", "x", "y", "width", "height",
	"left_x", "left_y", "right_x", "right_y", "eyes", "sharpness", "exposure", "angle", "detection", "refused",
}

// footer has the last columns of a table: who an unknown face may be, the ID of the
// equal face that the model was trained on, and the parts of the face that may be covered.
var footer = []string{"maybe", "trained", "covered"}

// Table writes the header of a CSV table and returns a Writer of its rows, one per face,
// with everything that is known and the top likeliest people. Top is at least 1.
func Table(to io.Writer, top int) (Writer, error) {
	fields := header
	for n := 2; n <= top; n++ {
		fields = append(fields[:len(fields):len(fields)], "guess"+strconv.Itoa(n), "score"+strconv.Itoa(n))
	}
	fields = slices.Concat(fields, footer)
	return func(r faces.Result, unread error) error {
		if unread != nil {
			return nil
		}
		return csv.NewWriter(to).WriteAll(rows(r, top))
	}, csv.NewWriter(to).WriteAll([][]string{fields})
}

// rows are the rows of a table for r.
func rows(r faces.Result, top int) [][]string {
	if len(r.Faces) == 0 {
		fields := make([]string, len(header)+2*(top-1)+len(footer))
		fields[0], fields[len(header)-1] = legible.Field(r.Photo.Name), face.ErrNoFace.Error()
		return [][]string{fields}
	}
	var all [][]string
	for k, f := range r.Faces {
		fields := make([]string, len(header))
		fields[0], fields[1], fields[2] = legible.Field(r.Photo.Name), strconv.Itoa(k+1), legible.Field(nameOf(f))
		likeliest := guesses(f, top)
		if f.Ranking != nil {
			fields[3], fields[6] = decimals(f.Probability, 3), decimals(f.Margin, 4)
			copy(fields[4:6], likeliest)
		}
		copy(fields[7:], places(f.Detection))
		if f.Rejection != nil {
			fields[len(header)-1] = legible.Field(f.Rejection.Error())
		}
		all = append(all, slices.Concat(fields, likeliest[2:], []string{legible.Field(f.Maybe), legible.Field(f.TrainedID), coveredOf(f)}))
	}
	return all
}

// places are the fields from x to detection.
func places(f *face.Face) []string {
	if f == nil {
		return nil
	}
	var fields []string
	for _, v := range []int{f.Box.Min.X, f.Box.Min.Y, f.Box.Dx(), f.Box.Dy()} {
		fields = append(fields, strconv.Itoa(v))
	}
	for _, p := range f.Pupils {
		fields = append(fields, decimals(p.X, 1), decimals(p.Y, 1))
	}
	q := f.Quality
	return append(fields, decimals(q.Eyes, 1), decimals(q.Sharpness, 3), decimals(q.Exposure, 3),
		decimals(q.Angle, 1), decimals(q.Detection, 1))
}

// decimals writes v with so many; nothing for NaN.
func decimals(v float64, n int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}

// JSON returns a Writer of JSON lines, a results.Object per photograph.
func JSON(to io.Writer, top int, model string) Writer {
	return func(r faces.Result, unread error) error {
		return results.Write(to, results.New(r, unread, top, model))
	}
}

// An Explained is what nrdl explain writes as JSON for a photograph. Numbers are rounded
// as in results.Object.
type Explained struct {
	File  string          `json:"file"`
	Faces []ExplainedFace `json:"faces"` // one entry a face that is explained
}

// An ExplainedFace is the result of identify for a face, with the reasons.
type ExplainedFace struct {
	Number   int    `json:"face"`     // its number in the photograph, from 1 on, the largest first
	Sentence string `json:"sentence"` // the explanation in words
	results.Face
	Threshold *float64              `json:"threshold"`       // of the margin; null if the model has none
	Atoms     []Atom                `json:"atoms,omitempty"` // the atoms with the largest coefficients
	Embedding *explain.Similarities `json:"embedding,omitempty"`
}

// An Atom is a dictionary atom with its weight in the code of a face.
type Atom struct {
	Atom        int     `json:"atom"` // its number in the dictionary
	Person      string  `json:"person"`
	Image       string  `json:"image,omitempty"` // the enrolled one that is nearest to the atom
	Coefficient float64 `json:"coefficient"`     // of the atom in the code of the face
	Share       float64 `json:"share"`           // of the sum of all coefficients
}

// Explain returns the JSON form of face f of a photograph, counted from 1, and of the
// reasons why model m names it.
func Explain(m *gallery.Gallery, number int, f faces.Face, why *explain.Explanation) ExplainedFace {
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
