package people

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/internal/kit/regular"
)

// rescan is the time after which the folder of originals is looked through again.
const rescan = 5 * time.Minute

// originals are the photographs in Options.Photos, which are only read. Root keeps every path, and
// every link, within the folder.
type originals struct {
	root  *os.Root
	limit int64 // bytes of a photograph that is read at once

	mu        sync.Mutex
	files     map[string]original // by SHA-256
	originals map[string]original // by path
}

// An original is a photograph in the folder.
type original struct {
	path    string
	digests []string
	size    int64
	modTime time.Time
	date    time.Time // zero if EXIF does not tell
}

// WatchOriginals keeps what is known of the folder of originals up to date until ctx ends.
func (v *Service) WatchOriginals(ctx context.Context) {
	if v.Photos == "" {
		return
	}
	root, err := os.OpenRoot(v.Photos)
	if err != nil {
		v.Log.Error("the folder of photographs cannot be read", "error", err.Error())
		return
	}
	defer root.Close()
	v.originals.mu.Lock()
	v.originals.root, v.originals.limit = root, v.Import
	v.originals.mu.Unlock()
	for ctx.Err() == nil {
		start := time.Now()
		n, err := v.originals.scan(ctx)
		if err != nil && ctx.Err() == nil {
			v.Log.Error("the folder of photographs cannot be read", "error", err.Error())
		}
		v.Log.Debug("photographs", "files", n, "ms", time.Since(start).Milliseconds())
		Pause(ctx, rescan, nil)
	}
	v.originals.mu.Lock()
	v.originals.root = nil
	v.originals.mu.Unlock()
}

// scan looks through the folder, and returns the number of photographs. What is new is there at
// once, what is gone goes at the end.
func (o *originals) scan(ctx context.Context) (n int, err error) {
	there := map[string]bool{}
	err = eachImage(ctx, o.root, func(path string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return nil
		}
		there[path] = true
		o.mu.Lock()
		was, ok := o.originals[path]
		o.mu.Unlock()
		if ok && was.size == info.Size() && was.modTime.Equal(info.ModTime()) {
			return nil
		}
		f, err := o.examine(ctx, path)
		if err != nil {
			delete(there, path)
			return nil
		}
		o.keep(f)
		return nil
	})
	if err != nil {
		return len(there), err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.files)
	for path, f := range o.originals {
		if !there[path] {
			delete(o.originals, path)
			continue
		}
		for _, sum := range f.digests {
			o.files[sum] = f
		}
	}
	return len(there), nil
}

// keep keeps what is known of a photograph.
func (o *originals) keep(f original) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files == nil {
		o.files, o.originals = map[string]original{}, map[string]original{}
	}
	o.originals[f.path] = f
	for _, sum := range f.digests {
		o.files[sum] = f
	}
}

// eachImage calls do with each photograph in root, by name. A folder that cannot be read hides no other.
func eachImage(ctx context.Context, root *os.Root, do func(path string, d fs.DirEntry) error) error {
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !d.Type().IsRegular() || !dataset.IsImage(d.Name()) {
			return nil
		}
		return do(path, d)
	})
}

// A Folder is that of the originals. The caller closes Root.
type Folder struct {
	Root  *os.Root
	Paths []string // of the photographs in Root, by name; hidden files and folders are left out
	limit int64    // bytes
}

// OpenFolder lists the photographs in the folder of the originals of o.
func OpenFolder(ctx context.Context, o Options) (*Folder, error) {
	if o.Photos == "" {
		return nil, Invalid("the service has no folder of photographs")
	}
	root, err := os.OpenRoot(o.Photos)
	if err != nil {
		return nil, err
	}
	f := &Folder{Root: root, limit: o.Import}
	err = eachImage(ctx, root, func(path string, _ fs.DirEntry) error {
		if !strings.HasPrefix(path, ".") && !strings.Contains(path, "/.") {
			f.Paths = append(f.Paths, path)
		}
		return nil
	})
	if err != nil {
		root.Close()
		return nil, err
	}
	return f, nil
}

// Read returns the content of a photograph, or why it cannot be read.
func (f *Folder) Read(path string) (data []byte, why string) {
	file, info, err := regular.OpenIn(f.Root, path)
	if err != nil {
		return nil, err.Error()
	}
	defer file.Close()
	if info.Size() > f.limit {
		return nil, fmt.Sprintf("the file has more than %d bytes", f.limit)
	}
	if data, err = io.ReadAll(file); err != nil {
		return nil, err.Error()
	}
	return data, ""
}

// examine reads the photograph at path.
func (o *originals) examine(ctx context.Context, path string) (original, error) {
	f, info, err := regular.OpenIn(o.root, path) // what was listed as a file may be a pipe by now
	if err != nil {
		return original{}, err
	}
	defer f.Close()
	found := original{path: path, size: info.Size(), modTime: info.ModTime()}
	sum, buffer := sha256.New(), make([]byte, 1<<20)
	for {
		n, err := f.Read(buffer)
		sum.Write(buffer[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return original{}, err
		}
	}
	found.digests = []string{hex.EncodeToString(sum.Sum(nil))}
	h, err := metadata.Read(f, found.size)
	if err != nil {
		return found, nil
	}
	found.date = h.Taken
	if slices.ContainsFunc(h.XMP, func(packet []byte) bool { return bytes.Contains(packet, []byte(metadata.Ours)) }) && found.size <= o.limit {
		data, err := io.ReadAll(io.NewSectionReader(f, 0, found.size))
		if err != nil {
			return original{}, err
		}
		found.digests = Digests(data)
	}
	return found, nil
}

// of returns what is known of the photograph with this SHA-256.
func (o *originals) of(sha256 string) (original, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f, ok := o.files[sha256]
	return f, ok
}

var errNoOriginal = &Failure{
	Status: http.StatusNotFound, Code: "no_original",
	Text: "the photograph is not in the folder of --photos, or the service has none",
}

// open opens the photograph with this SHA-256. A file that has changed since it was examined may be
// another photograph, and is examined again.
func (o *originals) open(ctx context.Context, sha256 string) (*os.File, original, error) {
	f, ok := o.of(sha256)
	o.mu.Lock()
	root := o.root
	o.mu.Unlock()
	if !ok || root == nil {
		return nil, f, errNoOriginal
	}
	for changed := false; ; changed = true {
		file, info, err := regular.OpenIn(root, f.path)
		if err != nil {
			return nil, f, errNoOriginal
		}
		if info.Size() == f.size && info.ModTime().Equal(f.modTime) {
			return file, f, nil
		}
		file.Close()
		if changed {
			return nil, f, errNoOriginal
		}
		if f, err = o.examine(ctx, f.path); err != nil || !slices.Contains(f.digests, sha256) {
			return nil, f, errNoOriginal
		}
		o.keep(f)
	}
}

// A ShownIn is a photograph with a face of a person.
type ShownIn struct {
	ID       string        `json:"id"`
	Size     *results.Size `json:"size,omitempty" doc:"Of the upright photograph; missing for an aligned crop"`
	Taken    string        `json:"taken,omitempty" doc:"When it was taken, by the clock of the camera: 2006-01-02T15:04:05. Missing if EXIF does not tell, or without the original"`
	Added    time.Time     `json:"added"`
	Original bool          `json:"original" doc:"The service has the file, in the folder that its operator allows"`
	Faces    []StoredFace  `json:"faces" doc:"The faces in it that are in the collection, also those of others"`
}

// Photographs returns the photographs of a person, by date.
func (v *Service) Photographs(ctx context.Context, collection, person string) ([]*ShownIn, error) {
	photos, faces, err := v.store.PhotosOf(ctx, collection, person)
	if err != nil {
		return nil, err
	}
	byID, byHash := map[string]*ShownIn{}, map[string]*ShownIn{}
	var all []*ShownIn
	for _, p := range photos {
		s := byHash[p.SHA256] // one that was added twice
		if s == nil {
			s = &ShownIn{ID: p.ID, Added: p.Created, Faces: []StoredFace{}}
			if p.Width > 0 {
				s.Size = &results.Size{Width: p.Width, Height: p.Height}
			}
			f, ok := v.originals.of(p.SHA256)
			if s.Original = ok; ok && !f.date.IsZero() {
				s.Taken = f.date.Format(results.TakenLayout)
			}
			byHash[p.SHA256] = s
			all = append(all, s)
		}
		byID[p.ID] = s
	}
	for _, f := range faces {
		if s := byID[f.Photo]; s != nil {
			s.Faces = append(s.Faces, FaceResponse(f))
		}
	}
	slices.SortFunc(all, func(a, b *ShownIn) int {
		date := func(s *ShownIn) string { return cmp.Or(s.Taken, s.Added.UTC().Format(results.TakenLayout)) }
		return cmp.Or(strings.Compare(date(a), date(b)), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// An Original is the file of a photograph. The caller closes it.
type Original struct {
	*os.File
	Kind    string // of its content, such as image/jpeg
	Changed time.Time
	size    int64
}

// Original opens the original of a photograph.
func (v *Service) Original(ctx context.Context, collection, photo string) (*Original, error) {
	p, err := v.store.Photo(ctx, collection, photo)
	if err != nil {
		return nil, err
	}
	file, f, err := v.originals.open(ctx, p.SHA256)
	if err != nil {
		return nil, err
	}
	o := &Original{file, "application/octet-stream", f.modTime, f.size}
	if h, err := metadata.Read(file, f.size); err == nil && h.Kind != "" {
		o.Kind = map[string]string{
			"JPEG": "image/jpeg", "PNG": "image/png", "WebP": "image/webp",
			"TIFF": "image/tiff", "HEIF": "image/heic",
		}[h.Kind]
	}
	return o, nil
}

// thumbnailSide is the largest side of a small copy.
const thumbnailSide = 320

// Thumbnail returns a small copy of a photograph.
func (v *Service) Thumbnail(ctx context.Context, collection, photo string) (small image.Image, err error) {
	file, err := v.Original(ctx, collection, photo)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.size > v.Import {
		f := Invalid("the original has more than %d bytes: start the service with a larger --max-import", v.Import)
		f.Code = "image_too_large"
		return nil, f
	}
	data, err := io.ReadAll(io.NewSectionReader(file, 0, file.size))
	if err != nil {
		return nil, err
	}
	err = v.Memory.Decoded(ctx, func() error {
		photo, err := dataset.DecodeColour(ctx, data, "photo")
		if err == nil {
			small = face.Reduced(photo, thumbnailSide)
		}
		return err
	}, data)
	return small, err
}
