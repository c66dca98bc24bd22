package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// ramp draws a grey image without symmetry: no turn of it equals another.
func ramp(h, w int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetGray(x, y, color.Gray{Y: byte((31*x + 57*y + x*x*y) % 256)})
		}
	}
	return m
}

// smooth draws a grey image that survives JPEG.
func smooth(h, w int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetGray(x, y, color.Gray{Y: byte(20 + 150*x/w + 60*y/h)})
		}
	}
	return m
}

func column(m *image.Gray) []float64 {
	var v []float64
	for x := range m.Rect.Dx() {
		for y := range m.Rect.Dy() {
			v = append(v, float64(m.GrayAt(x, y).Y))
		}
	}
	return v
}

func encoded(encode func(io.Writer, image.Image) error, m image.Image) []byte {
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func asPNG(m image.Image) []byte { return encoded(png.Encode, m) }
func asBMP(m image.Image) []byte { return encoded(bmp.Encode, m) }
func asTIFF(m image.Image) []byte {
	return encoded(func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) }, m)
}

func asJPEG(m image.Image) []byte {
	return encoded(func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 95}) }, m)
}

func asGIF(m image.Image) []byte {
	return encoded(func(w io.Writer, m image.Image) error { return gif.Encode(w, greyPalette(m), nil) }, m)
}

func greyPalette(m image.Image) image.Image {
	p := make(color.Palette, 256)
	for i := range p {
		p[i] = color.Gray{Y: byte(i)}
	}
	to := image.NewPaletted(m.Bounds(), p)
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			to.Set(x, y, m.At(x, y))
		}
	}
	return to
}

func asPGM(m *image.Gray) []byte {
	b := fmt.Appendf(nil, "P5\n# drawn by code\n%d %d\n255\n", m.Rect.Dx(), m.Rect.Dy())
	return append(b, m.Pix...)
}

// asPlainPGM writes values scaled to a maximum.
func asPlainPGM(m *image.Gray, maxval int) []byte {
	b := fmt.Appendf(nil, "P2 %d %d # size\n%d\n", m.Rect.Dx(), m.Rect.Dy(), maxval)
	for _, v := range m.Pix {
		b = fmt.Appendf(b, "%d\n", int(v)*maxval/255)
	}
	return b
}

func asPGM16(m *image.Gray) []byte {
	b := fmt.Appendf(nil, "P5 %d %d 65535\n", m.Rect.Dx(), m.Rect.Dy())
	for _, v := range m.Pix {
		b = append(b, v, v)
	}
	return b
}

func asPPM(m *image.Gray, plain bool) []byte {
	kind := map[bool]string{false: "P6", true: "P3"}[plain]
	b := fmt.Appendf(nil, "%s %d %d 255\n", kind, m.Rect.Dx(), m.Rect.Dy())
	for _, v := range m.Pix {
		if plain {
			b = fmt.Appendf(b, "%d %d %d ", v, v, v)
		} else {
			b = append(b, v, v, v)
		}
	}
	return b
}

// webpLossless is a white image: a VP8L stream whose five prefix codes have
// one symbol each, so that a pixel takes no bits.
func webpLossless(w, h int) []byte {
	var bits bitWriter
	bits.put(uint64(w-1), 14)
	bits.put(uint64(h-1), 14)
	bits.put(0, 1+3)                                         // no alpha; version 0
	bits.put(0, 1)                                           // no transform
	bits.put(0, 1)                                           // no colour cache
	bits.put(0, 1)                                           // no meta prefix codes
	for _, symbol := range []uint64{255, 255, 255, 255, 0} { // green, red, blue, alpha, distance
		bits.put(1, 1) // a simple code
		bits.put(0, 1) // of one symbol
		bits.put(1, 1) // of 8 bits
		bits.put(symbol, 8)
	}
	return riff("VP8L", append([]byte{0x2f}, bits.bytes()...))
}

// webpLossy is an image of luma 128, grey 130: a VP8 key frame in which every
// bit of the arithmetic code is 0, all prediction and no residual.
func webpLossy(w, h int) []byte {
	const first = 64
	tag := uint32(0 | 1<<4 | first<<5) // key frame, shown, length of the first partition
	b := []byte{byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 0x01, 0x2a}
	b = binary.LittleEndian.AppendUint16(b, uint16(w))
	b = binary.LittleEndian.AppendUint16(b, uint16(h))
	return riff("VP8 ", append(b, make([]byte, first+64)...))
}

func riff(kind string, body []byte) []byte {
	if len(body)%2 == 1 {
		body = append(body, 0)
	}
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+8+len(body)))
	b = append(b, "WEBP"+kind...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...)
}

type bitWriter struct{ bits []bool }

func (w *bitWriter) put(v uint64, n int) {
	for i := range n {
		w.bits = append(w.bits, v>>i&1 == 1)
	}
}

func (w *bitWriter) bytes() []byte {
	b := make([]byte, (len(w.bits)+7)/8)
	for i, set := range w.bits {
		if set {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// exifOf is a TIFF structure that holds an orientation and nothing else.
func exifOf(o int, order binary.AppendByteOrder) []byte {
	b := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM")
	}
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1) // one entry
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, uint16(o))
	b = order.AppendUint16(b, 0)
	return order.AppendUint32(b, 0)
}

// jpegWith puts an EXIF orientation into a JPEG file.
func jpegWith(data []byte, exif []byte) []byte {
	body := append([]byte("Exif\x00\x00"), exif...)
	b := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(body)+2))
	return append(append(b, body...), data[2:]...)
}

// pngSum is the checksum of a chunk.
func pngSum(kind string, body []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(append([]byte(kind), body...)))
}

// drawFiles writes files, path below a new folder → content, and returns the folder.
func drawFiles(t testing.TB, files map[string][]byte) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "data")
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
