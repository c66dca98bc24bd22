package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// copied is the file of the network that is built in with another digest.
func copied(t *testing.T) []byte {
	t.Helper()
	stored, err := os.ReadFile("../frontend/embedding/weights/faceplugin.onnx.zst")
	if err != nil {
		t.Fatal(err)
	}
	var g onnxfile.Graph
	g.Meta("copy", "of another digest")
	return append(packed.Bytes(stored), g.Metadata()...)
}

func TestUsable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy.onnx")
	if err := os.WriteFile(path, copied(t), 0o666); err != nil {
		t.Fatal(err)
	}
	for words, wrong := range map[string]bool{"": false, "channels=bgr": false, "subtract=127.5 scale=1/127.5": true} {
		in, err := frontend.ParseNetwork(path, words)
		if err != nil {
			t.Fatal(err)
		}
		err = Usable(t.Context(), in)
		if (err != nil) != wrong || wrong && !strings.Contains(advice.Text(err), "subtract=0 scale=1 channels=rgb") {
			t.Errorf("%q: %v %s", words, err, advice.Text(err))
		}
		if again := Usable(t.Context(), in); again != err {
			t.Errorf("%q: it is looked at again: %v", words, again)
		}
	}
	if err := Usable(t.Context(), frontend.Embedding); err != nil {
		t.Errorf("built in: %v", err)
	}
}

// TestSeparation prints the separations on which MinSeparation stands.
func TestSeparation(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("prints a table: set NRDL_LONG=1")
	}
	say := func(name string, e *embedding.Embedder, eyes dataset.Eyes) {
		s, err := separation(t.Context(), e, eyes)
		t.Logf("%-70s %.2f %v", name, s, err)
	}
	for _, name := range []string{"faceplugin", "dlib"} {
		e, err := embedding.Open(name, embedding.Given{})
		if err != nil {
			t.Fatal(err)
		}
		say(name, e, eyesOf(e))
		for _, v := range variants(e) {
			say(name+" "+v.words, v.embedder, v.eyes)
		}
		for _, eyes := range []dataset.Eyes{{Distance: 0.5, Height: 0.35}, {Distance: 0.15, Height: 0.45}, {Distance: 0.3, Height: 0.75}} {
			say(name+" eyes="+eyes.String(), e, eyes)
		}
	}
	for name, data := range map[string][]byte{
		"random weights": onnxfile.MobileFaceNet(1), "mean colours": onnxfile.Means(112, nil),
		"random weights, small": onnxfile.IResNet(1, 112, 64, []int{1, 1, 1}, []int{16, 32, 64}),
	} {
		e, err := embedding.New(data, name, embedding.Given{Preset: "arcface"})
		if err != nil {
			t.Fatal(err)
		}
		say(name, e, eyesOf(e))
	}
}
