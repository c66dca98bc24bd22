package album

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

// suspectsOf is the link from the folder from to the photographs in the model whose name may be wrong: those
// of one person, or of all for "". It is nil for none.
func (w *writing) suspectsOf(from, person string) *link {
	if w.suspects == nil {
		return nil
	}
	n, place := len(w.suspects.Review.Suspects), ""
	if person != "" {
		place, n = w.suspects.Suspects(person)
		place = "#" + place
	}
	if n == 0 {
		return nil
	}
	return &link{legible.Count(n, "photograph") + " in the model may have a wrong name", address(from, suspectsFile) + template.URL(place)}
}

// suspectsPage writes the page of the photographs in the model whose name may be wrong, with pictures of those
// that are in the album all; without any it removes the page of an earlier run.
func (a *Album) suspectsPage(ctx context.Context, w *writing) error {
	path := filepath.Join(a.dir, suspectsFile)
	if w.suspectsOf("", "") == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("album: %w", err)
		}
		return nil
	}
	err := w.suspects.Picture(ctx, func(file string) string {
		for _, p := range w.all {
			if folder, ok := strings.CutSuffix(p.File, "/"+file); ok {
				return a.path(folder)
			}
		}
		return ""
	})
	if err != nil {
		return err
	}
	w.counts.Pages++
	return a.put(ctx, suspectsFile, func(out io.Writer) error { return w.suspects.SuspectsHTML(out, indexFile) })
}
