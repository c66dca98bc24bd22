package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/method"
)

// Images and vectors keep the order of their pixels from Python to the command, to Go and back,
// square or not, in every form that a file may have.
//
// Python starts twice, as each start takes a second of the processor.
func TestOrderOfPixels(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	sizes := []dataset.Size{{Height: 8, Width: 8}, {Height: 5, Width: 9}}
	python(t, "make", sizes)
	galleries := make([]*gallery.Gallery, len(sizes))
	for i, size := range sizes {
		t.Run(size.String(), func(t *testing.T) {
			t.Chdir(filepath.Join(folder, size.String()))
			for _, model := range []string{"vectors", "images", "blocks", "mirrored"} {
				asPredicted(t, model)
				opened(t, model)
			}
			galleries[i] = goesBack(t)
		})
	}
	if t.Failed() {
		return
	}
	lines := python(t, "ask", sizes)
	for i, size := range sizes {
		t.Chdir(filepath.Join(folder, size.String()))
		if want := fmt.Sprintf("0 %d %d C", size.Height, size.Width); lines[i] != want {
			t.Errorf("back.npz: %s, want %s", lines[i], want)
		}
		if g := galleries[i]; !mat.Equal(numbersIn(t, "answer.txt"), scoresOf(t, g, rowsFor(t, g))) {
			t.Errorf("%s: Python has other scores by the model of Go", size)
		}
	}
}

// asPredicted compares the scores that the command has by a model of Python, for each form of the
// probes, with those of Python. Images are refused where the model is of vectors.
func asPredicted(t *testing.T, model string) {
	t.Helper()
	want := numbersIn(t, model+".txt")
	for _, probes := range []string{"rows", "sized", "cube"} {
		status, _, story := nrdlIn(t, ".", "predict", model+".nrdl", probes+".npz", "--scores", "-o", "scores.csv")
		if open := model == "vectors" && probes != "rows"; open || status != succeeded {
			if !open || status == succeeded || !strings.Contains(story, "in which order these have pixels nothing says") {
				t.Errorf("%s of %s: %d, %s", model, probes, status, story)
			}
			continue
		}
		if got := scoresIn(t, "scores.csv"); !mat.Equal(got, want) {
			t.Errorf("%s of %s: other scores than in Python", model, probes)
		}
	}
}

// opened compares the scores of a model of Python, opened in Go.
func opened(t *testing.T, model string) {
	t.Helper()
	r, err := faces.Open(model + ".nrdl")
	if err != nil {
		t.Fatal(err)
	}
	vectors := r.Model().Frame.Same(dataset.Frame{})
	if got := scoresOf(t, r.Model(), rowsFor(t, r.Model())); !mat.Equal(got, numbersIn(t, model+".txt")) {
		t.Errorf("%s in Go: other scores than in Python", model)
	}
	images, err := faces.Read(t.Context(), "cube.npz", faces.ReadOptions{Arrays: dataset.Arrays{Unlabelled: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Model().Scores(t.Context(), images); vectors != (err != nil) {
		t.Errorf("%s of images: %v", model, err)
	}
}

// rowsFor reads the probes, which are rows of numbers, for a model.
func rowsFor(t *testing.T, g *gallery.Gallery) *dataset.Images {
	t.Helper()
	vectors := g.Frame.Same(dataset.Frame{})
	probes, err := faces.Read(t.Context(), "rows.npz",
		faces.ReadOptions{Frame: g.Frame, Arrays: dataset.Arrays{Unlabelled: true, Vectors: vectors}})
	if err != nil {
		t.Fatal(err)
	}
	return probes
}

// goesBack converts the file of Python by the command, and returns what Go learns from it, the
// model go.nrdl.
func goesBack(t *testing.T) *gallery.Gallery {
	t.Helper()
	for _, to := range [][]string{{"train.npz", "set.mat"}, {"set.mat", "back.npz"}} {
		if status, _, story := nrdlIn(t, ".", "data", "convert", to[0], to[1]); status != succeeded {
			t.Fatalf("%d: %s", status, story)
		}
	}
	var sets [3]*dataset.Images
	for i, path := range []string{"train.npz", "set.mat", "back.npz"} {
		set, err := dataset.Open(t.Context(), path, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if sets[i] = set; !mat.Equal(set.X, sets[0].X) || set.Frame != sets[0].Frame {
			t.Errorf("%s has other images than train.npz", path)
		}
	}
	g, err := gallery.Learn(t.Context(), sets[1], frontend.Pipeline{Frame: sets[1].Frame}, method.DefaultBlocks, classify.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Save(t.Context(), "go.nrdl", g); err != nil {
		t.Fatal(err)
	}
	return g
}

// python runs testdata/pixels.py in the working folder, and returns the lines that it prints.
func python(t *testing.T, verb string, sizes []dataset.Size) []string {
	t.Helper()
	program, err := exec.LookPath("nrdl")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-B", filepath.Join(sources, "cmd", "nrdl", "testdata", "pixels.py"), verb}
	for _, size := range sizes {
		args = append(args, size.String())
	}
	c := exec.Command("/usr/bin/python3", args...)
	c.Env = append(os.Environ(), "NRDL_PROGRAM="+program, "PYTHONPATH="+filepath.Join(sources, "python"))
	printed, err := c.CombinedOutput()
	if c.ProcessState == nil || c.ProcessState.ExitCode() == 77 {
		t.Skip("NumPy and scikit-learn are not installed for /usr/bin/python3")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	return strings.Split(strings.TrimSpace(string(printed)), "\n")
}

// sources is the root of the repository.
var sources = func() string {
	root, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return root
}()

// scoresOf returns scores as Python has them, a row a sample.
func scoresOf(t *testing.T, g *gallery.Gallery, images *dataset.Images) *mat.Dense {
	t.Helper()
	scores, err := g.Scores(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	return mat.DenseCopyOf(scores.T())
}

// numbersIn reads a file of numbers, a row a line.
func numbersIn(t *testing.T, path string) *mat.Dense {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rows = append(rows, strings.Fields(lines.Text()))
	}
	return parsed(t, rows)
}

// scoresIn reads the scores in a table that predict has written.
func scoresIn(t *testing.T, path string) *mat.Dense {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var scores [][]string
	for _, row := range rows[1:] {
		scores = append(scores, row[len(row)-3:])
	}
	return parsed(t, scores)
}

func parsed(t *testing.T, rows [][]string) *mat.Dense {
	t.Helper()
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		for j, word := range row {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			m.Set(i, j, v)
		}
	}
	return m
}
