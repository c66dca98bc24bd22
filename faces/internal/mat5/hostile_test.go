package mat5_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/internal/mat5"
)

// element gives a data element with its padding.
func element(mi uint32, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, mi)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	return append(append(b, data...), make([]byte, -len(data)&7)...)
}

func words(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// file gives a file of one array, plain or compressed, of these elements.
func file(compressed bool, elements ...[]byte) []byte {
	array := element(14, bytes.Join(elements, nil)...)
	if compressed {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(array)
		_ = z.Close()
		array = append(words(15, uint32(b.Len())), b.Bytes()...)
	}
	return append(fmt.Appendf(nil, "%-116s%8s\x00\x01IM", "MATLAB 5.0 MAT-file", ""), array...)
}

func TestMalformedArrays(t *testing.T) {
	flags := element(6, words(6, 0)...)
	dims := element(5, words(1, 2)...)
	name := element(1, 'x')
	data := element(2, 1, 2)
	if _, err := read(file(false, flags, dims, name, data)); err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct {
		elements [][]byte
		want     string
	}{
		"no flags":          {[][]byte{dims, name, data}, "without flags"},
		"nothing else":      {[][]byte{flags}, "lacks a part"},
		"no size":           {[][]byte{flags, name, data}, "without a size"},
		"no name":           {[][]byte{flags, dims, element(9, make([]byte, 16)...)}, "without a name"},
		"no numbers":        {[][]byte{flags, dims, name}, "lacks a part"},
		"an unknown class":  {[][]byte{element(6, words(99, 0)...), dims, name, data}, "unknown class 99"},
		"one dimension":     {[][]byte{flags, element(5, words(2)...), name, data}, "without a size"},
		"many dimensions":   {[][]byte{flags, element(5, make([]byte, 400)...), name, data}, "room for 128"},
		"a negative size":   {[][]byte{flags, element(5, words(1, 1<<31)...), name, data}, "a size of -2147483648"},
		"a large size":      {[][]byte{flags, element(5, words(1<<30, 1<<30)...), name, data}, "x: "},
		"another size":      {[][]byte{flags, element(5, words(1, 3)...), name, data}, "does not agree"},
		"numbers in text":   {[][]byte{flags, dims, name, element(16, 1, 2)}, "are not numbers"},
		"a long short one":  {[][]byte{words(5<<16|6, 0)}, "short element of 5 bytes"},
		"a very long name":  {[][]byte{flags, dims, element(1, make([]byte, 5000)...)}, "room for 4096"},
		"an overlong array": {[][]byte{flags, dims, name, words(2, 1<<31)}, "room for 0"},
	} {
		for _, compressed := range []bool{false, true} {
			if _, err := read(file(compressed, tt.elements...)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s (compressed %v): %v, want %q", what, compressed, err, tt.want)
			}
		}
	}
	twice := file(false, flags, dims, name, data)
	if _, err := read(append(twice, twice[128:]...)); err == nil || err.Error() != "two variables are named x" {
		t.Error(err)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(slices.Concat(twice[128:], twice[128:]))
	_ = z.Close()
	two := slices.Concat(twice[:128], words(15, uint32(b.Len())), b.Bytes())
	if _, err := read(two); err == nil || !strings.Contains(err.Error(), "more than one variable") {
		t.Error(err)
	}
}

// A double array may be stored in a narrower type, its bytes within the tag.
func TestShortElements(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		vs, err := read(file(compressed, element(6, words(6, 0)...), element(5, words(1, 2)...),
			[]byte{1, 0, 1, 0, 'x', 0, 0, 0}, []byte{3, 0, 4, 0, 0xff, 0xff, 7, 0}))
		if err != nil {
			t.Fatal(err)
		}
		if x, err := vs[0].Float64s(); err != nil || !slices.Equal(x, []float64{-1, 7}) || vs[0].Kind != "double" {
			t.Errorf("%s: %v, %v", vs[0], x, err)
		}
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
	flags, name := element(6, words(6, 0)...), element(1, 'x')
	dims := element(5, words(1<<14, 1<<14)...)
	declared := file(false, flags, dims, name, words(2, 1<<28))
	binary.LittleEndian.PutUint32(declared[132:], 1<<29)
	wide := mat5.Limits{Bytes: 1 << 30}
	got := allocated(func() {
		if _, err := mat5.Read(bytes.NewReader(declared), wide); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	})
	if got > 1<<20 {
		t.Errorf("a declared size takes %d bytes", got)
	}
	bomb := file(true, flags, element(5, words(1<<12, 1<<12)...), name, element(2, make([]byte, 1<<24)...))
	got = allocated(func() {
		if _, err := read(bomb); err == nil || !strings.Contains(err.Error(), "limit of 1048576 bytes") {
			t.Error(err)
		}
	})
	if got > 1<<20 {
		t.Errorf("%d bytes that inflate to 16 MiB take %d", len(bomb), got)
	}
	many := mat5.Limits{Bytes: 1<<24 + 1<<20}
	if _, err := mat5.Read(bytes.NewReader(append(bomb, bomb[128:]...)), many); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("two variables pass a limit of one: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"numeric_plain.mat", "numeric_compressed.mat", "others_plain.mat", "others_compressed.mat", "version4.mat"} {
		f.Add(fixture(f, name))
	}
	f.Add(swapped(fixture(f, "numeric_plain.mat")))
	f.Fuzz(func(t *testing.T, b []byte) {
		vs, err := read(b)
		if err != nil {
			return
		}
		for _, v := range vs {
			x, err := v.Float64s()
			rows, cols := v.Dims()
			if err == nil && len(x) != rows*cols {
				t.Fatalf("%s has %d numbers", v, len(x))
			}
		}
	})
}

func TestCorpusIsThere(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", "FuzzRead"))
	if err != nil || len(entries) == 0 {
		t.Errorf("FuzzRead has no corpus: %v", err)
	}
}
