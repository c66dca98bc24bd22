package tags

import (
	"bufio"
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Bounds on the .picasa.ini of a folder.
const (
	maxPicasa      = 8 << 20
	maxPicasaFaces = 1000 // of a photograph
)

// PicasaFile is the name of the file in which Picasa keeps the faces of a folder. Older versions
// wrote it without the point.
const PicasaFile = ".picasa.ini"

// readPicasa reads the file of Picasa beside the photograph at path; nil if there is none, as in most
// folders.
func readPicasa(path string) []byte {
	for _, name := range []string{PicasaFile, "Picasa.ini"} {
		if data, err := regular.ReadFile(filepath.Join(filepath.Dir(path), name), maxPicasa); err == nil {
			return data
		}
	}
	return nil
}

// picasa adds to p the faces that data, a .picasa.ini, has of the photograph at path:
//
//	[a.jpg]
//	faces=rect64(3f845bcb59418507),8e62398ebda8c1a5;…
//	[Contacts2]
//	8e62398ebda8c1a5=Ann;;
//
// A rectangle has the left, upper, right and lower side, each of four digits, as shares of 65535. A
// face whose person the file does not name is counted. Whether the photograph was turned before, the
// faces decide.
func (p *Photo) picasa(path string, data []byte) {
	if !bytes.Contains(data, []byte("rect64")) {
		return
	}
	section, faces, contacts := "", "", map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	lines.Buffer(nil, maxPicasa)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line[1 : len(line)-1]
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		switch {
		case strings.EqualFold(section, filepath.Base(path)) && key == "faces":
			faces = value
		case strings.HasPrefix(section, "Contacts"):
			contacts[strings.ToLower(key)], _, _ = strings.Cut(value, ";")
		}
	}
	how := reading{packet: len(p.Regions) + 1, upright: true, two: p.Orientation > 1, open: p.Orientation > 1}
	for i, face := range strings.Split(faces, ";") {
		rectangle, id, ok := strings.Cut(face, ",")
		if !ok || i == maxPicasaFaces {
			continue
		}
		const nobody = "ffffffffffffffff"
		area, ok := rect64(rectangle)
		name := contacts[strings.ToLower(id)]
		switch {
		case ok && name != "":
			p.merge(how.region(metadata.Region{Area: area, Name: name}, p.Orientation))
		case !strings.EqualFold(id, nobody):
			p.Unused.Count(metadata.UnusedContact)
		}
	}
}

// rect64 is the area that a rectangle of Picasa says; leading zeros are left out.
func rect64(text string) (Area, bool) {
	digits, isRectangle := strings.CutPrefix(strings.TrimSuffix(text, ")"), "rect64(")
	v, err := strconv.ParseUint(digits, 16, 64)
	share := func(shift uint) float64 { return float64(v>>shift&0xffff) / 0xffff }
	a := Area{X: share(48), Y: share(32), W: share(16) - share(48), H: share(0) - share(32)}
	return a, isRectangle && err == nil && a.W > 0 && a.H > 0
}
