package nrdl_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl"
	"nrdl/coding"
	"nrdl/feature"
	"nrdl/internal/hint"
	"nrdl/internal/safetensors"
	"nrdl/projection"
)

// randomParts are of a model of 3 classes with 2, 1 and 3 atoms of d features.
func randomParts(rng *rand.Rand, d int, rule nrdl.Rule) nrdl.Parts {
	p := nrdl.Parts{
		D:       randomMatrix(rng, d, 6),
		Groups:  []int{0, 2, 3, 6},
		Classes: []string{"Ann", "Zoë \"<&>\"", "1"},
		Coder:   coding.Ridge{Lambda: rng.Float64()},
		Rule:    rule,
		Method:  "test",
		Params:  json.RawMessage(`{"λ":1e-3,"text":"<&>"}`),
		Seed:    rng.Uint64(),
		Trained: nrdl.Outcome{Status: nrdl.Converged, Iter: 12, Residual: rng.ExpFloat64()},
	}
	if d == 12 {
		p.Input = nrdl.Input{Size: nrdl.Size{Height: 4, Width: 3}}
	}
	switch rule {
	case nrdl.Linear:
		p.W = randomMatrix(rng, 3, 6)
	case nrdl.Fisher:
		p.M, p.Weight = randomMatrix(rng, 6, 3), rng.Float64()
	case nrdl.Huber:
		p.Coder = coding.DefaultRobust
	case nrdl.Votes:
		p.Coder = coding.Blocks{Side: 1, Step: 1, Temperature: 0.1, Inner: p.Coder}
		if d != 12 {
			p.Input = nrdl.Input{Size: nrdl.Size{Height: d, Width: 1}}
		}
	}
	return p
}

// projectedParts are of a model whose atoms are projections of features.
func projectedParts(rng *rand.Rand, rule nrdl.Rule) nrdl.Parts {
	p := randomParts(rng, 5, rule)
	p.Input = nrdl.Input{
		Size: nrdl.Size{Height: 8, Width: 6}, Crop: 0.75, Mirror: true,
		Photometric: feature.StepList{feature.Despeckle{}, feature.DefaultLCN},
		Features:    feature.Features{feature.IGO{}, feature.Pixels{}},
		Projection:  projection.Choice{Projection: projection.Fisher{Ridge: 0.25}},
	}
	p.Projection = &projection.Fitted{P: randomMatrix(rng, 144, 5), M: make([]float64, 144)}
	for i := range p.Projection.M {
		p.Projection.M[i] = rng.NormFloat64()
	}
	return p
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

func newModel(t testing.TB, p nrdl.Parts) *nrdl.Model {
	m, err := nrdl.NewModel(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t testing.TB, m *nrdl.Model) []byte {
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(b []byte) (*nrdl.Model, error) { return nrdl.Load(bytes.NewReader(b)) }

func smallModel(t testing.TB) []byte {
	return save(t, newModel(t, randomParts(rand.New(rand.NewPCG(1, 2)), 12, nrdl.Linear)))
}

func TestModelFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		d := rapid.SampledFrom([]int{1, 5, 12}).Draw(rt, "d")
		rule := rapid.SampledFrom(nrdl.Rules).Draw(rt, "rule")
		parts := randomParts(rng, d, rule)
		if rule != nrdl.Votes && rapid.Bool().Draw(rt, "projected") { // blocks need the pixels
			parts = projectedParts(rng, rule)
		}
		want := newModel(t, parts)
		b := save(t, want)
		got, err := load(b)
		if err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(save(t, got), b) {
			rt.Error("the loaded model is saved as other bytes")
		}
		p, q := want.Parts(), got.Parts()
		if !mat.Equal(p.D, q.D) || (p.W == nil) != (q.W == nil) || p.W != nil && !mat.Equal(p.W, q.W) {
			rt.Error("D or W differ")
		}
		p.D, p.W, q.D, q.W = nil, nil, nil, nil
		if !reflect.DeepEqual(p, q) {
			rt.Errorf("got %+v, want %+v", q, p)
		}
	})
}

func TestLoadedModelScoresTheSameBits(t *testing.T) {
	for _, rule := range nrdl.Rules {
		rng := rand.New(rand.NewPCG(3, 4))
		want := newModel(t, randomParts(rng, 20, rule))
		got, err := load(save(t, want))
		if err != nil {
			t.Fatal(err)
		}
		x := randomMatrix(rng, 20, 50)
		a, err := want.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := got.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data) {
			t.Errorf("%s: the scores differ", rule)
		}
	}
}

// A view into a larger matrix is the same model as a copy of it.
func TestSaveOfAView(t *testing.T) {
	p := randomParts(rand.New(rand.NewPCG(5, 6)), 12, nrdl.Linear)
	wide := mat.NewDense(13, 9, nil)
	q := p
	q.D = wide.Slice(1, 13, 2, 8).(*mat.Dense)
	q.D.Copy(p.D)
	if !bytes.Equal(save(t, newModel(t, p)), save(t, newModel(t, q))) {
		t.Error("the files differ")
	}
}

func TestEveryFlippedBitIsRefused(t *testing.T) {
	b := smallModel(t)
	for bit := range 8 * len(b) {
		b[bit/8] ^= 1 << (bit % 8)
		if _, err := load(b); err == nil {
			t.Errorf("bit %d of byte %d, %q, may be flipped", bit%8, bit/8, b[bit/8])
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	b := smallModel(t)
	for n := range b {
		if _, err := load(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are a model", n, len(b))
		}
	}
	if _, err := load(append(slices.Clone(b), 0)); err == nil {
		t.Error("a byte more is accepted")
	}
}

// repack reads the file b, lets edit change it and writes it again: it is
// valid but for its checksum.
func repack(t testing.TB, b []byte, edit func(tensors map[string]*safetensors.Tensor, metadata map[string]string)) []byte {
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
	var out bytes.Buffer
	if err := safetensors.Write(&out, tensors, f.Metadata); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	type (
		tensors  = map[string]*safetensors.Tensor
		metadata = map[string]string
	)
	b := smallModel(t)
	replace := func(old, new string) func(tensors, metadata) {
		return func(_ tensors, m metadata) { m["nrdl"] = strings.Replace(m["nrdl"], old, new, 1) }
	}
	for name, tt := range map[string]struct {
		edit       func(tensors, metadata)
		want, hint string
	}{
		"another program": {func(_ tensors, m metadata) { delete(m, "nrdl") }, "not an nrdl model: a safetensors file of another program", ""},
		"newer":           {replace(`"format":5`, `"format":6,"new":[]`), "the model was written by a newer nrdl (format 6, this one reads 5)", "update nrdl"},
		"older":           {replace(`"format":5`, `"format":3`), "the model was written by an older nrdl (format 3, this one reads 4 and 5)", "learn it again"},
		"no format":       {replace(`"format":5,`, ``), "damaged model: it does not say its format", ""},
		"not JSON":        {replace(`{`, `[`), "damaged model: it does not say its format", ""},
		"no checksum":     {func(_ tensors, m metadata) { delete(m, "sha256") }, "damaged model: checksum differs", ""},
		"other case":      {func(_ tensors, m metadata) { m["sha256"] = strings.ToUpper(m["sha256"]) }, "damaged model: checksum differs", ""},
		"another number":  {func(x tensors, _ metadata) { x["D"].Data.([]float64)[0]++ }, "damaged model: checksum differs", ""},
		"another class":   {replace("Ann", "Anm"), "damaged model: checksum differs", ""},
		"no D":            {func(x tensors, _ metadata) { delete(x, "D") }, "damaged model: no tensor D, or no groups", ""},
		"no groups":       {func(x tensors, _ metadata) { delete(x, "groups") }, "damaged model: no tensor D, or no groups", ""},
		"an extra tensor": {func(x tensors, _ metadata) { x["E"] = &safetensors.Tensor{Name: "E", Shape: []int{0}, Data: []uint8{}} }, `damaged model: tensor "E" is no part of a model`, ""},
		"a flat D":        {func(x tensors, _ metadata) { x["D"].Shape = []int{72} }, "damaged model: D is not a matrix", ""},
		"an empty D": {func(x tensors, _ metadata) {
			*x["D"] = safetensors.Tensor{Name: "D", Shape: []int{0, math.MaxInt}, Data: []float64{}}
		}, "damaged model: D is not a matrix", ""},
		"D of integers": {func(x tensors, _ metadata) {
			*x["D"] = safetensors.Tensor{Name: "D", Shape: []int{1, 1}, Data: []int64{1}}
		}, "damaged model: D is not a matrix", ""},
		"groups of numbers": {func(x tensors, _ metadata) {
			*x["groups"] = safetensors.Tensor{Name: "groups", Shape: []int{1}, Data: []float64{1}}
		}, "damaged model: groups are not a list of integers", ""},
	} {
		_, err := load(repack(t, b, tt.edit))
		if err == nil || err.Error() != tt.want || hint.Of(err) != tt.hint {
			t.Errorf("%s: %v (hint %q), want %s", name, err, hint.Of(err), tt.want)
		}
	}
}

// What other programs keep in the metadata does not matter.
func TestForeignMetadataIsIgnored(t *testing.T) {
	b := smallModel(t)
	_, err := load(repack(t, b, func(_ map[string]*safetensors.Tensor, m map[string]string) { m["format"] = "pt" }))
	if err != nil {
		t.Error(err)
	}
}

func TestLoadOfOtherFiles(t *testing.T) {
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
	if _, err := nrdl.Load(r); !errors.Is(err, failure) {
		t.Errorf("the reader's error becomes %v", err)
	}
}

// A file of a kilobyte that declares gigabytes takes little memory.
func TestLoadTakesNoMemoryForDeclaredSizes(t *testing.T) {
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

func TestSaveRefuses(t *testing.T) {
	for name, edit := range map[string]func(*nrdl.Parts){
		"a method that is not UTF-8":   func(p *nrdl.Parts) { p.Method = "\xff" },
		"a residual that is infinite":  func(p *nrdl.Parts) { p.Trained.Residual = math.Inf(1) },
		"parameters that are no JSON":  func(p *nrdl.Parts) { p.Params = json.RawMessage(`{`) },
		"parameters that are no UTF-8": func(p *nrdl.Parts) { p.Params = json.RawMessage("\"\xff\"") },
	} {
		p := randomParts(rand.New(rand.NewPCG(7, 8)), 12, nrdl.Linear)
		edit(&p)
		var b bytes.Buffer
		if err := newModel(t, p).Save(&b); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
}
