package experiment

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
)

func parsed(t testing.TB, text string) frontend.Pipeline {
	t.Helper()
	in, err := frontend.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// featuresOf are vectors: the features of the images of set.
func featuresOf(t testing.TB, set *dataset.Images, text string) *dataset.Images {
	t.Helper()
	samples, err := parsed(t, text).ForImages(set.Frame).Samples(set)
	if err != nil {
		t.Fatal(err)
	}
	vectors := *set
	vectors.X, vectors.Frame, vectors.Grid = samples.X, dataset.Frame{}, classify.Grid{}
	return &vectors
}

// inputPlan sees the same faces in several ways, noisy and covered ones too, and
// searches and fails in one of them: there are no five dimensions of four people.
const inputPlan = `{"name": "inputs", "seed": 5, "repeats": 2, "datasets": [
	{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "12x10"}, "split": "random:3", "noise": [0, 0.05], "occlusion": [0, 0.1]}],
	"methods": ["crc", {"method": "crc", "label": "igo", "input": "igo mirror"},
		{"method": "nrc", "label": "projected", "input": "lcn hog:cell=4 mirror fisher:0.3"},
		{"method": "crc", "label": "sized", "input": "12x10 lbp:cell=6"},
		{"method": "nrc", "label": "tuned", "input": "igo mirror fisher", "tune": {"budget": 2, "folds": 3}},
		{"method": "crc", "label": "fails", "input": "fisher:dims=5"}]}`

// A record says how samples were made, and all inputs meet the same images, in
// the same parts and equally spoilt; it is enough to repeat the run.
func TestInputsOfAPlan(t *testing.T) {
	p := parse(t, inputPlan)
	library := &Databases{}
	records, done := benched(t, Bench{Jobs: 2, Databases: library}, p, filepath.Join(t.TempDir(), "r.jsonl"))
	if done.Total != 6*4*2 || done.Failures != 4*2 {
		t.Errorf("%+v", done)
	}
	inputs := map[string]string{
		"igo": "12x10 igo mirror", "projected": "12x10 lcn hog:cell=4 mirror fisher", "sized": "12x10 lbp:cell=6",
		"tuned": "12x10 igo mirror fisher", "fails": "12x10 pixels fisher:dims=5",
	}
	type setting struct {
		noise, occlusion float64
		repeat           int
	}
	type met struct {
		data, split      string
		seed, corruption uint64
		train, n         int
	}
	all := map[setting]met{}
	wrong := map[string]int{}
	for _, r := range records {
		if got := r.Input; (got == nil) != (r.Label == "CRC") || got != nil && got.String() != inputs[r.Label] {
			t.Errorf("%s: the input is %v", r.Label, got)
		}
		if r.Label == "fails" {
			if !strings.Contains(r.Error, "dims = 5, and 4 classes give at most 3") {
				t.Errorf("it fails with %q", r.Error)
			}
			continue
		}
		s, m := setting{r.Noise, r.Occlusion, r.Repeat}, met{r.Dataset.Hash, r.SplitHash, r.Seed, r.CorruptionSeed, r.Train, r.N}
		if o, ok := all[s]; ok && o != m {
			t.Errorf("%+v: %s meets %+v, another %+v", s, r.Label, m, o)
		}
		all[s] = m
		wrong[r.Label] += r.Wrong
		if m.train != 12 || m.n != 12 {
			t.Errorf("%s learns from %d images and is judged by %d", r.Label, m.train, m.n)
		}
		again, err := Replay(t.Context(), library, r)
		if err != nil {
			t.Fatal(err)
		}
		r.Tuning = nil
		if !again.Record.Same(r) {
			t.Errorf("%s: another result when repeated", r.Label)
		}
		if got := again.Model.Pipeline.String(); r.Input != nil && got != r.Input.String() {
			t.Errorf("%s: the model's input is %s", r.Label, got)
		}
		judged, err := Judge(t.Context(), again.Model, again.Test)
		if err != nil || judged.Wrong != r.Wrong {
			t.Errorf("%s: the model names %d wrongly, not %d, %v", r.Label, judged.Wrong, r.Wrong, err)
		}
	}
	if len(all) != 8 || wrong["CRC"] == wrong["igo"] && wrong["igo"] == wrong["projected"] && wrong["projected"] == wrong["sized"] {
		t.Errorf("%d settings, %v wrong: inputs make no difference", len(all), wrong)
	}
}

// Work that needs no input has the key that it had before there were any; one
// that differs in the input has another.
func TestInputsAndKeys(t *testing.T) {
	with := jobs(t, parse(t, inputPlan))
	i := strings.Index(inputPlan, `{"method": "crc", "label": "igo"`)
	without := jobs(t, parse(t, strings.TrimRight(inputPlan[:i], ",\n\t ")+"]}"))
	for key := range without {
		if with[key] == nil {
			t.Error("inputs of others change a key")
		}
	}
	if len(without) != 8 || len(with) != 48 {
		t.Errorf("%d and %d runs", len(without), len(with))
	}
}

// Images are spoilt before samples are made of them, the mirror images with
// them; the test images are images until the model sees them.
func TestCorruptionComesBeforeFeatures(t *testing.T) {
	set := drawn(t)
	in := parsed(t, "despeckle igo mirror pca:6").ForImages(set.Frame)
	noisy, err := dataset.SaltAndPepper{Density: 0.1}.Apply(set, 9)
	if err != nil {
		t.Fatal(err)
	}
	learn, judge, err := dataset.DefaultSplit.Apply(set, 4)
	if err != nil {
		t.Fatal(err)
	}
	fitted, want, err := in.Fit(t.Context(), noisy.Select(learn))
	if err != nil {
		t.Fatal(err)
	}
	f, err := divide(t.Context(), set, parsed(t, "despeckle igo mirror pca:6"), dataset.DefaultSplit, 4, corruption{0.1, 0.2, 9})
	if err != nil {
		t.Fatal(err)
	}
	test, err := f.test()
	if err != nil {
		t.Fatal(err)
	}
	covered, err := dataset.Occlusion{Share: 0.2}.Apply(noisy, 9)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(f.train.X, want.X) || !slices.Equal(f.train.IDs, want.IDs) || !mat.Equal(f.unit.D, classify.Unit(want.X)) {
		t.Error("it learns from other samples")
	}
	if f.pipeline.Pipeline.String() != in.String() || !mat.Equal(f.pipeline.Basis.P, fitted.Basis.P) {
		t.Errorf("it sees images as %v", f.pipeline.Pipeline)
	}
	if !mat.Equal(test.X, covered.Select(judge).X) || !test.Frame.Same(set.Frame) {
		t.Errorf("it is judged by other samples, %v", test.Frame)
	}
	if _, n := f.images.X.Dims(); n != len(learn) || !f.images.Frame.Same(set.Frame) {
		t.Errorf("%d images of %v are learned from", n, f.images.Frame)
	}
}

// What a setting cannot do is an error before any run, with its line.
func TestBenchRefusesInputs(t *testing.T) {
	vectors, igo := *drawn(t), featuresOf(t, drawn(t), "igo")
	vectors.Frame, vectors.Grid = dataset.Frame{}, classify.Grid{}
	library := &Databases{sets: map[sourceKey]*loadedSet{
		asItIs("faces"): {drawn(t), "a"},
		asItIs("igo"):   {igo, "b"}, asItIs("vectors"): {&vectors, "c"},
	}}
	for _, c := range []struct{ data, input, want, hint string }{
		{
			`"synthetic": {"size": "12x10", "people": 3, "per_person": 4}`, "faces96", "the images are 12x10 pixels: 96x96",
			"bring the images to 96x96",
		},
		{`"path": "faces"`, "lbp:cell=11", "cell = 11 is too large for an image of 12x10", "cell=10"},
		{`"path": "vectors"`, "igo", "input igo without a size", ""},
		{`"path": "vectors"`, "mirror", "without a size", ""},
		{`"path": "vectors"`, "fisher shift=1", "without a size", ""},
		{`"path": "faces"`, "fisher shift=3", "shift = 3 is too far for images of 12x10", "the largest is shift=2"},
		{`"path": "vectors"`, "lcn", "without a size", ""},
	} {
		p := parse(t,
			`{"datasets": [{"name": "d", `+c.data+`, "split": "half"}], "methods": ["crc",`+"\n"+`{"method": "crc", "label": "b", "input": "`+
				c.input+`"}]}`)
		_, err := (&Bench{Jobs: 1, Databases: library}).Run(t.Context(), p, filepath.Join(t.TempDir(), "r.jsonl"))
		if err == nil || !strings.HasPrefix(err.Error(), "plan.json:2: ") || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(advice.Text(err), c.hint) || ugly.MatchString(err.Error()) {
			t.Errorf("%s of %s: %v (hint %q), want %s", c.input, c.data, err, advice.Text(err), c.want)
		}
	}
	for data, input := range map[string]string{"igo": "fisher", "vectors": "pca:3", "faces": "igo zoom=0.8 mirror fisher shift=1"} {
		p := parse(t, `{"datasets": [{"name": "d", "path": "`+data+`", "split": "half"}], "methods": [{"method": "crc", "input": "`+input+`"}]}`)
		if _, done := benched(t, Bench{Jobs: 1, Databases: library}, p, filepath.Join(t.TempDir(), "r.jsonl")); done.Failures != 0 {
			t.Errorf("%s of %s fails", input, data)
		}
	}
}

// Files are read in the size of an input that has one, and in the part that the
// data set says; a record names the data set as the plan has it.
func TestBenchReadsAnInputsSize(t *testing.T) {
	root := t.TempDir()
	if err := dataset.Save(t.Context(), filepath.Join(root, "faces"), drawn(t)); err != nil {
		t.Fatal(err)
	}
	p := parse(t, `{"datasets": [{"name": "d", "path": "faces", "split": "half", "size": "12x10", "crop": 0.75}], "methods": [
		"crc", {"method": "crc", "label": "igo", "input": "igo"}, {"method": "crc", "label": "sized", "input": "16x8 igo mirror fisher"},
		{"method": "crc", "label": "cropped", "input": "crop=0.5"}]}`)
	library := &Databases{Roots: []string{root}}
	records, done := benched(t, Bench{Jobs: 2, Databases: library}, p, filepath.Join(t.TempDir(), "r.jsonl"))
	if done.Failures != 0 {
		t.Errorf("%+v", done)
	}
	want := map[string][2]string{
		"CRC": {"12x10 crop=0.75 pixels", ""}, "igo": {"12x10 crop=0.75 pixels", "12x10 crop=0.75 igo"},
		"sized": {"12x10 crop=0.75 pixels", "16x8 crop=0.75 igo mirror fisher"}, "cropped": {"12x10 crop=0.75 pixels", "12x10 crop=0.5 pixels"},
	}
	for _, r := range records {
		samples := ""
		if r.Input != nil {
			samples = r.Input.String()
		}
		if diff := cmp.Diff(want[r.Label], [2]string{r.Dataset.Input.String(), samples}); diff != "" {
			t.Errorf("%s: %s %s", r.Label, r.Error, diff)
		}
		again, err := Replay(t.Context(), library, r)
		if err != nil || !again.Record.Same(r) {
			t.Errorf("%s is not repeated: %v", r.Label, err)
		}
	}
}

// Neither the mirror images nor the projection of a fold know what is held out.
func TestTuneFoldsOfInputs(t *testing.T) {
	train := unequal(t)
	in := parsed(t, "igo mirror fisher shift=1").ForImages(train.Frame)
	s := Search{Budget: 1, Folds: 3, Seed: 2}
	tuner, err := newTuner(t.Context(), train, in, method.DefaultCRC, s, TuneObserver{})
	if err != nil {
		t.Fatal(err)
	}
	fold, err := Folds{N: 3}.deal(train, 2)
	if err != nil {
		t.Fatal(err)
	}
	for held, f := range tuner.folds {
		learn, judge := hold(fold, held)
		if _, n := f.train.X.Dims(); n != 2*len(learn) {
			t.Errorf("fold %d learns from %d samples of %d images", held, n, len(learn))
		}
		for _, id := range f.train.IDs {
			if slices.Contains(f.samples.IDs, strings.TrimSuffix(id, " (mirror image)")) {
				t.Errorf("fold %d learns from %s, by which it is judged", held, id)
			}
		}
		if slices.ContainsFunc(f.samples.IDs, func(id string) bool { return strings.Contains(id, "mirror") }) {
			t.Errorf("fold %d is judged by %v", held, f.samples.IDs)
		}
		fitted, want, err := in.Fit(t.Context(), train.Select(learn))
		if err != nil {
			t.Fatal(err)
		}
		judged, err := in.Samples(train.Select(judge))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(f.train.X, want.X) || !mat.Equal(f.pipeline.Project(f.samples.X), fitted.Project(judged.X)) {
			t.Errorf("fold %d has other samples than those of its images", held)
		}
		other, err := newTuner(t.Context(), poisoned(train, judge), in, method.DefaultCRC, s, TuneObserver{})
		if err != nil {
			t.Fatal(err)
		}
		if o := other.folds[held].train; !mat.Equal(o.X, f.train.X) {
			t.Errorf("fold %d depends on what is held out", held)
		}
	}
	got, err := Tune(t.Context(), train, parsed(t, "igo mirror fisher shift=1"), method.DefaultCRC,
		Search{Budget: 4, Folds: 3, Seed: 2}, TuneObserver{})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range got.Trials {
		full, err := Validate(t.Context(), train, edited(t, method.DefaultCRC, trial.Set),
			Folds{N: 3, Repeats: 1, Seed: 2, Input: in}, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, r := range full.Runs[:trial.Folds] {
			wrong += r.Wrong
		}
		if wrong != trial.Wrong {
			t.Errorf("a trial has %d wrong in %d folds, not %d", trial.Wrong, trial.Folds, wrong)
		}
	}
}

// Evaluate learns from the training images as the input says, and counts as one
// does by hand: that the samples are made once for all runs changes no bit.
func TestEvaluateWithAnInput(t *testing.T) {
	set := drawn(t)
	p := Protocol{Split: split(t, "random:3"), Repeats: 2, Seed: 7, Input: parsed(t, "igo mirror fisher:0.2")}
	var models []*frontend.Model
	got, err := Evaluate(t.Context(), set, method.DefaultNRC, p,
		Observer{Done: func(_ int, _ Run, m *frontend.Model) { models = append(models, m) }})
	if err != nil {
		t.Fatal(err)
	}
	if got.Input.String() != "12x10 igo mirror fisher:ridge=0.2" {
		t.Errorf("the input is %v", got.Input)
	}
	for i, r := range got.Runs {
		learn, judge, err := p.Split.Apply(set, 7+uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		fitted, train, err := p.Input.ForImages(set.Frame).Fit(t.Context(), set.Select(learn))
		if err != nil {
			t.Fatal(err)
		}
		c, err := method.DefaultNRC.Fit(t.Context(), train, classify.Run{Seed: r.Seed})
		if err != nil {
			t.Fatal(err)
		}
		model := &frontend.Model{Fitted: fitted, Classifier: c}
		test := set.Select(judge)
		named, err := model.Predict(t.Context(), test)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		var missed []int
		for j, c := range test.Labels() {
			if test.Classes[c] != model.Parts().Classes[named[j]] {
				wrong++
				missed = append(missed, judge[j])
			}
		}
		if m := models[i]; !mat.Equal(m.Parts().D, model.Parts().D) || !mat.Equal(m.Basis.P, model.Basis.P) ||
			!slices.Equal(r.MissedColumns, missed) {
			t.Errorf("run %d: another model, or others are wrong: %v, not %v", i, r.MissedColumns, missed)
		}
		if r.Wrong != wrong || r.N != len(judge) || r.Train != len(learn) {
			t.Errorf("run %d: %d of %d wrong after %d images, not %d of %d after %d", i, r.Wrong, r.N, r.Train, wrong, len(judge), len(learn))
		}
		_, poisonedModel, err := p.run(t.Context(), &sampler{set: poisoned(set, judge), pipeline: p.Input},
			method.DefaultNRC, classify.Run{Seed: r.Seed})
		if err != nil || !mat.Equal(poisonedModel.Parts().D, model.Parts().D) || !mat.Equal(poisonedModel.Basis.P, model.Basis.P) {
			t.Errorf("run %d: the model depends on test images, %v", i, err)
		}
	}
	p.Input = parsed(t, "32x32 igo")
	if _, err := Evaluate(t.Context(), set, method.DefaultNRC, p, Observer{}); err == nil ||
		!strings.Contains(err.Error(), "the images are 12x10 pixels: 32x32 igo cannot") {
		t.Errorf("an input of another size: %v", err)
	}
}
