package faces_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// outsider is a method that package method does not have.
type outsider struct {
	Lambda float64 `json:"lambda"`
}

func (outsider) Name() string { return "outsider" }

func (outsider) Validate() error { return nil }

func (m outsider) Fit(_ context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
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

// Pages that count the methods count them rightly.
func TestMethodsAreCounted(t *testing.T) {
	for _, page := range []string{"../README.md", "../doc/research.md"} {
		text, err := os.ReadFile(page)
		if want := fmt.Sprintf(" %d methods", len(method.All())); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say%s: %v", page, want, err)
		}
	}
}

// The people of a model can be changed by whoever names its method to Open.
func TestOpenMethodOfAnotherModule(t *testing.T) {
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 4, 3
	images, err := drawn.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := faces.Train(t.Context(), images, faces.Options{Method: outsider{0.01}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "people.nrdl")
	if err := r.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if r, err = faces.Open(path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Survey(t.Context(), true); err == nil {
		t.Error("a method that is not known trains")
	}
	if err := r.Keeps(); err == nil || !strings.Contains(err.Error(), "outsider, which is not known here") ||
		!strings.Contains(advice.Text(err), "faces.Open takes it") {
		t.Errorf("people of a method that is not known can be changed: %v, %q", err, advice.Text(err))
	}
	if faces, err := r.Model().Identify(t.Context(), images); err != nil || len(faces) != images.Len() {
		t.Errorf("a method that is not known identifies nobody: %v", err)
	}
	if r, err = faces.Open(path, outsider{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Survey(t.Context(), true); err != nil {
		t.Error(err)
	}
	people := r.People()
	r, _, err = r.Rename(t.Context(), people[0].Name, "somebody")
	if err != nil {
		t.Fatal(err)
	}
	r, err = r.Remove(t.Context(), people[1].Name)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.People()); n != 3 || string(r.Model().Parts().Params) != `{"lambda":0.01}` {
		t.Errorf("%d people, parameters %s", n, r.Model().Parts().Params)
	}
}
