package experiment_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/method"
)

// A plan for a data set of any kind is a plan, for the schema beside it too, and its
// first method is the one that training takes by default.
func TestWritePlan(t *testing.T) {
	dir := t.TempDir()
	photographs := synthetic.Photographs{People: 2, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 240}, Seed: 1}
	if err := photographs.Write(t.Context(), filepath.Join(dir, "photos"), nil); err != nil {
		t.Fatal(err)
	}
	found := synthetic.Default
	found.People, found.PerPerson = 3, 6
	images, err := found.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	vectors := *images
	vectors.Frame = dataset.Frame{}
	for name, set := range map[string]*dataset.Images{"crops": images, "images.mat": images, "vectors.npz": &vectors} {
		if err := dataset.Save(t.Context(), filepath.Join(dir, name), set); err != nil {
			t.Fatal(err)
		}
	}
	for data, splits := range map[string]string{
		"photos/people": "random:1", "crops": "random:2 random:3",
		"images.mat": "random:2 random:3", "vectors.npz": "random:2 random:3",
	} {
		path := filepath.Join(dir, strings.ReplaceAll(data, "/", "-")+".json")
		source := filepath.Join(dir, data)
		if err := experiment.WritePlan(t.Context(), source, path, dataset.Arrays{}, nil); err != nil {
			t.Fatal(err)
		}
		plan, err := experiment.ReadPlan(path)
		if err != nil {
			t.Fatal(err)
		}
		list := plan.List()
		for _, split := range strings.Fields(splits) {
			if !strings.Contains(strings.Join(list, "\n"), split) {
				t.Errorf("%s: no split %s in %q", data, split, list)
			}
		}
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join(dir, plans.SchemaFile))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(text)
		text.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if named := v.(map[string]any)["$schema"]; named != "./"+plans.SchemaFile {
			t.Errorf("%s names the schema %v", data, named)
		}

		set, err := faces.Read(t.Context(), source, faces.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wanted := faces.Defaults(set)
		first := v.(map[string]any)["methods"].([]any)[0].(map[string]any)
		if first["method"] != wanted.Method.Name() || !strings.Contains(first["label"].(string), "default") {
			t.Errorf("%s: the first method is %v, and the default one is %s", data, first, wanted.Method.Name())
		}
		for _, baseline := range []string{"1-NN", "LDA", "Ridge classifier", "Linear SVM"} {
			if !slices.ContainsFunc(list, func(line string) bool { return strings.HasPrefix(line, baseline) }) {
				t.Errorf("%s: no %s in %q", data, baseline, list)
			}
		}
		if in, _ := first["input"].(string); (in == "embedding") != !wanted.Pipeline.Embedding.IsZero() {
			t.Errorf("%s: the first input is %q, and the default one %v", data, in, wanted.Pipeline)
		}
		if err := experiment.WritePlan(t.Context(), source, path, dataset.Arrays{}, nil); err == nil {
			t.Errorf("%s is overwritten", path)
		}
	}
	if err := experiment.WritePlan(t.Context(), filepath.Join(dir, "none"), filepath.Join(dir, "x.json"), dataset.Arrays{}, nil); err == nil {
		t.Error("there is a plan for nothing")
	}
}

// Editors complete the names of all methods.
func TestSchemaHasTheMethods(t *testing.T) {
	for _, m := range method.All() {
		if !strings.Contains(string(plans.Schema()), `"`+m.Name()+`"`) {
			t.Errorf("the schema has no %s: go generate writes it", m.Name())
		}
	}
}

// Photographs and vectors of a network are compared: on the same images, and their
// records can be replayed. One image shows nobody. A Bench needs no Databases for that.
func TestEmbeddingsOfAPlan(t *testing.T) {
	dir := t.TempDir()
	photographs := synthetic.Photographs{People: 2, PerPerson: 3, Size: dataset.Size{Height: 240, Width: 240}, Seed: 5}
	if err := photographs.Write(t.Context(), filepath.Join(dir, "photos"), nil); err != nil {
		t.Fatal(err)
	}
	var nobody bytes.Buffer
	if err := png.Encode(&nobody, image.NewGray(image.Rect(0, 0, 60, 60))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "photos", "people", "person001", "4.png"), nobody.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	plan, err := experiment.ParsePlan([]byte(`{"name": "p", "repeats": 2, "datasets": [{"name": "d", "path": "`+
		filepath.ToSlash(filepath.Join(dir, "photos", "people"))+`", "split": ["random:2", "first:2"]}],
		"methods": [{"method": "mean", "input": "embedding"}, {"method": "nrc", "label": "a", "input": "embedding"}, {"method": "nrc", "label": "b", "input": "faces32 none eyes=0.46@0.36"}, "crc"]}`), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "r.jsonl")
	databases := &experiment.Databases{}
	if done, err := (&experiment.Bench{Databases: databases}).Run(t.Context(), plan, path); err != nil || done.Failures > 0 || done.New != 12 {
		t.Fatalf("%+v, %v", done, err)
	}
	records, err := experiment.ReadRecordsFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("NRDL_LONG") != "" {
		databases = &experiment.Databases{} // reads the photographs once more
	}
	for _, r := range records {
		if r.Split == "first:2" && r.Input != nil && !slices.Contains(r.MissedColumns, 3) {
			t.Errorf("%s: a name for the photograph of nobody", r.Label)
		}
		if r.N+r.Train != 7 || r.Dataset.Hash != records[0].Dataset.Hash {
			t.Errorf("%s: %d test images, %d training images", r.Label, r.N, r.Train)
		}
		if r.Input != nil && r.Input.Eyes.IsZero() {
			t.Errorf("%s: no face is searched for with %v", r.Label, r.Input)
		}
		if r.Label == "a" || r.Label == "b" { // one label with vectors and one with crops are enough
			continue
		}
		again, err := experiment.Replay(t.Context(), databases, r)
		if err != nil {
			t.Fatal(err)
		}
		if !again.Record.Same(r) {
			t.Errorf("%s: another result when repeated", r.Label)
		}
	}
}

// Noise is put on images, not on vectors.
func TestNoiseOnVectorsIsRefused(t *testing.T) {
	plan, err := experiment.ParsePlan(
		[]byte(`{"datasets": [{"name": "d", "synthetic": {"people": 2, "per_person": 2}, "split": "half", "noise": 0.1}],
"methods": [{"method": "mean", "input": "embedding"}]}`), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&experiment.Bench{}).Run(t.Context(), plan, filepath.Join(t.TempDir(), "r.jsonl"))
	if err == nil || !strings.Contains(err.Error(), "plan.json:2: noise and occlusion are put on images") {
		t.Error(err)
	}
}

// A built-in plan that is printed, and read from a file of another name, asks for the
// same runs under the same name.
func TestPrintedPlansAreTheSame(t *testing.T) {
	names := plans.Names()
	if os.Getenv("NRDL_LONG") == "" {
		names = []string{"quick"}
	}
	for _, name := range names {
		text, _ := plans.Named(name)
		path := filepath.Join(t.TempDir(), "mine.json")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		built, err := experiment.ParsePlan(text, name)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := experiment.ReadPlan(path)
		if err != nil {
			t.Fatal(err)
		}
		if printed.Name != built.Name || !slices.Equal(printed.Keys(), built.Keys()) {
			t.Errorf("%s: other runs when it is printed", name)
		}
	}
}
