package main

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

	"nrdl/dataset"
	"nrdl/internal/cli"
	"nrdl/internal/hint"
	"nrdl/internal/linkdir"
)

// standardInput is the path that stands for a list of paths on standard input.
const standardInput = "-"

// A source is an image file to look at.
type source struct {
	path  string // "" for something in a folder that is no file to read
	below string // its place in the folder of --draw
	found bool   // in a folder, from which it may vanish, and not asked for by its name
	err   error  // why it cannot be read, where that is known
}

// list returns the images at paths but for standardInput.
func (i *identification) list(paths []string) ([]source, error) {
	var all []source
	several := len(paths) > 1 || i.watched != ""
	for _, path := range paths {
		if path == standardInput {
			continue
		}
		if err := i.outside(path); err != nil {
			return nil, err
		}
		all = append(all, sourcesAt(path, several)...)
	}
	return all, nil
}

// sourcesAt returns the image at path, or the images in the folder at path, one
// of several things that are asked for.
func sourcesAt(path string, several bool) []source {
	found, err := dataset.ImageFiles(path)
	if info, failed := os.Stat(path); failed != nil || !info.IsDir() {
		return []source{{path: path, below: placeBelow("", path, false), err: err}}
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s holds no images", path)
	}
	var all []source
	for _, one := range dataset.Joined(err) {
		all = append(all, source{err: one})
	}
	return append(all, sourcesIn(path, found, several)...)
}

// sourcesIn are the images at paths in folder, one of several that are read.
func sourcesIn(folder string, paths []string, several bool) []source {
	all := make([]source, len(paths))
	for j, path := range paths {
		all[j] = source{path: path, below: placeBelow(folder, path, several), found: true}
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

// listed yields first, and then the images at the paths that list has, a line
// each, as they come.
func (i *identification) listed(ctx context.Context, first []source, list io.Reader) iter.Seq[source] {
	lines := make(chan source)
	go func() { // is left behind where nothing comes: a read cannot be interrupted
		defer close(lines)
		send := func(s source) {
			select {
			case lines <- s:
			case <-ctx.Done():
			}
		}
		readPaths(ctx, list, send)
	}()
	return func(yield func(source) bool) {
		for _, s := range first {
			if !yield(s) {
				return
			}
		}
		for {
			var line source
			select {
			case <-ctx.Done():
				return
			case s, more := <-lines:
				if !more {
					return
				}
				line = s
			}
			for _, s := range i.expanded(line) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// readPaths sends the paths that list has, a line each, and at last the error
// that ended it.
func readPaths(ctx context.Context, list io.Reader, send func(source)) {
	scan, line := bufio.NewScanner(list), 1
	for ; scan.Scan() && ctx.Err() == nil; line++ {
		if path := strings.TrimSuffix(scan.Text(), "\r"); path != "" {
			send(source{path: path})
		}
	}
	err := scan.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = hint.Add(fmt.Errorf("line %d is longer than %d bytes", line, bufio.MaxScanTokenSize), "write the path of one image a line")
	}
	if err != nil {
		send(source{err: fmt.Errorf("read the list of images: %w", err)})
	}
}

// expanded returns what a line of a list stands for.
func (i *identification) expanded(line source) []source {
	if line.err == nil {
		line.err = i.outside(line.path)
	}
	if line.err != nil {
		return []source{line}
	}
	return sourcesAt(line.path, true)
}

// outside is an error if photographs of the folder at path would be written into
// it: they would be read again.
func (i *identification) outside(path string) error {
	for flag, dir := range map[string]string{"draw": i.draw, "sort": i.sort} {
		if dir != "" && linkdir.Within(dir, path) {
			return cli.AsMisuse(hint.Add(fmt.Errorf("--%s %s lies in %s, from which images are read", flag, dir, path), "choose a folder beside it"))
		}
	}
	return nil
}

// mayWatch is an error if the folder cannot be watched.
func (i *identification) mayWatch() error {
	info, err := os.Stat(i.watched)
	switch {
	case err != nil:
		return fmt.Errorf("watch: %w", err)
	case !info.IsDir():
		return fmt.Errorf("watch: %s is no folder", i.watched)
	}
	return i.outside(i.watched)
}

// readable adds what to do about a file without permission.
func readable(err error) error {
	if errors.Is(err, fs.ErrPermission) && hint.Of(err) == "" {
		return hint.Add(err, "make it readable")
	}
	return err
}
