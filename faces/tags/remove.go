package tags

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"nrdl.example/nrdl/internal/kit/metadata"
)

// Remove takes back what Write wrote about the photograph at path, in its sidecars and in the
// file itself if it is a JPEG file. It returns the files that changed. A sidecar that only Write
// made is deleted.
func (w *Writer) Remove(ctx context.Context, path string) (changed []string, err error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	for _, s := range f.sidecars {
		base, err := without(s.packet)
		if err != nil {
			return changed, fmt.Errorf("%s: %w", s.path, err)
		}
		did, err := w.replace(ctx, path, s, base)
		if err != nil {
			return changed, err
		}
		if did {
			changed = append(changed, s.path)
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

// Without returns the content of an image file without what Write has embedded in it: data itself where
// that is nothing. Before and after Write and Remove it is the same, by which a photograph is known again.
func Without(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte{0xff, 0xd8}) || len(data) > maxFile || !bytes.Contains(data, []byte(metadata.Ours)) {
		return data
	}
	place, err := metadata.Locate(data)
	if err != nil || place.Packet == nil {
		return data
	}
	base, err := without(place.Packet)
	if err != nil || bytes.Equal(base, place.Packet) {
		return data
	}
	return slices.Concat(data[:place.Start], metadata.Segment(base), data[place.End:])
}
