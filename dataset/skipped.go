package dataset

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

// Skipped counts the files in a folder of photographs, as a telephone or a camera
// leaves it, that are no photographs or the same photograph once more.
type Skipped struct {
	Videos     int // also those of live photographs
	Sidecars   int // files with notes of an editor or a cloud on a photograph
	Thumbnails int // folders
	Duplicates int // files with equal bytes, after the first
	Links      int // that lead nowhere
	Others     int
	Foreign    string // images that cannot be read, by format: "2 AVIF files, 1 raw file"
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

// thumbnailFolder reports whether programs keep small copies of photographs in a
// folder of this name.
func thumbnailFolder(name string) bool {
	switch strings.ToLower(name) {
	case ".thumbnails", ".thumbs", "thumbnails", "@eadir", ".picasaoriginals", ".@__thumb", "lost.dir":
		return true
	}
	return false
}

// unique returns one of those files whose bytes are equal, that with the shortest
// name, in place of the first. Only files of one size are read. What cannot be read
// stays, for its error.
func unique(files []string) []string {
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
	var first []string
	for i, f := range files {
		if size[i] >= 0 && sizes[size[i]] > 1 {
			if data, err := ReadFile(f); err == nil {
				sum := sha256.Sum256(data)
				if at, seen := place[sum]; seen {
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
	return first
}
