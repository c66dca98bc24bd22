// Command method adds a method of its own: classes compete by how well their
// non-negative combinations rebuild a face, weighted by the size of its code. It
// is trained on photographs, saved and used like one of nrdl's.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/synthetic"
)

// Balanced is a ridge representation by all training faces.
type Balanced struct {
	Lambda float64 `json:"lambda" help:"λ > 0, weight of ‖s‖²"`
}

// Name implements classify.Method.
func (Balanced) Name() string { return "balanced" }

// Validate implements classify.Method.
func (m Balanced) Validate() error {
	if m.Lambda <= 0 {
		return fmt.Errorf("lambda is %g: it must be above 0", m.Lambda)
	}
	return nil
}

// Fit implements classify.Method.
func (m Balanced) Fit(_ context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	params, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return classify.NewClassifier(classify.Parts{
		D: classify.Unit(train.X), Groups: train.Groups, Classes: train.Classes, Grid: train.Grid,
		Coder: coding.Ridge{Lambda: m.Lambda}, Rule: classify.NormedResidual{},
		Method: m.Name(), Params: params, Seed: run.Seed,
	})
}

func main() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 8, 6
	images, err := drawn.Draw(ctx)
	check(err)
	o := nrdl.Defaults(images).For(Balanced{0.01})
	r, err := nrdl.Train(ctx, images, o)
	check(err)
	dir, err := os.MkdirTemp("", "method")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "people.nrdl")
	check(r.Save(ctx, path))
	r, err = nrdl.Open(path)
	check(err)
	fmt.Printf("%d people are named by %s\n", len(r.People()), "balanced")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
