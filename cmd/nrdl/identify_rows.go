package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"nrdl"

	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/legible"
)

// tableHeader has the columns of a table but for further guesses.
var tableHeader = []string{
	"file", "face", "name", "probability", "guess", "score", "margin", "x", "y", "width", "height",
	"left_x", "left_y", "right_x", "right_y", "eyes", "sharpness", "exposure", "angle", "detection", "refused",
}

func (i *identification) writeHeader() {
	fields := tableHeader
	for n := 2; n <= i.top; n++ {
		fields = append(fields[:len(fields):len(fields)], "guess"+strconv.Itoa(n), "score"+strconv.Itoa(n))
	}
	writeFields(i.Out, fields)
}

// write writes the result s.
func (i *identification) write(s *photoResult) error {
	switch {
	case i.results != nil:
		return i.results.write(i.object(s))
	case i.json:
		writeObject(i.Out, i.object(s))
	case s.err != nil:
	case i.csv:
		i.writeTable(s)
	default:
		i.writeLines(s)
	}
	return i.Out.Flush()
}

// writeLines writes a line a face; file,, where there is none.
func (i *identification) writeLines(s *photoResult) {
	faces := s.Faces
	if len(faces) == 0 {
		faces = []nrdl.Face{{Rejected: face.ErrNoFace}}
	}
	for _, f := range faces {
		fields := []string{legible.Field(s.path), legible.Field(nameOf(f)), ""}
		if f.Known {
			fields[2] = decimals(f.Probability, 3)
		}
		if i.pairs {
			fields = append(fields, i.guesses(f)...)
		}
		writeFields(i.Out, fields)
	}
}

// guesses are the fields of the likeliest people and their scores, empty where
// the face is refused.
func (i *identification) guesses(f nrdl.Face) []string {
	fields := make([]string, 2*i.top)
	for n, g := range f.Ranked[:min(i.top, len(f.Ranked))] {
		fields[2*n], fields[2*n+1] = legible.Field(g.Name), decimals(g.Score, 4)
	}
	return fields
}

// writeTable writes the rows of the header.
func (i *identification) writeTable(s *photoResult) {
	if len(s.Faces) == 0 {
		fields := make([]string, len(tableHeader)+2*(i.top-1))
		fields[0], fields[len(tableHeader)-1] = legible.Field(s.path), face.ErrNoFace.Error()
		writeFields(i.Out, fields)
	}
	for k, f := range s.Faces {
		fields := make([]string, len(tableHeader))
		fields[0], fields[1], fields[2] = legible.Field(s.path), strconv.Itoa(k+1), legible.Field(nameOf(f))
		guesses := i.guesses(f)
		if f.Ranked != nil {
			fields[3], fields[6] = decimals(f.Probability, 3), decimals(f.Margin, 4)
			copy(fields[4:6], guesses)
		}
		copy(fields[7:], places(f.Detected))
		if f.Rejected != nil {
			fields[len(tableHeader)-1] = legible.Field(f.Rejected.Error())
		}
		writeFields(i.Out, append(fields, guesses[2:]...))
	}
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

// writeFields leaves errors to the flush of w.
func writeFields(w io.Writer, fields []string) {
	c := csv.NewWriter(w)
	_ = c.Write(fields)
	c.Flush()
}

// An object is what --json and -o write of an image file. Numbers are rounded to
// six decimals: further ones may differ from machine to machine.
type object struct {
	File   string       `json:"file"`
	Size   *sizeObject  `json:"size,omitempty"`   // of the photograph, upright; none where images are taken as they are
	Faces  []faceObject `json:"faces"`            // largest first
	Reason string       `json:"reason,omitempty"` // why there are no faces
	Error  string       `json:"error,omitempty"`
	Model  string       `json:"model"` // the beginning of the SHA-256 of its file
}

type sizeObject struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A faceObject is a face in an object; null stands for what is not known.
type faceObject struct {
	Box         *boxObject       `json:"box,omitempty"`
	Pupils      *[2]face.Point   `json:"pupils,omitempty"`
	Quality     *dataset.Quality `json:"quality,omitempty"`
	Name        *string          `json:"name"` // null for a stranger, and where it is refused
	Known       bool             `json:"known"`
	Guess       *string          `json:"guess"`
	Probability *float64         `json:"probability"` // that the guess is right
	Margin      *float64         `json:"margin"`
	Score       *float64         `json:"score"`
	Top         []nrdl.Candidate `json:"top"`
	Refused     string           `json:"refused,omitempty"` // why nobody looks at it
}

type boxObject struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

func (i *identification) object(s *photoResult) object {
	o := object{File: dataset.Text(s.path), Faces: make([]faceObject, len(s.Faces)), Model: i.checksum}
	if s.err != nil {
		o.Error = s.err.Error()
	} else if len(s.Faces) == 0 {
		o.Reason = face.ErrNoFace.Error()
	}
	if s.Size.X > 0 {
		o.Size = &sizeObject{s.Size.X, s.Size.Y}
	}
	for k, f := range s.Faces {
		o.Faces[k] = i.face(f)
	}
	return o
}

func (i *identification) face(f nrdl.Face) faceObject {
	o := faceObject{Top: []nrdl.Candidate{}}
	if f.Detected != nil {
		b, p, q := f.Detected.Box, f.Detected.Pupils, f.Detected.Quality
		o.Box = &boxObject{b.Min.X, b.Min.Y, b.Dx(), b.Dy()}
		o.Pupils = &[2]face.Point{{X: *rounded(p[0].X), Y: *rounded(p[0].Y)}, {X: *rounded(p[1].X), Y: *rounded(p[1].Y)}}
		o.Quality = &dataset.Quality{
			Eyes: *rounded(q.Eyes), Sharpness: *rounded(q.Sharpness), Exposure: *rounded(q.Exposure),
			Angle: *rounded(q.Angle), Detection: *rounded(q.Detection),
		}
	}
	if f.Rejected != nil {
		o.Refused = f.Rejected.Error()
		return o
	}
	for _, g := range f.Ranked[:min(i.top, len(f.Ranked))] {
		o.Top = append(o.Top, nrdl.Candidate{Name: g.Name, Score: *rounded(g.Score)})
	}
	o.Known, o.Guess, o.Score = f.Known, &f.Ranked[0].Name, &o.Top[0].Score
	if f.Known {
		o.Name = o.Guess
	}
	o.Probability, o.Margin = rounded(f.Probability), rounded(f.Margin)
	return o
}

// rounded returns v rounded to six decimals; nil for what is not finite, which
// JSON has no number for.
func rounded(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = math.Round(v*1e6) / 1e6
	return &v
}

// writeObject leaves errors to the flush of w. Its numbers are finite.
func writeObject(w io.Writer, o object) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		panic(fmt.Sprintf("result of %s: %v", o.File, err))
	}
	_, _ = w.Write(legible.JSON(line.Bytes()))
}
