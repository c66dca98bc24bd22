package dataset

import (
	"crypto/sha256"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

// Skipped counts the files in a folder of a telephone or a camera that are not
// photographs, or are duplicates.
type Skipped struct {
	Videos     int // including those of live photographs
	Sidecars   int // files in which a program keeps data about a photograph
	Thumbnails int // folders of small copies, previews and caches
	Trash      int // folders of deleted files
	NoMedia    int // folders that a file .nomedia marks as holding no photographs
	Backups    int // files that an editor or exiftool left beside the file that it changed
	Patterns   int // files and folders that a pattern matches
	Duplicates int // files with equal bytes, after the first
	Links      int // broken links
	Others     int
	Foreign    string // images that cannot be read, by format: "2 AVIF files, 1 raw file"

	Copies map[string][]string // the paths of Duplicates, by that of the file that is kept
}

// String lists what was skipped: "2 videos, 1 duplicate; and 1 raw file that cannot be
// read: convert them to JPEG"; "" for nothing.
func (s Skipped) String() string {
	var list []string
	for _, one := range []struct {
		n    int
		what string
	}{
		{s.Videos, "video"},
		{s.Sidecars, "sidecar file"},
		{s.Thumbnails, "thumbnail folder"},
		{s.Trash, "deleted-files folder"},
		{s.NoMedia, ".nomedia folder"},
		{s.Backups, "backup file"},
		{s.Duplicates, "duplicate"},
		{s.Links, "broken link"},
		{s.Others, "other file"},
	} {
		if one.n > 0 {
			list = append(list, legible.Count(one.n, one.what))
		}
	}
	if s.Patterns > 0 {
		list = append(list, legible.Plural(s.Patterns, "match", "matches")+" of a pattern")
	}
	known := strings.Join(list, ", ")
	if s.Foreign == "" {
		return known
	}
	if known != "" { // which are not to be converted
		return known + "; and " + s.Foreign + " that cannot be read: convert them to JPEG"
	}
	return s.Foreign + " that cannot be read: convert them to JPEG"
}

// Extensions of files that lie beside photographs, lower case.
var (
	videoExtensions = []string{
		".mov", ".mp4", ".m4v", ".avi", ".mkv", ".webm", ".3gp", ".3g2", ".mts", ".m2ts", ".mpg", ".mpeg", ".wmv", ".lrv", ".insv",
	}
	sidecarExtensions = []string{".aae", ".xmp", ".json", ".xml", ".thm", ".pp3", ".dop"}
)

// skipped counts others, the files that are no images, the folders of thumbnails, broken
// links and images that cannot be read.
func (w *walker) skipped(others []string) Skipped {
	s := w.tally
	s.Links, s.Foreign = len(w.links), strings.Join(w.foreignCounts(), ", ")
	for _, f := range others {
		switch ext := strings.ToLower(filepath.Ext(f)); {
		case slices.Contains(videoExtensions, ext):
			s.Videos++
		case slices.Contains(sidecarExtensions, ext):
			s.Sidecars++
		default:
			s.Others++
		}
	}
	return s
}

// Names of folders, lower case, that synchronisation, network drives, telephones and photo
// programs make for themselves.
var (
	thumbnailFolders = []string{".thumbnails", ".thumbs", "thumbnails", "thumbs", "@eadir", ".picasaoriginals", ".@__thumb"}
	deletedFolders   = []string{
		"#recycle", "@recycle", "@recently-snapshot", "$recycle.bin", "recycler", "lost+found", "lost.dir", ".trash", ".trashes", ".dtrash",
		".recycle", "_recycle", "files_trashbin", "files_versions", ".stversions",
	}
	// What lies directly in a library of Photos, iPhoto or Aperture and holds no originals.
	libraries     = []string{".photoslibrary", ".photolibrary", ".aplibrary", ".migratedphotolibrary"}
	libraryCaches = []string{
		"resources", "database", "private", "internal", "scopes", "previews", "thumbnails", "thumbs", "data", "data.noindex", "faces",
		"attachments", "caches",
	}
	backupEndings = []string{"~", "_original", ".bak", ".orig", ".tmp", ".part", ".crdownload"}
)

// isLeftFolder reports whether a folder of this name, in a folder named parent, is one of
// thumbnails or of deleted files.
func isLeftFolder(name, parent string) bool { return isThumbnails(name, parent) || isDeleted(name) }

func isDeleted(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(deletedFolders, name) || strings.HasPrefix(name, ".trash-")
}

func isThumbnails(name, parent string) bool {
	name = strings.ToLower(name)
	return slices.Contains(thumbnailFolders, name) || filepath.Ext(name) == ".lrdata" ||
		slices.Contains(libraryCaches, name) && slices.Contains(libraries, strings.ToLower(filepath.Ext(parent)))
}

// leaves reports whether the entry at the relative path at is left out for its name, and
// counts it.
func (w *walker) leaves(at string, folder bool) bool {
	name := path.Base(at)
	ending := func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) }
	switch {
	case folder && isDeleted(name):
		w.tally.Trash++
	case folder && isThumbnails(name, w.base(path.Dir(at))):
		w.tally.Thumbnails++
	case !folder && slices.ContainsFunc(backupEndings, ending):
		w.tally.Backups++
	case w.matches(at):
		w.tally.Patterns++
	default:
		return false
	}
	return true
}

// matches reports whether a pattern matches the relative path at or its last part.
func (w *walker) matches(at string) bool {
	at = strings.ToLower(at)
	return slices.ContainsFunc(w.skip, func(pattern string) bool {
		whole, _ := path.Match(pattern, at) // walk checked the pattern
		last, _ := path.Match(pattern, path.Base(at))
		return whole || last
	})
}

// unique returns files without duplicates, and these by the file that is kept. Of files with equal bytes it keeps the one
// with the shortest name, at the position of the first. Only files of equal size are
// read. A file that cannot be read is kept, so that a later step reports the error.
func unique(files []string) (first []string, copies map[string][]string) {
	sizes := make(map[int64]int)
	size := make([]int64, len(files))
	for i, f := range files {
		size[i] = -1
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() && info.Size() <= maxFileBytes {
			size[i] = info.Size()
			sizes[size[i]]++
		}
	}
	place := make(map[[sha256.Size]byte]int)
	groups := make(map[int][]string) // by place, of several files
	for i, f := range files {
		if size[i] >= 0 && sizes[size[i]] > 1 {
			if data, err := ReadFile(f); err == nil {
				sum := sha256.Sum256(data)
				if at, seen := place[sum]; seen {
					if groups[at] == nil {
						groups[at] = []string{first[at]}
					}
					groups[at] = append(groups[at], f)
					if len(f) < len(first[at]) {
						first[at] = f
					}
					continue
				}
				place[sum] = len(first)
			}
		}
		first = append(first, f)
	}
	copies = make(map[string][]string, len(groups))
	for at, all := range groups {
		copies[first[at]] = slices.DeleteFunc(all, func(f string) bool { return f == first[at] })
	}
	return first, copies
}
