package embedding

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/testing/lacking"
)

// equal is how much an output may differ from that of another program.
const equal = 1e-5

// drawnFaces draws so many people, tinted, as e takes them.
func drawnFaces(t *testing.T, e *Embedder, people int) [][]float32 {
	t.Helper()
	size := e.Input()
	set, err := synthetic.Faces{People: people, PerPerson: 1, Input: size, Seed: 7, Light: 1, Pose: 1}.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	faces := make([][]float32, set.Len())
	for j := range faces {
		for _, tint := range []float64{1, 0.8, 0.65} {
			for y := range size.Height {
				for x := range size.Width {
					faces[j] = append(faces[j], float32(math.Round(tint*math.Round(set.X.At(x*size.Height+y, j)))))
				}
			}
		}
	}
	return faces
}

// output is what the network says of a face, as it is.
func output(t *testing.T, e *Embedder, face []float32) []float32 {
	t.Helper()
	n, err := e.open()
	if err != nil {
		t.Fatal(err)
	}
	out, err := n.Run(t.Context(), nil, face)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func farthest(t *testing.T, got, want []float32) (largest float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		largest = max(largest, math.Abs(float64(got[i]-want[i])))
	}
	return largest
}

// TestGolden compares the networks that are built in with onnxruntime, whose numbers
// testdata/onnxruntime.js writes. With NRDL_FACES=DIR it writes what that reads, and with
// NRDL_FACES=DIR NRDL_COMPARE=1 it compares 100 faces with what that wrote there.
func TestGolden(t *testing.T) {
	folder, people := os.Getenv("NRDL_FACES"), 2
	if folder != "" {
		people = 100
	}
	for _, b := range builtIns {
		e, err := Open(b.name, Given{})
		if err != nil {
			t.Fatal(err)
		}
		faces := drawnFaces(t, e, people)
		path := filepath.Join("testdata", b.name+".json")
		if folder != "" {
			path = filepath.Join(folder, b.name+".json")
			if os.Getenv("NRDL_COMPARE") == "" {
				write(t, filepath.Join(folder, b.name), faces)
				continue
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want [][]float32
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		var largest float64
		for j, w := range want {
			largest = max(largest, farthest(t, output(t, e, faces[j]), w))
		}
		if t.Logf("%s: %d faces differ by at most %.2g", b.name, len(want), largest); largest > equal {
			t.Errorf("%s: differs by %.2g", b.name, largest)
		}
	}
}

// write writes faces, and the network that embeds them, for onnxruntime.
func write(t *testing.T, stem string, faces [][]float32) {
	t.Helper()
	var b bytes.Buffer
	for _, f := range faces {
		if err := binary.Write(&b, binary.LittleEndian, f); err != nil {
			t.Fatal(err)
		}
	}
	packedFile, err := os.ReadFile(filepath.Join("weights", filepath.Base(stem)+".onnx.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{stem + ".f32": b.Bytes(), stem + ".onnx": packed.Bytes(packedFile)} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReference compares dlib's network with face-api on one aligned face.
func TestReference(t *testing.T) {
	read := func(name string) []float32 {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "prototypes", "network", name))
		if err != nil {
			lacking.Skip(t, "no reference face")
		}
		v := make([]float32, len(data)/4)
		if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	face, want := read("ref_in.f32"), read("ref_out.f32")
	dlib, err := Open("dlib", Given{})
	if err != nil {
		t.Fatal(err)
	}
	if d := farthest(t, output(t, dlib, face), want); d > equal {
		t.Errorf("differs by %.2g", d)
	}
}

var _ dataset.Embedder = (*Embedder)(nil)
