package tags

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/internal/kit/regular"
)

// A Face is a face of a photograph.
type Face struct {
	Name        string          // that a model gave it; "" if it has none: then it only shows where a face is
	Box         image.Rectangle // in pixels of the upright photograph
	Probability float64         // that the name is right; NaN if not known
}

// A Writer writes tags. It is safe for concurrent use.
type Writer struct {
	Embed bool   // into JPEG files, instead of sidecars
	Model string // what named the faces, for example the checksum of a model file; may be empty

	// Within, if it is not "", is a folder that links lead out of: nothing outside is written.
	Root string

	// Warn, if it is not nil, is called for files that lose their owner, group or extended attributes.
	Warn func(error)
}

var files atomicfile.Writer

// An Outcome says what Write did.
type Outcome struct {
	Path      string // of the file that has the tags now
	Changed   bool   // the file; else it had these tags already
	Additions int    // faces
	Conflicts int    // faces that are not added, since a person named them
}

// ErrNoRoom says that tags cannot be embedded in a JPEG file without changing other parts of it.
var ErrNoRoom = errors.New("no room for tags")

// ErrNotJPEG says that a file is none into which tags are embedded.
var ErrNotJPEG = fmt.Errorf("tags are embedded in JPEG files only: %w", ErrNoRoom)

// Write tags faces in the photograph at path. Tags that an earlier Write wrote are replaced, so
// writing twice changes nothing. All else in the file stays as it is, byte for byte. A face over
// which there is a region with a name already keeps that name, and nobody gets a second region.
// A region of another program without a name gets that of its face. If the photograph has regions
// with names of its own, a new list of regions gets copies of them, and PersonInImage their names:
// programs may read the new list, or the sidecar, alone.
func (w *Writer) Write(ctx context.Context, path string, faces []Face) (Outcome, error) {
	f, err := open(path)
	if err != nil {
		return Outcome{}, err
	}
	if f.Width == 0 || f.Height == 0 {
		return Outcome{}, fmt.Errorf("%s: the file does not tell its size", path)
	}
	if w.Embed {
		return w.embed(ctx, f, faces)
	}
	s := f.sidecar()
	base, err := without(s.packet)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", s.path, err)
	}
	a, kept, err := f.addition(base, append(f.beside(s.path), f.XMP...), faces, true)
	if err != nil {
		return Outcome{}, err
	}
	next, err := w.added(base, a)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", s.path, err)
	}
	o := Outcome{Path: s.path, Additions: len(named(faces)) - kept, Conflicts: kept}
	o.Changed, err = w.replace(ctx, f.path, s, next)
	return o, err
}

// without is a packet without what nrdl wrote; nil if nothing is left.
func without(packet []byte) ([]byte, error) {
	if packet == nil {
		return nil, nil
	}
	base, err := metadata.Remove(packet)
	if errors.Is(err, metadata.ErrEmpty) {
		err = advice.Add(err, "delete it")
	}
	if err != nil {
		return nil, err
	}
	if metadata.IsEmpty(base) {
		return nil, nil
	}
	return base, nil
}

// added is base with a.
func (w *Writer) added(base []byte, a *metadata.Addition) ([]byte, error) {
	a.Model = w.Model
	if len(a.Faces) == 0 && len(a.Names) == 0 {
		return base, nil
	}
	if base == nil {
		base = metadata.Empty()
	}
	next, err := metadata.Add(base, a)
	if errors.Is(err, metadata.ErrForm) {
		err = advice.Add(err, "let the program that wrote it save it again, or move it away")
	}
	return next, err
}

// replace makes next the content of the sidecar s of a photograph; nil is no file.
func (w *Writer) replace(ctx context.Context, photo string, s sidecarFile, next []byte) (changed bool, err error) {
	switch {
	case string(s.packet) == string(next) && (s.packet == nil) == (next == nil):
		return false, nil
	case next == nil:
		if now, err := readSidecar(s.path); err != nil || string(now) != string(s.packet) {
			return false, fmt.Errorf("%s: %w", s.path, cmp.Or(err, atomicfile.ErrChanged))
		}
		if err := atomicfile.Inside(s.path, w.Root); err != nil {
			return false, err
		}
		return true, os.Remove(s.path)
	}
	return w.change(ctx, atomicfile.Change{Path: s.path, Old: s.packet, New: next, Original: photo})
}

// change makes c.
func (w *Writer) change(ctx context.Context, c atomicfile.Change) (changed bool, err error) {
	c.Folder = w.Root
	lost, err := files.Change(ctx, c)
	if len(lost) > 0 && w.Warn != nil {
		w.Warn(fmt.Errorf("%s: the system did not let it keep %s", c.Path, strings.Join(lost, ", ")))
	}
	return err == nil, err
}

// tagsOf are the tags of others in base, a packet of f without what nrdl wrote, and elsewhere in
// packets, by the reading that the faces at boxes decide, and how the areas of base are read.
func (f *file) tagsOf(base []byte, own *metadata.People, packets [][]byte,
	faces []Face,
) (theirs, elsewhere *Photo, how reading, err error) {
	theirs, elsewhere = f.photo(), f.photo()
	if base != nil {
		f.add(theirs, base)
		if len(own.Regions) > 0 || own.Dimensions[0] > 0 {
			if how, err = f.readingOf(own); err != nil {
				return nil, nil, how, err
			}
		}
	}
	for _, packet := range packets {
		if packet, err = metadata.Remove(packet); err == nil {
			f.add(elsewhere, packet)
		}
	}
	elsewhere.picasa(f.path, readPicasa(f.path))
	boxes := theirs.areas(faces)
	if err := cmp.Or(theirs.decide(boxes), elsewhere.decide(boxes)); err != nil {
		return nil, nil, how, fmt.Errorf("%s: %w", f.path, err)
	}
	if len(own.Regions) > 0 {
		how = theirs.Regions[0].reading
	}
	return theirs, elsewhere, how, nil
}

// areas are those of faces in p.
func (p *Photo) areas(faces []Face) []Area {
	all := make([]Area, len(faces))
	for i, face := range faces {
		all[i] = p.Area(face.Box)
	}
	return all
}

// addition is what is to be added to base, a packet of f without what nrdl wrote, for faces.
// Others are the further packets of f; with copies, base gets their regions and names if it has
// none. Kept is the number of faces that a person named.
func (f *file) addition(base []byte, others [][]byte, faces []Face, copies bool) (a *metadata.Addition, kept int, err error) {
	own := &metadata.People{}
	if base != nil {
		if own, err = metadata.ReadPeople(base); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	theirs, elsewhere, how, err := f.tagsOf(base, own, others, faces)
	if err != nil {
		return nil, 0, err
	}
	p := placement{f: f, people: own, upright: how.upright, vacant: map[int]bool{}}
	a = &metadata.Addition{Width: f.Width, Height: f.Height}
	if len(own.Regions) == 0 {
		p.copy(a, theirs.Regions) // those of Microsoft
		if copies {
			p.copy(a, elsewhere.Regions)
		}
	}
	if copies && len(own.Names) == 0 {
		a.Names = append(a.Names, elsewhere.Names...)
	}
	for _, r := range elsewhere.Regions {
		theirs.merge(r)
	}
	theirs.Names = append(theirs.Names, elsewhere.Names...)
	for _, r := range theirs.Regions {
		if r.Name != "" {
			a.Names = unlessIn(theirs.Names, a.Names, r.Name)
		}
	}
	for i, area := range theirs.areas(faces) {
		face := faces[i]
		if face.Name == "" {
			continue
		}
		if theirs.names(area, face.Name) {
			kept++
			continue
		}
		a.Faces = append(a.Faces, p.face(area, face))
		a.Names = unlessIn(theirs.Names, a.Names, face.Name)
	}
	if kept == len(named(faces)) { // nothing of nrdl's own
		a.Faces, a.Names = nil, nil
	}
	return a, kept, nil
}

// named are those of faces that have a name.
func named(faces []Face) []Face {
	return slices.DeleteFunc(slices.Clone(faces), func(f Face) bool { return f.Name == "" })
}

// unlessIn appends name to names, unless it is in names or in theirs.
func unlessIn(theirs, names []string, name string) []string {
	if slices.Contains(theirs, name) || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// A placement puts regions into a packet of f.
type placement struct {
	f       *file
	people  *metadata.People // of the packet
	upright bool             // areas of the packet are those of the upright photograph
	vacant  map[int]bool     // Region.Vacant of those that have got a name
}

// area is one of the upright photograph as the packet has it.
func (p *placement) area(a Area) Area {
	if p.upright {
		return a
	}
	return a.Stored(p.f.Orientation)
}

// copy adds copies of regions with names, each once.
func (p *placement) copy(a *metadata.Addition, regions []Region) {
	for _, r := range regions {
		area := p.area(r.Area)
		there := func(f metadata.Face) bool { return f.Overlap(area) > sameFace }
		if r.Name != "" && !slices.ContainsFunc(a.Faces, there) {
			a.Faces = append(a.Faces, metadata.Face{Area: area, Name: r.Name, IsCopy: true})
		}
	}
}

// face is face for the packet: the name of the region without a name that overlaps most with area,
// or a new region.
func (p *placement) face(area Area, face Face) metadata.Face {
	f := metadata.Face{Area: p.area(area), Name: face.Name, Probability: face.Probability}
	largest := 0.0
	for _, r := range p.people.Regions {
		if o := r.Overlap(f.Area); r.Vacant > 0 && r.Name == "" && !p.vacant[r.Vacant] && o > largest && (Region{Area: r.Area}).Covers(f.Area) {
			largest, f.Vacant = o, r.Vacant
		}
	}
	p.vacant[f.Vacant] = true
	return f
}

// names reports whether a region with a name is over area, or one has this name.
func (p *Photo) names(area Area, name string) bool {
	return slices.ContainsFunc(p.Regions, func(r Region) bool { return r.Name != "" && (r.Name == name || r.Covers(area)) })
}

// embed writes faces into the JPEG file f.
func (w *Writer) embed(ctx context.Context, f *file, faces []Face) (Outcome, error) {
	o := Outcome{Path: f.path}
	if f.Kind != "JPEG" {
		return o, fmt.Errorf("%s: %w", f.path, ErrNotJPEG)
	}
	data, place, base, err := f.jpeg()
	if err != nil {
		return o, err
	}
	others := f.beside("") // the names of others in sidecars count as well
	if len(f.XMP) > 1 && place.HasExtension {
		others = append(others, f.XMP[1])
	}
	a, kept, err := f.addition(base, others, faces, false)
	if err != nil {
		return o, err
	}
	o.Additions, o.Conflicts = len(named(faces))-kept, kept
	next, err := w.added(base, a)
	if err != nil {
		return o, fmt.Errorf("%s: %w", f.path, err)
	}
	o.Changed, err = w.rewrite(ctx, f, data, place, next)
	return o, err
}

// jpeg reads the JPEG file f: its data, where its packet is, and the packet without what nrdl
// wrote.
func (f *file) jpeg() (data []byte, place *metadata.Place, base []byte, err error) {
	if data, err = readJPEG(f.path); err != nil {
		return nil, nil, nil, err
	}
	if place, err = metadata.Locate(data); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", f.path, err)
	}
	if base, err = without(place.Packet); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return data, place, base, nil
}

// maxFile bounds the JPEG files that are rewritten.
const maxFile = 256 << 20

// readJPEG returns the content of the file at path.
func readJPEG(path string) ([]byte, error) {
	data, err := regular.ReadFile(path, maxFile)
	if errors.Is(err, regular.ErrTooLarge) {
		err = advice.Add(fmt.Errorf("%s has more than %d MiB: it is not rewritten", path, maxFile>>20), "write a sidecar")
	}
	return data, err
}

// rewrite makes packet that of the JPEG file f, whose content is data.
func (w *Writer) rewrite(ctx context.Context, f *file, data []byte, place *metadata.Place, packet []byte) (changed bool, err error) {
	switch {
	case string(packet) == string(place.Packet) && (packet == nil) == (place.Packet == nil):
		return false, nil
	case len(packet) > metadata.MaxPacket:
		err = fmt.Errorf("%s: its XMP would be longer than a segment of a JPEG file: %w", f.path, ErrNoRoom)
	case place.MPF && len(packet) != len(place.Packet):
		err = fmt.Errorf("%s: its XMP stands behind a list of further pictures, whose places would change: %w", f.path, ErrNoRoom)
	}
	if err != nil {
		return false, advice.Add(err, "write a sidecar")
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return false, err
	}
	next := slices.Concat(data[:place.Start], metadata.Segment(packet), data[place.End:])
	_, err = w.change(ctx, atomicfile.Change{Path: f.path, Old: data, New: next})
	if err == nil { // a photograph without a date has that of its file
		err = os.Chtimes(f.path, time.Time{}, info.ModTime())
	}
	return err == nil, err
}
