// Package metadata reads what stands around the pixels of an image file: its size, its EXIF
// orientation, the boxes of HEIC and AVIF files (ISO/IEC 14496-12 and 23008-12) and its XMP packets
// (ISO 16684-1). In these it reads and changes the people: the face regions of the Metadata Working
// Group and of Microsoft, and the names of IPTC's PersonInImage. A change adds or cuts whole elements
// and leaves every other byte as it was. Read reads no pixels, so it takes a few kilobytes of a
// file. Files may be damaged or hostile: what is read is bounded.
package metadata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// A File is what Read finds in an image file. A size of 0×0 was not found.
type File struct {
	Kind          string // JPEG, PNG, WebP, TIFF or HEIF; "" for other files
	Width, Height int    // as stored
	Orientation   int    // 1 … 8, as that of EXIF
	XMP           [][]byte
	Keywords      []string  // of IPTC's older form (IIM), which is no XMP
	Taken         time.Time // by the clock of the camera, as if it were UTC; zero if EXIF does not tell

	hasEXIF bool
}

// maxBytes bounds what is read of a file.
const maxBytes = 32 << 20

// errTooLong is the error of a file whose metadata are longer than maxBytes.
var errTooLong = errors.New("its metadata are too long")

// An input is a file of which parts are read, through a window.
type input struct {
	r      io.ReaderAt
	size   int64
	window []byte
	start  int64 // of window
	budget int64 // bytes that may be read
}

// windowBytes are read at once. EXIF and XMP of most JPEG files fit into them.
const windowBytes = 16 << 10

// at returns n bytes at offset, which are valid until the next call. It is an error if the file
// ends before.
func (in *input) at(offset int64, n int) ([]byte, error) {
	if offset < 0 || n < 0 || int64(n) > in.size-offset {
		return nil, io.ErrUnexpectedEOF
	}
	if offset < in.start || offset+int64(n) > in.start+int64(len(in.window)) {
		length := min(max(n, windowBytes), int(min(in.size-offset, maxBytes+1)))
		if in.budget -= int64(length); in.budget < 0 || n > length {
			return nil, errTooLong
		}
		buffer := in.window[:0]
		if cap(buffer) < length {
			buffer = make([]byte, length)
		}
		buffer = buffer[:length]
		got, err := in.r.ReadAt(buffer, offset)
		in.window, in.start = buffer[:got], offset
		if got < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return in.window[offset-in.start:][:n], nil
}

// Read reads the header of the file r of size bytes. A file of another kind is no error.
func Read(r io.ReaderAt, size int64) (*File, error) {
	in := &input{r: r, size: size, budget: 2 * maxBytes}
	f := &File{Orientation: 1}
	head, err := in.at(0, int(min(size, 16)))
	if err != nil || len(head) < 12 {
		return f, err
	}
	read := map[string]func(*input) error{
		"JPEG": f.readJPEG, "PNG": f.readPNG, "WebP": f.readWebP, "TIFF": f.readTIFF, "HEIF": f.readHEIF,
	}
	switch {
	case head[0] == 0xff && head[1] == 0xd8:
		f.Kind = "JPEG"
	case string(head[:8]) == "\x89PNG\r\n\x1a\n":
		f.Kind = "PNG"
	case string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		f.Kind = "WebP"
	case slices.Contains([]string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}, string(head[:4])): // TIFF, BigTIFF
		f.Kind = "TIFF"
	case string(head[4:8]) == "ftyp":
		f.Kind = "HEIF"
	default:
		return f, nil
	}
	f.Orientation = 0 // not known yet
	err = read[f.Kind](in)
	if f.Orientation == 0 {
		f.Orientation = f.orientationOfXMP()
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // a file that is cut short keeps what it has
		return f, fmt.Errorf("read the header of the %s: %w", f.Kind, err)
	}
	return f, nil
}

// keep adds a copy of packet.
func (f *File) keep(packet []byte) { f.XMP = append(f.XMP, append([]byte(nil), packet...)) }

func (f *File) readHEIF(in *input) error {
	for at := int64(0); ; {
		head, err := in.at(at, 16)
		if err != nil {
			return err
		}
		size, from := int64(binary.BigEndian.Uint32(head)), int64(8)
		switch size {
		case 0:
			size = in.size - at
		case 1:
			size, from = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size < from || size > in.size-at {
			return ErrBoxes
		}
		if string(head[4:8]) != "meta" {
			at += size
			continue
		}
		if size > maxBytes {
			return errTooLong
		}
		meta, err := in.at(at+from, int(size-from))
		if err != nil {
			return err
		}
		image, err := Describe(append([]byte(nil), meta...))
		if err != nil {
			return err
		}
		return f.ofImage(in, image)
	}
}

// ofImage takes what a file of boxes says of its photograph.
func (f *File) ofImage(in *input, image *Image) error {
	f.Width, f.Height, f.Orientation = image.Width, image.Height, orientationOf(image.Transforms)
	if e := image.EXIF; !e.InData && e.Length > 8 && e.Offset < 1<<62 {
		if head, err := in.at(int64(e.Offset), 4); err == nil { // how far behind it the TIFF structure begins
			if t, err := readIFD(in, int64(e.Offset)+4+int64(binary.BigEndian.Uint32(head))); err == nil {
				f.Taken = t.date
			}
		}
	}
	for _, parts := range image.XMP {
		var packet []byte
		for _, e := range parts {
			var part []byte
			var err error
			switch {
			case e.Length > maxBytes || e.Offset > 1<<62 || len(packet) > maxBytes:
				return errTooLong
			case e.InData && e.Offset+e.Length > uint64(len(image.Data)):
				return ErrBoxes
			case e.InData:
				part = image.Data[e.Offset:][:e.Length]
			default:
				part, err = in.at(int64(e.Offset), int(e.Length))
			}
			if err != nil {
				return err
			}
			packet = append(packet, part...)
		}
		f.XMP = append(f.XMP, packet)
	}
	return nil
}

// orientationOf is the orientation that transforms one after the other make.
func orientationOf(transforms []Transform) int {
	// Where the upright image has the left upper and the right upper corner of the stored one
	// decides the orientation: follow two points.
	type point struct{ x, y int }
	corner, right := point{-1, -1}, point{1, -1}
	for _, t := range transforms {
		for _, p := range []*point{&corner, &right} {
			switch {
			case t.Kind == "imir" && t.Code == 0:
				p.y = -p.y
			case t.Kind == "imir":
				p.x = -p.x
			default:
				for range t.Code { // a quarter turn to the left
					p.x, p.y = p.y, -p.x
				}
			}
		}
	}
	return map[[2]point]int{
		{{-1, -1}, {1, -1}}: 1, {{1, -1}, {-1, -1}}: 2, {{1, 1}, {-1, 1}}: 3, {{-1, 1}, {1, 1}}: 4,
		{{-1, -1}, {-1, 1}}: 5, {{1, -1}, {1, 1}}: 6, {{1, 1}, {1, -1}}: 7, {{-1, 1}, {-1, -1}}: 8,
	}[[2]point{corner, right}]
}
