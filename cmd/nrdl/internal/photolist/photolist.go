// Package photolist lists the image files that a command line names: files,
// folders, and lists on standard input.
package photolist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/linkdir"
)

// StandardInput is the path that stands for a list of paths on standard input.
const StandardInput = "-"

// A Source is an image file that the command reads.
type Source struct {
	Path     string // "" for something in a folder that is no file to read
	Relative string // its path below a folder of copies
	Folder   string // in which it was found, and from which it may vanish; "" if it is named by the command line
	Err      error  // why it cannot be read, where that is known

	Copies []string // paths of files in the folder with equal bytes, which are no sources of their own
}

// Rules say how folders are read.
type Rules struct {
	// Outputs maps the names of flags to the folders in which the command writes, "" for none.
	// They must lie outside the folders that it reads: otherwise it would read its own files.
	Outputs map[string]string
	// Skip are patterns of what is left out: dataset.Options.Skip.
	Skip []string
}

// Outside returns an error if an output lies in the folder at path.
func (r Rules) Outside(path string) error {
	for flag, dir := range r.Outputs {
		if dir != "" && linkdir.Within(dir, path) {
			return advice.Add(fmt.Errorf("--%s %s lies in %s, from which images are read", flag, dir, path), "choose a folder beside it")
		}
	}
	return nil
}

// Of returns the images at paths, but not those listed on StandardInput. Several says that
// more images will come from elsewhere. Tell reports the files that are left out of each
// folder. It is an error if an output lies in one of the folders.
func (r Rules) Of(paths []string, several bool, tell func(format string, args ...any)) ([]Source, error) {
	var all []Source
	for _, path := range paths {
		if path == StandardInput {
			continue
		}
		if err := r.Outside(path); err != nil {
			return nil, err
		}
		all = append(all, r.at(path, several || len(paths) > 1, tell)...)
	}
	return all, nil
}

// ErrNone is the error of a folder without images.
var ErrNone = errors.New("holds no images")

// at returns the image at path, or the images in the folder at path, one
// of several things that are asked for.
func (r Rules) at(path string, several bool, tell func(format string, args ...any)) []Source {
	path = dataset.Spelled(path)
	found, skipped, err := dataset.Photographs(path, r.Skip...)
	if s := skipped.String(); s != "" {
		tell("%s: skipped %s", path, s)
	}
	if errors.Is(err, fs.ErrNotExist) && advice.Text(err) == "" {
		err = advice.Add(err, "name an image file, or a folder of images")
	}
	if info, failed := os.Stat(path); failed != nil || !info.IsDir() {
		return []Source{{Path: path, Relative: placeBelow("", path, false), Err: err}}
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s %w", path, ErrNone)
	}
	var all []Source
	for _, one := range dataset.Joined(err) {
		all = append(all, Source{Err: one})
	}
	for _, s := range In(path, found, several) {
		s.Copies = skipped.Copies[s.Path]
		all = append(all, s)
	}
	return all
}

// In returns sources for the images at paths, which were found in folder. Several says that
// other folders are read too.
func In(folder string, paths []string, several bool) []Source {
	all := make([]Source, len(paths))
	for j, path := range paths {
		all[j] = Source{Path: path, Relative: placeBelow(folder, path, several), Folder: folder}
	}
	return all
}

// placeBelow is where the image at path, found in folder unless that is "", is
// put in another folder: where it is in its folder, under the name of that where
// there are several. Images that are asked for by their names keep the whole
// path, as far as it does not lead out.
func placeBelow(folder, path string, several bool) string {
	rel := path
	if folder != "" {
		if r, err := filepath.Rel(folder, path); err == nil {
			rel = r
		}
		if base := filepath.Base(filepath.Clean(folder)); several {
			rel = filepath.Join(base, rel)
		}
	}
	rel = filepath.ToSlash(filepath.Clean(rel))
	rel = strings.TrimPrefix(rel, filepath.ToSlash(filepath.VolumeName(rel)))
	rel = strings.TrimLeft(rel, "/")
	for strings.HasPrefix(rel, "../") {
		rel = rel[len("../"):]
	}
	return filepath.FromSlash(rel)
}

// Listed yields first, and then the images at the paths in list, one path per line, as soon
// as each line arrives.
func (r Rules) Listed(ctx context.Context, first []Source, list io.Reader, tell func(format string, args ...any)) iter.Seq[Source] {
	lines := make(chan Source)
	go func() { // is left behind where nothing comes: a read cannot be interrupted
		defer close(lines)
		send := func(s Source) {
			select {
			case lines <- s:
			case <-ctx.Done():
			}
		}
		readPaths(ctx, list, send)
	}()
	return func(yield func(Source) bool) {
		for _, s := range first {
			if !yield(s) {
				return
			}
		}
		for {
			var line Source
			select {
			case <-ctx.Done():
				return
			case s, more := <-lines:
				if !more {
					return
				}
				line = s
			}
			for _, s := range r.expanded(line, tell) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// readPaths sends the paths that list has, a line each, and at last the error
// that ended it.
func readPaths(ctx context.Context, list io.Reader, send func(Source)) {
	scan, line, listed := bufio.NewScanner(list), 1, false
	for ; scan.Scan() && ctx.Err() == nil; line++ {
		if path := strings.TrimSuffix(scan.Text(), "\r"); path != "" {
			listed = true
			send(Source{Path: path})
		}
	}
	err := scan.Err()
	if err == nil && !listed && ctx.Err() == nil {
		send(Source{Err: advice.Add(errors.New("the list of images on standard input is empty"), "write the path of one image a line")})
	}
	if errors.Is(err, bufio.ErrTooLong) {
		err = advice.Add(fmt.Errorf("line %d is longer than %d bytes", line, bufio.MaxScanTokenSize), "write the path of one image a line")
	}
	if err != nil {
		send(Source{Err: fmt.Errorf("read the list of images: %w", err)})
	}
}

// expanded returns what a line of a list stands for.
func (r Rules) expanded(line Source, tell func(format string, args ...any)) []Source {
	if line.Err == nil {
		line.Err = r.Outside(line.Path)
	}
	if line.Err != nil {
		return []Source{line}
	}
	return r.at(line.Path, true, tell)
}
