package gallery

import (
	"context"
	"fmt"
	"strings"

	"github.com/fvbommel/sortorder"

	"nrdl/classify"
	"nrdl/dataset"
)

// A Survey says how well the people of a Model are told apart. What is not known
// is null.
type Survey struct {
	People    []*Person `json:"people"`
	Faces     int       `json:"faces"`
	Held      int       `json:"held"`  // faces that were held out
	Right     int       `json:"right"` // of them: their best guess is right
	Known     *int      `json:"known"` // of these: with a margin above the threshold
	Threshold *float64  `json:"threshold"`
	Why       string    `json:"why"` // why something is not known
}

// A Person is somebody whom a Model knows.
type Person struct {
	Name    string           `json:"name"`
	Faces   int              `json:"faces"`   // that are kept; 0 where none are
	Quality *dataset.Quality `json:"quality"` // means; the angle without its sign
	Held    int              `json:"held"`    // faces that were held out
	Right   int              `json:"right"`   // of them named rightly
	Known   *int             `json:"known"`   // of these with a margin above the threshold
	Margin  *float64         `json:"margin"`  // mean, of those named rightly less those named wrongly
	Rival   string           `json:"rival"`   // taken for most often, or likeliest but for the person
	Note    string           `json:"note"`

	rivals map[string]int // how often who was the likeliest of the others, wrong guesses counting more than all others
}

// People returns the people whom m knows, in the order of its classes, without what
// holding faces out says of them.
func (m *Model) People() []*Person {
	var all []*Person
	for c, name := range m.Parts().Classes {
		p := &Person{Name: name}
		if s := m.Images; s != nil {
			p.count(s, s.Groups[c], s.Groups[c+1])
		}
		all = append(all, p)
	}
	return all
}

// count counts the faces lo ≤ j < hi of images and takes the means of their quality.
func (p *Person) count(images *dataset.Images, lo, hi int) {
	p.Faces = hi - lo
	if images.Quality == nil {
		return
	}
	var q dataset.Quality
	n := float64(p.Faces)
	for _, one := range images.Quality[lo:hi] {
		q.Eyes += one.Eyes / n
		q.Sharpness += one.Sharpness / n
		q.Exposure += one.Exposure / n
		q.Angle += max(one.Angle, -one.Angle) / n
		q.Detection += one.Detection / n
	}
	p.Quality = &q
}

// Survey returns what is known of the people of m, which method learnt: with
// holdOut also how well faces that are held out in turn are recognised. Progress is
// told how many folds are done; it may be nil.
func (m *Model) Survey(ctx context.Context, method classify.Method, holdOut bool, progress func(done, total int)) (*Survey, error) {
	s := &Survey{People: m.People()}
	if m.Calibration != nil {
		s.Threshold = &m.Calibration.Threshold
	}
	if m.Images == nil {
		s.Why = ErrForgotten.Error()
		return s, nil
	}
	s.Faces = m.Images.Len()
	if holdOut {
		if err := s.holdOut(ctx, m, method, progress); err != nil {
			return nil, err
		}
	}
	for _, p := range s.People {
		p.Note = p.note(holdOut)
	}
	return s, nil
}

// holdOut finds how well the people of m are told apart.
func (s *Survey) holdOut(ctx context.Context, m *Model, method classify.Method, progress func(done, total int)) error {
	results, err := m.HeldOut(ctx, method, progress)
	if ctx.Err() != nil {
		return err
	}
	if err != nil { // as of a parameter that fewer faces do not allow
		s.Why = err.Error()
		return nil
	}
	for _, r := range results {
		if !r.Stranger {
			s.judge(s.People[m.Images.ClassOf(r.Image)], r)
		}
	}
	for _, person := range s.People {
		person.sum()
	}
	if s.Held == 0 {
		s.Why = "nobody has two faces, so that none can be held out"
	}
	return nil
}

// judge counts r for p.
func (s *Survey) judge(p *Person, r HeldOutResult) {
	if p.Held == 0 {
		p.Margin, p.rivals = new(float64), map[string]int{}
		if s.Threshold != nil {
			p.Known = new(int)
		}
		if s.Threshold != nil && s.Known == nil {
			s.Known = new(int)
		}
	}
	p.Held++
	s.Held++
	if !r.Right {
		*p.Margin -= r.Margin
		p.rivals[r.Rival] += wrongCounts
		return
	}
	p.rivals[r.Rival]++
	*p.Margin += r.Margin
	p.Right++
	s.Right++
	if s.Threshold != nil && r.Margin >= *s.Threshold {
		*p.Known++
		*s.Known++
	}
}

// wrongCounts is how much more a wrong name says of who is alike than a second
// place does.
const wrongCounts = 1000

// sum takes the mean of the margins and finds the rival, the first in natural
// order of equals.
func (p *Person) sum() {
	if p.Held == 0 {
		return
	}
	*p.Margin /= float64(p.Held)
	for name, n := range p.rivals {
		most := p.rivals[p.Rival]
		if n > most || n == most && sortorder.NaturalCompare(name, p.Rival) < 0 {
			p.Rival = name
		}
	}
}

// What calls for a note.
const (
	fewFaces  = 3   // fewer are few
	seldom    = 0.8 // share of held-out faces named rightly, below which a person is confused
	blurred   = 0.18
	badlyLit  = 0.94
	smallEyes = 30 // pixels between the pupils
)

// Seen says in words how well the faces of p are seen: where they are among the
// worst one in a hundred of Georgia Tech and LFW (face.DefaultLimits).
func (p *Person) Seen() string {
	q := p.Quality
	if q == nil {
		return ""
	}
	var words []string
	if q.Eyes < smallEyes {
		words = append(words, "small")
	}
	if q.Sharpness < blurred {
		words = append(words, "blurred")
	}
	if q.Exposure < badlyLit {
		words = append(words, "badly lit")
	}
	if words == nil {
		return "good"
	}
	return strings.Join(words, ", ")
}

// note says what should be done about p, whose faces were held out or not.
func (p *Person) note(heldOut bool) string {
	var notes []string
	switch {
	case p.Faces == 1 && heldOut:
		notes = append(notes, "1 face, which cannot be held out: add more")
	case p.Faces == 1:
		notes = append(notes, "1 face: add more")
	case p.Faces < fewFaces:
		notes = append(notes, fmt.Sprintf("%d faces: add more", p.Faces))
	}
	if p.Held > 0 && float64(p.Right) < seldom*float64(p.Held) {
		notes = append(notes, "taken for "+p.Rival+": add more, or look whether all are right")
	}
	if seen := p.Seen(); seen != "" && seen != "good" {
		notes = append(notes, seen+": add better photographs")
	}
	return strings.Join(notes, "; ")
}
