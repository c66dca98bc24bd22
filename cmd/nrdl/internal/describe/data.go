// Package describe describes data sets and models: as data with a JSON form, and
// as text.
package describe

import (
	"encoding/json"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// Data describes a data set.
type Data struct {
	dataset.Info
	Learning frontend.Pipeline `json:"learning"` // how train would see the faces

	images *dataset.Images
}

// OfData describes images; in is the pipeline that train would use for them.
func OfData(images *dataset.Images, in frontend.Pipeline) Data {
	return Data{dataset.Describe(images), in, images}
}

// Print prints d as text.
func (d Data) Print(c *console.Console) {
	c.Print("%-10s %d\n", d.word("people"), d.People)
	if d.MinImages == d.MaxImages {
		c.Print("%-10s %d, %d of each\n", d.word("images"), d.Images, d.MaxImages)
	} else {
		c.Print("%-10s %d, %d to %d of each\n", d.word("images"), d.Images, d.MinImages, d.MaxImages)
	}
	if d.MinImages < 2 {
		c.Print("%-10s %s\n", d.word("one image"), legible.Abridged(alone(d.images)))
	}
	length := "features"
	if d.images.AreImages() {
		size := "size" // of the images themselves
		if !d.images.Matrix {
			size = "resized to"
		}
		c.Print("%-10s %v\n", size, d.Frame.Size)
		length = "pixels"
	}
	c.Print("%-10s %d\n", length, d.Features)
	kind := ""
	if d.Integers {
		kind = ", whole numbers"
	}
	c.Print("values     %.4g to %.4g%s\n", d.Lowest, d.Highest, kind)
	d.printColumns(c, "blank", d.Blank)
	d.printColumns(c, "constant", d.Constant)
	d.printGroups(c, "identical", d.Duplicates)
	d.printGroups(c, "mislabelled", d.Conflicts)
	printInput(c, d.Learning)
}

// word is a word for images, or in its place that for vectors.
func (d Data) word(of string) string {
	if d.images.AreFaces() {
		return of
	}
	return legible.OfSamples(of)
}

// alone returns the people with one image, which cannot be used for training and testing.
func alone(set *dataset.Images) (people []string) {
	for c, person := range set.Classes {
		if set.Groups[c+1]-set.Groups[c] < 2 {
			people = append(people, person)
		}
	}
	return people
}

func (d Data) printColumns(c *console.Console, what string, columns []int) {
	if len(columns) == 0 {
		return
	}
	var names []string
	for _, j := range columns {
		names = append(names, d.images.ID(j))
	}
	c.Print("%-10s %s: %s\n", what, legible.Count(len(columns), d.word("image")), legible.Abridged(names))
}

// maxGroups is how many groups of identical images are printed.
const maxGroups = 5

func (d Data) printGroups(c *console.Console, what string, groups [][]int) {
	for n, g := range groups {
		if n == maxGroups {
			c.Print("%-10s … %d more groups\n", what, len(groups)-maxGroups)
			return
		}
		d.printColumns(c, what, g)
	}
}

// printInput prints the stages that make samples of faces.
func printInput(c *console.Console, in frontend.Pipeline) {
	c.Print("input      %v\n", in)
	if in.SeesImages() {
		c.Print("%-10s %d features", "", in.Len())
		if in.Mirror {
			c.Print(", also of mirror images")
		}
		if !in.Projection.IsZero() {
			c.Print(", then projected")
		}
		c.Print("\n")
	}
}

// A Model describes a model file; it has a JSON form.
type Model struct {
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params"`
	Seed    uint64            `json:"seed"`
	People  []string          `json:"people"`
	Atoms   int               `json:"atoms"` // number of atoms
	Dims    int               `json:"dims"`  // numbers of a sample
	Input   frontend.Pipeline `json:"input"`
	Coder   json.RawMessage   `json:"coder"` // coder of the queries, with its parameters
	Rule    string            `json:"rule"`  // how a code becomes a class
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
	return Model{p.Method, p.Params, p.Seed, m.Names(), k, d, m.Pipeline, coder, p.Rule.Name(), p.Outcome, faces, m.Calibration}, err
}

// Print prints m as text.
func (m Model) Print(c *console.Console) {
	c.Print("method     %s, seed %d, %s\n", m.Method, m.Seed, m.Trained.Status)
	word := func(of string) string { return of }
	if !m.Input.SeesImages() {
		word = legible.OfSamples
	}
	c.Print("%-10s %d: %s\n", word("people"), len(m.People), legible.Abridged(m.People))
	c.Print("atoms      %d of %d numbers\n", m.Atoms, m.Dims)
	printInput(c, m.Input)
	c.Print("coder      %s\n", m.Coder)
	c.Print("rule       %s\n", m.Rule)
	if m.Faces == 0 {
		c.Print("%s\n", word("keeps      no faces: nobody can be added"))
	} else if !m.Input.SeesImages() { // add takes photographs
		c.Print("keeps      %s\n", legible.Count(m.Faces, "sample"))
	} else {
		c.Print("keeps      %s, so that people can be added\n", legible.Count(m.Faces, "face"))
	}
	if t := m.Calibration; t == nil {
		c.Print("%s\n", word("threshold  none: every face is named"))
	} else if l := m.Input.Law(); t.FollowsLaw() && l != nil {
		c.Print("threshold  evidence ≥ %.3g: %s as similar (target FPIR %s %%, measured on %s)\n", t.Threshold,
			legible.AsSimilar(t.Threshold), legible.Percent(t.FPIR), l.Subjects())
	} else if t.FollowsLaw() || t.ByScores {
		c.Print("threshold  evidence ≥ %.3g: %s as similar (target FPIR %s %%)\n", t.Threshold,
			legible.AsSimilar(t.Threshold), legible.Percent(t.FPIR))
	} else {
		c.Print("threshold  margin ≥ %.3g (target FPIR %s %%, estimated on %s)\n", t.Threshold,
			legible.Percent(t.FPIR), threshold.Known(m.Input, t))
	}
}
