package dataset

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nrdl"
)

// Bounds on a folder: links can make a small one endless.
const (
	maxDepth   = 32
	maxEntries = 4_000_000
)

// Images returns the image files in the folder at path and the folders in it,
// in natural order. Files are images by their extension, or by their content
// where the extension is unknown. What is hidden is left out. For a path that
// is a file, the result is that file.
func Images(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	w, err := walk(context.Background(), path)
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	var images []string
	for _, f := range w.files {
		if full := filepath.Join(path, filepath.FromSlash(f)); isImageFile(full) {
			images = append(images, full)
		}
	}
	return images, nil
}

// A walker lists what lies in a folder, in natural order, as slash-separated
// paths relative to it. Links are followed, but not into a folder that is
// being walked already.
type walker struct {
	ctx            context.Context
	root           string
	files, folders []string
	entries        int
}

func walk(ctx context.Context, root string) (*walker, error) {
	w := &walker{ctx: ctx, root: root}
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	return w, w.into("", []fs.FileInfo{info})
}

// into lists the folder rel; above are the folders from the root down to it.
func (w *walker) into(rel string, above []fs.FileInfo) error {
	if len(above) > maxDepth {
		return fmt.Errorf("%s lies deeper than %d folders", path.Join(w.root, rel), maxDepth)
	}
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	names, err := w.names(rel)
	if err != nil {
		return err
	}
	for _, name := range names {
		at := path.Join(rel, name)
		info, err := os.Stat(filepath.Join(w.root, filepath.FromSlash(at)))
		if err != nil {
			return err
		}
		if !info.IsDir() {
			w.files = append(w.files, at)
			continue
		}
		if slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
			continue
		}
		w.folders = append(w.folders, at)
		if err := w.into(at, append(above, info)); err != nil {
			return err
		}
	}
	return nil
}

// names returns the entries of the folder rel that are not hidden.
func (w *walker) names(rel string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		return nil, err
	}
	if w.entries += len(entries); w.entries > maxEntries {
		return nil, fmt.Errorf("%s holds more than %d files", w.root, maxEntries)
	}
	var names []string
	for _, e := range entries {
		if !hidden(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, nrdl.NaturalCompare)
	return names, nil
}

// hidden tells what operating systems leave in folders, out of sight.
func hidden(name string) bool {
	switch strings.ToLower(name) {
	case "thumbs.db", "desktop.ini", "__macosx", "$recycle.bin":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// isImageFile reports whether the file at path is meant to be an image.
func isImageFile(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	if slices.Contains(extensions, ext) {
		return true
	}
	if slices.Contains(otherExtensions, ext) {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 512)
	n, _ := file.Read(head)
	return looksLikeImage(head[:n])
}

// otherExtensions are of files that lie beside images and are none. Extended
// Yale B calls damaged images .bad.
var otherExtensions = []string{
	".txt", ".md", ".rst", ".csv", ".tsv", ".json", ".xml", ".yaml", ".yml", ".html", ".htm",
	".pdf", ".doc", ".docx", ".names", ".info", ".bad", ".ini", ".log", ".db", ".mat", ".npz", ".npy",
	".zip", ".gz", ".tar", ".tgz", ".7z", ".rar", ".py", ".m", ".sh", ".pts", ".eye", ".mp4", ".avi", ".mov",
}

// looksLikeImage judges by how a file begins. Two letters make no image: a
// text may begin with "P1".
func looksLikeImage(head []byte) bool {
	f, err := formatOf(head)
	if err == nil && f.name == "PNM" {
		_, err = pnmHeader(head)
	}
	return err == nil
}
