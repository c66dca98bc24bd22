package engine_test

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
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/engine"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/method"
)

// A client speaks to an engine, as a program in another language does.
type client struct {
	t        testing.TB
	requests *io.PipeWriter
	out      *io.PipeReader
	result   chan error
}

func start(t testing.TB, o engine.Options) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t, inW, outR, make(chan error, 1)}
	go func() {
		err := engine.Serve(context.Background(), inR, outW, o)
		_ = inR.Close()
		_ = outW.Close()
		c.result <- err
	}()
	t.Cleanup(func() { _, _ = inW.Close(), outR.Close() })
	return c
}

type (
	header = map[string]any
	arrays = map[string]npz.Array
)

func frame(h header, all ...npz.Array) []byte {
	var body bytes.Buffer
	list := []header{}
	for _, a := range all {
		list = append(list, header{"name": a.Name, "bytes": npz.Size(a)})
		if err := npz.WriteArray(&body, a); err != nil {
			panic(err)
		}
	}
	h["arrays"] = list
	text, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	return append(append(b, text...), body.Bytes()...)
}

// answer reads an answer.
func answer(r io.Reader) (header, arrays, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, nil, err
	}
	text := make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, err
	}
	var h header
	var framed struct {
		Arrays []struct {
			Name  string
			Bytes int64
		}
	}
	if err := errors.Join(json.Unmarshal(text, &h), json.Unmarshal(text, &framed)); err != nil {
		return nil, nil, err
	}
	all := arrays{}
	for _, b := range framed.Arrays {
		a, err := npz.ReadArray(io.LimitReader(r, b.Bytes), b.Name, npz.DefaultLimits)
		if err != nil {
			return nil, nil, err
		}
		all[b.Name] = a
	}
	return h, all, nil
}

// ask returns the answer to a request, which may be an error.
func (c *client) ask(h header, all ...npz.Array) (header, arrays) {
	c.t.Helper()
	go func() { _, _ = c.requests.Write(frame(h, all...)) }()
	got, have, err := answer(c.out)
	if err != nil {
		c.t.Fatalf("%v: %v", h["verb"], err)
	}
	return got, have
}

// do is ask for a request that succeeds.
func (c *client) do(h header, all ...npz.Array) (header, arrays) {
	c.t.Helper()
	got, have := c.ask(h, all...)
	if got["error"] != nil {
		c.t.Fatalf("%v: %v", h["verb"], got["error"])
	}
	return got, have
}

// refused returns the error of a request that fails.
func (c *client) refused(h header, all ...npz.Array) (code, message string) {
	c.t.Helper()
	got, _ := c.ask(h, all...)
	e, ok := got["error"].(header)
	if !ok {
		c.t.Fatalf("%v is not refused: %v", h, got)
	}
	return e["code"].(string), e["message"].(string)
}

// A set is drawn faces, as the library and as the engine has them.
type set struct {
	x      *mat.Dense // d×n
	labels []string
	names  []string
	sent   []npz.Array // x and y
}

func draw(t testing.TB, people, each, side int) *dataset.Images {
	images, err := synthetic.Faces{
		People: people, PerPerson: each, Input: dataset.Size{Height: side, Width: side}, Seed: 1,
		Light: 0.4, Pose: 0.4, Expression: 0.4, Noise: 1,
	}.Draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return images
}

func found(t testing.TB, people, each int) set {
	images := draw(t, people, each, 16)
	s := set{x: images.X, names: images.Classes}
	var y []int64
	for j := range images.Len() {
		s.labels = append(s.labels, images.Classes[images.ClassOf(j)])
		y = append(y, int64(images.ClassOf(j)))
	}
	s.sent = []npz.Array{samples("x", s.x), npz.Int64("y", []int{len(y)}, y)}
	return s
}

func samples(name string, x *mat.Dense) npz.Array {
	t := mat.DenseCopyOf(x.T())
	n, d := t.Dims()
	return npz.Float64(name, []int{n, d}, t.RawMatrix().Data)
}

// columns returns a matrix of the engine as the library has it: samples are columns.
func columns(t testing.TB, a npz.Array) *mat.Dense {
	t.Helper()
	n, d := a.Dims()
	data, err := a.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	return mat.NewDense(d, n, data)
}

func same(a, b *mat.Dense) bool {
	return a.RawMatrix().Rows == b.RawMatrix().Rows &&
		slices.EqualFunc(mat.DenseCopyOf(a).RawMatrix().Data, mat.DenseCopyOf(b).RawMatrix().Data,
			func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// What a method learns, and what it says of samples, is bit for bit that of the library, also
// where the model is sent again to another engine.
func TestLikeTheLibrary(t *testing.T) {
	s := found(t, 5, 4)
	probes := found(t, 5, 6)
	c := start(t, engine.Options{})
	for _, name := range []string{"nrc", "nrdl", "dpl", "svm"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := classify.Learn(t.Context(), s.x, s.labels, m, classify.LearnOptions{Classes: s.names, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		want, err := fit.Classifier.Scores(t.Context(), probes.x)
		if err != nil {
			t.Fatal(err)
		}
		few := mat.DenseCopyOf(probes.x.Slice(0, probes.x.RawMatrix().Rows, 1, 4))
		wantFew, err := fit.Classifier.Scores(t.Context(), few)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := fit.Classifier.Transform(t.Context(), probes.x)
		if err != nil {
			t.Fatal(err)
		}
		h, made := c.do(header{"verb": "fit", "method": name, "classes": s.names, "seed": 3}, s.sent...)
		model := made["model"]
		again := start(t, engine.Options{})
		if code, _ := again.refused(header{"verb": "predict", "model": h["model"]}, samples("x", probes.x)); code != "model" {
			t.Errorf("an unknown model is refused as %s", code)
		}
		again.do(header{"verb": "parts", "model": h["model"]}, model)
		for _, c := range []*client{c, again} {
			_, got := c.do(header{"verb": "decision_function", "model": h["model"]}, samples("x", probes.x))
			if !same(columns(t, got["scores"]), want) {
				t.Errorf("%s: other scores", name)
			}
			// Fewer samples come in the memory of those before.
			if _, got = c.do(header{"verb": "decision_function", "model": h["model"]},
				samples("x", few)); !same(columns(t, got["scores"]), wantFew) {
				t.Errorf("%s: other scores of few samples", name)
			}
			_, got = c.do(header{"verb": "transform", "model": h["model"]}, samples("x", probes.x))
			if !same(columns(t, got["codes"]), codes) {
				t.Errorf("%s: other codes", name)
			}
			_, got = c.do(header{"verb": "predict", "model": h["model"]}, samples("x", probes.x))
			if best := columns(t, got["class"]).RawRowView(0); !slices.EqualFunc(best, classify.Best(want),
				func(a float64, b int) bool { return a == float64(b) }) {
				t.Errorf("%s: other classes %v", name, best)
			}
		}
	}
}

// A fit pass by pass has the objectives and matrices of the library, can be left, and goes on
// from its state.
func TestSteps(t *testing.T) {
	s := found(t, 4, 4)
	c := start(t, engine.Options{})
	m := method.DefaultFDDL
	m.Passes, m.Tol = 6, 0
	want, err := classify.Learn(t.Context(), s.x, s.labels, m, classify.LearnOptions{Classes: s.names})
	if err != nil {
		t.Fatal(err)
	}
	request := func(verb string, passes int) header {
		return header{
			"verb": verb, "method": "fddl", "classes": s.names,
			"params": []header{{"name": "passes", "value": fmt.Sprint(passes)}, {"name": "tol", "value": "0"}},
		}
	}
	h, all := c.do(request("learn", 6), s.sent...)
	if !same(columns(t, all["objective"]), mat.NewDense(1, 6, want.Objective)) || h["status"] != string(want.Status) {
		t.Errorf("status %v, objective %v; want %v", h["status"], all["objective"], want)
	}
	for name, m := range map[string]*mat.Dense{"D": want.D, "S": want.S} {
		if !same(columns(t, all[name]), mat.DenseCopyOf(m.T())) {
			t.Errorf("another %s", name)
		}
	}
	_, all = c.do(request("steps", 6), s.sent...)
	for pass := 1; ; pass++ {
		if got := columns(t, all["objective"]).At(0, 0); got != want.Objective[pass-1] {
			t.Errorf("pass %d: objective %v, want %v", pass, got, want.Objective[pass-1])
		}
		if pass == 3 {
			break
		}
		_, all = c.do(header{"verb": "next"})
	}
	h, all = c.do(header{"verb": "learned"})
	rest := request("learn", 3)
	rest["state"] = h["state"]
	from := slices.Clone(s.sent)
	for name, a := range all {
		if strings.HasPrefix(name, "state.") {
			from = append(from, a)
		}
	}
	_, all = c.do(rest, from...)
	if !mat.EqualApprox(columns(t, all["D"]), want.D.T(), 1e-9) {
		t.Error("a fit that goes on ends elsewhere")
	}
	if code, _ := c.refused(header{"verb": "next"}); code != "request" {
		t.Errorf("a pass after the end is refused as %s", code)
	}
}

// A model with a threshold tells strangers.
func TestOpenSet(t *testing.T) {
	s := found(t, 12, 5)
	c := start(t, engine.Options{})
	h, _ := c.do(header{"verb": "fit", "method": "nrc", "classes": s.names, "keep": true}, s.sent...)
	if _, message := c.refused(header{"verb": "open_set", "model": h["model"]}, s.sent[0]); !strings.Contains(message, "threshold") {
		t.Error(message)
	}
	h, _ = c.do(header{"verb": "calibrate", "model": h["model"], "fpir": 0.05})
	_, got := c.do(header{"verb": "open_set", "model": h["model"]}, s.sent[0])
	threshold := h["threshold"].(float64)
	margins, known := columns(t, got["margin"]).RawRowView(0), columns(t, got["known"]).RawRowView(0)
	for j, margin := range margins {
		if (margin >= threshold) != (known[j] == 1) {
			t.Errorf("margin %v, threshold %v, known %v", margin, threshold, known[j])
		}
	}
	forgotten, _ := c.do(header{"verb": "fit", "method": "nrc", "classes": s.names}, s.sent...)
	if _, message := c.refused(header{"verb": "calibrate", "model": forgotten["model"]}); !strings.Contains(message, "does not keep") {
		t.Error(message)
	}
}

// Vectors of the network have the threshold of the library, which promises no rate of people who are too alike.
func TestVectorsOfFaces(t *testing.T) {
	ctx, f, c := t.Context(), embedding.Default().Frame(), start(t, engine.Options{})
	rng := rand.New(rand.NewPCG(7, 7))
	for _, apart := range []float64{1, 0.05} {
		x := mat.NewDense(f.Len(), 8, nil)
		common := make([]float64, f.Len())
		for i := range common {
			common[i] = rng.NormFloat64()
		}
		x.Apply(func(i, _ int, _ float64) float64 { return (1-apart)*common[i] + apart*rng.NormFloat64() }, x)
		x = classify.Unit(x)
		names := strings.Fields("a b c d e f g h")
		images, err := dataset.NewImages(x, names, nil, names, f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := faces.Train(ctx, images, faces.Defaults(images))
		if err != nil {
			t.Fatal(err)
		}
		y := npz.Int64("y", []int{8}, []int64{0, 1, 2, 3, 4, 5, 6, 7})
		h, _ := c.do(header{"verb": "fit", "method": "mean", "classes": names, "keep": true, "vectors": true}, samples("x", x), y)
		h, _ = c.do(header{"verb": "calibrate", "model": h["model"]})
		promise, _ := h["promise"].(string)
		if h["threshold"] != want.Model().Calibration.Threshold || promise != want.Model().Promise() || (promise == "") != (apart < 1) {
			t.Errorf("%v: threshold %v and promise %q, want %v and %q", apart, h["threshold"], promise,
				want.Model().Calibration.Threshold, want.Model().Promise())
		}
		asked := header{"verb": "open_set", "model": h["model"]}
		if apart < 1 {
			_, message := c.refused(asked, samples("x", x))
			if warning := h["warning"].(string); !strings.Contains(message, "too alike") || warning != message {
				t.Errorf("refused: %q, warned: %q", message, warning)
			}
		}
		asked["force"] = true
		_, got := c.do(asked, samples("x", x))
		found, err := want.Model().Identify(ctx, images)
		if err != nil {
			t.Fatal(err)
		}
		for j, margin := range columns(t, got["margin"]).RawRowView(0) {
			if math.Float64bits(margin) != math.Float64bits(found[j].DecisionScore) {
				t.Errorf("margin %v, want %v", margin, found[j].DecisionScore)
			}
		}
	}
	few := npz.Float64("x", []int{2, 3}, []float64{1, 2, 3, 4, 5, 6})
	y := npz.Int64("y", []int{2}, []int64{0, 1})
	if _, message := c.refused(header{"verb": "fit", "method": "mean", "classes": []string{"a", "b"}, "vectors": true},
		few, y); !strings.Contains(message, "no vectors of this network") {
		t.Error(message)
	}
}

// A dictionary rebuilds samples from sparse codes.
func TestDictionary(t *testing.T) {
	s := found(t, 5, 4)
	c := start(t, engine.Options{})
	for _, name := range []string{"ksvd", "online"} {
		params := []header{{"name": "passes", "value": "3"}}
		if name == "ksvd" {
			params = append(params, header{"name": "sparsity", "value": "4"})
		}
		_, made := c.do(header{"verb": "dictionary", "method": name, "atoms": 8, "params": params}, s.sent[0])
		_, got := c.do(header{"verb": "code", "method": name, "params": params}, s.sent[0], made["D"])
		codes := columns(t, got["codes"])
		if k, n := codes.Dims(); k != 8 || n != 20 {
			t.Errorf("%s: %d×%d codes", name, k, n)
		}
		var left mat.Dense
		left.Mul(mat.DenseCopyOf(columns(t, made["D"]).T()), codes)
		left.Sub(s.x, &left)
		if mat.Norm(&left, 2) > 0.5*mat.Norm(s.x, 2) {
			t.Errorf("%s rebuilds badly", name)
		}
	}
}

// An image in memory and images without a face get their rows.
func TestPhotographs(t *testing.T) {
	photo := draw(t, 1, 1, 112)
	crop := make([]uint8, photo.Frame.Len())
	for i, v := range photo.X.RawMatrix().Data {
		row, column := i%photo.Frame.Height, i/photo.Frame.Height
		crop[row*photo.Frame.Width+column] = uint8(v)
	}
	face := npz.Uint8("a", []int{photo.Frame.Height, photo.Frame.Width}, crop)
	blank := npz.Uint8("b", []int{40, 30, 3}, make([]uint8, 40*30*3))
	c := start(t, engine.Options{})
	h, got := c.do(header{"verb": "embed", "detect": "never"}, face, blank)
	vectors := columns(t, got["vectors"])
	norm := mat.Norm(vectors.ColView(0), 2)
	if math.Abs(norm-1) > 1e-6 || !math.IsNaN(vectors.At(0, 1)) || len(h["images"].([]any)) != 2 {
		t.Errorf("norm %v, %v, %v", norm, vectors.At(0, 1), h["images"])
	}
	h, _ = c.do(header{"verb": "detect"}, blank)
	if list := h["images"].([]any)[0].(header)["faces"].([]any); len(list) != 0 {
		t.Errorf("faces %v in a blank image", list)
	}
	if code, _ := c.refused(header{"verb": "detect", "files": []string{"no-such.jpg"}}); code != "failed" {
		t.Error(code)
	}
	if _, message := c.refused(header{"verb": "embed"}, samples("a", photo.X)); !strings.Contains(message, "is no image") {
		t.Error(message)
	}
}

func TestMethods(t *testing.T) {
	h, _ := start(t, engine.Options{}).do(header{"verb": "methods"})
	if n := len(h["methods"].([]any)); n != len(method.All()) || len(h["dictionaries"].([]any)) != 2 {
		t.Errorf("%d methods", n)
	}
}

// The faces of images in memory are those that the library names, and vectors of every face are asked for.
func TestOpenAndIdentify(t *testing.T) {
	s := found(t, 5, 4)
	c := start(t, engine.Options{})
	made, _ := c.do(header{"verb": "fit", "method": "nrc", "classes": s.names}, s.sent...)
	h, _ := c.do(header{"verb": "open", "model": made["model"]})
	d, _ := s.x.Dims()
	if h["method"] != "nrc" || h["features"] != float64(d) || h["faces"] != false || len(h["classes"].([]any)) != len(s.names) {
		t.Errorf("%v", h)
	}
	if _, message := c.refused(header{"verb": "identify", "model": made["model"], "files": []string{"a.jpg"}}); message == "" {
		t.Error("a model of vectors looks at photographs")
	}
	blank := npz.Uint8("b", []int{40, 30, 3}, make([]uint8, 40*30*3))
	h, got := c.do(header{"verb": "embed", "faces": "all"}, blank)
	if one := h["images"].([]any)[0].(header); one["used"] != 0.0 || !math.IsNaN(columns(t, got["vectors"]).At(0, 0)) {
		t.Errorf("%v", one)
	}
}
