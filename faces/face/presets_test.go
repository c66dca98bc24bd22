package face

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// info describes an output of this shape.
func info(name string, shape ...int) network.Info { return network.Info{Name: name, Shape: shape} }

// A network is of the kind that its outputs tell, and each kind decodes one face that is
// written into its outputs.
func TestKindsOfDetectors(t *testing.T) {
	size := dataset.Size{Height: 64, Width: 96}
	cells := func(stride int) int { return size.Height / stride * (size.Width / stride) }
	var yunetOut, scrfdOut []network.Info
	for _, what := range []struct {
		name   string
		length int
	}{{"kps", 10}, {"cls", 1}, {"bbox", 4}, {"obj", 1}} {
		for _, s := range []string{"32", "8", "16"} {
			stride := map[string]int{"8": 8, "16": 16, "32": 32}[s]
			yunetOut = append(yunetOut, info(what.name+"_"+s, 1, cells(stride), what.length))
			if what.name != "obj" {
				scrfdOut = append(scrfdOut, info(what.name+s, 1, 2*cells(stride), what.length))
			}
		}
	}
	const minScore = 0.5
	at := func(all []network.Info, name string, out [][]float32, first int, values ...float32) {
		copy(out[slices.IndexFunc(all, func(i network.Info) bool { return i.Name == name })][first:], values)
	}
	five := []float32{-1, -1, 1, -1, 0, 0, -1, 1, 1, 1}
	for name, c := range map[string]struct {
		outputs []network.Info
		write   func(all []network.Info, out [][]float32)
		score   float64
		marks   bool
	}{
		// The face is 32×48 pixels about (40, 24).
		"yunet": {yunetOut, func(all []network.Info, out [][]float32) {
			cell := 1*6 + 2 // row 1, column 2 of 16 pixels
			at(all, "cls_16", out, cell, 0.8)
			at(all, "obj_16", out, cell, 0.8)
			at(all, "bbox_16", out, 4*cell, 0.5, 0.5, float32(math.Log(2)), float32(math.Log(3)))
			at(all, "kps_16", out, 10*cell, 0, 0, 1, 0, 0.5, 0.5, 0, 1, 1, 1)
		}, 0.8, true},
		"scrfd": {scrfdOut, func(all []network.Info, out [][]float32) {
			cell := 2*(3*12+5) + 1 // the second anchor of row 3, column 5 of 8 pixels: (40, 24)
			at(all, "cls8", out, cell, 0.8)
			at(all, "bbox8", out, 4*cell, 2, 3, 2, 3)
			at(all, "kps8", out, 10*cell, five...)
		}, 0.8, true},
		"corners": {[]network.Info{info("boxes", 1, 3, 4), info("scores", 1, 3, 2)}, func(all []network.Info, out [][]float32) {
			at(all, "scores", out, 2, 0.2, 0.8)
			at(all, "boxes", out, 4, 24./96, 0, 56./96, 48./64)
		}, 0.8, false},
	} {
		k := &detectorNet{size: size}
		if err := k.recognise(c.outputs, ""); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out := make([][]float32, len(c.outputs))
		for i, o := range c.outputs {
			out[i] = make([]float32, o.Len())
		}
		c.write(c.outputs, out)
		found := k.decode(out, size.Width, size.Height, minScore)
		if len(found) != 1 {
			t.Errorf("%s: %d faces", name, len(found))
			continue
		}
		d := found[0]
		for i, v := range []float64{d.Box.Left - 24, d.Box.Top, d.Box.Right - 56, d.Box.Bottom - 48, d.Score - c.score} {
			if math.Abs(v) > 1e-4 {
				t.Errorf("%s: number %d of %+v is off by %v", name, i, d, v)
			}
		}
		if want := (Point{40, 24}); c.marks && (len(d.Landmarks) != 5 || d.Landmarks[2] != want) {
			t.Errorf("%s: landmarks %v", name, d.Landmarks)
		}
	}
}

// Outputs that no kind has are refused, and the message says what they are.
func TestUnknownDetectors(t *testing.T) {
	size := dataset.Size{Height: 64, Width: 64}
	for name, c := range map[string]struct {
		outputs []network.Info
		preset  string
		want    string
	}{
		"one output": {[]network.Info{info("a", 1, 5)}, "", "its outputs have the shapes 1×5"},
		"three": {
			[]network.Info{info("a", 1, 5, 4), info("b", 1, 5, 2), info("c", 1, 5, 10)},
			"",
			"its outputs have the shapes 1×5×4, 1×5×2, 1×5×10",
		},
		"few priors":   {[]network.Info{info("boxes", 1, 7, 4), info("scores", 1, 7, 1)}, "ssd", `output "boxes" has 28 numbers`},
		"one of ssd":   {[]network.Info{info("boxes", 1, 7, 4)}, "ssd", "it has 1 outputs"},
		"tiny":         {[]network.Info{info("cells", 1, 3, 3, 25)}, "tiny", "has 225 numbers"},
		"other preset": {[]network.Info{info("cells", 1, 3, 3, 25)}, "huge", "it is no detector that is known"},
		"one number":   {[]network.Info{info("a"), info("b", 1, 3, 4)}, "", `output "a" is a single number`},
		"many scrfd":   {slices.Repeat([]network.Info{info("a", 1, 1)}, 10), "scrfd", "it has 10 outputs"},
		"one corner":   {[]network.Info{info("a", 1, 4)}, "corners", "it has 1 outputs"},
		"more corners": {[]network.Info{info("boxes", 1, 3, 4), info("scores", 1, 4, 2)}, "", "has 8 numbers"},
	} {
		k := &detectorNet{size: size}
		if err := k.recognise(c.outputs, c.preset); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A detector is found by its name or as a file; what is neither is refused.
func TestOpenSearch(t *testing.T) {
	for _, name := range append([]string{""}, Detectors...) {
		if _, err := OpenSearch(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := OpenSearch("sdd"); err == nil || !strings.Contains(advice.Text(err), "ssd") {
		t.Errorf("a name that is none: %v, %s", err, advice.Text(err))
	}
	if _, err := OpenSearch(filepath.Join(folder, "none.onnx")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
	if _, err := OpenSearch(write("noise.onnx", []byte("no network"))); err == nil || !strings.Contains(advice.Text(err), "YuNet") {
		t.Errorf("a file that is no network: %v, %s", err, advice.Text(err))
	}
	if _, err := OpenSearch(write("means.onnx", onnxfile.Means(32, nil))); err == nil ||
		!strings.Contains(err.Error(), "its outputs have the shapes") {
		t.Errorf("a network that is no detector: %v", err)
	}
	tiny, err := OpenSearch(write("tiny.onnx", packed.Bytes(tinyFile)))
	if err != nil {
		t.Fatal(err)
	}
	m := dataset.NewPhoto(cartoon(300))
	found, err := tiny.Network.Detect(t.Context(), m)
	if err != nil || len(found) == 0 {
		t.Errorf("%v, %v: the file of the tiny detector sees no drawn face", found, err)
	}
}
