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
	writeFields(i.out, fields)
}

// write writes the results of batch, whole.
func (i *identification) write(batch []*sight) error {
	if i.results != nil {
		return i.results.write(batch, i.object)
	}
	for _, s := range batch {
		switch {
		case i.json:
			writeObject(i.out, i.object(s))
		case s.err != nil:
		case i.csv:
			i.writeTable(s)
		default:
			i.writeLines(s)
		}
	}
	return i.out.Flush()
}

// writeLines writes a line a face; file,, where there is none.
func (i *identification) writeLines(s *sight) {
	faces := s.faces
	if len(faces) == 0 {
		faces = make([]answer, 1)
	}
	for _, f := range faces {
		fields := []string{legible.Field(s.path), legible.Field(f.name()), ""}
		if f.said != nil && f.said.Known {
			fields[2] = decimals(f.said.Probability, 3)
		}
		if i.pairs {
			fields = append(fields, i.guesses(f)...)
		}
		writeFields(i.out, fields)
	}
}

// guesses are the fields of the likeliest people and their scores, empty where
// the face is refused.
func (i *identification) guesses(f answer) []string {
	fields := make([]string, 2*i.top)
	for n, g := range f.top {
		fields[2*n], fields[2*n+1] = legible.Field(g.Name), decimals(g.Score, 4)
	}
	return fields
}

// writeTable writes the rows of the header.
func (i *identification) writeTable(s *sight) {
	if len(s.faces) == 0 {
		fields := make([]string, len(tableHeader)+2*(i.top-1))
		fields[0], fields[len(tableHeader)-1] = legible.Field(s.path), errNoFace.Error()
		writeFields(i.out, fields)
	}
	for k, f := range s.faces {
		fields := make([]string, len(tableHeader))
		fields[0], fields[1], fields[2] = legible.Field(s.path), strconv.Itoa(k+1), legible.Field(f.name())
		guesses := i.guesses(f)
		if f.said != nil {
			fields[3], fields[6] = decimals(f.said.Probability, 3), decimals(f.said.Margin, 4)
			copy(fields[4:6], guesses)
		}
		copy(fields[7:], places(f.face))
		if f.refused != nil {
			fields[len(tableHeader)-1] = legible.Field(f.refused.Error())
		}
		writeFields(i.out, append(fields, guesses[2:]...))
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
	Box         *boxObject     `json:"box,omitempty"`
	Pupils      *[2]face.Point `json:"pupils,omitempty"`
	Quality     *nrdl.Quality  `json:"quality,omitempty"`
	Name        *string        `json:"name"` // null for a stranger, and where it is refused
	Known       bool           `json:"known"`
	Guess       *string        `json:"guess"`
	Probability *float64       `json:"probability"` // that the guess is right
	Margin      *float64       `json:"margin"`
	Score       *float64       `json:"score"`
	Top         []guess        `json:"top"`
	Refused     string         `json:"refused,omitempty"` // why nobody looks at it
}

type boxObject struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

func (i *identification) object(s *sight) object {
	o := object{File: dataset.Text(s.path), Faces: make([]faceObject, len(s.faces)), Model: i.checksum}
	if s.err != nil {
		o.Error = s.err.Error()
	} else if len(s.faces) == 0 {
		o.Reason = errNoFace.Error()
	}
	if s.size.X > 0 {
		o.Size = &sizeObject{s.size.X, s.size.Y}
	}
	for k, f := range s.faces {
		o.Faces[k] = f.object()
	}
	return o
}

func (f answer) object() faceObject {
	o := faceObject{Top: []guess{}}
	if f.face != nil {
		b, p, q := f.face.Box, f.face.Pupils, f.face.Quality
		o.Box = &boxObject{b.Min.X, b.Min.Y, b.Dx(), b.Dy()}
		o.Pupils = &[2]face.Point{{X: *rounded(p[0].X), Y: *rounded(p[0].Y)}, {X: *rounded(p[1].X), Y: *rounded(p[1].Y)}}
		o.Quality = &nrdl.Quality{
			Eyes: *rounded(q.Eyes), Sharpness: *rounded(q.Sharpness), Exposure: *rounded(q.Exposure),
			Angle: *rounded(q.Angle), Detection: *rounded(q.Detection),
		}
	}
	if f.refused != nil {
		o.Refused = f.refused.Error()
		return o
	}
	for _, g := range f.top {
		o.Top = append(o.Top, guess{g.Name, *rounded(g.Score)})
	}
	o.Known, o.Guess, o.Score = f.said.Known, &f.top[0].Name, &o.Top[0].Score
	if f.said.Known {
		o.Name = o.Guess
	}
	o.Probability, o.Margin = rounded(f.said.Probability), rounded(f.said.Margin)
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
