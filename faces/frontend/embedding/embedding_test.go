package embedding

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

const tinySide = 8

// tinyFace is a face whose channels have these values, and their double in the right
// half.
func tinyFace(values ...float32) []float32 {
	var face []float32
	for _, v := range values {
		for i := range tinySide * tinySide {
			face = append(face, v*float32(1+i%tinySide*2/tinySide))
		}
	}
	return face
}

func given() Given {
	return Given{Eyes: dataset.Eyes{Distance: 0.4, Height: 0.3}, Mean: []float64{0}, Scale: 1}
}

func tiny(t *testing.T, g Given) *Embedder {
	t.Helper()
	e, err := New(onnxfile.Means(tinySide, nil), "tiny.onnx", g)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func embed(t *testing.T, e *Embedder, faces ...[]float32) [][]float64 {
	t.Helper()
	v, err := e.Embed(t.Context(), faces)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func near(a []float64, b ...float64) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(v float64) bool { return math.IsNaN(v) }) &&
		math.Abs(a[0]-b[0]) < 1e-6 && math.Abs(a[1]-b[1]) < 1e-6 && math.Abs(a[2]-b[2]) < 1e-6
}

// The values that a network takes are those that it is given: order, mean and scale.
func TestValues(t *testing.T) {
	face := tinyFace(2, 4, 4) // channels of mean 3, 6, 6
	if v := embed(t, tiny(t, given()), face)[0]; !near(v, 1./3, 2./3, 2./3) {
		t.Errorf("%v", v)
	}
	g := given()
	g.Channels = "bgr"
	if v := embed(t, tiny(t, g), face)[0]; !near(v, 2./3, 2./3, 1./3) {
		t.Errorf("bgr: %v", v)
	}
	g.Mean = []float64{3, 6, 0} // of red, green and blue
	if v := embed(t, tiny(t, g), face)[0]; !near(v, 1, 0, 0) {
		t.Errorf("bgr, mean: %v", v)
	}
	g = given()
	g.Scale = 1000
	if v := embed(t, tiny(t, g), face)[0]; !near(v, 1./3, 2./3, 2./3) {
		t.Errorf("scale: %v", v)
	}
}

// A face of a single colour has no direction; a face of another size is refused.
func TestNoFace(t *testing.T) {
	e := tiny(t, given())
	flat := slices.Repeat([]float32{7}, 3*tinySide*tinySide)
	v := embed(t, e, flat, tinyFace(2, 4, 4), flat)
	if !near(v[0], 0, 0, 0) || !near(v[1], 1./3, 2./3, 2./3) || !near(v[2], 0, 0, 0) {
		t.Errorf("%v", v)
	}
	if _, err := e.Embed(t.Context(), [][]float32{flat[1:]}); err == nil || !strings.Contains(err.Error(), "3×8x8") {
		t.Errorf("a smaller face: %v", err)
	}
	bad := tinyFace(2, 4, 4)
	bad[5] = float32(math.NaN())
	if _, err := e.Embed(t.Context(), [][]float32{bad}); err == nil {
		t.Error("NaN has a vector")
	}
}

// A name that is no file may be meant for a network inside the program.
func TestOpenOfNothing(t *testing.T) {
	for name, tells := range map[string]bool{"arcface": true, filepath.Join(t.TempDir(), "arcface.onnx"): false} {
		_, err := Open(name, Given{})
		if !errors.Is(err, fs.ErrNotExist) || strings.Contains(advice.Text(err), "dlib") != tells {
			t.Errorf("%s: %v, advice %q", name, err, advice.Text(err))
		}
	}
}

// Vectors of the network that is built in have unit length in single precision, do
// not depend on the other faces, and with the mirror image are those of the mirror
// image.
func TestBuiltIn(t *testing.T) {
	e := Default()
	faces := drawnFaces(t, e, 2)
	together := embed(t, e, faces...)
	var group sync.WaitGroup
	for j, face := range faces {
		group.Go(func() {
			if alone := embed(t, e, face)[0]; !slices.Equal(alone, together[j]) {
				t.Errorf("face %d alone has another vector", j)
			}
		})
	}
	group.Wait()
	for j, v := range together {
		var sum float64
		for _, x := range v {
			sum += x * x
			if x != float64(float32(x)) {
				t.Fatalf("face %d: %v is not of single precision", j, x)
			}
		}
		if len(v) != e.Frame().Embedding.Length || math.Abs(sum-1) > 1e-6 {
			t.Errorf("face %d: %d numbers of norm² %v", j, len(v), sum)
		}
	}
	mirrored := slices.Clone(faces[0])
	size := e.Input()
	for row := range slices.Chunk(mirrored, size.Width) {
		slices.Reverse(row)
	}
	if v := embed(t, e, mirrored)[0]; farthest64(v, together[0]) > equal {
		t.Errorf("the mirror image is %v away", farthest64(v, together[0]))
	}
	off := false
	single, err := Open("", Given{Mirror: &off})
	if err != nil || single.Frame().Embedding.Mirror {
		t.Fatalf("%+v, %v", single.Frame(), err)
	}
	if d := farthest64(embed(t, single, faces[0])[0], together[0]); d < 1e-3 || d > 0.2 {
		t.Errorf("without the mirror image it is %v away", d)
	}
	plane := size.Len() // the default takes blue first
	raw := output(t, e, slices.Concat(faces[0][2*plane:], faces[0][plane:2*plane], faces[0][:plane]))
	var norm float64
	for _, x := range raw {
		norm += float64(x) * float64(x)
	}
	for i, v := range embed(t, single, faces[0])[0] {
		if want := float64(raw[i]) / math.Sqrt(norm); math.Abs(v-want) > 1e-6 {
			t.Fatalf("number %d is %v, want %v", i, v, want)
		}
	}
}

func farthest64(a, b []float64) (largest float64) {
	for i := range a {
		largest = max(largest, math.Abs(a[i]-b[i]))
	}
	return largest
}

// What is given goes before metadata, and that before the preset for the size.
func TestSettings(t *testing.T) {
	stored := map[string]string{"eyes": "0.4@0.2", "channels": "BGR", "mean": "1,2,3", "scale": "0.5", "mirror": "false"}
	arcface := presets[1]
	off := false
	for name, c := range map[string]struct {
		side     int
		metadata map[string]string
		given    Given
		want     settings
	}{
		"preset by size": {112, nil, Given{}, settings{arcface.eyes, dataset.ToArcFace, rgb, arcface.mean, arcface.scale, true, nil}},
		"preset by name": {
			8, nil,
			Given{Preset: "arcface"},
			settings{arcface.eyes, dataset.ToArcFace, rgb, arcface.mean, arcface.scale, true, nil},
		},
		"metadata": {
			112, stored,
			Given{},
			settings{dataset.Eyes{Distance: 0.4, Height: 0.2}, dataset.ToMean, bgr, [3]float64{1, 2, 3}, 0.5, false, nil},
		},
		"given": {
			112, stored,
			Given{Eyes: dataset.DefaultEyes, Channels: rgb, Mean: []float64{5}, Scale: 2, Mirror: &off},
			settings{dataset.DefaultEyes, dataset.ToMean, rgb, [3]float64{5, 5, 5}, 2, false, nil},
		},
		"preset before metadata": {
			112, stored,
			Given{Preset: "dlib"},
			settings{presets[0].eyes, dataset.ToMean, rgb, presets[0].mean, presets[0].scale, true, nil},
		},
	} {
		got, err := settled(c.metadata, network.Normalisation{}, dataset.Size{Height: c.side, Width: c.side}, c.given)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, want %+v, %v", name, got, c.want, err)
		}
	}
	for want, c := range map[string]struct {
		metadata map[string]string
		given    Given
	}{
		"preset":         {nil, Given{Preset: "arc"}},
		"range":          {nil, Given{Eyes: dataset.DefaultEyes}},
		"pupils":         {nil, Given{Scale: 1}},
		"channels":       {stored, Given{Channels: "grb"}},
		"DISTANCE":       {map[string]string{"eyes": "far"}, Given{}},
		"mean":           {map[string]string{"mean": "1,2"}, Given{}},
		"scale":          {map[string]string{"scale": "-1"}, Given{}},
		"true or false":  {map[string]string{"mirror": "perhaps"}, Given{}},
		"one number or ": {stored, Given{Mean: []float64{1, 2}}},
	} {
		if _, err := New(onnxfile.Means(tinySide, c.metadata), "x", c.given); err == nil ||
			!strings.Contains(err.Error()+advice.Text(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A network that is no embedding of an image in colour is refused.
func TestRefusedNetworks(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("network"), "grey": onnxfile.MeansOf(1, tinySide), "two outputs": onnxfile.MeansTwice(tinySide),
	} {
		if _, err := New(data, name, given()); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.TempDir(), given()); err == nil {
		t.Error("a folder is a network")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.onnx"), given()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// An Embedder comes back from the frame of its vectors and its file; by reference,
// it has none to store.
func TestRestore(t *testing.T) {
	g := given()
	g.Channels, g.Mean, g.Scale = "bgr", []float64{1, 2, 3}, 0.25
	e := tiny(t, g)
	again, err := Restore(e.Frame(), e.File(), nil)
	if err != nil || again.Frame() != e.Frame() || again.Input() != e.Input() {
		t.Fatalf("%+v, %v", again, err)
	}
	face := tinyFace(9, 4, 1)
	if !slices.Equal(embed(t, again, face)[0], embed(t, e, face)[0]) {
		t.Error("it has other vectors")
	}
	crops := e.Frame()
	crops.Eyes = dataset.Eyes{}
	if again, err := Restore(crops, e.File(), nil); err != nil || again.Frame().Embedding != e.Frame().Embedding {
		t.Errorf("of crops: %v", err)
	}
	if _, err := Restore(e.Frame(), nil, nil); !errors.Is(err, ErrMissing) || !strings.Contains(advice.Text(err), "tiny.onnx") {
		t.Errorf("without the file: %v", err)
	}
	if _, err := Restore(e.Frame(), onnxfile.Means(tinySide, map[string]string{"other": "file"}),
		nil); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("another file: %v", err)
	}
	if r := e.ByReference(); r.File() != nil || e.File() == nil || r.Frame() != e.Frame() {
		t.Error("by reference")
	}
	if again, err := Restore(Default().Frame(), nil, nil); err != nil || again.File() != nil || again.Frame() != Default().Frame() {
		t.Errorf("built in: %v", err)
	}
}

// A network whose output has other axes first than that of the faces is refused; what
// joins the faces of a batch sees one face at a time.
func TestFacesOfABatchDoNotMix(t *testing.T) {
	const length = 3 * tinySide * tinySide
	attr := func(name string, value any) onnxfile.Attr { return onnxfile.Attr{Name: name, Value: value} }
	file := func(batch any, f func(g *onnxfile.Graph) string) []byte {
		var g onnxfile.Graph
		g.Input("image", onnxfile.Float32, batch, 3, tinySide, tinySide)
		g.Output(f(&g), onnxfile.Float32, batch, length)
		return g.Bytes(13)
	}
	flat := func(g *onnxfile.Graph) string { return g.Node("Flatten", []string{"image"}) }
	graphs := map[string]struct {
		refused bool
		f       func(g *onnxfile.Graph) string
	}{
		"two rows":   {true, func(g *onnxfile.Graph) string { return g.Node("Reshape", []string{"image", g.Ints(2, -1)}) }},
		"transposed": {true, func(g *onnxfile.Graph) string { return g.Node("Transpose", []string{flat(g)}) }},
		"flat":       {true, func(g *onnxfile.Graph) string { return g.Node("Reshape", []string{"image", g.Ints(-1)}) }},
		"one number": {true, func(g *onnxfile.Graph) string { return g.Node("ReduceMean", []string{"image"}, attr("keepdims", 0)) }},
		"twice":      {true, func(g *onnxfile.Graph) string { x := flat(g); return g.Node("Concat", []string{x, x}, attr("axis", 0)) }},
		"mean": {true, func(g *onnxfile.Graph) string {
			return g.Node("ReduceMean", []string{flat(g)}, attr("axes", []int{0}), attr("keepdims", 0))
		}},
		"kept mean": {false, func(g *onnxfile.Graph) string { return g.Node("ReduceMean", []string{flat(g)}, attr("axes", []int{0})) }},
		"less a mean": {false, func(g *onnxfile.Graph) string {
			x := flat(g)
			return g.Node("Add", []string{x, g.Node("ReduceMax", []string{x}, attr("axes", []int{0}))})
		}},
		"one row": {false, func(g *onnxfile.Graph) string { return g.Node("Reshape", []string{"image", g.Ints(1, -1)}) }},
	}
	var faces [][]float32
	for k := range 5 {
		face := tinyFace(9, 4, float32(k))
		face[k] += 7
		faces = append(faces, face)
	}
	for name, c := range graphs {
		for _, batch := range []any{"N", 1, 4} { // as files have it
			e, err := New(file(batch, c.f), name, given())
			if c.refused || err != nil {
				if c.refused != (err != nil) {
					t.Errorf("%s, batch %v: %v", name, batch, err)
				}
				continue
			}
			all := embed(t, e, faces...)
			for k, face := range faces {
				if !slices.Equal(embed(t, e, face)[0], all[k]) {
					t.Errorf("%s, batch %v: face %d has another vector among others", name, batch, k)
				}
			}
		}
	}
}

// A network that normalises its input is given what it takes, unless the caller says otherwise.
func TestNormalisingNetworks(t *testing.T) {
	file := func(mean, scale float32, metadata string) []byte {
		var g onnxfile.Graph
		g.Input("image", onnxfile.Float32, "N", 3, 112, 112)
		x := g.Node("Sub", []string{"image", g.Floats([]float32{mean}, 1)})
		x = g.Node("Mul", []string{x, g.Floats([]float32{scale}, 1)})
		g.Output(g.Node("ReduceMean", []string{x}, onnxfile.Attr{Name: "axes", Value: []int{2, 3}}), onnxfile.Float32, "N", 3, 1, 1)
		if metadata != "" {
			g.Meta("scale", metadata)
		}
		return g.Bytes(13)
	}
	preset := presets[1]
	for name, c := range map[string]struct {
		mean, scale float32
		metadata    string
		given       Given
		takes       [3]float64
		factor      float64
		remark      string
	}{
		"0 … 255":     {127.5, 1. / 128, "", Given{}, [3]float64{}, 0, "subtracts 127.5 and multiplies by 0.00781): it gets the values 0 … 255"},
		"preset":      {127.5, 1. / 128, "", Given{Preset: "arcface"}, [3]float64{}, 0, "0 … 255"},
		"0 … 1":       {0.5, 2, "", Given{}, [3]float64{}, 1. / 255, "0 … 1"},
		"-1 … 1":      {-1, 0.5, "", Given{}, preset.mean, preset.scale, ""},
		"given scale": {127.5, 1. / 128, "", Given{Scale: 2}, [3]float64{}, 2, ""},
		"given mean":  {127.5, 1. / 128, "", Given{Mean: []float64{3}}, [3]float64{3, 3, 3}, 0, ""},
		"metadata":    {127.5, 1. / 128, "0.5", Given{}, [3]float64{}, 0.5, ""},
		"as it is":    {0, 1, "", Given{}, preset.mean, preset.scale, ""},
	} {
		e, err := New(file(c.mean, c.scale, c.metadata), "x", c.given)
		if err != nil {
			t.Fatal(err)
		}
		made := e.Frame().Embedding
		if made.Mean != c.takes || made.Scale != c.factor || !strings.Contains(e.Remark(), c.remark) || (c.remark == "") != (e.Remark() == "") {
			t.Errorf("%s: %v %v %q", name, made.Mean, made.Scale, e.Remark())
		}
		if again, err := Restore(e.Frame(), e.File(), nil); err != nil || again.Frame() != e.Frame() {
			t.Errorf("%s: restored: %v", name, err)
		}
	}
}

// Of several outputs the vector is the one that is named, or the only one of several numbers.
func TestOutputs(t *testing.T) {
	file := func(lengths ...int) []byte {
		var g onnxfile.Graph
		g.Input("image", onnxfile.Float32, "N", 3, tinySide, tinySide)
		flat := g.Node("Flatten", []string{"image"})
		for i, n := range lengths {
			name := []string{"first", "second"}[i]
			g.Nodes("Slice", []string{flat, g.Ints(0), g.Ints(n), g.Ints(1)}, []string{name})
			g.Output(name, onnxfile.Float32, "N", n)
		}
		return g.Bytes(13)
	}
	for name, c := range map[string]struct {
		lengths []int
		output  string
		want    int
		stored  string
	}{
		"one":             {[]int{4}, "", 4, ""},
		"one, named":      {[]int{4}, "first", 4, ""},
		"norm second":     {[]int{4, 1}, "", 4, "first"},
		"norm first":      {[]int{1, 4}, "", 4, "second"},
		"two, named":      {[]int{4, 5}, "second", 5, "second"},
		"two":             {[]int{4, 5}, "", 0, ""},
		"another":         {[]int{4, 1}, "third", 0, ""},
		"two of a number": {[]int{1, 1}, "", 0, ""},
	} {
		g := given()
		g.Output = c.output
		e, err := New(file(c.lengths...), "x", g)
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error()+advice.Text(err), "first") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made := e.Frame().Embedding
		if made.Length != c.want || made.Output != c.stored || len(embed(t, e, tinyFace(9, 4, 1))[0]) != c.want {
			t.Errorf("%s: %+v", name, made)
		}
		if again, err := Restore(e.Frame(), e.File(), nil); err != nil || again.output != e.output {
			t.Errorf("%s: restored: %v", name, err)
		}
	}
}
