package describe

import (
	"encoding/json"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// A Model describes a model file; it has a JSON form.
type Model struct {
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params"`
	Seed    uint64            `json:"seed"`
	People  []string          `json:"people"`
	Atoms   int               `json:"atoms"`
	Dims    int               `json:"dims"`
	Input   frontend.Pipeline `json:"input"`
	Coder   json.RawMessage   `json:"coder"`
	Rule    string            `json:"rule"`
	Trained classify.Outcome  `json:"trained"`
	Faces   int               `json:"faces"` // that it keeps

	Calibration *openset.Calibration `json:"calibration"`
}

// OfModel describes m.
func OfModel(m *gallery.Gallery) (Model, error) {
	p := m.Parts()
	coder, err := coding.Marshal(p.Coder)
	d, k, faces := m.Frame.Len(), 0, 0 // where it shortlists, a dictionary is learned for each face
	if !m.Shortlists() {
		d, k = p.D.Dims()
	}
	if m.Enrolled != nil {
		_, faces = m.Enrolled.Len()
	}
	return Model{p.Method, p.Params, p.Seed, m.Names(), k, d, m.Pipeline, coder, p.Rule.Name(), p.Trained, faces, m.Calibration}, err
}

// Print prints m as text.
func (m Model) Print(c *console.Console) {
	c.Print("method     %s, seed %d, %s\n", m.Method, m.Seed, m.Trained.Status)
	c.Print("people     %d: %s\n", len(m.People), legible.Abridged(m.People))
	c.Print("atoms      %d of %d numbers\n", m.Atoms, m.Dims)
	printInput(c, m.Input)
	c.Print("coder      %s\n", m.Coder)
	c.Print("rule       %s\n", m.Rule)
	if m.Faces == 0 {
		c.Print("keeps      no faces: nobody can be added\n")
	} else {
		c.Print("keeps      %s, so that people can be added\n", legible.Count(m.Faces, "face"))
	}
	if t := m.Calibration; t == nil {
		c.Print("threshold  none: every face is named\n")
	} else if l := m.Input.Law(); t.FollowsLaw() && l != nil {
		c.Print("threshold  evidence ≥ %.3g: %s as similar (target FPIR %s %%, measured on %s)\n", t.Threshold, legible.AsSimilar(t.Threshold), legible.Percent(t.FPIR), threshold.Measured(l))
	} else if t.FollowsLaw() || t.ByScores {
		c.Print("threshold  evidence ≥ %.3g: %s as similar (target FPIR %s %%)\n", t.Threshold, legible.AsSimilar(t.Threshold), legible.Percent(t.FPIR))
	} else {
		c.Print("threshold  margin ≥ %.3g (target FPIR %s %%, estimated on %s)\n", t.Threshold, legible.Percent(t.FPIR), threshold.Known(m.Input, t))
	}
}
