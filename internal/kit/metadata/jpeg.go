package metadata

import (
	"bytes"
	"encoding/binary"
)

// How the content of segments APP1 and APP2 begins.
const (
	exifHeader     = "Exif\x00\x00"
	XMPHeader      = "http://ns.adobe.com/xap/1.0/\x00"
	extendedHeader = "http://ns.adobe.com/xmp/extension/\x00"
	mpfHeader      = "MPF\x00"
)

// Markers of JPEG.
const (
	soi, eoi, sos    = 0xd8, 0xd9, 0xda
	app0, app1, app2 = 0xe0, 0xe1, 0xe2
	app13            = 0xed
)

// A segment is one of a JPEG file before its first scan.
type segment struct {
	marker byte
	offset int64 // of its marker, 0xff
	length int   // of its content, which begins at offset+4
}

// segments calls f with each segment before the first scan, until f returns false or an error. Like
// decoders it skips bytes that belong to no segment.
func segments(in *input, f func(segment) (bool, error)) error {
	for at := int64(2); ; {
		head, err := in.at(at, 4)
		if err != nil {
			return err
		}
		switch {
		case head[0] != 0xff || head[1] == 0xff: // a fill byte
			at++
			continue
		case head[1] == sos || head[1] == eoi:
			return nil
		case head[1] <= 0x01 || 0xd0 <= head[1] && head[1] <= 0xd8: // without a content
			at += 2
			continue
		}
		n := int(binary.BigEndian.Uint16(head[2:]))
		if n < 2 {
			return nil
		}
		if more, err := f(segment{head[1], at, n - 2}); err != nil || !more {
			return err
		}
		at += 2 + int64(n)
	}
}

func (f *File) readJPEG(in *input) error {
	e := extended{parts: map[string][]extendedPart{}}
	err := segments(in, func(s segment) (bool, error) {
		switch {
		case s.marker >= 0xc0 && s.marker <= 0xcf && s.marker != 0xc4 && s.marker != 0xc8 && s.marker != 0xcc && s.length >= 5:
			size, err := in.at(s.offset+4, 5)
			if err != nil {
				return false, err
			}
			f.Height, f.Width = int(binary.BigEndian.Uint16(size[1:])), int(binary.BigEndian.Uint16(size[3:]))
		case s.marker == app1:
			body, err := in.at(s.offset+4, s.length)
			if err != nil {
				return false, err
			}
			switch {
			case bytes.HasPrefix(body, []byte(exifHeader)):
				f.exif(body[len(exifHeader):])
			case bytes.HasPrefix(body, []byte(XMPHeader)):
				f.keep(body[len(XMPHeader):])
			case bytes.HasPrefix(body, []byte(extendedHeader)):
				e.add(body[len(extendedHeader):])
			}
		case s.marker == app13:
			body, err := in.at(s.offset+4, s.length)
			if err != nil {
				return false, err
			}
			if resources, ok := bytes.CutPrefix(body, []byte("Photoshop 3.0\x00")); ok {
				f.keywordsOf(resources)
			}
		}
		return true, nil
	})
	if len(f.XMP) > 0 {
		if packet := e.of(f.XMP[0]); packet != nil {
			f.XMP = append(f.XMP, packet)
		}
	}
	return err
}

// extended collects the parts of extended XMP, by the 32 characters that name it.
type extended struct {
	parts map[string][]extendedPart
	total int
}

type extendedPart struct {
	offset, length int // length is that of the whole packet
	content        []byte
}

func (e *extended) add(body []byte) {
	if len(body) < 40 || e.total > maxBytes {
		return
	}
	name, content := string(body[:32]), append([]byte(nil), body[40:]...)
	e.total += len(content)
	e.parts[name] = append(e.parts[name],
		extendedPart{int(binary.BigEndian.Uint32(body[36:])), int(binary.BigEndian.Uint32(body[32:])), content})
}

// of returns the packet that extends main; nil if there is none, or a part is missing.
func (e *extended) of(main []byte) []byte {
	for name, parts := range e.parts {
		if !bytes.Contains(main, []byte(name)) || parts[0].length > maxBytes {
			continue
		}
		packet, filled := make([]byte, parts[0].length), 0
		for _, p := range parts {
			if p.offset > len(packet) || len(p.content) > len(packet)-p.offset {
				return nil
			}
			filled += copy(packet[p.offset:], p.content)
		}
		if filled == len(packet) {
			return packet
		}
	}
	return nil
}

// MaxPacket is the length of the largest XMP packet that fits into a segment of a JPEG file.
const MaxPacket = 0xffff - 2 - len(XMPHeader)

// A Place says where the XMP packet of a JPEG file is, or may be put.
type Place struct {
	Start, End   int    // of the segment; equal where there is none
	Packet       []byte // nil where there is none
	HasExtension bool   // further segments extend it
	MPF          bool   // offsets of further pictures count from a place before Start
}

// Locate finds the place in the JPEG file data.
func Locate(data []byte) (*Place, error) {
	p := &Place{Start: 2, End: 2}
	leading := true // only JFIF and EXIF so far: XMP follows them
	in := &input{r: bytes.NewReader(data), size: int64(len(data)), budget: 2 * maxBytes}
	err := segments(in, func(s segment) (bool, error) {
		body, err := in.at(s.offset+4, s.length)
		if err != nil {
			return false, err
		}
		end := int(s.offset) + 4 + s.length
		switch {
		case s.marker == app1 && p.Packet == nil && bytes.HasPrefix(body, []byte(XMPHeader)):
			p.Start, p.End, p.Packet = int(s.offset), end, append([]byte{}, body[len(XMPHeader):]...)
		case s.marker == app1 && bytes.HasPrefix(body, []byte(extendedHeader)):
			p.HasExtension = true
		case s.marker == app2 && bytes.HasPrefix(body, []byte(mpfHeader)):
			p.MPF = p.MPF || p.Packet == nil
		}
		if leading = leading && (s.marker == app0 || s.marker == app1 && bytes.HasPrefix(body, []byte(exifHeader))); leading && p.Packet == nil {
			p.Start, p.End = end, end
		}
		return true, nil
	})
	if p.Packet == nil { // put before the first MPF
		p.MPF = false
	}
	return p, err
}

// Segment is a segment with packet; nothing for nil.
func Segment(packet []byte) []byte {
	if packet == nil {
		return nil
	}
	n := 2 + len(XMPHeader) + len(packet)
	head := append([]byte{0xff, app1}, byte(n>>8), byte(n))
	return append(append(head, XMPHeader...), packet...)
}
