package metadata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// exifOf is a TIFF structure with an orientation of a kind, or without one.
func exifOf(order binary.AppendByteOrder, kind uint16, orientation uint32) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint16(order.AppendUint32(b, 8), 1)
	if kind == 0 { // another tag
		b = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 0x0128), 3), 1), 0)
		return order.AppendUint32(b, 0)
	}
	b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tagOrientation), kind), 1)
	switch kind {
	case 1, 6:
		b = append(b, byte(orientation), 0, 0, 0)
	case 3, 8:
		b = order.AppendUint16(order.AppendUint16(b, uint16(orientation)), 0)
	default:
		b = order.AppendUint32(b, orientation)
	}
	return order.AppendUint32(b, 0)
}

// withSegments is a JPEG file with segments APP1.
func withSegments(t *testing.T, contents ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 10)), nil); err != nil {
		t.Fatal(err)
	}
	data := []byte{0xff, 0xd8}
	for _, c := range contents {
		data = append(binary.BigEndian.AppendUint16(append(data, 0xff, 0xe1), uint16(len(c)+2)), c...)
	}
	return append(data, b.Bytes()[2:]...)
}

// withChunk is a PNG file with a chunk before its pixels.
func withChunk(t *testing.T, kind, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 10))); err != nil {
		t.Fatal(err)
	}
	const head = 8 + 25 // the signature and IHDR
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	chunk = append(append(chunk, kind...), content...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return bytes.Join([][]byte{b.Bytes()[:head], chunk, b.Bytes()[head:]}, nil)
}

func deflated(text string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// profile is the text of a raw profile, in lines of 72 digits.
func profile(kind, content string) string {
	digits := hex.EncodeToString([]byte(content))
	text := fmt.Sprintf("\n%s\n%8d\n", kind, len(content))
	for len(digits) > 72 {
		text, digits = text+digits[:72]+"\n", digits[72:]
	}
	return text + digits + "\n"
}

// orientationFiles are files with the orientation as every kind of number and in every place, and which one
// is right.
func orientationFiles(t *testing.T) (files map[string][]byte, want map[string]int) {
	const header = "Exif\x00\x00"
	xmp := func(property string) string {
		return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="` + nsRDF +
			`"><rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"` + property + `</rdf:Description></rdf:RDF></x:xmpmeta>`
	}
	six, eight := string(exifOf(binary.LittleEndian, 3, 6)), xmp(`><tiff:Orientation>8</tiff:Orientation>`)
	files = map[string][]byte{
		"XMP.jpg": withSegments(t, XMPHeader+eight), "attribute.jpg": withSegments(t, XMPHeader+xmp(` tiff:Orientation="5">`)),
		"both.jpg": withSegments(t, header+six, XMPHeader+eight), "reversed.jpg": withSegments(t, XMPHeader+eight, header+six),
		"none.jpg": withSegments(t), "other.jpg": withSegments(t, header+string(exifOf(binary.BigEndian, 0, 0)), XMPHeader+eight),
		"nine.jpg":  withSegments(t, header+string(exifOf(binary.BigEndian, 3, 9))),
		"chunk.png": withChunk(t, "eXIf", six), "XMP.png": withChunk(t, "iTXt", keyword+"\x00\x00\x00\x00"+eight),
		"profile.png": withChunk(t, "zTXt", "Raw profile type exif\x00\x00"+deflated(profile("exif", header+six))),
		"APP1.png":    withChunk(t, "zTXt", "Raw profile type APP1\x00\x00"+deflated(profile("generic profile", header+six))),
		"text.png":    withChunk(t, "tEXt", "Raw profile type exif\x00"+profile("exif", header+six)),
		"xmp.png":     withChunk(t, "zTXt", "Raw profile type xmp\x00\x00"+deflated(profile("xmp", eight))),
		"damaged.png": withChunk(t, "zTXt", "Raw profile type exif\x00\x00no zlib"),
	}
	want = map[string]int{
		"XMP.jpg": 8, "attribute.jpg": 5, "both.jpg": 6, "reversed.jpg": 6, "none.jpg": 1, "other.jpg": 8,
		"nine.jpg": 1, "chunk.png": 6, "XMP.png": 8,
		"profile.png": 6, "APP1.png": 6, "text.png": 6, "xmp.png": 8, "damaged.png": 1,
	}
	for kind, name := range map[uint16]string{1: "BYTE", 3: "SHORT", 4: "LONG", 6: "SBYTE", 8: "SSHORT", 9: "SLONG"} {
		for value := range uint32(8) {
			for order, at := range map[binary.AppendByteOrder]string{binary.LittleEndian: "II", binary.BigEndian: "MM"} {
				file := fmt.Sprintf("%s-%s-%d.jpg", name, at, value+1)
				files[file], want[file] = withSegments(t, header+string(exifOf(order, kind, value+1))), int(value)+1
			}
		}
	}
	return files, want
}

// Orientations are read as exiftool reads them, whatever kind of number they are and wherever they stand.
func TestOrientationsOfAllKinds(t *testing.T) {
	files, want := orientationFiles(t)
	dir := t.TempDir()
	for name, data := range files {
		f, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil || f.Orientation != want[name] {
			t.Errorf("%s: %d, want %d, %v", name, f.Orientation, want[name], err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("exiftool"); err != nil {
		lacking.Skip(t, "exiftool")
	}
	out, err := exec.Command("exiftool", "-q", "-q", "-n", "-p", "$FileName $Orientation", dir).Output()
	if err != nil {
		t.Log(err) // of files without an orientation
	}
	compared := 0
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.Atoi(value); err == nil && 1 <= v && v <= 8 {
			compared++
			if v != want[name] && name != "reversed.jpg" { // there it takes the first
				t.Errorf("%s: exiftool reads %s", name, value)
			}
		}
	}
	if compared < len(files)-4 {
		t.Errorf("exiftool read %d of %d", compared, len(files))
	}
}

// BigTIFF has the same tags, with wider fields.
func TestBigTIFF(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := []byte("II+\x00\x08\x00\x00\x00")
		if order == binary.AppendByteOrder(binary.BigEndian) {
			data = []byte("MM\x00+\x00\x08\x00\x00")
		}
		data = order.AppendUint64(order.AppendUint64(data, 16), 3)
		for _, e := range [][3]uint64{{tagWidth, longKind, 40}, {tagHeight, 16, 30}, {tagOrientation, shortKind, 6}} {
			data = order.AppendUint64(order.AppendUint16(order.AppendUint16(data, uint16(e[0])), uint16(e[1])), 1)
			switch field := make([]byte, 8); e[1] {
			case shortKind:
				data = append(order.AppendUint16(data, uint16(e[2])), field[2:]...)
			case longKind:
				data = append(order.AppendUint32(data, uint32(e[2])), field[4:]...)
			default:
				data = order.AppendUint64(data, e[2])
			}
		}
		f, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil || f.Kind != "TIFF" || f.Width != 40 || f.Height != 30 || f.Orientation != 6 {
			t.Errorf("%v: %+v, %v", order, f, err)
		}
	}
}
