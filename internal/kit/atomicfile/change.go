package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/regular"
)

// ErrChanged is the error of Change if another program has changed the file meanwhile.
var ErrChanged = advice.Add(errors.New("another program changed it meanwhile: it is left as it is"), "run the command again")

// ErrOutside is the error of Change if a link leads out of the folder.
var ErrOutside = errors.New("a link leads out of the folder")

// A Change is what Change does to the file at Path.
type Change struct {
	Path     string
	Old      []byte // its content; nil if there is no file
	New      []byte
	Original string // the file whose owner, group and mode a new file gets; "" for those of this process
	// the folder that the file has to lie in, also where links lead; "" for any that is there, and for the
	// folder of Path where none is
	Folder string
}

// Change writes c.New in the place of c.Old: if the file has another content by then, it stays, and the
// error wraps ErrChanged. The file keeps its owner, group, mode and extended attributes; lost are those
// that the system does not let it keep.
func (w *Writer) Change(ctx context.Context, c Change) (lost []string, err error) {
	if c.Folder == "" && c.Old == nil { // a link to no file
		c.Folder = filepath.Dir(c.Path)
	}
	if err := Inside(c.Path, c.Folder); err != nil {
		return nil, err
	}
	p, err := w.Prepare(ctx, c.Path, func(to io.Writer) error { _, err := to.Write(c.New); return err })
	if err != nil {
		return nil, err
	}
	defer p.Discard()
	if c.Old != nil {
		if now, err := regular.ReadFile(p.target, int64(len(c.Old))); err != nil || !bytes.Equal(now, c.Old) {
			return nil, fmt.Errorf("write %s: %w", c.Path, ErrChanged)
		}
		return p.Losses, p.Commit()
	}
	if like, err := os.Stat(c.Original); c.Original != "" && err == nil {
		lost = own(p.temp.File, like)
		_ = p.temp.Chmod(like.Mode().Perm() &^ 0o111)
	}
	return lost, p.commitNew()
}

// commitNew is Commit if there is no file yet.
func (p *Pending) commitNew() error {
	err := os.Link(p.temp.Name(), p.target)
	switch {
	case err == nil:
		p.Discard()
		return nil
	case errors.Is(err, fs.ErrExist) || !missing(p.target):
		return fmt.Errorf("write %s: %w", p.path, ErrChanged)
	}
	return p.Commit() // a file system without links
}

// Inside returns an error that wraps ErrOutside if the file at path, or the file that a link there would
// make, does not lie in folder; "" is any.
func Inside(path, folder string) error {
	if folder == "" {
		return nil
	}
	target, err := follow(path)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(target))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return Error(path, err)
	}
	if rel, err := filepath.Rel(folder, dir); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("write %s: %w %s: to %s", path, ErrOutside, folder, dir)
	}
	return nil
}
