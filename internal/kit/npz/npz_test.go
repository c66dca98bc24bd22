package npz_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/npz"
)

var small = npz.Limits{Bytes: 1 << 20}

func read(b []byte) (npz.Arrays, error) { return npz.Read(bytes.NewReader(b), int64(len(b)), small) }

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
}

// The values that testdata/make.py gave to NumPy.
func TestArraysOfNumPy(t *testing.T) {
	for _, file := range []string{"plain.npz", "compressed.npz"} {
		as, err := read(fixture(t, file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		check := func(name, kind string, rows, cols int, want ...float64) {
			t.Helper()
			a, err := as.Find("nothing", name)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				return
			}
			got, err := a.Float64s()
			if r, c := a.Dims(); err != nil || a.Kind != kind || r != rows || c != cols || !same(got, want) {
				t.Errorf("%s: %s: %d×%d %s %v, %v; want %d×%d %s %v", file, name, r, c, a.Kind, got, err, rows, cols, kind, want)
			}
		}
		for short, kind := range map[string]string{
			"b1": "bool", "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16", "i4": "int32", "u4": "uint32",
			"i8": "int64", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64",
		} {
			want := []float64{0, 3, 1, 4, 2, 5}
			if short == "b1" {
				want = []float64{0, 1, 1, 1, 1, 1}
			}
			for _, layout := range []string{"little_", "big_", "fortran_"} {
				check(layout+short, kind, 2, 3, want...)
			}
		}
		inf, nan := math.Inf(1), math.NaN()
		check("half", "float16", 8, 1, 0.5, -2, 65504, 0x1p-24, math.Copysign(0, -1), inf, -inf, nan)
		check("extremes", "float64", 4, 1, -1<<53, math.MaxFloat64, nan, -inf)
		check("scalar", "float64", 1, 1, 3.5)
		check("empty", "float64", 0, 3)
		var cube []float64 // of 2×3×4, as 2×12
		for i := range 12 {
			cube = append(cube, float64(i), float64(i+12))
		}
		check("cube", "float64", 2, 12, cube...)
		check("fortran_cube", "float64", 2, 12, cube...)
	}
}

func TestTextOfNumPy(t *testing.T) {
	as, err := read(fixture(t, "plain.npz"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"unicode":     {"Ann", "", "Zoë 𝄞"},
		"big_unicode": {"Ann", "Zoë 𝄞"},
		"bytes":       {"Ann", "Bo\x00b"},
	} {
		a, err := as.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Strings(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestWhatIsNotRead(t *testing.T) {
	as, err := read(fixture(t, "compressed.npz"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ numbers, text string }{
		"object":     {"array object holds Python objects, a pickle, which nrdl does not run: save it with astype(str) or astype(float)", ""},
		"structured": {"array structured is structured; nrdl reads numbers and text", ""},
		"complex":    {"array complex is of type <c16; nrdl reads numbers and text", ""},
		"date":       {"array date is of type <M8[D]; nrdl reads numbers and text", ""},
		"large":      {"array large: element (0, 0), about 9.223372036854776e+18, is too large to be exact", "array large is uint64, not text"},
		"unicode":    {"array unicode is text, not numbers", "<nil>"},
		"latin1":     {"array latin1 is text, not numbers", `array latin1: element 0: "Zo\xeb" is not UTF-8`},
		"little_f8":  {"<nil>", "array little_f8 is float64, not text"},
	} {
		a, err := as.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Float64s(); fmt.Sprint(err) != want.numbers {
			t.Errorf("%s as numbers: %v, want %s", name, err, want.numbers)
		}
		if want.text == "" {
			want.text = want.numbers
		}
		if _, err := a.Strings(); fmt.Sprint(err) != want.text {
			t.Errorf("%s as text: %v, want %s", name, err, want.text)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, name := range []string{"version1.npy", "version2.npy", "version3.npy"} {
		a, err := npz.ReadArray(bytes.NewReader(fixture(t, name)), "x", small)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := a.Float64s(); err != nil || !slices.Equal(got, []float64{1.5, 3, 2, 4}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestFind(t *testing.T) {
	as := npz.Arrays{npz.Float64("X", []int{1, 2}, []float64{1, 2}), npz.Text("y", []string{"a", "b"}), npz.Int64("n", nil, []int64{1})}
	_, err := as.Find("fea", "data")
	if err == nil || err.Error() != "no array fea or data" || advice.Text(err) != "the file holds X (1×2 float64), y (2 text), n (int64)" {
		t.Errorf("%v, %s", err, advice.Text(err))
	}
	if _, err := (npz.Arrays{}).Find("X"); advice.Text(err) != "the file holds no array at all" {
		t.Errorf("%v, %s", err, advice.Text(err))
	}
}

// arrays draws arrays that Write takes.
func arrays(t *rapid.T) []npz.Array {
	var as []npz.Array
	for i := range rapid.IntRange(0, 4).Draw(t, "arrays") {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		n, name := 1, fmt.Sprint(rapid.StringMatching(`[a-zA-Z0-9_é/ ]{0,20}`).Draw(t, "name"), i)
		for _, s := range shape {
			n *= s
		}
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			as = append(as, npz.Float64(name, shape, rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "float64")))
		case 1:
			as = append(as, npz.Int64(name, shape, rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "int64")))
		case 2:
			as = append(as, npz.Uint8(name, shape, rapid.SliceOfN(rapid.Uint8(), n, n).Draw(t, "uint8")))
		case 3:
			as = append(as, npz.Text(name, rapid.SliceOfN(rapid.StringMatching(`[^\x00]*`), 0, 9).Draw(t, "text")))
		}
	}
	return as
}

// describe says all there is to an array.
func describe(a npz.Array) string {
	rows, cols := a.Dims()
	x, err1 := a.Float64s()
	s, err2 := a.Strings()
	return fmt.Sprintf("%s %v %d×%d %v %q %v %v", a, a.Shape, rows, cols, x, s, err1, err2)
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := arrays(t)
		var b, again bytes.Buffer
		if err := errors.Join(npz.Write(&b, want...), npz.Write(&again, want...)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Error("written twice, the bytes differ")
		}
		got, err := read(b.Bytes())
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d arrays, want %d: %v", len(got), len(want), err)
		}
		for i, a := range got {
			if g, w := describe(a), describe(want[i]); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		}
	})
}

// npyio is the independent implementation.
func TestAgreesWithNpyio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "cols")
		data := rapid.SliceOfN(rapid.Float64(), rows*cols, rows*cols).Draw(t, "data")
		var theirs bytes.Buffer
		if err := npy.Write(&theirs, mat.NewDense(rows, cols, data)); err != nil {
			t.Fatal(err)
		}
		a, err := npz.ReadArray(bytes.NewReader(theirs.Bytes()), "x", small)
		if err != nil {
			t.Fatal(err)
		}
		x, err := a.Float64s()
		transposed := mat.DenseCopyOf(mat.NewDense(rows, cols, data).T()).RawMatrix().Data
		if r, c := a.Dims(); err != nil || r != rows || c != cols || !same(x, transposed) {
			t.Errorf("of npyio's file we read %d×%d %v, %v", r, c, x, err)
		}

		var ours bytes.Buffer
		if err := npz.Write(&ours, npz.Float64("x", []int{rows, cols}, data)); err != nil {
			t.Fatal(err)
		}
		var back mat.Dense
		if err := npy.Read(bytes.NewReader(unzip(t, ours.Bytes())), &back); err != nil {
			t.Fatal(err)
		}
		if r, c := back.Dims(); r != rows || c != cols || !same(back.RawMatrix().Data, data) {
			t.Errorf("npyio reads %v of our file, want %v", back.RawMatrix(), data)
		}
	})
}

// unzip returns the first file of an archive.
func unzip(t interface{ Fatal(...any) }, b []byte) []byte {
	archive, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := archive.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return inner
}

func TestWriteRefuses(t *testing.T) {
	for name, a := range map[string]npz.Array{
		"too few numbers": npz.Float64("x", []int{2, 2}, []float64{1}),
		"a negative size": npz.Uint8("x", []int{-1, -1}, []uint8{1}),
		"an overflow":     npz.Uint8("x", []int{math.MaxInt, math.MaxInt}, nil),
		"no name":         npz.Int64("", nil, []int64{1}),
		"a strange name":  npz.Int64("\xff", nil, []int64{1}),
	} {
		if err := npz.Write(io.Discard, a); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

func TestNamesOfOtherFilesAreIgnored(t *testing.T) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, name := range []string{"README", "x.npy"} {
		f, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(fixture(t, "version1.npy")); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if as, err := read(b.Bytes()); err != nil || len(as) != 1 || !strings.HasPrefix(as[0].String(), "x (2×2") {
		t.Errorf("%v, %v", as, err)
	}
}
