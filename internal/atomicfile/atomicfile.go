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
	p, err := Prepare(ctx, path, fill)
	if err != nil {
		return 0, err
	}
	defer p.Discard()
	return p.Size, p.Commit()
}

// A Pending file is written and not yet in its place.
type Pending struct {
	Size         int64 // bytes
	path, target string
	temp         string // "" where it was written to its place, which is not a regular file, or has been moved there
}

// Prepare is Write but for the last step, Commit: where several files belong
// together, prepare all, then commit all. The caller calls Discard in the end.
func Prepare(ctx context.Context, path string, fill func(io.Writer) error) (*Pending, error) {
	target, mode, err := place(path)
	if err != nil {
		return nil, err
	}
	if !mode.IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, Error(path, err)
		}
		size, err := pour(f, path, fill)
		return &Pending{Size: size}, err
	}
	f, err := createBeside(target, mode)
	if err != nil {
		return nil, Error(path, err)
	}
	p := &Pending{path: path, target: target, temp: f.Name()}
	p.Size, err = pour(f, path, func(w io.Writer) error {
		if err := fill(w); err != nil {
			return err
		}
		return context.Cause(ctx)
	})
	if err != nil {
		p.Discard()
		return nil, err
	}
	return p, nil
}

// Commit moves p into its place.
func (p *Pending) Commit() error {
	if p.temp == "" {
		return nil
	}
	if err := os.Rename(p.temp, p.target); err != nil {
		return Error(p.path, err)
	}
	p.temp = ""
	return nil
}

// Discard removes p unless it was committed.
func (p *Pending) Discard() {
	if p.temp != "" {
		_ = os.Remove(p.temp)
		p.temp = ""
	}
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
