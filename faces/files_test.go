package faces

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/openset"
)

// A fileAnswer is what a model file answers after a change of the model: the threshold, and
// the results for some faces.
type fileAnswer struct {
	Step      string
	Threshold float64
	Faces     []fileFace
}

type fileFace struct {
	Name, Trained       string
	Known               bool
	Probability, Margin float64
}

// imagesOfFile are the images that a golden file was trained on, images of two more people, and
// images of strangers. All are drawn.
func imagesOfFile(t *testing.T, crops bool) (enrolled, more, strangers *dataset.Images) {
	t.Helper()
	if !crops {
		return drawnVectors(t, 1, 24, 2), drawnVectors(t, 700_000, 2, 2), drawnVectors(t, 500_000, 6, 1)
	}
	draw := func(people int, seed uint64, name string) *dataset.Images {
		d := synthetic.Default
		d.People, d.PerPerson, d.Input, d.Seed = people, 3, dataset.Size{Height: 8, Width: 6}, seed
		images, err := d.Draw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for c := range images.Classes {
			images.Classes[c] = name + images.Classes[c]
		}
		for j, id := range images.IDs {
			images.IDs[j] = name + id
		}
		return images
	}
	return draw(6, 1, "a"), draw(2, 2, "b"), draw(3, 3, "c")
}

// fileAnswers opens the file at path, changes the model, and returns its answers after each
// change.
func fileAnswers(t *testing.T, path string, crops bool) (all []fileAnswer) {
	t.Helper()
	ctx := t.Context()
	enrolled, more, strangers := imagesOfFile(t, crops)
	r, err := Open(path)
	answer := func(step string) {
		t.Helper()
		if err != nil {
			t.Fatal(step, err)
		}
		a := fileAnswer{Step: step, Threshold: r.Model().Calibration.Threshold}
		for _, images := range []*dataset.Images{
			enrolled.Select([]int{0, 4, 8, 13}), more.Select([]int{0, 1, 2}),
			strangers.Select([]int{0, 2, 5}),
		} {
			faces := make([]Face, images.Len())
			for j := range faces {
				faces[j].values = mat.Col(nil, j, images.X)
			}
			if err := r.name(ctx, faces); err != nil {
				t.Fatal(step, err)
			}
			for _, f := range faces {
				a.Faces = append(a.Faces, fileFace{f.Name, f.TrainedID, f.Known, f.Probability, f.Margin})
			}
		}
		all = append(all, a)
	}
	answer("open")
	how := openset.Default
	how.FPIR = 0.05
	r, err = r.Calibrate(ctx, how, nil)
	answer("calibrate")
	r, _, err = r.EnrolAll(ctx, more, false)
	answer("add")
	r, _, err = r.Rename(ctx, more.Classes[0], "Zoë")
	answer("rename")
	r, err = removed(t, r, enrolled.Classes[1], enrolled.IDs[0])
	answer("remove")
	again := filepath.Join(t.TempDir(), "model.nrdl")
	if err = r.Save(ctx, again); err == nil {
		r, err = Open(again)
	}
	answer("save and open")
	r, err = r.Calibrate(ctx, openset.Options{FPIR: 0.02, Prior: 0.3}, strangers)
	answer("calibrate with strangers")
	return all
}

func removed(t *testing.T, r *Recogniser, names ...string) (*Recogniser, error) {
	return r.Remove(t.Context(), names...)
}

// Golden model files of today's format open, give the recorded answers, follow the recorded
// changes, and are written again byte for byte. There are files of a classifier over all faces, of
// drawn crops and of vectors, and of an index of a large gallery. The answers were recorded at commit
// `1a8a9d37091a`.
func TestGoldenFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "models", "*.nrdl"))
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			if err := file.Write(&again, r.Model()); err != nil || !bytes.Equal(again.Bytes(), data) {
				t.Errorf("written again: %d bytes, not the %d of the file: %v", again.Len(), len(data), err)
			}
			text, err := os.ReadFile(path + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var want []fileAnswer
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			for i, got := range fileAnswers(t, path, filepath.Base(path) == "crops_nrdl.nrdl") {
				if w := want[i]; got.Step != w.Step || !near(got.Threshold, w.Threshold) || len(got.Faces) != len(w.Faces) {
					t.Fatalf("%s: threshold %v, want %v", got.Step, got.Threshold, w.Threshold)
				}
				for j, f := range got.Faces {
					w := want[i].Faces[j]
					if f.Name != w.Name || f.Trained != w.Trained || f.Known != w.Known || !near(f.Probability, w.Probability) ||
						!near(f.Margin, w.Margin) {
						t.Errorf("%s: face %d is %+v, want %+v", got.Step, j, f, w)
					}
				}
			}
		})
	}
}
