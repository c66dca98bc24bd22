package bounded

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"testing"
	"time"

	"nrdl.example/nrdl/internal/kit/testing/edits"
)

// segment is a marker with what follows it.
func segment(marker byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// progressive is a grey JPEG of side×side pixels with as many scans that refine it, each of
// which visits all pixels for a few bytes.
func progressive(side, scans int) []byte {
	blocks := (side + 7) / 8 * ((side + 7) / 8)
	const run = 1<<15 - 1 // blocks without changes, in 15 bits
	refinement := segment(sos, 1, 1, 0, 1, 63, 0x10)
	refinement = append(refinement, bytes.Repeat([]byte{0x7f, 0xfe}, (blocks+run-1)/run)...)
	frame := segment(sof2, 8, byte(side>>8), byte(side), byte(side>>8), byte(side), 1, 1, 0x11, 0)
	codes := append([]byte{1}, make([]byte, 15)...)
	return slices.Concat(
		[]byte{0xff, 0xd8}, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...), frame,
		segment(0xc4, append(append([]byte{0}, codes...), 0)...), segment(0xc4, append(append([]byte{0x10}, codes...), 0xe0)...),
		segment(sos, 1, 1, 0, 0, 0, 0), make([]byte, (blocks+7)/8),
		bytes.Repeat(refinement, scans), []byte{0xff, eoi},
	)
}

// 100 scans are decoded and 101 are not, whatever stands before them; the pixels that they
// visit are bounded too.
func TestScansAreBounded(t *testing.T) {
	few := progressive(64, 99)
	if _, err := jpeg.Decode(bytes.NewReader(few)); err != nil {
		t.Fatal("the decoder does not take it: ", err)
	}
	fill := bytes.Replace(progressive(64, 100), []byte{0xff, sos}, []byte{0xff, 0xff, 0xff, sos}, -1)
	var sequential bytes.Buffer
	if err := jpeg.Encode(&sequential, image.NewGray(image.Rect(0, 0, 64, 64)), nil); err != nil {
		t.Fatal(err)
	}
	once := sequential.Bytes()
	scan := once[bytes.Index(once, []byte{0xff, sos}) : len(once)-2]
	for name, c := range map[string]struct {
		data []byte
		few  bool
	}{
		"100 scans":           {few, true},
		"101 scans":           {progressive(64, 100), false},
		"filled":              {fill, false},
		"restarts":            {bytes.Replace(progressive(64, 100), []byte{0x7f, 0xfe}, []byte{0x7f, 0xfe, 0xff, rst0}, -1), false},
		"pixels":              {progressive(8000, 60), false},
		"of few bytes":        {progressive(5600, 76), false},
		"drawing":             {progressive(5600, 11), true},
		"of many bytes":       {append(progressive(5600, 76), make([]byte, 1<<20)...), true},
		"sequential":          {once, true},
		"sequential, 2 scans": {slices.Concat(once[:len(once)-2], scan, once[len(once)-2:]), false},
	} {
		if err := ReadJPEG(c.data).Check(); (err == nil) != c.few {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Memory is what package jpeg allocates, or more.
func TestMemoryOfJPEG(t *testing.T) {
	data := progressive(1000, 1)
	j := ReadJPEG(data)
	if want := int64(5 * 1000 * 1000); j.Memory() != want || j.Width != 1000 || j.Height != 1000 {
		t.Errorf("%+v takes %d bytes, want %d", j, j.Memory(), want)
	}
	took := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if math.Abs(float64(took)/float64(j.Memory())-1) > 0.05 {
		t.Errorf("%d bytes are allocated, Memory says %d", took, j.Memory())
	}
}

// A decoder ends with the context of its reader, with few bytes between.
func TestReaderEnds(t *testing.T) {
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
	_, err := jpeg.Decode(NewReader(ctx, progressive(1000, 20_000)))
	if err == nil || !errors.Is(context.Cause(ctx), gone) { // the decoder may take the end for damage
		t.Errorf("error %v", err)
	}
	r := NewReader(t.Context(), make([]byte, 1000))
	if n, err := r.Read(make([]byte, 1000)); n > 128 || err != nil {
		t.Errorf("%d bytes at a time, error %v", n, err)
	}
}

// A file that passes has no more scans than the decoder visits: the walk sees what it sees.
func FuzzJPEG(f *testing.F) {
	edits.Fuzz(f, "FuzzJPEG", func(t *testing.T, data []byte) {
		j := ReadJPEG(data)
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil || c.Width*c.Height > 1<<20 || j.Check() != nil {
			return
		}
		if _, err := jpeg.Decode(bytes.NewReader(data)); err == nil &&
			(j.Width != c.Width || j.Height != c.Height || j.scans == 0 || j.Memory() == 0) {
			t.Errorf("%d×%d decoded, the markers say %+v", c.Width, c.Height, j)
		}
	}, progressive(16, 3))
}
