package file_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/faces/internal/safetensors"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

var (
	mutations = flag.Int("mutations", 5, "random ones of each model file in TestMutatedModels")
	seed      = flag.Uint64("seed", 1, "of TestMutatedModels")
)

// use is what commands do with a model: its people, identify, calibrate, add, rename and
// remove. Errors are right; a panic, or work without end, is not.
func use(t *testing.T, r *faces.Recogniser, probes *dataset.Images) (worked bool) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errEndless)
	defer cancel()
	count := 0
	tried := func(err error) {
		if errors.Is(err, errEndless) {
			t.Error(err)
		}
		if err == nil {
			count++
		}
	}
	m := r.Model()
	if probes.Frame.Same(m.Frame) {
		_, err := m.Identify(ctx, probes)
		tried(err)
	}
	r.People()
	for _, holdOut := range []bool{false, true} {
		_, err := r.Survey(ctx, holdOut)
		tried(err)
	}
	m.Rates()
	how := r.OpenSet()
	_, err := r.Calibrate(ctx, how, nil)
	tried(err)
	_, err = r.Calibrate(ctx, openset.Options{FPIR: 0.05, Prior: how.Prior, Folds: how.Folds}, probes)
	tried(err)
	_, err = r.Calibrate(ctx, openset.Options{FPIR: how.FPIR, Prior: 0.3, Folds: 3}, nil)
	tried(err)
	_, _, err = r.EnrolAll(ctx, probes, false)
	tried(err)
	names := m.Names()
	_, err = r.Remove(ctx, names[0])
	tried(err)
	for _, to := range []string{"somebody", names[len(names)-1]} {
		_, _, err = r.Rename(ctx, names[0], to)
		tried(err)
	}
	return count > 0
}

var errEndless = errors.New("there is no end")

// drawnVectors are vectors as of the built-in network.
func drawnVectors(t testing.TB, people, each, first int) *dataset.Images {
	t.Helper()
	f := embedding.Default().Frame()
	l := frontend.Pipeline{Frame: f}.Law()
	rng := rand.New(rand.NewPCG(1, uint64(first)))
	d := f.Len()
	x := mat.NewDense(d, people*each, nil)
	var labels, ids []string
	own := make([]float64, d)
	for j := range people * each {
		if j%each == 0 {
			for i := range own {
				own[i] = math.Sqrt((l.Same.Mean-l.Different.Mean)/float64(d)) * rng.NormFloat64()
			}
			own[0] += math.Sqrt(l.Different.Mean)
		}
		v := slices.Clone(own)
		for i := range v {
			v[i] += math.Sqrt((1-l.Same.Mean)/float64(d)) * rng.NormFloat64()
		}
		norm := math.Sqrt(mat.Dot(mat.NewVecDense(d, v), mat.NewVecDense(d, v)))
		for i := range v {
			x.Set(i, j, float64(float32(v[i]/norm)))
		}
		labels = append(labels, fmt.Sprintf("person %d", first+j/each))
		ids = append(ids, fmt.Sprintf("%s/%d.jpg", labels[j], j%each))
	}
	s, err := dataset.NewImages(x, labels, ids, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawnCrops are drawn faces of a few pixels.
func drawnCrops(t testing.TB, people, each int, seed uint64) *dataset.Images {
	t.Helper()
	d := synthetic.Default
	d.People, d.PerPerson, d.Input, d.Seed = people, each, dataset.Size{Height: 8, Width: 6}, seed
	s, err := d.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trained is the file of a calibrated model.
func trained(t testing.TB, s *dataset.Images, by classify.Method, in string) []byte {
	t.Helper()
	how := openset.Default
	o := faces.Options{Method: by, OpenSet: &how}
	if in != "" {
		p, err := frontend.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		o.Pipeline = p.ForImages(s.Frame)
	}
	r, err := faces.Train(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A mutant is a model file with a right checksum and something else in it.
type mutant struct {
	rng *rand.Rand
	all []any // parts of the file, to put in other places
}

// numbers that do harm.
var numbers = []float64{0, -1, 1, 2, 3, 0.5, 1e-300, 1e300, -1e300, 1e9, 1 << 31, 1 << 40, math.MaxInt64, 1e-9}

// text is a changed copy of some JSON.
func (m *mutant) text(b []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return b
	}
	m.all = m.all[:0]
	m.collect(v)
	for range 1 + m.rng.IntN(2) {
		v = m.change(v)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return b
	}
	return out
}

// zeroed is a copy of some JSON whose number i is 0; of a list only the first element
// counts. It is nil if there are fewer numbers.
func zeroed(b []byte, i int) []byte {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				v[k] = walk(v[k])
			}
		case []any:
			if len(v) > 0 {
				v[0] = walk(v[0])
			}
		case json.Number:
			if i--; i == -1 {
				return 0
			}
		}
		return v
	}
	out, err := json.Marshal(walk(v))
	if err != nil || i >= 0 {
		return nil
	}
	return out
}

func (m *mutant) collect(v any) {
	m.all = append(m.all, v)
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m.collect(v[k])
		}
	case []any:
		for _, one := range v {
			m.collect(one)
		}
	}
}

// change changes v, or a part of it.
func (m *mutant) change(v any) any {
	deeper := m.rng.IntN(8) > 0
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			break
		}
		k := keys[m.rng.IntN(len(keys))]
		switch {
		case deeper:
			v[k] = m.change(v[k])
		case m.rng.IntN(2) == 0:
			delete(v, k)
		default:
			v[k] = m.all[m.rng.IntN(len(m.all))]
		}
		return v
	case []any:
		if len(v) == 0 {
			break
		}
		i := m.rng.IntN(len(v))
		switch n := m.rng.IntN(4); {
		case deeper:
			v[i] = m.change(v[i])
		case n == 0:
			return slices.Delete(slices.Clone(v), i, i+1)
		case n == 1:
			return slices.Insert(slices.Clone(v), i, v[i])
		case n == 2:
			return []any{}
		default:
			v[i] = m.all[m.rng.IntN(len(m.all))]
		}
		return v
	case json.Number:
		x, _ := v.Float64()
		switch m.rng.IntN(4) {
		case 0:
			return -x
		case 1:
			return x + 1
		}
		return numbers[m.rng.IntN(len(numbers))]
	case bool:
		return !v
	case nil:
		return numbers[m.rng.IntN(len(numbers))]
	}
	switch m.rng.IntN(3) {
	case 0:
		return nil
	case 1:
		return numbers[m.rng.IntN(len(numbers))]
	}
	return m.all[m.rng.IntN(len(m.all))]
}

// tensors changes one of them.
func (m *mutant) tensors(x map[string]*safetensors.Tensor) {
	names := slices.Sorted(maps.Keys(x))
	if len(names) == 0 {
		return
	}
	t := x[names[m.rng.IntN(len(names))]]
	if m.rng.IntN(20) == 0 {
		delete(x, t.Name)
		return
	}
	switch data := t.Data.(type) {
	case []float64:
		t.Data = altered(m, t, data, numbers[m.rng.IntN(len(numbers))])
	case []float32:
		t.Data = altered(m, t, data, float32(numbers[m.rng.IntN(len(numbers))]))
	case []int64:
		t.Data = altered(m, t, data, int64(m.rng.IntN(12)-1))
	case []uint8:
		t.Data = altered(m, t, data, uint8(m.rng.IntN(256)))
	}
}

// altered is data with another value somewhere, or everywhere, or without the last row.
func altered[T float64 | float32 | int64 | uint8](m *mutant, t *safetensors.Tensor, data []T, v T) []T {
	if len(data) == 0 || t.Name == "network" {
		return data
	}
	data = slices.Clone(data)
	if math.IsInf(float64(v), 0) {
		v = 0 // no file has it
	}
	switch m.rng.IntN(8) {
	case 0:
		for i := range data {
			data[i] = v
		}
	case 1:
		if t.Shape[0] > 1 {
			n := len(data) / t.Shape[0]
			t.Shape = slices.Clone(t.Shape)
			t.Shape[0]--
			return data[:len(data)-n]
		}
	default:
		data[m.rng.IntN(len(data))] = v
	}
	return data
}

// about is a copy of a model file with something else in what it says of itself.
func about(t testing.TB, data []byte, edit func([]byte) []byte) (out []byte) {
	return file.Repack(t, data, true, func(_ map[string]*safetensors.Tensor, about map[string]string) {
		about["nrdl"] = string(edit([]byte(about["nrdl"])))
	})
}

// model is a changed copy of a model file.
func (m *mutant) model(t testing.TB, data []byte) []byte {
	return file.Repack(t, data, true, func(x map[string]*safetensors.Tensor, about map[string]string) {
		if m.rng.IntN(3) > 0 {
			about["nrdl"] = string(m.text([]byte(about["nrdl"])))
		} else {
			m.tensors(x)
		}
	})
}

// indexFile is the file of a gallery with this state, and the model that it has
// beside its faces.
func indexFile(t testing.TB, g *gallery.Gallery, path string, meta, state []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err == nil {
		err = g.Enrolled.Faces.Write(t.Context(), f, meta, state)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// No model file makes what is done with it panic or go on without end, whatever it says.
// Each number that they say is 0 once, by default every fourth number, which ones differs
// from file to file; then -mutations of each file follow.
func TestMutatedModels(t *testing.T) {
	dir, step := t.TempDir(), file.ShortStep(4)
	vectors, other := drawnVectors(t, 12, 2, 1), drawnVectors(t, 2, 2, 100)
	crops, otherCrops := drawnCrops(t, 5, 4, 1), drawnCrops(t, 3, 1, 9)
	nrdlMethod, err := method.Set(method.DefaultNRDL, "passes", "2")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		file   []byte
		probes *dataset.Images
	}{
		"crc":  {trained(t, crops, method.DefaultCRC, "8x6 mirror pca:4"), otherCrops},
		"nrdl": {trained(t, crops, nrdlMethod, "8x6 pixels"), otherCrops},
	} {
		t.Run(name, func(t *testing.T) {
			m := &mutant{rng: rand.New(rand.NewPCG(*seed, uint64(len(name))))}
			path := filepath.Join(dir, name)
			write := func(file []byte) {
				if err := os.WriteFile(path, file, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := checker{t: t, path: path, probes: tt.probes}
			write(tt.file)
			c.check()
			for i, more := len(name)%step, true; more; i += step {
				write(about(t, tt.file, func(text []byte) []byte {
					zero := zeroed(text, i)
					if more = zero != nil; !more {
						return text
					}
					return zero
				}))
				c.check()
			}
			for range *mutations {
				write(m.model(t, tt.file))
				c.check()
			}
			c.end()
		})
	}
	for name, tt := range map[string]struct {
		by    classify.Method
		above int
	}{
		"index": {method.Mean{}, 0}, "index nrdl": {nrdlMethod, 0},
		"shortlists": {method.Mean{}, 1}, "shortlists crc": {method.DefaultCRC, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := &mutant{rng: rand.New(rand.NewPCG(*seed, uint64(len(name))))}
			path := filepath.Join(dir, name)
			g, err := gallery.Learn(t.Context(), vectors, frontend.Pipeline{}.ForImages(vectors.Frame), tt.by, classify.Run{}, tt.above)
			if err == nil {
				g, err = g.Calibrate(t.Context(), openset.Default, nil, nil)
			}
			if err == nil {
				err = file.Save(t.Context(), path, g)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, meta, state, err := index.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			c := checker{t: t, path: path, probes: other}
			c.check()
			for i := len(name) % step; ; i += step {
				zero := zeroed(state, i)
				if zero == nil {
					break
				}
				indexFile(t, g, path, meta, zero)
				c.check()
			}
			for i, more := len(name)%step, true; more; i += step {
				indexFile(t, g, path, about(t, meta, func(text []byte) []byte {
					zero := zeroed(text, i)
					if more = zero != nil; !more {
						return text
					}
					return zero
				}), state)
				c.check()
			}
			for range *mutations {
				if len(state) > 0 && m.rng.IntN(3) > 0 {
					indexFile(t, g, path, meta, m.text(state))
				} else {
					indexFile(t, g, path, m.model(t, meta), state)
				}
				c.check()
			}
			c.end()
		})
	}
}

// A checker uses one model file after the other.
type checker struct {
	t                 *testing.T
	path              string
	probes            *dataset.Images
	all, read, worked int
}

// check uses the model at the path. The first one has to work.
func (c *checker) check() {
	defer func() {
		if p := recover(); p != nil {
			kept := filepath.Join(os.TempDir(), fmt.Sprintf("mutant-%d-%s", c.all, filepath.Base(c.path)))
			data, _ := os.ReadFile(c.path)
			_ = os.WriteFile(kept, data, 0o600)
			panic(fmt.Sprintf("%v in the use of %s", p, kept))
		}
	}()
	c.all++
	r, err := faces.Open(c.path)
	if err == nil {
		c.read++
		if use(c.t, r, c.probes) {
			c.worked++
		}
	}
	if c.worked == 0 {
		c.t.Fatalf("nothing can be done with the model as it was: %v", err)
	}
}

func (c *checker) end() {
	c.t.Logf("%d of %d files are models, and %d of these do something", c.read, c.all, c.worked)
}
