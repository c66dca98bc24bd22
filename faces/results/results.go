// Package results has the JSON forms of what package nrdl finds in photographs: those
// that the command writes and the service answers with.
package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
)

// An Object is the JSON form of the result of a photograph. Numbers are rounded to six
// decimals: further ones may differ between machines.
type Object struct {
	File   string `json:"file"`
	Size   *Size  `json:"size,omitempty"`   // of the photograph, upright; none where images are taken as they are
	Stored *Size  `json:"stored,omitempty"` // of the photograph as it is stored, to which areas of face tags apply

	Orientation int `json:"orientation,omitempty"` // 1 … 8, as that of EXIF: how the stored photograph is turned upright

	Taken string `json:"taken,omitempty"` // 2006-01-02T15:04:05, by the clock of the camera; none if EXIF does not tell

	Faces  []Face `json:"faces"`            // largest first
	Reason string `json:"reason,omitempty"` // why there are no faces

	Smaller int    `json:"smaller,omitempty"` // faces in the background, which are left out
	Error   string `json:"error,omitempty"`   // why the photograph could not be read
	Model   string `json:"model"`             // the beginning of the SHA-256 of its file
}

// TakenLayout is that of Object.Taken, for package time.
const TakenLayout = "2006-01-02T15:04:05"

// A Size is the size of a photograph in pixels.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A Face is the JSON form of a face and its name, in the output of identify and in the
// answers of the service. Null stands for unknown values.
type Face struct {
	Detection
	Name        *string     `json:"name" doc:"Null for an unknown face, and for one that cannot be used"`
	Known       bool        `json:"known" doc:"The margin reaches the threshold"`
	Guess       *string     `json:"guess" doc:"The most likely person, the first of top"`
	Probability *float64    `json:"probability" doc:"That the guess is right"`
	Margin      *float64    `json:"margin" doc:"Compared with the threshold: with a network the evidence, else the best score minus the second"`
	Score       *float64    `json:"score" doc:"Of the guess"`
	Top         []Candidate `json:"top" doc:"The most likely people, the most likely first"`
	Maybe       string      `json:"maybe,omitempty" doc:"The guess for an unknown face, if it is not improbable"`
	Taken       string      `json:"taken,omitempty" doc:"The name that the face would have, if another face of the photograph did not have it with a better score"`
	Unborn      string      `json:"unborn,omitempty" doc:"The name that the face would have, if that person had been born when the photograph was taken"`
	Rival       string      `json:"rival,omitempty" doc:"The face is too similar to this person to get the name of maybe, who is known to be somebody else"`
	Trained     string      `json:"trained,omitempty" doc:"The enrolled face with equal values: its name does not show how well others are recognised"`
	Refused     string      `json:"refused,omitempty" doc:"Why the face cannot be used"`
}

// A Detection says where a face is in a photograph, and how good its quality is.
type Detection struct {
	Box     *Box             `json:"box,omitempty"`
	Pupils  *[2]face.Point   `json:"pupils,omitempty"`
	Quality *dataset.Quality `json:"quality,omitempty"`
	Covered string           `json:"covered,omitempty" doc:"Parts of the face that are probably covered: eyes, mouth, or eyes and mouth"`
}

// A Box is a rectangle in pixels of the upright photograph.
type Box struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A Comparison is the JSON form of the comparison of two faces.
type Comparison struct {
	Same bool `json:"same"` // whether it is the same person, at this limit
	faces.Comparison
	Limit float64    `json:"fmr" doc:"Highest false match rate of the same person"`
	Faces []Compared `json:"faces" doc:"That were compared, the largest of each photograph"`
}

// A Compared is a face that verify compared.
type Compared struct {
	Box    *Box `json:"box,omitempty" doc:"Missing for a crop"`
	Others int  `json:"others" doc:"Number of other faces in the photograph"`
}

// NewComparison returns the JSON form of c. Photos, 1 or 2, is the number of photographs that
// were compared, and limit the highest false match rate that counts as the same person.
func NewComparison(c faces.Comparison, photos int, limit float64) Comparison {
	answer := Comparison{Same: c.Same(limit), Comparison: c, Limit: limit}
	for i := range photos {
		answer.Faces = append(answer.Faces, Compared{boxOf(c.Boxes[i]), c.Others[i]})
	}
	return answer
}

// A Candidate is a person with a score.
type Candidate struct {
	Name  string  `json:"name"`
	Score float64 `json:"score" doc:"A higher score means more likely"`
	ID    string  `json:"id,omitempty" doc:"Of the person; only in answers of the service"`
}

// New returns the Object of r with the top likeliest people of each face. Unread is the error
// of a photograph that could not be read, and model the checksum of the model file.
func New(r faces.Result, unread error, top int, model string) Object {
	o := Object{File: dataset.Text(r.Photo.Name), Faces: make([]Face, len(r.Faces)), Smaller: r.Smaller, Model: model}
	if unread != nil {
		o.Error = unread.Error()
	} else if len(r.Faces) == 0 {
		o.Reason = face.ErrNoFace.Error()
	}
	if r.Size.X > 0 {
		o.Size = &Size{r.Size.X, r.Size.Y}
	}
	if r.Orientation > 0 {
		o.Stored, o.Orientation = &Size{r.StoredSize.X, r.StoredSize.Y}, r.Orientation
	}
	if !r.Taken.IsZero() {
		o.Taken = r.Taken.Format(TakenLayout)
	}
	for k, f := range r.Faces {
		o.Faces[k] = NewFace(f, top)
	}
	return o
}

// NewFace returns the Face of f with the top likeliest people.
func NewFace(f faces.Face, top int) Face {
	o := Face{Detection: NewDetection(f.Detection), Top: []Candidate{}}
	if f.Rejection != nil {
		o.Refused = f.Rejection.Error()
		return o
	}
	if len(f.Ranking) == 0 { // nobody is enrolled
		return o
	}
	for _, g := range f.Ranking[:min(top, len(f.Ranking))] {
		o.Top = append(o.Top, Candidate{Name: g.Name, Score: *Rounded(g.Score)})
	}
	o.Known, o.Guess, o.Score = f.Known, &f.Ranking[0].Name, &o.Top[0].Score
	if f.Known {
		o.Name = o.Guess
	}
	o.Maybe, o.Taken, o.Unborn, o.Rival, o.Trained = f.Maybe, f.LostName, f.Unborn, f.Rival, f.TrainedID
	o.Probability, o.Margin = Rounded(f.Probability), Rounded(f.Margin)
	return o
}

// boxOf is nil for an empty rectangle.
func boxOf(r image.Rectangle) *Box {
	if r.Empty() {
		return nil
	}
	return &Box{r.Min.X, r.Min.Y, r.Dx(), r.Dy()}
}

// NewDetection returns the Detection of f, empty for nil.
func NewDetection(f *face.Face) Detection {
	if f == nil {
		return Detection{}
	}
	p, q := f.Pupils, f.Quality
	return Detection{
		Box:    boxOf(f.Box),
		Pupils: &[2]face.Point{{X: Round(p[0].X), Y: Round(p[0].Y)}, {X: Round(p[1].X), Y: Round(p[1].Y)}},
		Quality: &dataset.Quality{
			Eyes: Round(q.Eyes), Sharpness: Round(q.Sharpness), Exposure: Round(q.Exposure),
			Angle: Round(q.Angle), Detection: Round(q.Detection),
		},
		Covered: f.Covered,
	}
}

// Rounded returns v rounded to six decimals, or nil if v is not finite: JSON has no such
// number.
func Rounded(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = Round(v)
	return &v
}

// Round rounds v to six decimals.
func Round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Write writes o as a line of JSON, without hidden characters.
func Write(w io.Writer, o Object) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		panic(fmt.Sprintf("result of %s: %v", o.File, err))
	}
	_, err := w.Write(legible.JSON(line.Bytes()))
	return err
}
