package npz_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/npz"
)

// file gives a .npy file of version 1 with that header, as it stands.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return append(append(b, header...), data...)
}

// archive gives a compressed .npz file of these entries.
func archive(t testing.TB, entries ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, e := range entries {
		f, err := w.Create(string(rune('a'+i)) + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readArray(b []byte) (npz.Array, error) { return npz.ReadArray(bytes.NewReader(b), "x", small) }

func TestMalformedHeaders(t *testing.T) {
	const good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n"
	for _, header := range []string{
		good, strings.ReplaceAll(good, "'", `"`), strings.Replace(good, "(2,)", "(2L, )", 1),
		strings.Replace(good, "'|u1'", "'<u1'", 1), strings.ReplaceAll(good, " ", ""),
		"{'shape':(2,),'fortran_order':True,'descr':'u1'}",
	} {
		if a, err := readArray(file(header, 1, 2)); err != nil || a.Kind != "uint8" {
			t.Errorf("%q: %v, %v", header, a, err)
		}
	}
	for _, tt := range []struct{ old, new, want string }{
		{good, "", "malformed"},
		{"}", "", "malformed"},
		{"'shape': (2,), ", "", "malformed"},
		{"'descr': '|u1', ", "", "malformed"},
		{"'shape'", "'shade'", "malformed"},
		{"'shape'", "'descr': '|u1', 'shape'", "malformed"},
		{"False", "0", "malformed"},
		{"False", "'True'", "malformed"},
		{"'|u1'", "True", "malformed"},
		{"(2,)", "2", "malformed"},
		{"(2,)", "[2]", "malformed"},
		{"(2,)", "(,)", "malformed"},
		{"(2,)", "(2,,)", "malformed"},
		{"(2,)", "(-2,)", "malformed"},
		{"(2,)", "(2.0,)", "malformed"},
		{"(2,)", "(9223372036854775808,)", "malformed"},
		{"(2,)", "(" + strings.Repeat("1, ", 65) + ")", "malformed"},
		{"(2,)", "(9223372036854775807,)", "larger than the limit"},
		{"(2,)", "(4294967296, 4294967296)", "too large"},
		{"(2,)", "(0, 4294967296, 4294967296)", "too large"},
		{"(2,)", "(3,)", "cut short"},
		{"(2,)", "(1,)", "bytes after the array"},
		{"'|u1'", "'|u1', ()", "malformed"},
		{"'|u1'", "'<U268435456'", "x is of type <U268435456"},
		{"'|u1'", "'<U0'", "x is of type <U0"},
		{"'|u1'", "'S99999999999999999999'", "x is of type"},
		{"'|u1'", "'<f16'", "x is of type <f16"},
		{"'|u1'", "'<<u1'", "x is of type <<u1"},
		{"'|u1'", "''", "x is of type ;"},
		{"'|u1'", "'|O'", "pickle"},
		{"'|u1'", "'O8'", "pickle"},
	} {
		header := strings.Replace(good, tt.old, tt.new, 1)
		a, err := readArray(file(header, 1, 2))
		if err == nil {
			_, err = a.Float64s()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", header, err, tt.want)
		}
	}
}

func TestOtherFiles(t *testing.T) {
	for data, want := range map[string]string{
		"":                                  "cut short",
		"\x93NUMPY\x01":                     "cut short",
		"\x93NUMPY\x04\x00\x00\x00":         "unknown version 4",
		"PK\x03\x04 and so on":              "not a .npy file",
		"\x93NUMPY\x02\x00\xff\xff\xff\xff": "a header of 4294967295 bytes",
	} {
		if _, err := readArray([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
	for _, data := range []string{"", "hello", "\x93NUMPY\x01\x00"} {
		if _, err := read([]byte(data)); err == nil || !strings.HasPrefix(err.Error(), "not a .npz file") {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestHugeSidesOfEmptyArrays(t *testing.T) {
	for _, shape := range []string{"(0, 1152921504606846975)", "(1152921504606846975, 0)"} {
		for _, order := range []string{"True", "False"} {
			a, err := readArray(file("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': " + shape + ", }"))
			if err != nil {
				continue
			}
			if x, err := a.Float64s(); err != nil || len(x) != 0 {
				t.Errorf("%s: %v, %v", shape, x, err)
			}
		}
	}
}

func TestTextIsUnicode(t *testing.T) {
	for _, r := range []uint32{0xd800, 0x110000, math.MaxUint32} {
		a, err := readArray(file("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", binary.LittleEndian.AppendUint32(nil, r)...))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := a.Strings(); err == nil {
			t.Errorf("%#x is read as %q", r, s)
		}
	}
}

func TestTruncation(t *testing.T) {
	whole := fixture(t, "version2.npy")
	for n := range whole {
		if _, err := readArray(whole[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
	packed := fixture(t, "compressed.npz")
	for n := 0; n < len(packed); n += 7 {
		if _, err := read(packed[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(packed))
		}
	}
}

// A flipped bit is found by the archive's checksum, or does not change the
// numbers.
func TestFlippedBits(t *testing.T) {
	data := []byte("some numbers: 4 of them, 8 bytes")
	b := archive(t, file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", data...))
	matrix := func() string {
		as, err := read(b)
		if err != nil || len(as) == 0 {
			return "refused"
		}
		rows, cols := as[0].Dims()
		x, err := as[0].Float64s()
		if err != nil {
			return "refused"
		}
		return fmt.Sprint(rows, cols, x)
	}
	want := matrix()
	for bit := range 8 * len(b) {
		b[bit/8] ^= 1 << (bit % 8)
		if got := matrix(); got != want && got != "refused" {
			t.Errorf("with bit %d of byte %d flipped, it reads as %s", bit%8, bit/8, got)
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
}

func TestTwoOfAName(t *testing.T) {
	b := archive(t, fixture(t, "version1.npy"), fixture(t, "version1.npy"))
	b = bytes.ReplaceAll(b, []byte("b.npy"), []byte("a.npy"))
	if _, err := read(b); err == nil || err.Error() != `two arrays are named "a"` {
		t.Error(err)
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Neither a declared size nor inflated zeros take memory beyond the limit.
func TestMemoryIsBounded(t *testing.T) {
	declared := file("{'descr': '<f8', 'fortran_order': False, 'shape': (16777216, 16), }", 1, 2, 3)
	got := allocated(func() {
		_, err := npz.ReadArray(bytes.NewReader(declared), "x", npz.Limits{Bytes: 1 << 40})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	})
	if got > 1<<20 {
		t.Errorf("a declared size takes %d bytes", got)
	}
	entry := file("{'descr': '|u1', 'fortran_order': False, 'shape': (1048000,), }", make([]byte, 1048000)...)
	for name, b := range map[string][]byte{
		"one array":  archive(t, file("{'descr': '|u1', 'fortran_order': False, 'shape': (16777216,), }", make([]byte, 1<<24)...)),
		"two arrays": archive(t, entry, entry),
	} {
		got := allocated(func() {
			if _, err := read(b); err == nil || !strings.Contains(err.Error(), "limit of 1048576 bytes") {
				t.Errorf("%s: %v", name, err)
			}
		})
		if got > 8<<20 {
			t.Errorf("%s: %d bytes take %d", name, len(b), got)
		}
	}
}

func checkArray(t *testing.T, a npz.Array) {
	x, err := a.Float64s()
	rows, cols := a.Dims()
	if err == nil && len(x) != rows*cols {
		t.Fatalf("%s has %d numbers", a, len(x))
	}
	if s, err := a.Strings(); err == nil && len(s) != rows {
		t.Fatalf("%s has %d strings", a, len(s))
	}
}

func FuzzRead(f *testing.F) {
	f.Add(archive(f, fixture(f, "version1.npy")))
	f.Fuzz(func(t *testing.T, b []byte) {
		as, err := read(b)
		if err != nil {
			return
		}
		for _, a := range as {
			checkArray(t, a)
		}
	})
}

func FuzzReadArray(f *testing.F) {
	f.Add(fixture(f, "version1.npy"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := readArray(b); err == nil {
			checkArray(t, a)
		}
	})
}

func TestCorpusIsThere(t *testing.T) {
	for _, name := range []string{"FuzzRead", "FuzzReadArray"} {
		if entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", name)); err != nil || len(entries) == 0 {
			t.Errorf("%s has no corpus: %v", name, err)
		}
	}
}
