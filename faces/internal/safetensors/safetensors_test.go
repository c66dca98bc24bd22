package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/faces/internal/safetensors"
)

const limit = 1 << 20

func read(b []byte) ([]safetensors.Tensor, map[string]string, error) {
	f, err := safetensors.Open(bytes.NewReader(b), limit)
	if err != nil {
		return nil, nil, err
	}
	tensors, err := f.Read()
	return tensors, f.Metadata, err
}

func write(t testing.TB, tensors []safetensors.Tensor, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file puts a header, as it stands, before data.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// A file written by hand, byte by byte as the format says.
func TestLayout(t *testing.T) {
	tensors := []safetensors.Tensor{
		{Name: "b", Shape: []int{2, 1}, Data: []float32{1, -2}},
		{Name: "a", Shape: []int{}, Data: []float64{0.5}},
		{Name: "d", Shape: []int{0, 3}, Data: []uint8{}},
		{Name: "é\"", Shape: []int{1}, Data: []int64{-2}},
	}
	header := `{"__metadata__":{"k":"v \"w\"","<":"&"},` +
		`"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]},` +
		`"b":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},` +
		`"d":{"dtype":"U8","shape":[0,3],"data_offsets":[16,16]},` +
		`"é\"":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}}`
	header = strings.Replace(header, `"k":"v \"w\"","<":"&"`, `"<":"&","k":"v \"w\""`, 1)
	header += strings.Repeat(" ", 7-(len(header)-1)%8)
	want := file(header,
		0, 0, 0, 0, 0, 0, 0xe0, 0x3f,
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0,
		0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	got := write(t, tensors, map[string]string{"k": `v "w"`, "<": "&"})
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func tensorLists(t *rapid.T) []safetensors.Tensor {
	names := rapid.SliceOfNDistinct(rapid.String(), 0, 5, rapid.ID[string]).Draw(t, "names")
	var list []safetensors.Tensor
	for _, name := range names {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(t, "shape")
		n := 1
		for _, s := range shape {
			n *= s
		}
		x := safetensors.Tensor{Name: name, Shape: shape}
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			x.Data = rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), n, n).Draw(t, "F64")
		case 1:
			x.Data = rapid.SliceOfN(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32), n, n).Draw(t, "F32")
		case 2:
			x.Data = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "I64")
		case 3:
			x.Data = rapid.SliceOfN(rapid.Uint8(), n, n).Draw(t, "U8")
		}
		list = append(list, x)
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := tensorLists(rt)
		metadata := rapid.MapOfN(rapid.String(), rapid.String(), 1, 4).Draw(rt, "metadata")
		b := write(t, want, metadata)
		if n := binary.LittleEndian.Uint64(b); n%8 != 0 {
			rt.Errorf("a header of %d bytes", n)
		}
		got, gotMetadata, err := read(b)
		if err != nil {
			rt.Fatalf("%v\n%q", err, b)
		}
		if diff := cmp.Diff(metadata, gotMetadata); diff != "" {
			rt.Error(diff)
		}
		byName := func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) }
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		empty := cmp.Transformer("empty", func(s []int) string { return fmt.Sprint(s) })
		if diff := cmp.Diff(want, got, empty); diff != "" && len(want) > 0 {
			rt.Error(diff)
		}
		slices.Reverse(want)
		if again := write(t, want, metadata); !bytes.Equal(again, b) {
			rt.Error("another order of the tensors gives another file")
		}
	})
}

func TestLargeTensor(t *testing.T) {
	data := make([]float64, 100_003)
	for i := range data {
		data[i] = float64(i)
	}
	got, _, err := read(write(t, []safetensors.Tensor{{Name: "x", Shape: []int{len(data)}, Data: data}}, nil))
	if err != nil || !slices.Equal(got[0].Data.([]float64), data) {
		t.Errorf("%v: the numbers differ", err)
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	b := write(t, []safetensors.Tensor{{Name: "x", Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}}}, nil)
	for n := range b {
		if _, _, err := read(b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the first %d of %d bytes: %v", n, len(b), err)
		}
	}
	if _, _, err := read(append(slices.Clone(b), 0)); err == nil {
		t.Error("a byte after the last tensor is accepted")
	}
}

func TestHostileHeaders(t *testing.T) {
	const x = `{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`
	if _, _, err := read(file(x, 1, 2)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"U8"`, `"u8"`, "unknown type"},
		{`"U8"`, `null`, "unknown type"},
		{`"U8"`, `"BOOL"`, "nrdl reads F64, F32, I64 and U8"},
		{`"U8"`, `"F64"`, "2 bytes for F64 of shape [2]"},
		{`"dtype"`, `"Dtype"`, "not a field of a tensor"},
		{`"dtype":"U8",`, ``, "unknown type"},
		{`"shape":[2],`, ``, "no shape"},
		{`,"data_offsets":[0,2]`, ``, "no place"},
		{`[0,2]`, `[0,2,2]`, "no place"},
		{`[0,2]`, `[2,0]`, "no place"},
		{`[0,2]`, `[-1,1]`, "negative"},
		{`[0,2]`, `[1,3]`, "begins at byte 1"},
		{`[0,2]`, `[0,9223372036854775807]`, "bytes for U8"},
		{`[0,2]`, `[0,9223372036854775808]`, "not a list of integers"},
		{`[2]`, `[2.0]`, "not a list of integers"},
		{`[2]`, `[null]`, "not a list of integers"},
		{`[2]`, `null`, "not a list of integers"},
		{`[2]`, `["2"]`, "not a list of integers"},
		{`[2]`, `[-2]`, "negative"},
		{`[2]`, `[3037000500,3037000500]`, "too large"},
		{`[2]`, `[4294967296,4294967296]`, "too large"},
		{`[2]`, `[9223372036854775807,2]`, "too large"},
		{`"shape":[2],`, `"shape":[2],"shape":[2],`, `"shape" is there twice`},
		{`]}}`, `]},"x":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}}`, `"x" is there twice`},
		{`]}}`, `]},"y":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "begins at byte 1"},
		{`]}}`, `]},"y":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}}`, "begins at byte 3"},
		{`]}}`, `]},"__metadata__":{"k":1}}`, "not text"},
		{`]}}`, `]},"__metadata__":{"k":null}}`, "not text"},
		{`]}}`, `]},"__metadata__":{"k":"","k":""}}`, "twice"},
		{`]}}`, `]},"__metadata__":[]}`, "not a JSON object"},
		{`]}}`, `]},"y":5}`, "not a JSON object"},
		{`]}}`, `]}}{}`, "not valid JSON"},
		{`]}}`, `]}`, "not valid JSON"},
		{`"x"`, "\"\xff\"", "not valid JSON"},
		{x, `{}`, "bytes after the last tensor"},
		{x, ` ` + x, "not a safetensors file"},
		{x, ``, "not a safetensors file"},
		{x, `{"x":{"dtype":"U8","shape":[1048576],"data_offsets":[0,1048576]}}`, "larger than"},
		{x, `{"x":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`, "larger than"},
	} {
		header := strings.Replace(x, tt.old, tt.new, 1)
		if _, _, err := read(file(header, 1, 2)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", header, err, tt.want)
		}
	}
	if _, _, err := read([]byte("<!DOCTYPE html>")); !errors.Is(err, safetensors.ErrFormat) {
		t.Errorf("a web page: %v", err)
	}
}

func TestNumbersAreFinite(t *testing.T) {
	const header = `{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		_, _, err := read(file(header, binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))...))
		if err == nil {
			t.Errorf("%v is read", v)
		}
		x := safetensors.Tensor{Name: "x", Shape: []int{1}, Data: []float64{float64(v)}}
		if err := safetensors.Write(io.Discard, []safetensors.Tensor{x}, nil); err == nil {
			t.Errorf("%v is written", v)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	one := safetensors.Tensor{Name: "x", Shape: []int{1}, Data: []uint8{1}}
	named := func(name string) safetensors.Tensor { x := one; x.Name = name; return x }
	shaped := func(shape ...int) safetensors.Tensor { x := one; x.Shape = shape; return x }
	for name, list := range map[string][]safetensors.Tensor{
		"two of a name":    {one, one},
		"a reserved name":  {named("__metadata__")},
		"a name not UTF-8": {named("\xff")},
		"a wrong shape":    {shaped(2)},
		"a negative shape": {shaped(-1, -1)},
		"an overflow":      {shaped(math.MaxInt, math.MaxInt)},
		"a very long name": {named(strings.Repeat("x", safetensors.MaxHeader))},
		"too many numbers": {shaped(0, 3)},
	} {
		var b bytes.Buffer
		if err := safetensors.Write(&b, list, nil); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
	if err := safetensors.Write(io.Discard, nil, map[string]string{"k": "\xff"}); err == nil {
		t.Error("metadata that is not UTF-8 is written")
	}
}

// allocated returns how many bytes f takes from the heap.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A short file that declares much takes little memory.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	for _, header := range []string{
		`{"x":{"dtype":"F64","shape":[1099511627776],"data_offsets":[0,8796093022208]}}`,
		`{"x":{"dtype":"U8","shape":[1099511627776],"data_offsets":[0,1099511627776]}}`,
	} {
		got := allocated(func() {
			f, err := safetensors.Open(bytes.NewReader(file(header, 1, 2, 3)), 1<<50)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
		})
		if got > 1<<20 {
			t.Errorf("%s takes %d bytes", header, got)
		}
	}
	long := file("")
	binary.LittleEndian.PutUint64(long, safetensors.MaxHeader)
	if got := allocated(func() { _, _, _ = read(long) }); got > 1<<20 {
		t.Errorf("a declared header takes %d bytes", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, []safetensors.Tensor{
		{Name: "x", Shape: []int{1, 2}, Data: []float64{1, 2}},
		{Name: "y", Shape: []int{0}, Data: []int64{}},
	}, map[string]string{"k": "v"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		tensors, metadata, err := read(b)
		if err != nil {
			return
		}
		again := write(t, tensors, metadata)
		got, gotMetadata, err := read(again)
		if err != nil {
			t.Fatalf("what was read and written is refused: %v", err)
		}
		if len(metadata) > 0 && !cmp.Equal(metadata, gotMetadata) {
			t.Fatalf("metadata %v is read back as %v", metadata, gotMetadata)
		}
		if third := write(t, got, gotMetadata); !bytes.Equal(again, third) {
			t.Fatalf("%q is written again as %q", again, third)
		}
	})
}

func TestCorpusIsThere(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", "FuzzRead"))
	if err != nil || len(entries) == 0 {
		t.Errorf("FuzzRead has no corpus: %v", err)
	}
}
