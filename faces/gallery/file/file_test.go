package file

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/internal/safetensors"
	"nrdl.example/nrdl/projection"
)

// rules are the names of all.
var rules = []string{"linear", "residual", "normed-residual", "fisher", "sum", "huber", "votes", "collaborative"}

// randomParts are of a model of 3 classes with 2, 1 and 3 atoms of d features,
// which are the pixels of images where d is 12 or the rule is votes.
func randomParts(rng *rand.Rand, d int, rule string) (frontend.Fitted, classify.Parts) {
	p := classify.Parts{
		D:       randomMatrix(rng, d, 6),
		Groups:  []int{0, 2, 3, 6},
		Classes: []string{"Ann", "Zoë \"<&>\"", "1"},
		Coder:   coding.Ridge{Lambda: rng.Float64()},
		Method:  "test",
		Params:  json.RawMessage(`{"λ":1e-3,"text":"<&>"}`),
		Seed:    rng.Uint64(),
		Outcome: classify.Outcome{Status: classify.Converged, Iter: 12, Residual: rng.ExpFloat64()},
	}
	var f frontend.Fitted
	if d == 12 {
		f.Size = dataset.Size{Height: 4, Width: 3}
	}
	switch rule {
	case "linear":
		p.Rule = classify.Linear{W: randomMatrix(rng, 3, 6)}
	case "fisher":
		p.Rule = classify.Fisher{M: randomMatrix(rng, 6, 3), Weight: rng.Float64()}
	case "huber":
		p.Coder = coding.DefaultRobust
	case "votes":
		p.Coder = coding.Blocks{Side: 1, Step: 1, Temperature: 0.1, Inner: p.Coder}
		if d != 12 {
			f.Size = dataset.Size{Height: d, Width: 1}
		}
	}
	for _, r := range classify.Untrained {
		if r.Name() == rule {
			p.Rule = r
		}
	}
	p.Grid = f.Grid()
	return f, p
}

// projectedParts are of a model whose atoms are projections of features.
func projectedParts(rng *rand.Rand, rule string) (frontend.Fitted, classify.Parts) {
	_, p := randomParts(rng, 5, rule)
	f := frontend.Fitted{Pipeline: frontend.Pipeline{
		Frame: dataset.Frame{Size: dataset.Size{Height: 8, Width: 6}, Crop: 0.75}, Mirror: true,
		Photometric: feature.StepList{feature.Despeckle{}, feature.DefaultLCN},
		Features:    feature.Features{feature.IGO{}, feature.Pixels{}},
		Projection:  projection.Choice{Projection: projection.Fisher{Ridge: 0.25}},
	}}
	f.Basis = &projection.Fitted{P: randomMatrix(rng, 144, 5), M: make([]float64, 144)}
	for i := range f.Basis.M {
		f.Basis.M[i] = rng.NormFloat64()
	}
	return f, p
}

func randomMatrix(rng *rand.Rand, m, n int) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	return a
}

func newModel(t testing.TB, f frontend.Fitted, p classify.Parts) *gallery.Gallery {
	t.Helper()
	c, err := classify.NewClassifier(p)
	if err != nil {
		t.Fatal(err)
	}
	m := &gallery.Gallery{Model: &frontend.Model{Fitted: f, Classifier: c}}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t testing.TB, m *gallery.Gallery) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(b []byte) (*gallery.Gallery, error) { return Read(bytes.NewReader(b), Options{}) }

func smallModel(t testing.TB) []byte {
	f, p := randomParts(rand.New(rand.NewPCG(1, 2)), 12, "linear")
	return save(t, newModel(t, f, p))
}

func TestModelFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		d := rapid.SampledFrom([]int{1, 5, 12}).Draw(rt, "d")
		rule := rapid.SampledFrom(rules).Draw(rt, "rule")
		fitted, parts := randomParts(rng, d, rule)
		if rule != "votes" && rapid.Bool().Draw(rt, "projected") { // blocks need the pixels
			fitted, parts = projectedParts(rng, rule)
		}
		want := newModel(t, fitted, parts)
		b := save(t, want)
		got, err := load(b)
		if err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(save(t, got), b) {
			rt.Error("the loaded model is saved as other bytes")
		}
		p, q := want.Parts(), got.Parts()
		if !mat.Equal(p.D, q.D) {
			rt.Error("D differs")
		}
		p.D, q.D = nil, nil
		if !reflect.DeepEqual(p, q) || !reflect.DeepEqual(want.Fitted, got.Fitted) || got.Enrolled != nil || got.Calibration != nil {
			rt.Errorf("got %+v of %+v, want %+v of %+v", q, got.Fitted, p, want.Fitted)
		}
	})
}

func TestReadModelScoresTheSameBits(t *testing.T) {
	for _, rule := range rules {
		rng := rand.New(rand.NewPCG(3, 4))
		f, p := randomParts(rng, 20, rule)
		want := newModel(t, f, p)
		got, err := load(save(t, want))
		if err != nil {
			t.Fatal(err)
		}
		x := randomMatrix(rng, 20, 50)
		a, err := want.Classifier.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := got.Classifier.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data) {
			t.Errorf("%s: the scores differ", rule)
		}
	}
}

// A view into a larger matrix is the same model as a copy of it.
func TestWriteOfAView(t *testing.T) {
	f, p := randomParts(rand.New(rand.NewPCG(5, 6)), 12, "linear")
	wide := mat.NewDense(13, 9, nil)
	q := p
	q.D = wide.Slice(1, 13, 2, 8).(*mat.Dense)
	q.D.Copy(p.D)
	if !bytes.Equal(save(t, newModel(t, f, p)), save(t, newModel(t, f, q))) {
		t.Error("the files differ")
	}
}

// Every seventh bit, which are all bits of a byte in turn, or every one with NRDL_LONG=1.
func TestEveryFlippedBitIsRefused(t *testing.T) {
	b := smallModel(t)
	for bit := 0; bit < 8*len(b); bit += shortStep(7) {
		b[bit/8] ^= 1 << (bit % 8)
		if _, err := load(b); err == nil {
			t.Errorf("bit %d of byte %d, %q, may be flipped", bit%8, bit/8, b[bit/8])
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
}

// shortStep is n, or 1 with NRDL_LONG=1.
func shortStep(n int) int {
	if os.Getenv("NRDL_LONG") != "" {
		return 1
	}
	return n
}

func TestEveryTruncationIsRefused(t *testing.T) {
	b := smallModel(t)
	for n := 0; n < len(b); n += shortStep(3) {
		if _, err := load(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are a model", n, len(b))
		}
	}
	if _, err := load(append(slices.Clone(b), 0)); err == nil {
		t.Error("a byte more is accepted")
	}
}

// repack reads the file b, lets edit change it and writes it again: it is
// valid but for its checksum, which sealed gives too.
func repack(t testing.TB, b []byte, sealed bool, edit func(tensors map[string]*safetensors.Tensor, metadata map[string]string)) []byte {
	t.Helper()
	f, err := safetensors.Open(bytes.NewReader(b), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	tensors, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*safetensors.Tensor{}
	for i := range tensors {
		named[tensors[i].Name] = &tensors[i]
	}
	edit(named, f.Metadata)
	tensors = nil
	for _, x := range named {
		tensors = append(tensors, *x)
	}
	if sealed {
		f.Metadata["sha256"] = sum(t, f.Metadata["nrdl"], tensors)
	}
	var out bytes.Buffer
	if err := safetensors.Write(&out, tensors, f.Metadata); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	type (
		tensors  = map[string]*safetensors.Tensor
		metadata = map[string]string
	)
	b := smallModel(t)
	format := fmt.Sprintf(`"format":%d`, modelFormat)
	replace := func(old, new string) func(tensors, metadata) {
		return func(_ tensors, m metadata) { m["nrdl"] = strings.Replace(m["nrdl"], old, new, 1) }
	}
	const changed = "damaged model: checksum differs"
	newer := fmt.Sprintf("the model was written by a newer nrdl (format %d, this one reads %d)", modelFormat+1, modelFormat)
	older := fmt.Sprintf("the model was written by an older nrdl (format %d, this one reads %d)", modelFormat-1, modelFormat)
	for name, tt := range map[string]struct {
		edit         func(tensors, metadata)
		want, sealed string // without and with the checksum of what was edited; "" for the same
		hint         string
	}{
		"another program": {
			func(_ tensors, m metadata) { delete(m, "nrdl") },
			"not an nrdl model: a safetensors file of another program", "", "",
		},
		"newer": {replace(format, fmt.Sprintf(`"format":%d,"new":[]`, modelFormat+1)), newer, "", "update nrdl"},
		"older": {
			replace(format, fmt.Sprintf(`"format":%d`, modelFormat-1)), older, "",
			"train it again from its photographs with this version",
		},
		"no format":      {replace(format+",", ``), "damaged model: it does not say its format", "", ""},
		"not JSON":       {replace(`{`, `[`), "damaged model: it does not say its format", "", ""},
		"another number": {func(x tensors, _ metadata) { x["D"].Data.([]float64)[0]++ }, changed, "nothing", ""},
		"another class":  {replace("Ann", "Anm"), changed, "nothing", ""},
		"no D":           {func(x tensors, _ metadata) { delete(x, "D") }, changed, "damaged model: no tensor D, or no groups", ""},
		"no groups":      {func(x tensors, _ metadata) { delete(x, "groups") }, changed, "damaged model: no tensor D, or no groups", ""},
		"an extra tensor": {
			func(x tensors, _ metadata) { x["E"] = &safetensors.Tensor{Name: "E", Shape: []int{0}, Data: []uint8{}} },
			changed, `damaged model: tensor "E" is no part of a model`, "",
		},
		"a flat D": {func(x tensors, _ metadata) { x["D"].Shape = []int{72} }, changed, "damaged model: D is not a matrix", ""},
		"an empty D": {func(x tensors, _ metadata) {
			*x["D"] = safetensors.Tensor{Name: "D", Shape: []int{0, math.MaxInt}, Data: []float64{}}
		}, changed, "damaged model: D is not a matrix", ""},
		"D of integers": {func(x tensors, _ metadata) {
			*x["D"] = safetensors.Tensor{Name: "D", Shape: []int{1, 1}, Data: []int64{1}}
		}, changed, "damaged model: D is not a matrix", ""},
		"groups of numbers": {func(x tensors, _ metadata) {
			*x["groups"] = safetensors.Tensor{Name: "groups", Shape: []int{1}, Data: []float64{1}}
		}, changed, "damaged model: groups are not a list of integers", ""},
	} {
		_, err := load(repack(t, b, false, tt.edit))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || advice.Text(err) != tt.hint {
			t.Errorf("%s: %v (hint %q), want %s", name, err, advice.Text(err), tt.want)
		}
		switch _, err = load(repack(t, b, true, tt.edit)); {
		case tt.sealed == "nothing" && err == nil:
		case tt.sealed == "" && err != nil && strings.HasPrefix(err.Error(), tt.want) && advice.Text(err) == tt.hint:
		case err == nil || err.Error() != tt.sealed:
			t.Errorf("%s, sealed: %v, want %s", name, err, tt.sealed)
		}
	}
	for name, edit := range map[string]func(tensors, metadata){
		"no checksum": func(_ tensors, m metadata) { delete(m, "sha256") },
		"other case":  func(_ tensors, m metadata) { m["sha256"] = strings.ToUpper(m["sha256"]) },
	} {
		if _, err := load(repack(t, b, false, edit)); err == nil || err.Error() != changed {
			t.Errorf("%s: %v, want %s", name, err, changed)
		}
	}
}

// The matrix of a coder is kept, and refused where it is missing, not for the atoms,
// or of a coder that has none.
func TestMatrixOfACoder(t *testing.T) {
	f, p := randomParts(rand.New(rand.NewPCG(1, 2)), 5, "residual")
	plain := newModel(t, f, p)
	p.Coder = coding.Analysis{P: randomMatrix(rand.New(rand.NewPCG(3, 4)), 5, 6)}
	m := newModel(t, f, p)
	b := save(t, m)
	got, err := load(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Parts().Coder, p.Coder) || !bytes.Equal(save(t, got), b) {
		t.Errorf("the coder is read as %+v", got.Parts().Coder)
	}
	type tensors = map[string]*safetensors.Tensor
	for want, edit := range map[string]func(tensors){
		"no tensor A of the coder analysis": func(x tensors) { delete(x, "A") },
		"the analysis atoms are 6×5":        func(x tensors) { x["A"].Shape = []int{6, 5} },
	} {
		_, err := load(repack(t, b, true, func(x tensors, _ map[string]string) { edit(x) }))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err = load(repack(t, save(t, plain), true, func(x tensors, _ map[string]string) {
		x["A"] = &safetensors.Tensor{Name: "A", Shape: []int{1, 1}, Data: []float64{1}}
	}))
	if err == nil || !strings.Contains(err.Error(), "has no use for A") {
		t.Error(err)
	}
}

// What other programs keep in the metadata does not matter.
func TestForeignMetadataIsIgnored(t *testing.T) {
	b := smallModel(t)
	_, err := load(repack(t, b, false, func(_ map[string]*safetensors.Tensor, m map[string]string) { m["format"] = "pt" }))
	if err != nil {
		t.Error(err)
	}
}

func TestReadOfOtherFiles(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"nothing":    {"", "not an nrdl model: the file ends within the length of its header: unexpected EOF"},
		"a web page": {"<!DOCTYPE html><html>", "not an nrdl model: not a safetensors file"},
		"zeros":      {string(make([]byte, 100)), "not an nrdl model: not a safetensors file"},
		"a photo":    {"\x10\x00\x00\x00\x00\x00\x00\x00\xff\xd8\xff", "not an nrdl model: not a safetensors file"},
		"a part":     {"\x10\x00\x00\x00\x00\x00\x00\x00{\"D\":", "not an nrdl model: the file ends within its header: unexpected EOF"},
		"no header":  {"\x02\x00\x00\x00\x00\x00\x00\x00{}", "not an nrdl model: a safetensors file of another program"},
	} {
		if _, err := load([]byte(tt.data)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	failure := errors.New("the disk is gone")
	r := io.MultiReader(bytes.NewReader(smallModel(t)[:500]), iotest.ErrReader(failure))
	if _, err := Read(r, Options{}); !errors.Is(err, failure) {
		t.Errorf("the reader's error becomes %v", err)
	}
}

// A file of a kilobyte that declares gigabytes takes little memory.
func TestReadTakesNoMemoryForDeclaredSizes(t *testing.T) {
	b := smallModel(t)
	header := strings.Replace(string(b[8:8+binary.LittleEndian.Uint64(b)]), `"shape":[12,6],"data_offsets":[0,576]`,
		`"shape":[120000,6000],"data_offsets":[0,5760000000]`, 1)
	header = strings.NewReplacer("[576,720]", "[5760000000,5760000144]", "[720,752]", "[5760000144,5760000176]").Replace(header)
	b = append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := load(b)
	runtime.ReadMemStats(&after)
	if want := "damaged model: tensor \"D\": the file ends within its numbers: unexpected EOF"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<21 {
		t.Errorf("it takes %d bytes", n)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, edit := range map[string]func(*classify.Parts){
		"a method that is not UTF-8":   func(p *classify.Parts) { p.Method = "\xff" },
		"a residual that is infinite":  func(p *classify.Parts) { p.Outcome.Residual = math.Inf(1) },
		"parameters that are no JSON":  func(p *classify.Parts) { p.Params = json.RawMessage(`{`) },
		"parameters that are no UTF-8": func(p *classify.Parts) { p.Params = json.RawMessage("\"\xff\"") },
	} {
		f, p := randomParts(rand.New(rand.NewPCG(7, 8)), 12, "linear")
		edit(&p)
		var b bytes.Buffer
		if err := Write(&b, newModel(t, f, p)); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
}
