package tags

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/atomicfile"
	"nrdl.example/nrdl/internal/metadata"
)

// A Face is a face with a name that a model gave it.
type Face struct {
	Name        string
	Box         image.Rectangle // in pixels of the upright photograph
	Probability float64         // that the name is right; NaN if not known
}

// A Writer writes tags. It is safe for concurrent use.
type Writer struct {
	Embed bool   // into JPEG files, in place of sidecars
	Model string // what named the faces, for example the checksum of a model file; may be empty

	files atomicfile.Writer
}

// An Outcome says what Write did.
type Outcome struct {
	Path    string // of the file that has the tags now
	Changed bool   // the file; else it had these tags already
	Added   int    // faces
	Kept    int    // faces that are not added, since a person named them
}

// ErrNoRoom says that tags cannot be embedded in a JPEG file without changing other parts of it.
var ErrNoRoom = errors.New("no room for tags")

// Write tags faces in the photograph at path. Tags that an earlier Write wrote are replaced, so
// writing twice changes nothing. All else in the file stays as it is, byte for byte. A face over
// which there is a region with a name already keeps that name, and nobody gets a second region.
// If the photograph has regions of its own, a new sidecar gets copies of them, since programs
// may read the sidecar alone.
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
	base, err := without(f.packet)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", f.sidecar, err)
	}
	a, kept, err := f.addition(base, faces, true)
	if err != nil {
		return Outcome{}, err
	}
	next, err := w.added(base, a)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", f.sidecar, err)
	}
	o := Outcome{Path: f.sidecar, Added: len(faces) - kept, Kept: kept}
	o.Changed, err = w.replace(ctx, f.sidecar, f.packet, next)
	return o, err
}

// without is a packet without what nrdl wrote; nil if nothing is left.
func without(packet []byte) ([]byte, error) {
	if packet == nil {
		return nil, nil
	}
	base, err := metadata.Remove(packet)
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

// replace makes next the content of the file at path, which is now old. Nil is no file.
func (w *Writer) replace(ctx context.Context, path string, old, next []byte) (changed bool, err error) {
	switch {
	case string(old) == string(next) && (old == nil) == (next == nil):
		return false, nil
	case next == nil:
		return true, os.Remove(path)
	}
	_, err = w.files.Write(ctx, path, func(to io.Writer) error { _, err := to.Write(next); return err })
	return err == nil, err
}

// addition is what is to be added to base, a packet of f without what nrdl wrote, for faces; with
// copies, also the regions and names of the photograph itself if base has none. Kept is the
// number of faces that a person named.
func (f *file) addition(base []byte, faces []Face, copies bool) (a *metadata.Addition, kept int, err error) {
	theirs := f.photo() // tags of others
	upright := false
	var own *metadata.People
	if base != nil {
		f.add(theirs, base)
		if own, err = metadata.ReadPeople(base); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", f.path, err)
		}
		if len(own.Regions) > 0 {
			if upright, err = f.isUpright(own.Applied); err != nil {
				return nil, 0, err
			}
		}
	}
	embedded := f.photo()
	for _, packet := range f.XMP {
		if packet, err = metadata.Remove(packet); err == nil {
			f.add(embedded, packet)
		}
	}
	a = &metadata.Addition{Width: f.Width, Height: f.Height}
	place := func(area Area) Area {
		if upright {
			return area
		}
		return area.Stored(f.Orientation)
	}
	if copies && (own == nil || len(own.Regions) == 0) {
		for _, r := range embedded.Regions {
			a.Faces = append(a.Faces, metadata.Face{Area: place(r.Area), Name: r.Name, Copied: true})
		}
	}
	if copies && (own == nil || len(own.Names) == 0) {
		a.Names = append(a.Names, embedded.Names...)
	}
	for _, r := range embedded.Regions {
		theirs.merge(r)
	}
	theirs.Names = append(theirs.Names, embedded.Names...)
	copied := len(a.Faces) + len(a.Names)
	for _, face := range faces {
		area := theirs.Area(face.Box)
		if theirs.names(area, face.Name) {
			kept++
			continue
		}
		a.Faces = append(a.Faces, metadata.Face{Area: place(area), Name: face.Name, Probability: face.Probability})
		if !slices.Contains(theirs.Names, face.Name) && !slices.Contains(a.Names, face.Name) {
			a.Names = append(a.Names, face.Name)
		}
	}
	if len(a.Faces)+len(a.Names) == copied { // nothing of nrdl's own
		a.Faces, a.Names = nil, nil
	}
	return a, kept, nil
}

// names reports whether a region with a name is over area, or one has this name.
func (p *Photo) names(area Area, name string) bool {
	for _, r := range p.Regions {
		if r.Name != "" && (r.Name == name || r.Covers(area)) {
			return true
		}
	}
	return false
}

// embed writes faces into the JPEG file f.
func (w *Writer) embed(ctx context.Context, f *file, faces []Face) (Outcome, error) {
	o := Outcome{Path: f.path}
	if f.Kind != "JPEG" {
		return o, advice.Add(fmt.Errorf("%s is no JPEG file, in which alone tags are embedded: %w", f.path, ErrNoRoom), "write a sidecar")
	}
	data, place, base, err := f.jpeg()
	if err != nil {
		return o, err
	}
	sidecar, err := without(f.packet)
	if err != nil {
		return o, fmt.Errorf("%s: %w", f.sidecar, err)
	}
	beside := *f // the names of others in the sidecar count as well
	if beside.XMP = nil; sidecar != nil {
		beside.XMP = [][]byte{sidecar}
	}
	if len(f.XMP) > 1 && place.Extended {
		beside.XMP = append(beside.XMP, f.XMP[1])
	}
	a, kept, err := beside.addition(base, faces, false)
	if err != nil {
		return o, err
	}
	o.Added, o.Kept = len(faces)-kept, kept
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
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		err = advice.Add(fmt.Errorf("%s is %d MiB; at most %d MiB are rewritten", path, info.Size()>>20, maxFile>>20), "write a sidecar")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
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
	_, err = w.files.Write(ctx, f.path, func(to io.Writer) error {
		for _, part := range [][]byte{data[:place.Start], metadata.Segment(packet), data[place.End:]} {
			if _, err := to.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil, err
}

// Remove takes back what Write wrote about the photograph at path, in its sidecar and in the
// file itself if it is a JPEG file. It returns the files that changed. A sidecar that only Write
// made is deleted.
func (w *Writer) Remove(ctx context.Context, path string) (changed []string, err error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	base, err := without(f.packet)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.sidecar, err)
	}
	if did, err := w.replace(ctx, f.sidecar, f.packet, base); err != nil || did {
		changed = append(changed, f.sidecar)
		if err != nil {
			return nil, err
		}
	}
	if f.Kind != "JPEG" || len(f.XMP) == 0 {
		return changed, nil
	}
	data, place, base, err := f.jpeg()
	if err != nil {
		return changed, err
	}
	did, err := w.rewrite(ctx, f, data, place, base)
	if did {
		changed = append(changed, path)
	}
	return changed, err
}
