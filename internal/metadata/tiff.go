package metadata

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"
)

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
	orientation   int // 1 if it is invalid; 0 if there is none
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

// Kinds of values. An orientation is a short by the standard, and programs write others.
const (
	byteKind, shortKind, longKind           = 1, 3, 4
	signedByte, signedShort, signedLongKind = 6, 8, 9
)

var wholeNumbers = []uint16{shortKind, longKind, signedLongKind, byteKind, signedShort, signedByte}

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
		switch kind {
		case byteKind, signedByte:
			value = int64(entries[8])
		case shortKind, signedShort:
			value = int64(order.Uint16(entries[8:]))
		}
		switch {
		case tag == tagWidth && value < 1<<30:
			t.width = int(value)
		case tag == tagHeight && value < 1<<30:
			t.height = int(value)
		case tag == tagOrientation && slices.Contains(wholeNumbers, kind) && t.orientation == 0:
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

// orientationOfXMP is that which the XMP packets of f tell, 1 … 8; 1 if there is none.
func (f *File) orientationOfXMP() int {
	for _, packet := range f.XMP {
		if text, err := plain(packet); err != nil || !bytes.Contains(text, []byte("Orientation")) {
			continue
		}
		root, err := parse(packet)
		if err != nil {
			continue
		}
		for _, d := range descriptions(root) {
			if v := whole(d.value(nsTIFF, "Orientation")); 1 <= v && v <= 8 {
				return v
			}
		}
	}
	return 1
}
