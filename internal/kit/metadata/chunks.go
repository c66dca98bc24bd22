package metadata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"
)

// keyword is that of the chunk of a PNG file with its XMP packet.
const keyword = "XML:com.adobe.xmp\x00"

func (f *File) readPNG(in *input) error {
	for at := int64(8); ; {
		head, err := in.at(at, 8)
		if err != nil {
			return err
		}
		n, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		if n > in.size {
			return io.ErrUnexpectedEOF
		}
		switch {
		case kind == "IHDR" && n >= 8:
			var size []byte
			if size, err = in.at(at+8, 8); err == nil {
				f.Width, f.Height = int(binary.BigEndian.Uint32(size)), int(binary.BigEndian.Uint32(size[4:]))
			}
		case kind == "eXIf":
			var block []byte
			if block, err = in.at(at+8, int(n)); err == nil {
				f.exif(block)
			}
		case kind == "iTXt" && n > int64(len(keyword)):
			err = f.readText(in, at+8, int(n))
		case (kind == "zTXt" || kind == "tEXt") && n > int64(len(rawProfile)):
			err = f.readProfile(in, at+8, int(n))
		case kind == "IEND":
			return nil
		}
		if err != nil {
			return err
		}
		at += 12 + n
	}
}

// readText keeps the XMP packet in a chunk iTXt: a keyword, whether it is compressed, two texts
// that end with a zero, and the packet.
func (f *File) readText(in *input, at int64, n int) error {
	key, err := in.at(at, len(keyword))
	if err != nil || string(key) != keyword {
		return err
	}
	body, err := in.at(at, n)
	if err != nil {
		return err
	}
	body = body[len(keyword):]
	if len(body) < 4 {
		return nil
	}
	compressed := body[0] == 1
	body = body[2:]
	for range 2 {
		_, rest, ok := bytes.Cut(body, []byte{0})
		if !ok {
			return nil
		}
		body = rest
	}
	if compressed {
		if body, err = f.inflated(body); err != nil {
			return err
		}
	}
	f.keep(body)
	return nil
}

// inflated is text that zlib compressed, as far as packets may take memory.
func (f *File) inflated(text []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	left := maxBytes
	for _, packet := range f.XMP {
		left -= len(packet)
	}
	if text, err = io.ReadAll(io.LimitReader(z, int64(left)+1)); err == nil && len(text) > left {
		err = errTooLong
	}
	return text, err
}

// rawProfile begins the keyword of a chunk with the EXIF or the XMP of a JPEG file, as ImageMagick and
// exiftool write it.
const rawProfile = "Raw profile type "

// readProfile takes the profile in a chunk tEXt or zTXt: a keyword, a zero, in zTXt one more and
// compressed text, and in the text a kind, a length and hexadecimal digits.
func (f *File) readProfile(in *input, at int64, n int) error {
	key, err := in.at(at, len(rawProfile))
	if err != nil || string(key) != rawProfile {
		return err
	}
	head, err := in.at(at-4, 4)
	if err != nil {
		return err
	}
	compressed := string(head) == "zTXt"
	body, err := in.at(at, n)
	if err != nil {
		return err
	}
	_, text, ok := bytes.Cut(body, []byte{0})
	if ok && compressed && len(text) > 0 {
		if text, err = f.inflated(text[1:]); err != nil {
			return nil // another decoder shows the picture all the same
		}
	}
	lines := bytes.SplitN(bytes.TrimLeft(text, "\n"), []byte("\n"), 3)
	if len(lines) < 3 {
		return nil
	}
	profile, err := hex.DecodeString(string(bytes.Join(bytes.Fields(lines[2]), nil)))
	if err != nil {
		return nil
	}
	switch {
	case bytes.HasPrefix(profile, []byte(exifHeader)):
		f.exif(profile[len(exifHeader):])
	case bytes.HasPrefix(profile, []byte(XMPHeader)):
		f.keep(profile[len(XMPHeader):])
	case bytes.HasPrefix(profile, []byte("II*\x00")), bytes.HasPrefix(profile, []byte("MM\x00*")):
		f.exif(profile)
	case bytes.EqualFold(lines[0], []byte("xmp")):
		f.keep(profile)
	}
	return nil
}

// exif takes the orientation and the date of a TIFF structure, the first of the file.
func (f *File) exif(block []byte) {
	in := &input{r: bytes.NewReader(block), size: int64(len(block)), budget: 2 * maxBytes}
	t, err := readIFD(in, 0)
	if err != nil {
		return
	}
	if !f.hasEXIF {
		f.Taken, f.hasEXIF = t.date, true
	}
	if f.Orientation == 0 {
		f.Orientation = t.orientation
	}
}

func (f *File) readWebP(in *input) error {
	for at := int64(12); ; {
		head, err := in.at(at, 8)
		if err != nil {
			return err
		}
		id, n := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		if f.Width == 0 && n >= 10 && (id == "VP8X" || id == "VP8 " || id == "VP8L") {
			if head, err = in.at(at+8, 10); err != nil {
				return err
			}
			f.sizeOfWebP(id, head)
		}
		switch id {
		case "EXIF":
			block, err := in.at(at+8, int(min(n, in.size-at-8)))
			if err != nil {
				return err
			}
			f.exif(bytes.TrimPrefix(block, []byte(exifHeader)))
		case "XMP ":
			if n > maxBytes {
				return errTooLong
			}
			packet, err := in.at(at+8, int(n))
			if err != nil {
				return err
			}
			f.keep(packet)
		}
		at += 8 + n + n%2
	}
}

// sizeOfWebP takes the size from the beginning of a chunk of a WebP file.
func (f *File) sizeOfWebP(id string, b []byte) {
	switch {
	case id == "VP8X":
		f.Width, f.Height = 1+(int(b[4])|int(b[5])<<8|int(b[6])<<16), 1+(int(b[7])|int(b[8])<<8|int(b[9])<<16)
	case id == "VP8L" && b[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(b[1:])
		f.Width, f.Height = 1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)
	case id == "VP8 " && b[3] == 0x9d:
		f.Width, f.Height = int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff)
	}
}
