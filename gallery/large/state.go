package large

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/openset"
)

// load reads the vectors of probes that were read from a file.
func (g *Gallery) load() error {
	d, _ := g.faces.Dims()
	probes := g.held.Probes
	for i := range probes {
		p := &probes[i]
		r, found := g.faces.Find(p.Name)
		if !found {
			return fmt.Errorf("damaged gallery: a probe of %q, who is not there", p.Name)
		}
		own, err := g.faces.Person(r)
		if err != nil {
			return err
		}
		j := slices.Index(own.IDs, p.ID)
		if j < 0 {
			return fmt.Errorf("damaged gallery: a probe %q, which is not there", p.ID)
		}
		p.vector = own.Vectors[j*d : (j+1)*d]
	}
	return nil
}

// scores are those of the probes for p, as judge has them.
func (g *Gallery) scores(p *index.Person) []float64 {
	atom := g.atom(p)
	scores, photographs := make([]float64, len(g.held.Probes)), make([]int, len(g.held.Probes))
	for i, probe := range g.held.Probes {
		scores[i], photographs[i] = cosine(atom, probe.vector), len(p.IDs)
	}
	g.level(scores, photographs)
	return scores
}

// State returns what Restore needs beside the faces.
func (g *Gallery) State() ([]byte, error) {
	return json.Marshal(stored{g.how, g.held})
}

// stored is the state of a Gallery.
type stored struct {
	How  *openset.Options `json:"how,omitempty"`
	Held *held            `json:"held,omitempty"`
}

// Restore returns a Gallery of faces, with what State returned; nil for one without a
// threshold.
func Restore(template *gallery.Model, by classify.Method, faces *index.Index, state []byte) (*Gallery, error) {
	g := &Gallery{template: template, by: by, faces: faces}
	if state == nil {
		return g.decided()
	}
	var s stored
	if err := json.Unmarshal(state, &s); err != nil {
		return nil, fmt.Errorf("damaged gallery: %w", err)
	}
	if s.How != nil {
		if err := s.How.Validate(); err != nil {
			return nil, fmt.Errorf("damaged gallery: %w", err)
		}
	}
	g.how, g.held = s.How, s.Held
	if s.Held != nil {
		if slices.ContainsFunc(s.Held.Probes, func(p probe) bool { return len(p.Rivals) == 0 }) {
			return nil, errors.New("damaged gallery: a probe without rivals")
		}
	}
	d, info := faces.Dims()
	if want := template.Frame.Len(); d != want || info != infos {
		return nil, fmt.Errorf("the faces have vectors of %d numbers, and the network makes %d", d, want)
	}
	if s.Held != nil && g.separable() != nil {
		if err := g.load(); err != nil { // now, as the first change should be as quick as the others
			return nil, err
		}
	}
	return g.decided()
}

// Faces returns the faces of g.
func (g *Gallery) Faces() *index.Index { return g.faces }

// At returns g with the same faces in another place.
func (g *Gallery) At(faces *index.Index) *Gallery {
	t := *g
	t.faces = faces
	t.whole = sync.OnceValues(t.makeWhole)
	return &t
}
