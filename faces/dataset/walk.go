package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Bounds on a folder. Links can make the walk through a small one endless.
const (
	maxDepth   = 32
	maxEntries = 4_000_000
)

// ImageFiles returns the image files in the folder at path and its subfolders,
// in natural order; for a path that is a file, the result is that file. Images
// are recognised by extension, or by content if the extension is unknown.
// Hidden files and those that Skipped counts as Deleted, Thumbnails, NoMedia and Backups are
// left out, and what a pattern of skip matches: see Options.Skip. For broken links, folders
// without permission and unsupported images, the error joins one error each; the other files
// are still returned.
func ImageFiles(path string, skip ...string) ([]string, error) {
	images, w, _, err := list(path, skip)
	if w == nil {
		return images, err
	}
	errs := append(w.unreadable, w.links...)
	for _, f := range w.foreign {
		full := filepath.Join(path, filepath.FromSlash(f.path))
		errs = append(errs, fmt.Errorf("read image %s: %w", full, f.refuse()))
	}
	return images, errors.Join(errs...)
}

// Photographs is ImageFiles without duplicates, for a folder of a telephone or a camera.
// It counts the files that it leaves out, including broken links and unsupported images.
func Photographs(path string, skip ...string) ([]string, Skipped, error) {
	images, w, others, err := list(path, skip)
	if w == nil {
		return images, Skipped{}, err
	}
	first, copies := unique(images)
	skipped := w.skipped(others)
	skipped.Copies, skipped.Duplicates = copies, len(images)-len(first)
	return first, skipped, errors.Join(w.unreadable...)
}

// list returns the image files at path and the other files. If path is a file, the walker
// is nil.
func list(path string, skip []string) (images []string, w *walker, others []string, err error) {
	path = Spelled(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, nil, notThere(path, fmt.Errorf("list images: %w", err))
	}
	if !info.IsDir() {
		if slices.Contains(videoExtensions, strings.ToLower(filepath.Ext(path))) {
			return nil, nil, nil, advice.Add(fmt.Errorf("%s is a video: videos are not read", path),
				"cut out pictures, for example: ffmpeg -i VIDEO -r 1 picture%%04d.jpg")
		}
		return []string{path}, nil, nil, nil
	}
	if w, err = walk(context.Background(), path, skip); err != nil {
		return nil, nil, nil, fmt.Errorf("list images: %w", err)
	}
	images, others = w.divide()
	for i, f := range images {
		images[i] = filepath.Join(path, filepath.FromSlash(f))
	}
	return images, w, others, nil
}

// Spelled returns the path of the file that is at path if letters are compared however they are
// composed: a list may come from a Mac and the folder from a network drive. If there is none, or
// a file is at path itself, it returns path.
func Spelled(path string) string {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path
	}
	dir, name := filepath.Split(path)
	if name == "" || isASCII(path) {
		return path
	}
	if dir = filepath.Clean(dir); dir != path {
		dir = Spelled(dir)
	}
	for _, form := range []string{name, norm.NFC.String(name), norm.NFD.String(name)} {
		at := filepath.Join(dir, form)
		if _, err := os.Lstat(at); err == nil {
			return at
		}
	}
	return path
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > '~' })
}

// notThere adds advice to err, the error of a path that does not exist.
func notThere(path string, err error) error {
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case strings.Contains(path, "://"):
		return advice.Add(err, "files are read, and no addresses: download it first")
	case strings.ContainsAny(path, "*?["):
		return advice.Add(err, "the shell did not expand the pattern: write it without quotes; if it does not match, give the folder")
	}
	entries, _ := os.ReadDir(filepath.Dir(path)) // of what is not there, none
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := advice.Nearest(filepath.Base(path), names); near != "" {
		return advice.Add(err, "did you mean %s?", filepath.Join(filepath.Dir(path), near))
	}
	return err
}

// A walker lists the content of a folder in natural order, as slash-separated relative
// paths. Links are followed, except to a folder that contains them.
type walker struct {
	ctx            context.Context
	root           string
	skip           []string // patterns, lower case
	files, folders []string
	unreadable     []error       // folders without permission
	links          []error       // links that lead nowhere
	foreign        []foreignFile // found by divide
	entries        int
	tally          Skipped // folders and files that are left out for their names
}

// A foreignFile is an image of a kind that cannot be read.
type foreignFile struct {
	path string
	format
}

func walk(ctx context.Context, root string, skip []string) (*walker, error) {
	w := &walker{ctx: ctx, root: root}
	for _, pattern := range skip {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, advice.Add(fmt.Errorf("pattern %q: %w", pattern, err), "for example: *.png, raw or 2019/*")
		}
		w.skip = append(w.skip, strings.ToLower(pattern))
	}
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
	if errors.Is(err, errTooMany) {
		return err
	}
	if err != nil {
		w.unreadable = append(w.unreadable, err)
		return nil
	}
	for _, name := range names {
		at := path.Join(rel, name)
		info, err := os.Stat(filepath.Join(w.root, filepath.FromSlash(at)))
		if err != nil {
			w.noteMissing(at, err)
			continue
		}
		if w.leaves(at, info.IsDir()) {
			continue
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

// base is the name of the folder rel.
func (w *walker) base(rel string) string {
	return filepath.Base(filepath.Join(w.root, filepath.FromSlash(rel)))
}

// noteMissing records why the entry at could not be read.
func (w *walker) noteMissing(at string, err error) {
	full := filepath.Join(w.root, filepath.FromSlash(at))
	if link, readErr := os.Readlink(full); readErr == nil && errors.Is(err, fs.ErrNotExist) {
		w.links = append(w.links, advice.Add(fmt.Errorf("%s is a link to %s, which does not exist", full, link), "remove the link, or mend it"))
		return
	}
	w.unreadable = append(w.unreadable, err)
}

var errTooMany = errors.New("too many files")

// names returns the entries of the folder rel that are not hidden.
func (w *walker) names(rel string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		return nil, err
	}
	if w.entries += len(entries); w.entries > maxEntries {
		return nil, fmt.Errorf("%w: %s holds more than %d", errTooMany, w.root, maxEntries)
	}
	var names []string
	for _, e := range entries {
		if !hidden(e.Name()) || e.IsDir() && isLeftFolder(e.Name(), w.base(rel)) {
			names = append(names, e.Name())
		}
	}
	if rel != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), ".nomedia") }) {
		w.tally.NoMedia++
		return nil, nil
	}
	slices.SortFunc(names, natural.Compare)
	return names, nil
}

// hidden reports whether name is a hidden file, or one that operating systems create.
func hidden(name string) bool {
	switch strings.ToLower(name) {
	case "thumbs.db", "desktop.ini", "__macosx":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// divide separates the images from the other files, and finds the foreign images.
func (w *walker) divide() (images, others []string) {
	w.foreign = nil
	for _, f := range w.files {
		image, other := kindOf(filepath.Join(w.root, filepath.FromSlash(f)))
		switch {
		case image:
			images = append(images, f)
		case other != nil:
			w.foreign = append(w.foreign, foreignFile{f, *other})
		default:
			others = append(others, f)
		}
	}
	return images, others
}

// kindOf reports whether the file at path is an image of a format that can be read, or
// returns the foreign format of the image; nil for other files.
func kindOf(path string) (image bool, other *format) {
	ext := strings.ToLower(filepath.Ext(path))
	if slices.Contains(extensions, ext) {
		return true, nil
	}
	if slices.Contains(otherExtensions, ext) || slices.Contains(videoExtensions, ext) || slices.Contains(sidecarExtensions, ext) {
		return false, nil
	}
	for i, f := range foreign {
		if slices.Contains(f.extensions, ext) {
			return false, &foreign[i]
		}
	}
	file, _, err := regular.Open(path)
	if err != nil {
		return false, nil
	}
	defer file.Close()
	head := make([]byte, 512)
	n, _ := file.Read(head)
	head = head[:n]
	for i, f := range foreign {
		if len(head) >= 12 && f.matches(head) {
			return false, &foreign[i]
		}
	}
	return looksLikeImage(head), nil
}

// otherExtensions are extensions of files that are no images. Extended Yale B has
// damaged images with the extension .bad.
var otherExtensions = []string{
	".txt", ".md", ".rst", ".csv", ".tsv", ".yaml", ".yml", ".html", ".htm",
	".pdf", ".doc", ".docx", ".names", ".info", ".bad", ".ini", ".log", ".db", ".mat", ".npz", ".npy",
	".zip", ".gz", ".tar", ".tgz", ".7z", ".rar", ".py", ".m", ".sh", ".pts", ".eye",
}

// looksLikeImage reports whether head is the beginning of an image. For PNM the first two
// letters are not enough: a text may begin with "P1".
func looksLikeImage(head []byte) bool {
	f, err := formatOf(head)
	if err == nil && f.name == "PNM" {
		_, err = pnmHeader(head)
	}
	return err == nil
}

// Text returns path with bytes that are not UTF-8 written as \xff, so that it
// can be stored in a text file. It still identifies the file.
func Text(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, path[i])
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}
