package dataset

import (
	"archive/zip"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/npz"
)

func openText(t *testing.T, name, text string, opt Options) (*Images, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(context.Background(), path, opt)
}

// Tables of numbers as spreadsheets, R, pandas and databases write them: all are these two
// samples of a and one of b.
func TestTablesOfNumbers(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1.5, 2, 1e3, -4, 0, 7})
	for name, text := range map[string]string{
		"header.csv":    "width,height,class\n1.5,-4,a\n2,0,a\n1000,7,b\n",
		"bare.csv":      "1.5,-4,a\n2,0,a\n1e3,7,b\n",
		"first.csv":     "species,width,height\na,1.5,-4\na,2,0\nb,1000,7\n",
		"pandas.csv":    ",width,height,target\n0,1.5,-4,a\n1,2,0,a\n2,1000,7,b\n",
		"quoted.csv":    "\"width\",\"height\",\"who\"\n\"1.5\",\"-4\",\"a\"\n2,0,a\r\n1000,7,b",
		"semicolon.csv": "\xef\xbb\xbfwidth;height;label\n1,5;-4;a\n2;0;a\n1000,0;7;b\n",
		"tab.tsv":       "# of a database\nwidth\theight\tY\n1.5\t-4\ta\n2\t0\ta\n1e3\t7\tb\n",
		"spaces.txt":    "width, height, label\n1.5, -4, a\n2, 0, a\n1000, 7, b\n",
	} {
		set, err := openText(t, name, text, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !mat.Equal(set.X, want) || !slices.Equal(set.Classes, []string{"a", "b"}) || set.AreImages() || !set.Matrix {
			t.Errorf("%s: %v of %q", name, mat.Formatted(set.X), set.Classes)
		}
	}
	set, err := openText(t, "x.csv", "a,b,from\n1,2,3\n4,5,6\n", Options{Arrays: Arrays{Y: "from"}})
	if err != nil || !slices.Equal(set.Classes, []string{"3", "6"}) {
		t.Errorf("a named column: %v", err)
	}
	set, err = openText(t, "x.csv", "1,2,3\n4,5,6\n", Options{Arrays: Arrays{Unlabelled: true}})
	if r, c := 0, 0; err != nil {
		t.Error(err)
	} else if r, c = set.X.Dims(); r != 3 || c != 2 {
		t.Errorf("without labels %d×%d", r, c)
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"1,2,3\n4,5,6\n":              "no column holds labels",
		"1,2,a,x\n4,5,b,y\n":          "columns 3 and 4 hold no numbers",
		"w,h,label\n1,2,a\n3,,b\n":    "line 3, column 2",
		"w,h,label\n1,2,a\n3,nan,b":   "line 3, column 2",
		"w,h,label\n1,2,a\n3,4\n":     "line 3 has 2 fields",
		"w,h,label\n1,2,a\n3,4,\n":    "line 3 has no label",
		"w,h,label\n1,2,a\n3,Inf,b":   "line 3, column 2",
		"1,Ann,x.jpg\n2,Bo,y.jpg\n":   "columns 2 and 3 hold no numbers",
		"w,h,label\n1,2,a\n0x1p4,4,b": "line 3, column 1",
	} {
		if _, err := openText(t, "x.csv", text, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := openText(t, "x.csv", "a,b,c\n1,2,3\n", Options{Arrays: Arrays{Y: "d"}}); err == nil ||
		!strings.Contains(advice.Text(err), "a, b, c") {
		t.Errorf("%v: %v", err, advice.Text(err))
	}
}

// Labels as one-hot rows, as programs for Python have them, are the indices of the columns.
func TestOneHotRows(t *testing.T) {
	x := npz.Float64("X", []int{3, 2}, numbers(6))
	y := npz.Float64("y", []int{3, 4}, []float64{0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0})
	set, err := Open(context.Background(), npzFile(t, x, y), Options{})
	if err != nil || !slices.Equal(set.Classes, []string{"1", "2"}) || len(set.Labels()) != 3 {
		t.Errorf("%v", err)
	}
	y = npz.Float64("y", []int{3, 2}, []float64{0.9, 0.1, 0.2, 0.8, 0.5, 0.5})
	if _, err := Open(context.Background(), npzFile(t, x, y), Options{}); err == nil || !strings.Contains(advice.Text(err), "argmax") {
		t.Errorf("%v: %v", err, advice.Text(err))
	}
}

// A .npy file has samples, but no labels. One within an archive is such a file.
func TestNPY(t *testing.T) {
	archive, err := zip.OpenReader(npzFile(t, npz.Float64("anything", []int{3, 2}, []float64{1, 4, 2, 5, 3, 6})))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := archive.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	set, err := openText(t, "x.npy", string(data), Options{Arrays: Arrays{Unlabelled: true}})
	if err != nil || !mat.Equal(set.X, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})) {
		t.Errorf("%v", err)
	}
	if _, err = openText(t, "x.npy", string(data), Options{}); err == nil || !strings.Contains(advice.Text(err), "savez") {
		t.Errorf("%v: %v", err, advice.Text(err))
	}
	if _, err = openText(t, "x.npy", string(data[:90]), Options{Arrays: Arrays{Unlabelled: true}}); err == nil {
		t.Error("a file that is cut short is read")
	}
}

// A list of images stays one.
func TestListsAreNoTables(t *testing.T) {
	for text, want := range map[string]bool{
		"a.jpg,Ann\nb.jpg,Bo\n": false, "1,2\n3,4\n": false, "path;person\n1.jpg;7\n": false, "": false, "\n\n": false, "1,2,3": true,
		"a,b,c\n": false, "a.jpg,Ann,x\n": false,
	} {
		if got := tableOfNumbers([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzNumbers: whatever the text, there is an error or a number for each sample and column.
func FuzzNumbers(f *testing.F) {
	for _, text := range []string{"w,h,label\n1,2,a\n3,4,b\n", "1;2,5;a", "\"a\nb\",1,2\n", "\xef\xbb\xbf1\t2\t3\n", ",,\n,,\n", "#\n1,2,x"} {
		f.Add([]byte(text), "")
	}
	f.Fuzz(func(t *testing.T, text []byte, label string) {
		tableOfNumbers(text)
		table, err := numbersOf(context.Background(), text, Arrays{Y: label})
		if err != nil {
			return
		}
		if d, n := table.x.Dims(); n != len(table.labels) || d == 0 || d*n > len(text) {
			t.Errorf("%d×%d, %d labels of %d bytes", d, n, len(table.labels), len(text))
		}
	})
}
