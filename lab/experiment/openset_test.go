package experiment_test

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/testing/realdata"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

func judgeOpenSet(t *testing.T, set *dataset.Images, o experiment.OpenSet) *experiment.OpenSetResult {
	t.Helper()
	r, err := experiment.JudgeOpenSet(t.Context(), set, method.DefaultNRC, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOpenSetOfDrawnFaces(t *testing.T) {
	s := synthetic.Default
	s.People, s.PerPerson = 24, 6
	set, err := s.Draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := experiment.OpenSet{Split: dataset.DefaultSplit, EnrolledShare: 0.5, Repeats: 2, Seed: 4, Calibrate: openset.Default}
	r := judgeOpenSet(t, set, o)
	if n := r.NamedFaces.Faces; n > 2*(r.Draws[0].Test+r.Draws[0].Strangers) || r.NamedFaces.Probability > r.NamedFaces.Right+0.02 {
		t.Errorf("of the faces that are named: %+v", r.NamedFaces)
	}
	if r.People != 12 || r.Strangers != 12 || len(r.Draws) != 2 || len(r.Scores) != 6 {
		t.Fatalf("%+v", r)
	}
	for _, s := range r.Scores {
		last := 0.0
		for i, v := range s.ROC {
			if v < last || v > r.ClosedSet.Mean+1e-12 {
				t.Errorf("%s: ROC falls, or rises above the closed set, at %v", s.Name, experiment.ROCRates[i])
			}
			last = v
		}
	}
	before := runtime.GOMAXPROCS(1)
	alone := judgeOpenSet(t, set, o)
	runtime.GOMAXPROCS(before)
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(alone)
	if string(a) != string(b) {
		t.Error("on one thread it is another result")
	}
	for name, spoil := range map[string]func(*experiment.OpenSet){
		"no draws":            func(o *experiment.OpenSet) { o.Repeats = 0 },
		"nobody enrolled":     func(o *experiment.OpenSet) { o.EnrolledShare = 0 },
		"two enrolled":        func(o *experiment.OpenSet) { o.EnrolledShare = 2. / 24 },
		"no strangers":        func(o *experiment.OpenSet) { o.EnrolledShare = 1 },
		"nothing to judge by": func(o *experiment.OpenSet) { o.Split = dataset.Split{} },
		"none to give":        func(o *experiment.OpenSet) { o.CalibrationStrangers = 3 },
		"no false accepts":    func(o *experiment.OpenSet) { o.Calibrate.FPIR = 0 },
	} {
		other := o
		spoil(&other)
		if _, err := experiment.JudgeOpenSet(t.Context(), set, method.DefaultNRC, other, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Twenty people of ORL are enrolled, the others are strangers.
func TestOpenSetOfORL(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG=1 enrols real faces; TestOpenSetOfDrawnFaces enrols drawn ones")
	}
	path := realdata.Path(t, "orl_faces")
	in := frontend.Faces96
	set, err := dataset.Open(t.Context(), path, dataset.Options{Frame: in.Frame})
	if err != nil {
		t.Fatal(err)
	}
	split, err := dataset.ParseSplit("first:6")
	if err != nil {
		t.Fatal(err)
	}
	r := judgeOpenSet(t, set, experiment.OpenSet{Split: split, EnrolledShare: 0.5, Repeats: 2, Seed: 1, Input: in, Calibrate: openset.Default})
	if r.IdentificationRate.Mean < 0.6 || r.FPIR.Max > 0.02 || r.ECE > 0.08 {
		t.Errorf("identified %v, strangers named %v, calibration error %v", r.IdentificationRate, r.FPIR, r.ECE)
	}
	if r.NamedFaces.Faces == 0 || r.NamedFaces.Probability > r.NamedFaces.Right+0.02 || r.MaxStrangerProbability > 1-1/(2*120+6.) {
		t.Errorf("named %+v; a stranger has the probability %v", r.NamedFaces, r.MaxStrangerProbability)
	}
}
