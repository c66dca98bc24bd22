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
	"time"
)

// A File is what Read finds in an image file. A size of 0×0 was not found.
type File struct {
	Kind          string // JPEG, PNG, WebP, TIFF or HEIF; "" for other files
	Width, Height int    // as stored
	Orientation   int    // 1 … 8, as that of EXIF
	XMP           [][]byte
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
	left   int64 // bytes that may be read
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
		if in.left -= int64(length); in.left < 0 || n > length {
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
	in := &input{r: r, size: size, left: 2 * maxBytes}
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
	case string(head[:4]) == "II*\x00" || string(head[:4]) == "MM\x00*":
		f.Kind = "TIFF"
	case string(head[4:8]) == "ftyp":
		f.Kind = "HEIF"
	default:
		return f, nil
	}
	if err := read[f.Kind](in); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // a file that is cut short keeps what it has
		return f, fmt.Errorf("read the header of the %s: %w", f.Kind, err)
	}
	return f, nil
}

// keep adds a copy of packet.
func (f *File) keep(packet []byte) { f.XMP = append(f.XMP, append([]byte(nil), packet...)) }

func (f *File) readTIFF(in *input) error {
	t, err := readIFD(in, 0)
	if err != nil {
		return err
	}
	f.Width, f.Height, f.Orientation, f.Taken = t.width, t.height, t.orientation, t.taken
	if t.xmp.length == 0 {
		return nil
	}
	packet, err := in.at(t.xmp.offset, t.xmp.length)
	if err == nil {
		f.keep(packet)
	}
	return err
}

// An ifd has the tags of the first image of a TIFF structure.
type ifd struct {
	width, height int
	orientation   int // 1 if there is none, or it is invalid
	taken         time.Time
	xmp           struct {
		offset int64
		length int
	}
}

// Tags of TIFF.
const (
	tagWidth, tagHeight = 0x0100, 0x0101
	tagOrientation      = 0x0112
	tagChanged          = 0x0132
	tagXMP              = 0x02bc
	tagEXIF             = 0x8769
	tagTaken            = 0x9003
	tagDigitised        = 0x9004
)

// readIFD reads the TIFF structure that begins at start.
func readIFD(in *input, start int64) (*ifd, error) {
	t := &ifd{}
	head, err := in.at(start, 8)
	if err != nil {
		return t, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	at := start + int64(order.Uint32(head[4:]))
	entries, err := entriesAt(in, at, order)
	if err != nil {
		return t, err
	}
	exif, changed := int64(0), int64(0)
	for ; len(entries) >= 12; entries = entries[12:] {
		tag, kind, n := order.Uint16(entries), order.Uint16(entries[2:]), order.Uint32(entries[4:])
		value := int64(order.Uint32(entries[8:]))
		if kind == 3 { // 16 bits
			value = int64(order.Uint16(entries[8:]))
		}
		switch {
		case tag == tagWidth && value < 1<<30:
			t.width = int(value)
		case tag == tagHeight && value < 1<<30:
			t.height = int(value)
		case tag == tagOrientation && kind == 3 && t.orientation == 0:
			if t.orientation = 1; 1 <= value && value <= 8 {
				t.orientation = int(value)
			}
		case tag == tagXMP && (kind == 1 || kind == 7) && 4 < n && n <= maxBytes:
			t.xmp.offset, t.xmp.length = start+int64(order.Uint32(entries[8:])), int(n)
		case tag == tagChanged && int(n) == dateBytes:
			changed = start + value
		case tag == tagEXIF:
			exif = start + value
		}
	}
	t.orientation = max(t.orientation, 1)
	t.taken = takenAt(in, start, exif, changed, order)
	return t, nil
}

// entriesAt returns the entries of the directory at this offset, those that the file has of them. They
// are valid until the next call of in.at.
func entriesAt(in *input, at int64, order binary.ByteOrder) ([]byte, error) {
	count, err := in.at(at, 2)
	if err != nil {
		return nil, err
	}
	return in.at(at+2, int(min(12*int64(order.Uint16(count)), in.size-at-2)))
}

// How EXIF writes a date, with a zero at the end.
const (
	dateLayout = "2006:01:02 15:04:05"
	dateBytes  = len(dateLayout) + 1
)

// takenAt returns when a photograph was taken, by the directory at exif or else by the date at
// changed; offsets in the directory count from start. It is zero where neither has a date.
func takenAt(in *input, start, exif, changed int64, order binary.ByteOrder) (taken time.Time) {
	places := []int64{0, 0, changed}
	if exif > 0 {
		entries, _ := entriesAt(in, exif, order)
		for ; len(entries) >= 12; entries = entries[12:] {
			at := start + int64(order.Uint32(entries[8:]))
			switch tag := order.Uint16(entries); {
			case int(order.Uint32(entries[4:])) != dateBytes:
			case tag == tagTaken:
				places[0] = at
			case tag == tagDigitised:
				places[1] = at
			}
		}
	}
	for _, at := range places {
		if at == 0 {
			continue
		}
		if text, err := in.at(at, len(dateLayout)); err == nil {
			if taken, err = time.Parse(dateLayout, string(text)); err == nil {
				return taken
			}
		}
	}
	return time.Time{}
}

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
				f.Taken = t.taken
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
