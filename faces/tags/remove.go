package tags

import (
	"context"
	"fmt"
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
