package people

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	pages "nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/store"
)

// Reasons say why a face has its decision: the most similar people and faces.
type Reasons struct {
	Threshold *float64     `json:"threshold" doc:"Least evidence of a face that is named"`
	Compared  int          `json:"people" doc:"Number of people that the face was compared with"`
	Ranking   []Resembling `json:"like" doc:"The most similar people, the most similar first"`
	Quality   string       `json:"quality,omitempty" doc:"In words: good, or what is among the worst 1 % of photographs"`
}

// A Resembling is a person, and how similar a face is to it.
type Resembling struct {
	Ref
	Kind     string    `json:"kind" enum:"known,ignored"`
	Faces    int       `json:"faces"`
	Score    float64   `json:"score" doc:"Cosine with the mean of the faces of the person"`
	Evidence float64   `json:"evidence" doc:"-log10 of the share of strangers who resemble anybody here as much"`
	Nearest  []Similar `json:"nearest" doc:"The most similar faces of the person, the most similar first"`
}

// A Similar is a stored face, and how similar another face is to it.
type Similar struct {
	Face   string  `json:"face"`
	Cosine float64 `json:"cosine"`
}

// Limits of Reasons.
const (
	reasonPeople = 3
	reasonFaces  = 4    // of a person
	maxReasoned  = 2000 // faces that are compared
)

// A comparison is the result of comparing a vector with all people. If it is that of a stored
// face, the person of the face is compared by the mean of its other faces.
type comparison struct {
	openset.Decision
	evidence float64
	classes  []int // the most likely first
	scores   []float64
	isOnly   bool // the only face of its person, so that it cannot be compared with that person
}

// compare compares samples with all people. samples has all faces of each of its people. It
// returns nil if the impostor distribution of the network is unknown.
func (s *snapshot) compare(ctx context.Context, in dataset.Frame, samples []store.Sample) ([]comparison, error) {
	if s.live == nil || len(samples) == 0 {
		return nil, nil
	}
	m := s.live.Model()
	l := m.Impostors()
	if l == nil {
		return nil, nil
	}
	x := matrix(in, samples)
	recognised, err := m.Recognise(ctx, dataset.Unlabelled(x, in))
	if err != nil {
		return nil, err
	}
	u := classify.Unit(x)
	classes := m.Parts().Classes
	groups := m.Enrolled.Groups()
	columns := map[string][]int{} // by person
	for j, o := range samples {
		columns[o.Person] = append(columns[o.Person], j)
	}
	all := make([]comparison, len(samples))
	d, _ := u.Dims()
	face, sum := make([]float64, d), make([]float64, d)
	for j, o := range samples {
		scores, photographs := recognised[j].Scores, make([]int, len(classes))
		for c := range photographs {
			photographs[c] = groups[c+1] - groups[c]
		}
		own := -1
		if c := slices.Index(classes, o.Person); c >= 0 {
			clear(sum)
			for _, i := range columns[o.Person] {
				if i != j {
					floats.Add(sum, mat.Col(face, i, u))
				}
			}
			if k := len(columns[o.Person]) - 1; k > 0 && floats.Norm(sum, 2) > 0 {
				scores[c], photographs[c] = floats.Dot(sum, mat.Col(face, j, u))/floats.Norm(sum, 2), k
			} else {
				own, all[j].isOnly = c, true
			}
		}
		if m.Calibration == nil {
			l.Level(scores, photographs, nil)
		} else {
			l.Level(scores, photographs, photographs)
		}
		if own >= 0 {
			scores[own] = -1
		}
		all[j].decide(m, l, scores)
	}
	return all, nil
}

// decide sets c from the scores of the people.
func (c *comparison) decide(m *gallery.Gallery, l *openset.Impostors, scores []float64) {
	c.scores, c.classes = scores, make([]int, len(scores))
	for i := range c.classes {
		c.classes[i] = i
	}
	slices.SortStableFunc(c.classes, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	c.evidence = l.Evidence(scores[c.classes[0]], len(scores))
	c.Decision = m.Calibration.Decide(c.evidence)
}

// matrix returns the vectors of samples as columns.
func matrix(in dataset.Frame, samples []store.Sample) *mat.Dense {
	x := mat.NewDense(in.Len(), len(samples), nil)
	for j, o := range samples {
		for i, v := range o.Vector[:min(len(o.Vector), in.Len())] {
			x.Set(i, j, float64(v))
		}
	}
	return x
}

// reasons returns the Reasons for a face with a vector and scores of the people of s.live. itself
// is the id of the face if it is stored, which is not compared with itself.
func (e *engine) reasons(ctx context.Context, s *snapshot, itself string, vector, scores []float64, q *dataset.Quality) (*Reasons, error) {
	r := &Reasons{Ranking: []Resembling{}}
	if q != nil && *q != (dataset.Quality{}) {
		r.Quality = (&gallery.Person{Quality: q}).QualityText()
	}
	if s.live == nil {
		return r, nil
	}
	m := s.live.Model()
	l := m.Impostors()
	if l == nil {
		return r, nil
	}
	if m.Calibration != nil {
		r.Threshold = &m.Calibration.Threshold
	}
	classes := m.Parts().Classes
	r.Compared = len(classes)
	var c comparison
	c.decide(m, l, scores)
	var ids []string
	for _, class := range c.classes[:min(reasonPeople, len(c.classes))] {
		p := s.people[classes[class]]
		ids = append(ids, p.ID)
		r.Ranking = append(r.Ranking, Resembling{
			Ref: Ref{p.ID, p.Name}, Kind: p.Kind, Faces: p.Faces,
			Score: scores[class], Evidence: l.Evidence(scores[class], len(scores)), Nearest: []Similar{},
		})
	}
	samples, err := e.store.SamplesOf(ctx, s.ID, s.input.space, ids, maxReasoned)
	if err != nil {
		return nil, err
	}
	norm := floats.Norm(vector, 2)
	for _, o := range samples {
		i := slices.Index(ids, o.Person)
		if i < 0 || o.Face == itself || len(o.Vector) != len(vector) || norm == 0 {
			continue
		}
		var dot, square float64
		for k, x := range o.Vector {
			dot += float64(x) * vector[k]
			square += float64(x) * float64(x)
		}
		if square > 0 {
			r.Ranking[i].Nearest = append(r.Ranking[i].Nearest, Similar{o.Face, dot / norm / math.Sqrt(square)})
		}
	}
	for i := range r.Ranking {
		near := r.Ranking[i].Nearest
		slices.SortStableFunc(near, func(a, b Similar) int { return cmp.Compare(b.Cosine, a.Cosine) })
		r.Ranking[i].Nearest = near[:min(reasonFaces, len(near))]
	}
	return r, nil
}

// An Explained is a stored face, and how it would be identified without its label.
type Explained struct {
	StoredFace
	Decision    string   `json:"decision" enum:"known,doubtful,unknown"`
	Guess       *Ref     `json:"guess,omitempty"`
	Probability *float64 `json:"probability" doc:"That the guess is right"`
	Margin      *float64 `json:"margin" doc:"The evidence for the guess"`
	Reason      string   `json:"why"`
	Reasons     *Reasons `json:"reasons"`

	HasOriginal bool `json:"original,omitempty" doc:"The service has the file of the photograph, in the folder that its operator allows"`
}

// Explain says how a stored face would be identified without its label.
func (v *Service) Explain(ctx context.Context, collection, face string) (*Explained, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	f, err := v.store.Face(ctx, collection, face)
	if err != nil {
		return nil, err
	}
	response := Explained{StoredFace: FaceResponse(f), Decision: "unknown", Reason: s.tooFew()}
	if p, err := v.store.Photo(ctx, collection, f.Photo); err == nil {
		_, response.HasOriginal = v.originals.of(p.SHA256)
	}
	var q dataset.Quality
	if err := json.Unmarshal(f.Quality, &q); err != nil {
		return nil, err
	}
	one, err := v.store.Sample(ctx, collection, s.input.space, f.ID)
	if err != nil {
		return nil, err
	}
	samples, index := []store.Sample{one}, 0
	if f.Person == store.Stranger {
		f.Person = ""
	}
	if f.Person != "" {
		if samples, err = v.store.SamplesOf(ctx, collection, s.input.space, []string{f.Person}, math.MaxInt32); err != nil {
			return nil, err
		}
		index = slices.IndexFunc(samples, func(o store.Sample) bool { return o.Face == f.ID })
	}
	all, err := s.compare(ctx, s.input.Frame, samples)
	if err != nil {
		return nil, err
	}
	vector := float64s(one.Vector)
	if all == nil || index < 0 {
		response.Reasons = &Reasons{Ranking: []Resembling{}}
		return &response, nil
	}
	c := all[index]
	if response.Reasons, err = v.engine.reasons(ctx, s, f.ID, vector, c.scores, &q); err != nil {
		return nil, err
	}
	guess := response.Reasons.Ranking[0]
	response.Guess, response.Margin = &guess.Ref, &c.evidence
	if !math.IsNaN(c.Probability) {
		response.Probability = &c.Probability
	}
	response.Reason = s.sentence(f.Person, c, guess)
	switch alike := s.tooAlike(); {
	case alike != "":
		response.Reason = alike
	case c.Known && guess.Kind != store.Ignored:
		response.Decision = "known"
	case c.Probability >= doubtful && guess.Kind != store.Ignored:
		response.Decision = "doubtful"
	}
	return &response, nil
}

// sentence describes c for a face with the label of a person, "" for none.
func (s *snapshot) sentence(person string, c comparison, guess Resembling) string {
	name, threshold := s.people[person].Name, ""
	if t := s.live.Model().Calibration; t != nil {
		threshold = fmt.Sprintf(" The evidence is %.1f, and the threshold is %.1f.", c.evidence, t.Threshold)
	}
	switch {
	case c.isOnly:
		return "This is the only face of " + name + ", so nothing says how well it would be recognised."
	case person == "" && c.Known && guess.Kind == store.Ignored:
		return "The face resembles a person who is ignored." + threshold
	case person == "" && c.Known:
		return "The face is recognised as " + guess.Name + "." + threshold
	case person == "":
		return "The face is most similar to " + guess.Name + ", but not similar enough to be named." + threshold
	case guess.ID == person && c.Known:
		return "Without this face, " + name + " would be recognised in it." + threshold
	case guess.ID == person:
		return "Without this face, " + name + " would be the best guess for it, but below the threshold." + threshold
	case c.Known:
		return "Without this face, it would be taken for " + guess.Name + ", not for " + name + "." + threshold
	}
	return "Without this face, it would be unknown: it resembles " + guess.Name + " more than " + name + "." + threshold
}

// A Shown is an identified face with a picture and the reasons for its decision.
type Shown struct {
	Identified
	Crop    []byte   `json:"crop,omitempty" doc:"JPEG, base64"`
	Reasons *Reasons `json:"reasons,omitempty"`
}

// A ShownPhotograph is the result of identify with why=true: a photograph with the reasons for
// each face.
type ShownPhotograph struct {
	Photograph
	Faces []Shown `json:"faces"`
}

const cropQuality = 85

// show adds pictures and reasons to p, the response to r.
func (e *engine) show(ctx context.Context, s *snapshot, r faces.Result, p Photograph) (ShownPhotograph, error) {
	response := ShownPhotograph{Photograph: p, Faces: []Shown{}}
	for i, one := range response.Photograph.Faces {
		f := r.Faces[i]
		shown := Shown{Identified: one}
		var err error
		if f.Thumb != nil {
			if shown.Crop, err = pages.JPEG(f.Thumb, cropQuality); err != nil {
				return response, err
			}
		}
		if f.Values != nil && f.Rejection == nil && s.live != nil {
			if shown.Reasons, err = e.reasons(ctx, s, "", f.Values, scoresOf(s.live.Model(), f.Ranking), one.Quality); err != nil {
				return response, err
			}
		}
		response.Faces = append(response.Faces, shown)
	}
	return response, nil
}

// scoresOf returns the scores of ranked in the order of the classes of m.
func scoresOf(m *gallery.Gallery, ranked []faces.Candidate) []float64 {
	byName := make(map[string]float64, len(ranked))
	for _, c := range ranked {
		byName[c.Name] = c.Score
	}
	classes := m.Parts().Classes
	scores := make([]float64, len(classes))
	for i, name := range classes {
		scores[i] = byName[name]
	}
	return scores
}

func float64s(v []float32) []float64 {
	all := make([]float64, len(v))
	for i, x := range v {
		all[i] = float64(x)
	}
	return all
}
