// Package jsonl reads files of JSON values, one a line, and appends to them, so that long work can
// be continued after an interruption.
package jsonl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// Read calls each with the number, from 1, and the text of each line of r, including its end, until
// each returns an error. It ignores a last line without an end, as a crash leaves it; then cut is
// true. whole is the number of bytes of the other lines. A line of more than maxBytes bytes is an error.
func Read(r io.Reader, maxBytes int64, each func(n int, line []byte) error) (whole int64, cut bool, err error) {
	limit := &io.LimitedReader{R: r}
	in := bufio.NewReaderSize(limit, 1<<16)
	for n := 1; ; n++ {
		limit.N = maxBytes
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && limit.N > 0:
			return whole, len(line) > 0, nil
		case errors.Is(err, io.EOF) || int64(len(line)) > maxBytes:
			return 0, false, fmt.Errorf("line %d has more than %d bytes", n, maxBytes)
		case err != nil:
			return 0, false, fmt.Errorf("line %d: %w", n, err)
		}
		if err := each(n, line); err != nil {
			return 0, false, err
		}
		whole += int64(len(line))
	}
}

// A File is a JSON-lines file opened for appending, locked by one process.
type File struct {
	// Cut reports whether the last line was incomplete. Open has removed it.
	Cut bool

	path    string
	file    *os.File
	size    int64 // of its whole lines
	regular bool  // not a pipe or a device
	unlock  func()
}

// Open opens the file at path, which it makes if it does not exist, and calls each with its lines as
// Read does. It does not read a pipe or a device. The error wraps atomicfile.ErrLocked if another
// process has the file. After an error, a file that existed is unchanged.
func Open(path string, maxBytes int64, each func(n int, line []byte) error) (f *File, err error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil, atomicfile.Check(path)
	}
	if err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{path: path, file: file, unlock: func() {}}, atomicfile.Error(path, err)
	}
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		unlock()
		return nil, atomicfile.Error(path, err)
	}
	f = &File{path: path, file: file, regular: true, unlock: unlock}
	if f.size, f.Cut, err = Read(file, maxBytes, each); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.Close())
	}
	if err := file.Truncate(f.size); err != nil {
		return nil, errors.Join(atomicfile.Error(path, err), f.Close())
	}
	return f, nil
}

// Append appends whole lines, which are on the disk when it returns. After an error, for example of
// a full disk, a regular file is unchanged.
func (f *File) Append(lines []byte) error {
	if !f.regular {
		_, err := f.file.Write(lines)
		return atomicfile.Error(f.path, err)
	}
	_, err := f.file.WriteAt(lines, f.size)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return errors.Join(atomicfile.Error(f.path, err), f.file.Truncate(f.size))
	}
	f.size += int64(len(lines))
	return nil
}

// Close closes the file and unlocks it.
func (f *File) Close() error {
	defer f.unlock()
	return atomicfile.Error(f.path, f.file.Close())
}
