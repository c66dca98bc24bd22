package mat5_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/mat5"
)

var small = mat5.Limits{Bytes: 1 << 20}

func read(b []byte) (mat5.Variables, error) { return mat5.Read(bytes.NewReader(b), small) }

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What testdata/make.py gave to scipy, column by column.
var numeric = []struct {
	name, kind string
	rows, cols int
	want       []float64
}{
	{"double", "double", 2, 3, []float64{-math.MaxFloat64, math.MaxFloat64, 0.1, -0.5, 1, 0x1p-1022}},
	{"single", "single", 2, 3, []float64{-math.MaxFloat32, math.MaxFloat32, float64(float32(0.1)), -0.5, 1, 0x1p-126}},
	{"int8", "int8", 2, 3, []float64{-128, 127, 0, 2, 1, 3}},
	{"uint8", "uint8", 2, 3, []float64{0, 255, 0, 2, 1, 3}},
	{"int16", "int16", 2, 3, []float64{-32768, 32767, 0, 2, 1, 3}},
	{"uint16", "uint16", 2, 3, []float64{0, 65535, 0, 2, 1, 3}},
	{"int32", "int32", 2, 3, []float64{math.MinInt32, math.MaxInt32, 0, 2, 1, 3}},
	{"uint32", "uint32", 2, 3, []float64{0, math.MaxUint32, 0, 2, 1, 3}},
	{"int64", "int64", 2, 3, []float64{-1 << 53, 1 << 53, 0, 2, 1, 3}},
	{"uint64", "uint64", 2, 3, []float64{0, 1 << 53, 0, 2, 1, 3}},
	{"logical", "logical", 2, 3, []float64{1, 0, 0, 0, 1, 1}},
	{"scalar", "double", 1, 1, []float64{3.5}},
	{"one", "uint8", 1, 1, []float64{7}},
	{"nan", "double", 1, 3, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}},
	{"empty", "double", 0, 0, nil},
	{"norows", "uint8", 0, 3, nil},
	{"trailing", "double", 2, 3, []float64{0, 3, 1, 4, 2, 5}},
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
}

func checkNumeric(t *testing.T, b []byte) {
	vs, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(vs) != len(numeric) {
		t.Errorf("%d variables, want %d", len(vs), len(numeric))
	}
	for _, tt := range numeric {
		v, err := find(vs, tt.name)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := v.Float64s()
		rows, cols := v.Dims()
		if err != nil || v.Kind != tt.kind || rows != tt.rows || cols != tt.cols || !same(got, tt.want) {
			t.Errorf("%s: %d×%d %s %v, %v; want %d×%d %s %v", tt.name, rows, cols, v.Kind, got, err, tt.rows, tt.cols, tt.kind, tt.want)
		}
	}
}

func TestNumericArraysOfScipy(t *testing.T) {
	for _, name := range []string{"numeric_plain.mat", "numeric_compressed.mat"} {
		t.Run(name, func(t *testing.T) { checkNumeric(t, fixture(t, name)) })
	}
}

func TestBigEndian(t *testing.T) { checkNumeric(t, swapped(fixture(t, "numeric_plain.mat"))) }

// swapped turns an uncompressed little-endian file into a big-endian one.
func swapped(b []byte) []byte {
	b = slices.Clone(b)
	copy(b[124:], "\x01\x00MI")
	swapElements(b[128:])
	return b
}

func swapElements(b []byte) {
	size := map[uint32]int{3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}
	for len(b) > 0 {
		word := binary.LittleEndian.Uint32(b)
		mi, n, data := word, binary.LittleEndian.Uint32(b[4:]), b[8:]
		if word>>16 != 0 { // a short element
			mi, n, data = word&0xffff, word>>16, b[4:]
		} else {
			slices.Reverse(b[4:8])
		}
		slices.Reverse(b[:4])
		if mi == 14 {
			swapElements(data[:n])
		}
		for at := 0; size[mi] > 0 && at < int(n); at += size[mi] {
			slices.Reverse(data[at : at+size[mi]])
		}
		if word>>16 == 0 {
			b = b[8+(n+7)/8*8:]
		} else {
			b = b[8:]
		}
	}
}

func TestOtherArraysOfScipy(t *testing.T) {
	for _, name := range []string{"others_plain.mat", "others_compressed.mat"} {
		vs, err := read(fixture(t, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for variable, want := range map[string]string{
			"complex": "variable complex is complex; nrdl reads real arrays",
			"struct":  "variable struct is a struct; nrdl reads numeric arrays",
			"cell":    "variable cell is a cell array; nrdl reads numeric arrays; [~, ~, y] = unique(y) makes numbers of names",
			"sparse":  "variable sparse is a sparse array; nrdl reads numeric arrays",
			"char":    "variable char is a char array; nrdl reads numeric arrays; [~, ~, y] = unique(cellstr(y)) makes numbers of names",
			"cube":    "variable cube has 3 dimensions (2×3×4); nrdl reads matrices",
			"big":     "variable big: element 1, about 9.223372036854776e+18, is too large to be exact",
		} {
			v, err := find(vs, variable)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := v.Float64s(); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			if rows, cols := v.Dims(); variable != "big" && (rows != 0 || cols != 0) {
				t.Errorf("%s: %s has %d×%d numbers", name, variable, rows, cols)
			}
		}
		v, err := find(vs, "after")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.Float64s(); err != nil || !slices.Equal(got, []float64{42}) {
			t.Errorf("%s: the variable after all these is %v, %v", name, got, err)
		}
	}
}

func find(vs mat5.Variables, name string) (mat5.Variable, error) {
	for _, v := range vs {
		if v.Name == name {
			return v, nil
		}
	}
	return mat5.Variable{}, fmt.Errorf("no variable %s", name)
}

func TestOtherFiles(t *testing.T) {
	plain := fixture(t, "numeric_plain.mat")
	edit := func(at int, with string) []byte { b := slices.Clone(plain); copy(b[at:], with); return b }
	newer := "a MATLAB 7.3 file, which is HDF5; nrdl reads those of save -v7"
	for name, tt := range map[string]struct {
		data       []byte
		want, hint string
	}{
		"version 4":          {fixture(t, "version4.mat"), "a MATLAB 4 file; nrdl reads those of save -v7", "save -v7"},
		"version 7.3":        {edit(0, "MATLAB 7.3 MAT-file"), newer, "save -v7"},
		"version 7.3 number": {edit(124, "\x00\x02IM"), newer, "save -v7"},
		"HDF5":               {[]byte("\x89HDF\r\n\x1a\n and so on"), newer, "save -v7"},
		"version 3":          {edit(124, "\x00\x03IM"), "a MATLAB file of the unknown version 0x0300", ""},
		"nothing":            {nil, "not a MATLAB file: shorter than its header", ""},
		"text":               {[]byte("hello"), "not a MATLAB file: shorter than its header", ""},
		"a long text":        {bytes.Repeat([]byte("hello"), 100), "not a MATLAB file", ""},
		"zeros":              {make([]byte, 200), "not a MATLAB file", ""},
	} {
		_, err := read(tt.data)
		if err == nil || err.Error() != tt.want || !strings.Contains(advice.Text(err), tt.hint) {
			t.Errorf("%s: %v (hint %q), want %s", name, err, advice.Text(err), tt.want)
		}
	}
	if vs, err := read(plain[:128]); err != nil || len(vs) != 0 {
		t.Errorf("a file without variables: %v, %v", vs, err)
	}
}

// matrices draws variables that Write takes.
func matrices(t *rapid.T) []mat5.Variable {
	var vs []mat5.Variable
	for i := range rapid.IntRange(0, 3).Draw(t, "variables") {
		rows, cols := rapid.IntRange(0, 5).Draw(t, "rows"), rapid.IntRange(0, 5).Draw(t, "cols")
		n, name := rows*cols, fmt.Sprintf("%s%d", rapid.StringMatching("[a-z]{1,60}").Draw(t, "name"), i)
		switch rapid.IntRange(0, 2).Draw(t, "class") {
		case 0:
			vs = append(vs, mat5.Double(name, rows, cols, rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "double")))
		case 1:
			vs = append(vs, mat5.Uint8(name, rows, cols, rapid.SliceOfN(rapid.Uint8(), n, n).Draw(t, "uint8")))
		case 2:
			vs = append(vs, mat5.Int32(name, rows, cols, rapid.SliceOfN(rapid.Int32(), n, n).Draw(t, "int32")))
		}
	}
	return vs
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := matrices(t)
		var b, again bytes.Buffer
		if err := errors.Join(mat5.Write(&b, want...), mat5.Write(&again, want...)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Error("written twice, the bytes differ")
		}
		got, err := read(b.Bytes())
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d variables, want %d: %v", len(got), len(want), err)
		}
		for i, v := range got {
			x, err1 := v.Float64s()
			y, err2 := want[i].Float64s()
			if err1 != nil || err2 != nil || v.String() != want[i].String() || !same(x, y) {
				t.Errorf("got %s %v, want %s %v (%v, %v)", v, x, want[i], y, err1, err2)
			}
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	for name, v := range map[string]mat5.Variable{
		"too few numbers": mat5.Double("x", 2, 2, []float64{1}),
		"a negative size": mat5.Uint8("x", -1, -1, []uint8{1}),
		"no name":         mat5.Int32("", 1, 1, []int32{1}),
		"a long name":     mat5.Int32(strings.Repeat("x", 64), 1, 1, []int32{1}),
	} {
		if err := mat5.Write(io.Discard, v); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

// Cut anywhere but between two variables, a file is refused.
func TestTruncation(t *testing.T) {
	for _, name := range []string{"numeric_plain.mat", "numeric_compressed.mat", "others_plain.mat", "others_compressed.mat"} {
		b := fixture(t, name)
		between := map[int]bool{}
		for at := 128; at < len(b); at += 8 + int(binary.LittleEndian.Uint32(b[at+4:])) {
			between[at] = true
		}
		for n := range b {
			_, err := read(b[:n])
			if ok := err == nil; ok != between[n] {
				t.Errorf("%s: the first %d of %d bytes: %v", name, n, len(b), err)
			}
			if n > 128 && err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: the first %d of %d bytes: %v", name, n, len(b), err)
			}
		}
	}
}

// Flipping a bit never panics; in compressed data it is found, or changes
// nothing.
func TestFlippedBits(t *testing.T) {
	apart := 11
	if os.Getenv("NRDL_LONG") != "" {
		apart = 3
	}
	for _, name := range []string{"numeric_plain.mat", "numeric_compressed.mat", "others_plain.mat", "others_compressed.mat"} {
		b := fixture(t, name)
		want := summary(read(b))
		at := 128
		for bit := 8 * 128; bit < 8*len(b); bit += apart {
			if next := at + 8 + int(binary.LittleEndian.Uint32(b[at+4:])); bit/8 >= next {
				at = next
			}
			b[bit/8] ^= 1 << (bit % 8)
			vs, err := read(b)
			got := summary(vs, err)
			b[bit/8] ^= 1 << (bit % 8)
			if err == nil && got != want && strings.Contains(name, "compressed") && bit/8 >= at+8 {
				t.Errorf("%s: with bit %d of byte %d flipped, it reads as %s", name, bit%8, bit/8, got)
			}
		}
	}
}

func summary(vs mat5.Variables, _ error) string {
	var s strings.Builder
	for _, v := range vs {
		x, err := v.Float64s()
		fmt.Fprintln(&s, v, x, err)
	}
	return s.String()
}
