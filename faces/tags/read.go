// Package tags reads and writes the names of people in photographs: the face regions of the
// Metadata Working Group and of Microsoft and IPTC's PersonInImage, in the XMP packet of a JPEG,
// TIFF, PNG, WebP, HEIC or AVIF file or in a sidecar beside it, a.jpg.xmp or a.xmp. It writes
// sidecars, and into JPEG files if asked. It never changes what another program or a person
// wrote, and Remove takes back exactly what Write wrote.
//
// Experimental: this package may change in any version.
package tags

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/internal/kit/regular"
)

// An Area is a part of an upright photograph: its left upper corner and its size, as shares of
// the width and the height.
type Area = metadata.Area

// A Region is an area with the name of the person in it.
type Region struct {
	Area
	Name    string // "" for a face without a name
	Written bool   // by nrdl; false if a person or another program named it

	reading     reading // of its packet
	alternative Area    // by the other reading, if there is one
}

// Usable reports whether r has a name of a person or of another program. Names that nrdl wrote
// are not learned from: errors would become labels.
func (r Region) Usable() bool { return r.Name != "" && !r.Written }

// A Photo says what a file and its sidecar tell about the people in a photograph.
type Photo struct {
	StoredSize  image.Point // width and height as stored; zero if the file does not tell
	Orientation int         // 1 … 8, as that of EXIF
	Regions     []Region
	Names       []string  // PersonInImage, without those that nrdl wrote
	Weak        bool      // Names are those of a source without regions: who is who is open
	Keywords    []Keyword // some may be names of people
	Unused      Unused    // what else there is
	Problems    []error   // of what could not be read
}

// Named reports whether p has a name that can be used.
func (p *Photo) Named() bool {
	return len(p.Names) > 0 || slices.ContainsFunc(p.Regions, Region.Usable)
}

// Size is the width and height of the upright photograph.
func (p *Photo) Size() image.Point {
	if p.Orientation >= 5 {
		return image.Pt(p.StoredSize.Y, p.StoredSize.X)
	}
	return p.StoredSize
}

// Box is a in pixels of the upright photograph.
func (p *Photo) Box(a Area) image.Rectangle {
	w, h := float64(p.Size().X), float64(p.Size().Y)
	round := func(v float64) int { return int(math.Round(v)) }
	return image.Rect(round(a.X*w), round(a.Y*h), round((a.X+a.W)*w), round((a.Y+a.H)*h))
}

// Area is box, in pixels of the upright photograph, as an Area.
func (p *Photo) Area(box image.Rectangle) Area {
	w, h := float64(p.Size().X), float64(p.Size().Y)
	return Area{X: float64(box.Min.X) / w, Y: float64(box.Min.Y) / h, W: float64(box.Dx()) / w, H: float64(box.Dy()) / h}
}

// Covers reports whether r and a are of one face: the middle of each is in the other. Programs
// draw regions of very different sizes about a face.
func (r Region) Covers(a Area) bool {
	in := func(x, y float64, a Area) bool { return a.X <= x && x <= a.X+a.W && a.Y <= y && y <= a.Y+a.H }
	return in(r.X+r.W/2, r.Y+r.H/2, a) && in(a.X+a.W/2, a.Y+a.H/2, r.Area)
}

// Read reads the tags of the photograph at path. It reads the header of the file and the
// sidecars, and no pixels. Tags of a sidecar come first; of two regions of one face one is kept.
// The .picasa.ini of the folder comes last. It returns an error if the file cannot be read; damaged tags
// are Problems.
func Read(path string) (*Photo, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	p := f.tags()
	p.picasa(path, readPicasa(path))
	p.countNameless()
	return p, nil
}

// Parse is Read of a photograph with the content data, and of its sidecar and the .picasa.ini of its
// folder; nil if there is none. Name is that of the file.
func Parse(name string, data, sidecar, picasa []byte) *Photo {
	f := &file{path: name}
	if sidecar != nil {
		f.sidecars = []sidecarFile{{name, sidecar}}
	}
	var err error
	if f.File, err = metadata.Read(bytes.NewReader(data), int64(len(data))); err != nil {
		f.problem = fmt.Errorf("%s: %w", name, err)
	}
	p := f.tags()
	p.picasa(name, picasa)
	p.countNameless()
	return p
}

// tags are the tags of f and of its sidecar.
func (f *file) tags() *Photo {
	p := f.photo()
	for _, packet := range append(f.beside(""), f.XMP...) {
		f.add(p, packet)
	}
	return p
}

// A file is the header of a photograph and its sidecars.
type file struct {
	*metadata.File
	path     string
	sidecars []sidecarFile // in the order of Sidecars
	problem  error
}

// A sidecarFile is a sidecar that is there.
type sidecarFile struct {
	path   string
	packet []byte // nil in the place of one that is not there
}

// open reads the header of the photograph at path and its sidecars.
func open(path string) (*file, error) {
	f := &file{path: path}
	in, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if f.File, err = metadata.Read(in, info.Size()); err != nil {
		f.problem = fmt.Errorf("%s: %w", path, err)
	}
	var seen []fs.FileInfo
	for _, at := range append(Sidecars(path), otherCase(path)...) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
			continue
		}
		packet, err := readSidecar(at)
		if err != nil {
			return nil, err
		}
		seen, f.sidecars = append(seen, info), append(f.sidecars, sidecarFile{at, packet})
	}
	return f, nil
}

// Sidecars are the names that a sidecar of the photograph at path may have, in the order in
// which they are looked for: the tags of the first count before those of the others.
func Sidecars(path string) []string {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	return []string{path + ".xmp", path + ".XMP", stem + ".xmp", stem + ".XMP"}
}

// otherCase are names of the sidecar of a photograph whose name or extension had another case,
// A.JPG beside A.jpg.xmp or a.xmp, unless another photograph has that name.
func otherCase(path string) (all []string) {
	folder, name := filepath.Split(path)
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	own, err := os.Stat(path)
	for _, other := range []string{stem + strings.ToLower(ext), stem + strings.ToUpper(ext), strings.ToLower(name), strings.ToUpper(name)} {
		there, missing := os.Stat(folder + other)
		if other == name || slices.Contains(all, folder+other+".xmp") || err == nil && missing == nil && !os.SameFile(own, there) {
			continue
		}
		all = append(all, Sidecars(folder+other)...)
	}
	return all
}

// sidecar is the one of f that is written, or would be if it were there: the first, but for a.xmp
// that another file may own.
func (f *file) sidecar() sidecarFile {
	for _, s := range f.sidecars {
		if len(s.path) > len(f.path) || !f.isShared() {
			return s
		}
	}
	return sidecarFile{path: f.path + ".xmp"}
}

// Extensions of photographs, of which a.xmp may be the sidecar.
var photographs = strings.Fields(
	".jpg .jpeg .jpe .jfif .png .heic .heif .hif .avif .webp .tif .tiff .bmp .gif .psd .jxl .jp2 .jpf .jpx .j2k " +
		".dng .cr2 .cr3 .crw .nef .nrw .arw .sr2 .srf .raf .orf .rw2 .rwl .raw .pef .srw .x3f .3fr .fff .iiq .kdc .dcr .mrw .erf .mef .mos .gpr")

// isShared reports whether another photograph beside f has its name but for the extension: a.cr2
// or a.png beside a.jpg.
func (f *file) isShared() bool {
	folder, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return false
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	stem := func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
	own := filepath.Base(f.path)
	return slices.ContainsFunc(names, func(name string) bool {
		return name != own && strings.EqualFold(stem(name), stem(own)) && slices.Contains(photographs, strings.ToLower(filepath.Ext(name)))
	})
}

// readSidecar returns the content of the sidecar at path.
func readSidecar(path string) ([]byte, error) {
	packet, err := regular.ReadFile(path, metadata.MaxBytes)
	switch {
	case errors.Is(err, regular.ErrTooLarge):
		err = advice.Add(fmt.Errorf("%s is larger than %d MiB", path, metadata.MaxBytes>>20), "move the sidecar away if it is damaged")
	case errors.Is(err, regular.ErrNot):
		err = advice.Add(err, "move it away: a sidecar is expected there")
	}
	return packet, err
}

// photo is f without tags.
func (f *file) photo() *Photo {
	p := &Photo{StoredSize: image.Pt(f.Width, f.Height), Orientation: f.Orientation, Keywords: metadata.Keywords(f.Keywords)}
	if f.problem != nil {
		p.Problems = append(p.Problems, f.problem)
	}
	return p
}

// beside are the packets of the sidecars but for the one at a path.
func (f *file) beside(but string) (all [][]byte) {
	for _, s := range f.sidecars {
		if s.path != but {
			all = append(all, s.packet)
		}
	}
	return all
}

// add adds the tags in packet to p.
func (f *file) add(p *Photo, packet []byte) {
	people, err := metadata.ReadPeople(packet)
	if err != nil {
		p.Problems = append(p.Problems, fmt.Errorf("%s: %w", f.path, err))
		return
	}
	p.Unused.Add(people.Unused)
	p.Keywords = append(p.Keywords, people.Keywords...)
	how, err := f.readingOf(people)
	if err != nil && len(people.Regions) > 0 {
		p.Problems = append(p.Problems, err)
	} else {
		how.packet = len(p.Regions) + 1
		for _, r := range people.Regions {
			p.merge(how.region(r, f.Orientation))
		}
	}
	for _, r := range people.Microsoft {
		p.merge(Region{Area: r.Turned(f.Orientation), Name: r.Name})
	}
	shapes := reading{packet: len(p.Regions) + 1, two: f.Orientation > 1}
	for _, s := range people.Shapes {
		if r, ok := s.Region(f.Width, f.Height); ok {
			p.merge(shapes.region(r, f.Orientation))
		} else {
			p.Unused.Count(metadata.UnusedPlace)
		}
	}
	for _, name := range people.Names {
		if !slices.Contains(p.Names, name) {
			p.Names = append(p.Names, name)
		}
	}
}

// sameFace is the overlap from which two regions are of one face.
const sameFace = 0.5

// merge adds r unless there is a region of the same face already.
func (p *Photo) merge(r Region) {
	for i := range p.Regions {
		if q := &p.Regions[i]; q.Written == r.Written && q.Overlap(r.Area) > sameFace {
			if q.Name == "" {
				q.Name = r.Name
			}
			return
		}
	}
	p.Regions = append(p.Regions, r)
}
