// Package results writes what a Recogniser says of photographs: lines of text, a
// table, JSON, a file of JSON that a later run goes on with, and the photographs
// with boxes and names.
package results

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/legible"
)

// A Writer writes the result of a photograph. One that could not be read has an
// error.
type Writer func(r nrdl.Result, unread error) error

// Lines writes a line a face with the file, the name and its probability, and the
// top likeliest people with their scores.
func Lines(to io.Writer, top int) Writer {
	return func(r nrdl.Result, unread error) error {
		if unread != nil {
			return nil
		}
		faces := r.Faces
		if len(faces) == 0 {
			faces = []nrdl.Face{{Rejected: face.ErrNoFace}}
		}
		var rows [][]string
		for _, f := range faces {
			fields := []string{legible.Field(r.Photo.Name), legible.Field(said(f)), ""}
			if f.Known {
				fields[2] = decimals(f.Probability, 3)
			}
			rows = append(rows, append(fields, guesses(f, top)...))
		}
		return csv.NewWriter(to).WriteAll(rows)
	}
}

// nameOf is whose face it is, nrdl.Unknown, or "" where it is refused.
func nameOf(f nrdl.Face) string {
	switch {
	case f.Rejected != nil:
		return ""
	case !f.Known:
		return nrdl.Unknown
	}
	return f.Name
}

// said is nameOf and, for an unknown face, who it may be.
func said(f nrdl.Face) string {
	maybe := f.Maybe
	switch {
	case maybe == "":
		return nameOf(f)
	case math.IsNaN(f.Probability):
		return fmt.Sprintf("%s (maybe %s)", nrdl.Unknown, maybe)
	}
	return fmt.Sprintf("%s (maybe %s, %s)", nrdl.Unknown, maybe, percent(f.Probability))
}

// percent writes a probability in whole percent, rounded down: 100 % would be too much
// to say, and so would be 0 %.
func percent(p float64) string {
	if p < 0.01 {
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", math.Floor(100*p))
}

// guesses are the fields of the top likeliest people and their scores, empty where
// the face is refused.
func guesses(f nrdl.Face, top int) []string {
	fields := make([]string, 2*top)
	for n, g := range f.Ranked[:min(top, len(f.Ranked))] {
		fields[2*n], fields[2*n+1] = legible.Field(g.Name), decimals(g.Score, 4)
	}
	return fields
}

// header has the columns of a table but for further guesses and those of footer.
var header = []string{
	"file", "face", "name", "probability", "guess", "score", "margin", "x", "y", "width", "height",
	"left_x", "left_y", "right_x", "right_y", "eyes", "sharpness", "exposure", "angle", "detection", "refused",
}

// footer has the last columns of a table: who an unknown face may be, and the ID of the
// equal face that the model was trained on.
var footer = []string{"maybe", "trained"}

// Table writes a CSV table with a header, which it writes now: a row a face with
// all that is known, and the top likeliest people. Top is at least 1.
func Table(to io.Writer, top int) (Writer, error) {
	fields := header
	for n := 2; n <= top; n++ {
		fields = append(fields[:len(fields):len(fields)], "guess"+strconv.Itoa(n), "score"+strconv.Itoa(n))
	}
	fields = slices.Concat(fields, footer)
	return func(r nrdl.Result, unread error) error {
		if unread != nil {
			return nil
		}
		return csv.NewWriter(to).WriteAll(rows(r, top))
	}, csv.NewWriter(to).WriteAll([][]string{fields})
}

// rows are the rows of a table for r.
func rows(r nrdl.Result, top int) [][]string {
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
		if f.Ranked != nil {
			fields[3], fields[6] = decimals(f.Probability, 3), decimals(f.Margin, 4)
			copy(fields[4:6], likeliest)
		}
		copy(fields[7:], places(f.Detected))
		if f.Rejected != nil {
			fields[len(header)-1] = legible.Field(f.Rejected.Error())
		}
		all = append(all, slices.Concat(fields, likeliest[2:], []string{legible.Field(f.Maybe), legible.Field(f.Trained)}))
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
	return append(fields, decimals(q.Eyes, 1), decimals(q.Sharpness, 3), decimals(q.Exposure, 3), decimals(q.Angle, 1), decimals(q.Detection, 1))
}

// decimals writes v with so many; nothing for NaN.
func decimals(v float64, n int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}

// An Object is the JSON of a photograph. Numbers are rounded to
// six decimals: further ones may differ from machine to machine.
type Object struct {
	File   string `json:"file"`
	Size   *Size  `json:"size,omitempty"`   // of the photograph, upright; none where images are taken as they are
	Faces  []Face `json:"faces"`            // largest first
	Reason string `json:"reason,omitempty"` // why there are no faces

	Smaller int    `json:"smaller,omitempty"` // faces in the background, which are left out
	Error   string `json:"error,omitempty"`
	Model   string `json:"model"` // the beginning of the SHA-256 of its file
}

// A Size is that of a photograph in pixels.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A Face is a face of a photograph and who it is, in the output of identify and in the
// answers of the service; null stands for what is not known.
type Face struct {
	Seen
	Name        *string     `json:"name" doc:"Null for an unknown face, and for one that cannot be used"`
	Known       bool        `json:"known" doc:"The margin reaches the threshold"`
	Guess       *string     `json:"guess" doc:"The most likely person, the first of top"`
	Probability *float64    `json:"probability" doc:"That the guess is right"`
	Margin      *float64    `json:"margin" doc:"Compared with the threshold: with a network the evidence, else the best score minus the second"`
	Score       *float64    `json:"score" doc:"Of the guess"`
	Top         []Candidate `json:"top" doc:"The most likely people, the most likely first"`
	Maybe       string      `json:"maybe,omitempty" doc:"The guess for an unknown face, if it is not improbable"`
	Trained     string      `json:"trained,omitempty" doc:"The enrolled face with equal values: its name does not show how well others are recognised"`
	Refused     string      `json:"refused,omitempty" doc:"Why the face cannot be used"`
}

// A Seen is where a face was found, and how well it can be seen.
type Seen struct {
	Box     *Box             `json:"box,omitempty"`
	Pupils  *[2]face.Point   `json:"pupils,omitempty"`
	Quality *dataset.Quality `json:"quality,omitempty"`
}

// A Box is where a face is in a photograph, in pixels of the upright photograph.
type Box struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A Comparison is the answer of verify.
type Comparison struct {
	Same bool `json:"same"`
	nrdl.Comparison
	Limit float64    `json:"fmr" doc:"Highest false match rate of the same person"`
	Faces []Compared `json:"faces" doc:"That were compared, the largest of each photograph"`
}

// A Compared is a face that verify compared.
type Compared struct {
	Box    *Box `json:"box,omitempty" doc:"Missing for a crop"`
	Others int  `json:"others" doc:"Number of other faces in the photograph"`
}

// OfComparison is the answer of verify about so many photographs, 1 or 2, at the highest
// false match rate of the same person.
func OfComparison(c nrdl.Comparison, photos int, limit float64) Comparison {
	told := Comparison{Same: c.Same(limit), Comparison: c, Limit: limit}
	for i := range photos {
		told.Faces = append(told.Faces, Compared{boxOf(c.Boxes[i]), c.Others[i]})
	}
	return told
}

// A Candidate is a person with a score.
type Candidate struct {
	Name  string  `json:"name"`
	Score float64 `json:"score" doc:"A higher score means more likely"`
	ID    string  `json:"id,omitempty" doc:"Of the person; only in answers of the service"`
}

// Of returns the Object of r, which has the checksum of its model, with the top
// likeliest people of each face.
func Of(r nrdl.Result, unread error, top int, model string) Object {
	o := Object{File: dataset.Text(r.Photo.Name), Faces: make([]Face, len(r.Faces)), Smaller: r.Smaller, Model: model}
	if unread != nil {
		o.Error = unread.Error()
	} else if len(r.Faces) == 0 {
		o.Reason = face.ErrNoFace.Error()
	}
	if r.Size.X > 0 {
		o.Size = &Size{r.Size.X, r.Size.Y}
	}
	for k, f := range r.Faces {
		o.Faces[k] = faceOf(f, top)
	}
	return o
}

func faceOf(f nrdl.Face, top int) Face {
	o := Face{Seen: SeenOf(f.Detected), Top: []Candidate{}}
	if f.Rejected != nil {
		o.Refused = f.Rejected.Error()
		return o
	}
	if len(f.Ranked) == 0 { // nobody is enrolled
		return o
	}
	for _, g := range f.Ranked[:min(top, len(f.Ranked))] {
		o.Top = append(o.Top, Candidate{Name: g.Name, Score: *rounded(g.Score)})
	}
	o.Known, o.Guess, o.Score = f.Known, &f.Ranked[0].Name, &o.Top[0].Score
	if f.Known {
		o.Name = o.Guess
	}
	o.Maybe, o.Trained = f.Maybe, f.Trained
	o.Probability, o.Margin = rounded(f.Probability), rounded(f.Margin)
	return o
}

// boxOf is nil for an empty rectangle.
func boxOf(r image.Rectangle) *Box {
	if r.Empty() {
		return nil
	}
	return &Box{r.Min.X, r.Min.Y, r.Dx(), r.Dy()}
}

// SeenOf returns the Seen of a face that was found; it is empty for nil.
func SeenOf(f *face.Face) Seen {
	if f == nil {
		return Seen{}
	}
	p, q := f.Pupils, f.Quality
	return Seen{
		Box:    boxOf(f.Box),
		Pupils: &[2]face.Point{{X: toSix(p[0].X), Y: toSix(p[0].Y)}, {X: toSix(p[1].X), Y: toSix(p[1].Y)}},
		Quality: &dataset.Quality{
			Eyes: toSix(q.Eyes), Sharpness: toSix(q.Sharpness), Exposure: toSix(q.Exposure),
			Angle: toSix(q.Angle), Detection: toSix(q.Detection),
		},
	}
}

// rounded returns v rounded to six decimals; nil for what is not finite, which
// JSON has no number for.
func rounded(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = toSix(v)
	return &v
}

// toSix rounds v, which is finite, as numbers in JSON are.
func toSix(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// JSON writes an Object a line, as Of makes it.
func JSON(to io.Writer, top int, model string) Writer {
	return func(r nrdl.Result, unread error) error { return writeObject(to, Of(r, unread, top, model)) }
}

// writeObject writes a line. The numbers of o are finite.
func writeObject(w io.Writer, o Object) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		panic(fmt.Sprintf("result of %s: %v", o.File, err))
	}
	_, err := w.Write(legible.JSON(line.Bytes()))
	return err
}
