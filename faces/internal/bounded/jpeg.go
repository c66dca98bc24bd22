package bounded

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"nrdl.example/nrdl/advice"
)

// Bounds on the scans of a JPEG file. Each scan visits all pixels of its components: 31
// bytes of a progressive file can make the decoder visit 16 megapixels, in 12 ms.
const (
	maxScans   = 100           // encoders write up to 10, and 15 or so where they search for the best
	maxVisited = 2_500_000_000 // pixels

	// A file of fewBytes may visit visitedOfFew pixels, and visitedOfByte more for each byte beyond: a
	// progressive photograph visits each of its pixels six times, and has a byte for ten pixels or fewer.
	fewBytes      = 100_000
	visitedOfFew  = 400_000_000
	visitedOfByte = 10_000
)

// A JPEG has the data from the markers of a JPEG file.
type JPEG struct {
	Width, Height int

	components  []component
	progressive bool
	rgb         bool // or CMYK: decoded to planes, and then to pixels

	OnlyLibjpeg bool // it is coded by arithmetic, or of another kind that image/jpeg does not read

	bytes  int
	scans  int
	Visits int // pixels, over all scans and components
}

type component struct {
	id   byte
	h, v int // sampling factors
}

// Markers of JPEG.
const (
	sof0, sof2 = 0xc0, 0xc2
	rst0, rst7 = 0xd0, 0xd7
	eoi        = 0xd9
	adobe      = 0xee
	sos        = 0xda // at the beginning of a scan
)

// segments calls f with the marker and the content of each segment of a JPEG file, until f
// returns false. It skips everything between segments: the data of scans with their
// restart markers, fill bytes, and invalid bytes.
func segments(data []byte, f func(marker byte, body []byte) bool) {
	for at := 2; ; {
		next := bytes.IndexByte(data[min(at, len(data)):], 0xff)
		if at += next; next < 0 || at+1 >= len(data) {
			return
		}
		switch marker := data[at+1]; {
		case marker == 0xff:
			at++
		case marker == 0 || rst0 <= marker && marker <= rst7:
			at += 2
		case marker == eoi || at+4 > len(data):
			return
		default:
			end := at + 2 + int(binary.BigEndian.Uint16(data[at+2:]))
			if end > len(data) || end < at+4 || !f(marker, data[at+4:end]) {
				return
			}
			at = end
		}
	}
}

// ReadJPEG reads the markers of a JPEG file. It stops at invalid markers without an error;
// the decoder reports them.
func ReadJPEG(data []byte) *JPEG {
	j := &JPEG{bytes: len(data)}
	segments(data, func(marker byte, body []byte) bool {
		switch {
		case isFrame(marker):
			return j.components == nil && j.frame(marker, body)
		case marker == sos:
			return j.scan(body)
		case marker == adobe && len(body) >= 12 && string(body[:5]) == "Adobe":
			j.rgb = j.rgb || body[11] == 0
		}
		return true
	})
	return j
}

// isFrame reports whether a marker begins a frame, of any process.
func isFrame(marker byte) bool {
	const tables, extension, conditioning = 0xc4, 0xc8, 0xcc
	return sof0 <= marker && marker <= 0xcf && marker != tables && marker != extension && marker != conditioning
}

func (j *JPEG) frame(marker byte, body []byte) bool {
	if len(body) < 6 || len(body) != 6+3*int(body[5]) {
		return false
	}
	const arithmetic = 0x08 // of a marker
	j.progressive, j.OnlyLibjpeg = marker&^arithmetic == sof2, marker > sof2
	j.Height, j.Width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	for c := body[6:]; len(c) > 0; c = c[3:] {
		j.components = append(j.components, component{c[0], int(c[1] >> 4), int(c[1] & 15)})
	}
	var ids []byte
	for _, c := range j.components {
		ids = append(ids, c.id)
	}
	j.rgb = j.rgb || string(ids) == "RGB" || len(ids) == 4
	return true
}

// scan counts a scan, and reports whether it may be followed by others.
func (j *JPEG) scan(body []byte) bool {
	if len(body) < 1 || len(body) < 1+2*int(body[0]) {
		return false
	}
	j.scans++
	for i := range int(body[0]) {
		for _, c := range j.components {
			if c.id == body[1+2*i] {
				j.Visits += j.samples(c)
			}
		}
	}
	return !j.tooMany()
}

// samples is the number of samples that are stored for a component.
func (j *JPEG) samples(c component) int {
	h, v := 1, 1
	for _, c := range j.components {
		h, v = max(h, c.h), max(v, c.v)
	}
	across, down := (j.Width+8*h-1)/(8*h), (j.Height+8*v-1)/(8*v)
	return across * down * 64 * c.h * c.v
}

// Samples is the number of samples that are stored for all components.
func (j *JPEG) Samples() int {
	n := 0
	for _, c := range j.components {
		n += j.samples(c)
	}
	return n
}

// tooMany reports whether there are more scans than encoders write. In a sequential file a
// component has one scan.
func (j *JPEG) tooMany() bool {
	return j.scans > maxScans || j.Visits > j.maxVisitedNodes() || !j.progressive && j.scans > len(j.components)
}

// maxVisitedNodes is how many pixels the scans may visit.
func (j *JPEG) maxVisitedNodes() int {
	return min(maxVisited, visitedOfFew+visitedOfByte*max(0, j.bytes-fewBytes))
}

// Memory returns the number of bytes that package jpeg allocates to decode the file, and those of
// its grey values if they are none of its planes.
func (j *JPEG) Memory() int64 {
	each := 1
	if j.progressive {
		each += 4 // coefficients of 32 bits
	}
	n := 0
	for _, c := range j.components {
		n += each * j.samples(c)
	}
	if j.rgb {
		n += 5 * j.Width * j.Height // and grey
	}
	return int64(n)
}

// Check returns an error if the file has too many scans.
func (j *JPEG) Check() error {
	var why string
	switch {
	case !j.tooMany():
		return nil
	case !j.progressive:
		why = "more than one for a component"
	case j.scans > maxScans:
		why = fmt.Sprintf("at most %d are read", maxScans)
	default:
		why = fmt.Sprintf("together they visit more than %d million pixels, in %d bytes", j.maxVisitedNodes()/1_000_000, j.bytes)
	}
	return advice.Add(fmt.Errorf("has too many scans: %s", why), "save it again, as a JPEG that is not progressive")
}
