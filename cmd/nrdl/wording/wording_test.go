package wording_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

func ExampleCommand() {
	again := advice.New("train it again, without %v: %v", advice.Forget, advice.Train.With(advice.Detect.To("always")))
	fmt.Println(again)
	fmt.Println(again.Word(wording.Command{Model: "my model.nrdl"}))
	// Output:
	// train it again, without faces.Options.Forget: faces.Train with face.Options.Detect: always
	// train it again, without --forget: nrdl train DATA -o 'my model.nrdl' --detect always
}

func TestEvaluate(t *testing.T) {
	m, err := method.Preset(method.DefaultNRDL, "orl")
	if err == nil {
		m, err = method.Set(m, "lambda", "0.5")
	}
	if err != nil {
		t.Fatal(err)
	}
	params, err := method.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &experiment.Record{Method: "nrdl", Params: json.RawMessage(params), Split: "first:6", Seed: 1000}
	r.Dataset.Path, r.Dataset.Preset = "the faces/orl.mat", "orl"
	want := "nrdl evaluate 'the faces/orl.mat' --method nrdl --preset orl --set lambda=0.5 --split first:6 --repeats 1 --seed 1000"
	if got := wording.Evaluate(r); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Noise = 0.1
	if got := wording.Evaluate(r); got != "" {
		t.Errorf("%s adds no noise", got)
	}
}
