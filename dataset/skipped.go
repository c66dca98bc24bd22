package dataset

import (
	"crypto/sha256"
	"os"
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
	Thumbnails int // folders
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
		{s.Duplicates, "duplicate"},
		{s.Links, "broken link"},
		{s.Others, "other file"},
	} {
		if one.n > 0 {
			list = append(list, legible.Count(one.n, one.what))
		}
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
	s := Skipped{Thumbnails: w.thumbnails, Links: len(w.links), Foreign: strings.Join(w.foreignCounts(), ", ")}
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

// thumbnailFolder reports whether a folder of this name has small copies of photographs.
func thumbnailFolder(name string) bool {
	switch strings.ToLower(name) {
	case ".thumbnails", ".thumbs", "thumbnails", "@eadir", ".picasaoriginals", ".@__thumb", "lost.dir":
		return true
	}
	return false
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
