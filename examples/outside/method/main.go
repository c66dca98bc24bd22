// Command method adds a method of its own: classes compete by how well their
// ridge combinations rebuild a face, weighted by the size of its code. It
// is trained on photographs, saved and used like one of nrdl's:
//
//	method train FILE   trains on drawn faces and saves the model
//	method change FILE  surveys, renames and removes people of it, and saves it again
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/synthetic"
)

// Balanced is a ridge representation by all training faces.
type Balanced struct {
	Lambda float64 `json:"lambda" help:"λ > 0, weight of ‖s‖²"`
}

// Default has a weight for few faces a person.
var Default = Balanced{Lambda: 0.01}

var _ classify.Described = Default

// Name implements classify.Method.
func (Balanced) Name() string { return "balanced" }

// Traits implements classify.Described.
func (m Balanced) Traits() classify.Traits {
	return classify.Traits{
		Title: "Balanced", Description: "ridge representation by all training faces",
		Samples: true, Coder: coding.Ridge{Lambda: m.Lambda}, Rule: classify.NormedResidual{},
		Ranges: []classify.Range{{Path: "lambda", Low: 1e-4, High: 1, Log: true}},
	}
}

// Validate implements classify.Method.
func (m Balanced) Validate() error {
	if !(m.Lambda > 0) {
		return fmt.Errorf("lambda is %g: it must be above 0", m.Lambda)
	}
	return nil
}

// Fit implements classify.Method.
func (m Balanced) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	seen, err := train.Seen()
	if err != nil {
		return nil, err
	}
	params, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return classify.NewClassifier(classify.Parts{
		D: classify.Unit(seen.X), Groups: seen.Groups, Classes: seen.Classes, Grid: seen.Grid,
		Coder: coding.Ridge{Lambda: m.Lambda}, Rule: classify.NormedResidual{},
		Method: m.Name(), Params: params, Seed: run.Seed,
		Outcome: classify.Outcome{Status: classify.ClosedForm},
	})
}

func main() {
	ctx := context.Background()
	if len(os.Args) != 3 {
		log.Fatal("usage: method train|change FILE")
	}
	path := os.Args[2]
	if os.Args[1] == "train" {
		drawn := synthetic.Default
		drawn.People, drawn.PerPerson = 8, 6
		images, err := drawn.Draw(ctx)
		check(err)
		r, err := faces.Train(ctx, images, faces.Defaults(images).For(Default))
		check(err)
		check(r.Save(ctx, path))
		return
	}
	r, err := faces.Open(path, Default)
	check(err)
	_, err = r.Survey(ctx, true)
	check(err)
	people := r.People()
	r, _, err = r.Rename(ctx, people[0].Name, "somebody")
	check(err)
	r, err = r.Remove(ctx, people[1].Name)
	check(err)
	check(r.Save(ctx, path))
	fmt.Printf("%d people are named by %s\n", len(r.People()), r.Model().Parts().Method)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
