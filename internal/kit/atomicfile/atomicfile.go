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
	"regexp"
	"runtime"
	"sync"
	"syscall"

	"github.com/gofrs/flock"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Write writes the file at path with the content that fill writes, and returns its size in bytes.
// It writes a temporary file in the same folder, synchronises it with the disk and renames it to
// path. So the file is complete or not there; after an error, or when ctx ends, path has its old
// content. A file that is replaced keeps its owner, group, mode and extended attributes where the system
// lets it. If path is a link, its target is written. A device or a pipe is written directly. Write
// also removes temporary files of processes that have ended from the folder.
func Write(ctx context.Context, path string, fill func(io.Writer) error) (int64, error) {
	return given().Write(ctx, path, fill)
}

// A Writer writes many files. It looks for temporary files of processes that have ended only once
// in each folder, since that takes long in a large folder. The zero value is ready to use. It is
// safe for concurrent use.
type Writer struct {
	Devices   bool // devices and pipes are written too; else they are refused, as where a program derives names
	Renewable bool // the files can be made again: they are not synchronised, and a loss of power may leave one that is not whole

	folders sync.Map // folder → *sync.Once
}

// given is a Writer of a file that a person names.
func given() *Writer { return &Writer{Devices: true} }

// Write does what the function Write does.
func (w *Writer) Write(ctx context.Context, path string, fill func(io.Writer) error) (int64, error) {
	p, err := w.Prepare(ctx, path, fill)
	if err != nil {
		return 0, err
	}
	defer p.Discard()
	return p.Size, p.Commit()
}

// Replace replaces the content of the file at path, which has to exist, and returns its size. It
// writes the old content to the file backup, unless that is "". After an error the file has its old
// content.
func Replace(ctx context.Context, path, backup string, fill func(io.Writer) error) (int64, error) {
	p, err := Prepare(ctx, path, fill)
	if err != nil {
		return 0, err
	}
	defer p.Discard()
	if backup != "" {
		if err := Copy(ctx, path, backup); err != nil {
			return 0, err
		}
	}
	return p.Size, p.Commit()
}

// Copy writes the content of the file at path to the file at to, whose name a program derives: it is
// no device and no pipe.
func Copy(ctx context.Context, path, to string) error {
	_, err := new(Writer).Write(ctx, to, Content(path))
	return err
}

// Content returns a function that writes the content of the regular file at path.
func Content(path string) func(io.Writer) error {
	return func(w io.Writer) error {
		f, _, err := regular.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	}
}

// A Pending is a temporary file with the content of a file.
type Pending struct {
	Size         int64    // bytes
	Losses       []string // what the system does not let the file keep: its owner, its group, extended attributes
	path, target string
	temp         *temp // nil after Commit, and for devices and pipes
}

// Prepare is Write without the last step, the renaming, which Commit does. To write several files
// together, prepare all of them, then commit all. The caller calls Discard in the end.
func Prepare(ctx context.Context, path string, fill func(io.Writer) error) (*Pending, error) {
	return given().Prepare(ctx, path, fill)
}

// Prepare does what the function Prepare does.
func (w *Writer) Prepare(ctx context.Context, path string, fill func(io.Writer) error) (*Pending, error) {
	target, old, err := w.place(path)
	if err != nil {
		return nil, err
	}
	if old != nil && !old.Mode().IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, Error(path, err)
		}
		size, err := pour(f, fill)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return &Pending{Size: size}, Error(path, err)
	}
	f, err := w.createTemp(filepath.Dir(target))
	if err != nil {
		return nil, Error(path, err)
	}
	p := &Pending{path: path, target: target, temp: f}
	if old != nil {
		p.Losses = keep(f.File, target, old)
	}
	p.Size, err = pour(f.File, fill)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil && !w.Renewable {
		err = f.Sync()
	}
	if err != nil {
		p.Discard()
		return nil, Error(path, err)
	}
	return p, nil
}

// Commit renames the temporary file.
func (p *Pending) Commit() error {
	if p.temp == nil {
		return nil
	}
	p.temp.Close() // Prepare has synchronised it
	if err := os.Rename(p.temp.Name(), p.target); err != nil {
		return Error(p.path, err)
	}
	_ = p.temp.lock.Close()
	inUse.Delete(p.temp.Name())
	p.temp = nil
	return nil
}

// Discard removes the temporary file, unless Commit has renamed it.
func (p *Pending) Discard() {
	if p.temp != nil {
		p.temp.remove()
		p.temp = nil
	}
}

// Check returns the error that Write would return for path. Call it before long work, so that the
// result of the work is not lost.
func Check(path string) error { return given().Check(path) }

// Check is Check of w.
func (w *Writer) Check(path string) error {
	target, old, err := w.place(path)
	if err != nil || old != nil && !old.Mode().IsRegular() {
		return err
	}
	return Error(path, tryTemp(filepath.Dir(target)))
}

// place follows links from path. It returns the file to write and what it is, nil if it does not exist.
func (w *Writer) place(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target, err := follow(path)
		return target, nil, err
	case err != nil:
		return "", nil, Error(path, err)
	case info.IsDir():
		return "", nil, advice.Add(fmt.Errorf("write %s: is a folder", path), "name a file in it: %s", filepath.Join(path, "NAME"))
	case !info.Mode().IsRegular() && !w.Devices:
		return "", nil, fmt.Errorf("write %s: it %w", path, regular.ErrNot)
	case !info.Mode().IsRegular():
		return path, info, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // a read-only file must not be replaced
	if err != nil {
		return "", nil, Error(path, err)
	}
	f.Close()
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", nil, Error(path, err)
	}
	return target, info, nil
}

// maxLinks is how many links are followed, as links may be a circle.
const maxLinks = 40

// follow returns the target of the links from path. The target need not exist.
func follow(path string) (string, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target, nil
	}
	target := path
	for n := 0; ; n++ {
		link, err := os.Readlink(target)
		if err != nil {
			break
		}
		if n == maxLinks {
			return "", fmt.Errorf("write %s: too many links in a row", path)
		}
		if !filepath.IsAbs(link) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(target))
			if err != nil {
				return "", Error(path, err)
			}
			link = filepath.Join(folder, link)
		}
		target = link
	}
	if folder := filepath.Dir(target); target != path && missing(folder) {
		return "", advice.Add(fmt.Errorf("write %s: it is a link to %s, and there is no folder %s", path, target, folder),
			"make the folder first: %s", folder)
	}
	return target, nil
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// pour writes the content of fill to f and returns its size.
func pour(f *os.File, fill func(io.Writer) error) (int64, error) {
	counted := &counter{w: f}
	w := bufio.NewWriterSize(counted, 1<<20)
	err := fill(w)
	if err == nil {
		err = w.Flush()
	}
	return counted.n, err
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

// Error returns the error that path could not be written because of err; nil if err is nil. It
// names path instead of a temporary file.
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
	case errors.Is(err, syscall.ENOSPC):
		return advice.Add(fmt.Errorf("write %s: %w", path, err), "make room, or choose a folder on another disk")
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: %w", path, err)
	case missing(filepath.Dir(path)):
		return advice.Add(fmt.Errorf("write %s: %w", path, err), "make the folder first: %s", filepath.Dir(path))
	}
	return advice.Add(fmt.Errorf("write %s: %w", path, err), "no file can be made in %s: choose another folder", filepath.Dir(path))
}

const (
	prefix       = ".nrdl-"
	suffix       = ".tmp"
	folderSuffix = ".d" // of the temporary folder that belongs to a temporary file
)

// temporary matches the names of temporary files. They do not contain the names of the files, which
// may be too long to add something.
var temporary = regexp.MustCompile(`^\.nrdl-[0-9a-f]{16}\.tmp$`)

// A temp is a temporary file. If the file system has locks it is locked while it is used, and the
// system unlocks it when the process ends. So another process can see which files are abandoned. The
// number of the process in the name would not do, as systems use numbers again. Windows locks
// nothing, but removes no file that is open.
type temp struct {
	*os.File
	lock *flock.Flock
}

// createTemp makes a temporary file in dir. The first call for a folder removes abandoned files.
func (w *Writer) createTemp(dir string) (*temp, error) {
	once, _ := w.folders.LoadOrStore(dir, new(sync.Once))
	once.(*sync.Once).Do(func() { RemoveAbandoned(dir) })
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x%s", prefix, rand.Uint64(), suffix))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t := &temp{f, lockOf(name)}
		inUse.Store(name, nil)
		// Another process may have found the file before it was locked.
		if locked, err := t.tryLock(); (locked || err != nil) && !missing(name) {
			return t, nil
		}
		t.remove()
	}
}

// lockOf returns a lock of the file name, which it does not make.
func lockOf(name string) *flock.Flock {
	return flock.New(name, flock.SetFlag(os.O_RDWR|syscall.O_NONBLOCK))
}

func (t *temp) tryLock() (locked bool, err error) {
	if runtime.GOOS == "windows" {
		return true, nil
	}
	return t.lock.TryLock()
}

// remove closes and removes a temporary file.
func (t *temp) remove() {
	t.Close()
	_ = t.lock.Close()
	_ = os.Remove(t.Name())
	inUse.Delete(t.Name())
}

// minRoom is what a disk has to have for a file, in bytes: more than the smallest model.
const minRoom = 64 << 10

// tryTemp returns an error if no temporary file of minRoom can be made in dir.
func tryTemp(dir string) error {
	t, err := new(Writer).createTemp(dir)
	if err == nil {
		if _, err = t.Write(make([]byte, minRoom)); errors.Is(err, syscall.EFBIG) {
			err = nil // a limit on the size of a file is no full disk
		}
		t.remove()
	}
	return err
}
