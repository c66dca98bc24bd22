// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"nrdl/internal/hint"
)

// Write makes the file at path of what fill writes and returns its size.
// The file appears whole or not at all: it is written beside its place,
// synchronised, and renamed into it; after an error, or when ctx ends, whatever
// was at path is still there. A path that is not a regular file (a device, a
// pipe) is written to as it is.
func Write(ctx context.Context, path string, fill func(io.Writer) error) (int64, error) {
	target, mode, err := place(path)
	if err != nil {
		return 0, err
	}
	if !mode.IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return 0, Error(path, err)
		}
		return pour(f, path, fill)
	}
	f, err := createBeside(target, mode)
	if err != nil {
		return 0, Error(path, err)
	}
	defer os.Remove(f.Name()) // after the rename there is nothing of that name
	size, err := pour(f, path, func(w io.Writer) error {
		if err := fill(w); err != nil {
			return err
		}
		return context.Cause(ctx)
	})
	if err != nil {
		return 0, err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return 0, Error(path, err)
	}
	return size, nil
}

// Check reports now what would make Write fail later: call it
// before work that would be lost.
func Check(path string) error {
	target, mode, err := place(path)
	if err != nil || !mode.IsRegular() {
		return err
	}
	f, err := createBeside(target, mode)
	if err != nil {
		return Error(path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// place follows links from path to the file to write and returns its mode, 0
// where there is none yet.
func place(path string) (string, fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, 0, nil
	case err != nil:
		return "", 0, Error(path, err)
	case info.IsDir():
		return "", 0, fmt.Errorf("write %s: is a folder", path)
	case !info.Mode().IsRegular():
		return path, info.Mode(), nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0) // a read-only file is not to be replaced
	if err != nil {
		return "", 0, Error(path, err)
	}
	f.Close()
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", 0, Error(path, err)
	}
	return target, info.Mode(), nil
}

// createBeside makes a new file in the folder of path, whose mode it gets,
// unless that is 0.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	for {
		name := fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err == nil && mode != 0:
			_ = f.Chmod(mode.Perm()) // not every file system has modes
		}
		return f, err
	}
}

// pour fills f, the file behind path, and closes it.
func pour(f *os.File, path string, fill func(io.Writer) error) (int64, error) {
	counted := &counter{w: f}
	w := bufio.NewWriterSize(counted, 1<<20)
	err := fill(w)
	if err == nil {
		err = w.Flush()
	}
	if info, statErr := f.Stat(); err == nil && statErr == nil && info.Mode().IsRegular() {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return counted.n, Error(path, err)
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Error says that path could not be written, and why: it names the file that
// the user asked for, not a temporary one.
func Error(path string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	if l := (*os.LinkError)(nil); errors.As(err, &l) {
		err = l.Err
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return hint.Add(fmt.Errorf("write %s: %w", path, err), "make the folder first: mkdir -p %s", filepath.Dir(path))
	}
	return fmt.Errorf("write %s: %w", path, err)
}
