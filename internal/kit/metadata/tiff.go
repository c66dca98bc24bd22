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
	f.Width, f.Height, f.Orientation, f.Taken = t.width, t.height, t.orientation, t.date
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
	date          time.Time
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

// A layout is that of a TIFF structure, or of a BigTIFF one, whose offsets and numbers of values have
// 64 bits.
type layout struct {
	order binary.ByteOrder
	wide  bool
}

// bytes is the length of an entry.
func (l layout) bytes() int {
	if l.wide {
		return 20
	}
	return 12
}

// offset is the one that b begins with.
func (l layout) offset(b []byte) int64 {
	if l.wide {
		return int64(min(l.order.Uint64(b), 1<<62))
	}
	return int64(l.order.Uint32(b))
}

// entry is the first one of entries: its tag, the kind and the number of its values, and the field
// of the values, or of their offset.
func (l layout) entry(entries []byte) (tag, kind uint16, n int64, field []byte) {
	tag, kind, n = l.order.Uint16(entries), l.order.Uint16(entries[2:]), l.offset(entries[4:])
	if l.wide {
		return tag, kind, n, entries[12:20]
	}
	return tag, kind, n, entries[8:12]
}

// readIFD reads the TIFF structure that begins at start.
func readIFD(in *input, start int64) (*ifd, error) {
	t := &ifd{}
	head, err := in.at(start, 8)
	if err != nil {
		return t, err
	}
	l := layout{order: binary.LittleEndian}
	if head[0] == 'M' {
		l.order = binary.BigEndian
	}
	at := l.offset(head[4:])
	if l.wide = l.order.Uint16(head[2:]) == 43; l.wide {
		if head, err = in.at(start, 16); err != nil {
			return t, err
		}
		at = l.offset(head[8:])
	}
	entries, err := entriesAt(in, start+at, l)
	if err != nil {
		return t, err
	}
	exif, changed := int64(0), int64(0)
	for ; len(entries) >= l.bytes(); entries = entries[l.bytes():] {
		tag, kind, n, field := l.entry(entries)
		value := l.offset(field)
		switch kind {
		case byteKind, signedByte:
			value = int64(field[0])
		case shortKind, signedShort:
			value = int64(l.order.Uint16(field))
		case longKind, signedLongKind:
			value = int64(l.order.Uint32(field))
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
			t.xmp.offset, t.xmp.length = start+l.offset(field), int(n)
		case tag == tagChanged && int(n) == dateBytes:
			changed = start + value
		case tag == tagEXIF:
			exif = start + value
		}
	}
	t.date = takenAt(in, start, exif, changed, l)
	return t, nil
}

// entriesAt returns the entries of the directory at this offset, those that the file has of them. They
// are valid until the next call of in.at.
func entriesAt(in *input, at int64, l layout) ([]byte, error) {
	head := 2
	if l.wide {
		head = 8
	}
	count, err := in.at(at, head)
	if err != nil {
		return nil, err
	}
	n := int64(l.order.Uint16(count))
	if l.wide {
		n = min(l.offset(count), maxBytes/20)
	}
	return in.at(at+int64(head), int(min(int64(l.bytes())*n, in.size-at-int64(head))))
}

// How EXIF writes a date, with a zero at the end.
const (
	dateLayout = "2006:01:02 15:04:05"
	dateBytes  = len(dateLayout) + 1
)

// takenAt returns when a photograph was taken, by the directory at exif or else by the date at
// changed; offsets in the directory count from start. It is zero where neither has a date.
func takenAt(in *input, start, exif, changed int64, l layout) (taken time.Time) {
	places := []int64{0, 0, changed}
	if exif > 0 {
		entries, _ := entriesAt(in, exif, l)
		for ; len(entries) >= l.bytes(); entries = entries[l.bytes():] {
			tag, _, n, field := l.entry(entries)
			at := start + l.offset(field)
			switch {
			case int(n) != dateBytes:
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
