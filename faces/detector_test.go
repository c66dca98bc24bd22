package faces_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/kit/packed"
)

// A model keeps the detector by which the faces of its people were found, and looks at
// photographs with it unless another is named. A network in a file is found again beside
// the model, and no other in its place.
func TestModelKeepsItsDetector(t *testing.T) {
	dir := t.TempDir()
	coloured(dir, 2, 2)
	network, err := os.ReadFile(filepath.Join("face", "networks", "tiny.onnx.zst"))
	check(err)
	folder := t.TempDir()
	file := filepath.Join(folder, "finder.onnx")
	check(os.WriteFile(file, packed.Bytes(network), 0o666))
	photo := photograph(drawnFaces(1, 1, 1), 0)
	for _, name := range []string{"auto", "cascade", file} {
		by, err := face.OpenSearch(name)
		check(err)
		detect := face.Options{Detect: face.Always, Search: by}
		_, e := tinyNetwork(t)
		images, err := faces.Read(t.Context(), dir,
			faces.ReadOptions{Embedder: e, Detect: detect, Observer: faces.Observer{Warn: func(error) {}}})
		if err != nil {
			t.Fatal(name, err)
		}
		o := faces.Defaults(images)
		o.Pipeline.Embedder, o.Detect, o.OpenSet = e, detect, nil
		trained, err := faces.Train(t.Context(), images, o)
		check(err)
		path := filepath.Join(folder, "m.nrdl")
		check(trained.Save(t.Context(), path))
		r, err := faces.Open(path)
		check(err)
		kept := r.Model().Search
		if name == "auto" {
			if kept != nil {
				t.Errorf("the default detector is written: %v", kept)
			}
			continue
		}
		if kept == nil || kept.Name != filepath.Base(name) || kept.Digest != by.Digest {
			t.Fatalf("%s: the model has %v", name, kept)
		}
		if next, _, err := r.Enrol(t.Context(), "another", photo); err == nil && next.Model().Search != kept {
			t.Errorf("%s: after another person is enrolled, the detector is %v", name, next.Model().Search)
		}
		if kept.Digest == "" {
			continue
		}
		check(os.Remove(file))
		lost, err := faces.Open(path)
		if err != nil || len(lost.People()) != 2 {
			t.Fatalf("without the file: %v", err)
		}
		_, err = lost.Identify(t.Context(), photo)
		if err == nil || !strings.Contains(err.Error(), "finder.onnx") || !strings.Contains(advice.Text(err), "face.Options.Search") {
			t.Errorf("without the file: %v", err)
		}
		other, err := lost.With(face.Options{Search: face.DefaultSearch}, faces.Observer{})
		check(err)
		if _, err := other.Identify(t.Context(), photo); err != nil {
			t.Errorf("with another detector: %v", err)
		}
		changed, err := os.ReadFile(filepath.Join("face", "networks", "ssd.onnx.zst"))
		check(err)
		changed = packed.Bytes(changed)
		check(os.WriteFile(file, changed, 0o666))
		other, err = faces.Open(path)
		check(err)
		if _, err := other.Identify(t.Context(), photo); err == nil || !strings.Contains(err.Error(), "is not the one") {
			t.Errorf("with another file: %v", err)
		}
	}
	if _, err := face.RestoreSearch("../finder.onnx", "00", []string{folder}); err == nil {
		t.Error("a model names a file outside its folder")
	}
	if _, err := face.RestoreSearch("finder.onnx", "", []string{folder}); err == nil {
		t.Error("a model names a file without its digest")
	}
}

// A damaged photograph costs one photograph, also in training.
func TestDamagedPhotograph(t *testing.T) {
	dir := t.TempDir()
	coloured(dir, 2, 3)
	files, err := dataset.PhotoFiles(dir)
	check(err)
	data, err := os.ReadFile(files[0].Path)
	check(err)
	check(os.WriteFile(files[0].Path, data[:len(data)/2], 0o666))
	_, e := tinyNetwork(t)
	o := faces.ReadOptions{Embedder: e, Detect: quick()}
	o.Detect.Detect = face.Always
	if _, err := faces.Read(t.Context(), dir, o); err == nil || !strings.Contains(err.Error(), filepath.Base(files[0].Path)) {
		t.Errorf("there is no warning: %v", err)
	}
	var warnings []string
	o.Warn = func(err error) { warnings = append(warnings, err.Error()) }
	images, err := faces.Read(t.Context(), dir, o)
	if err != nil || images.Len() != 5 {
		t.Fatalf("%v: %v", images, err)
	}
	if text := strings.Join(warnings, "\n"); !strings.Contains(text, files[0].Path) ||
		!strings.Contains(text, "1 of 6 images could not be read") {
		t.Errorf("warnings %q", warnings)
	}
}
