package embedding

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/synthetic"
)

// equal is how much an output may differ from that of another program.
const equal = 1e-5

// drawnFaces draws two people, tinted, as the network takes them.
func drawnFaces(t *testing.T) [][]float32 {
	t.Helper()
	size := Default().Input()
	set, err := synthetic.Faces{People: 2, PerPerson: 1, Input: size, Seed: 7, Light: 1, Pose: 1}.Draw(t.Context())
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

func farthest(t *testing.T, got, want []float32) (most float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		most = max(most, math.Abs(float64(got[i]-want[i])))
	}
	return most
}

// TestGolden compares the network that is built in with onnxruntime, whose numbers
// testdata/onnxruntime.js writes.
func TestGolden(t *testing.T) {
	faces := drawnFaces(t)
	if path := os.Getenv("NRDL_FACES"); path != "" {
		var b bytes.Buffer
		for _, f := range faces {
			if err := binary.Write(&b, binary.LittleEndian, f); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("wrote " + path)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "onnxruntime.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want [][]float32
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for j, face := range faces {
		if d := farthest(t, output(t, Default(), face), want[j]); d > equal {
			t.Errorf("face %d: differs by %.2g", j, d)
		}
	}
}

// TestReference compares the network with face-api on one aligned face.
func TestReference(t *testing.T) {
	read := func(name string) []float32 {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "prototypes", "network", name))
		if err != nil {
			t.Skip(err)
		}
		v := make([]float32, len(data)/4)
		if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	face, want := read("ref_in.f32"), read("ref_out.f32")
	if d := farthest(t, output(t, Default(), face), want); d > equal {
		t.Errorf("differs by %.2g", d)
	}
}

var _ dataset.Embedder = (*Embedder)(nil)
