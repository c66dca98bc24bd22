// Package jsonl keeps files of JSON values, one a line, that only grow, so that
// long work can be gone on with where it was stopped.
package jsonl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"nrdl.example/nrdl/internal/atomicfile"
)

// Read hands each line of r with its end, and its number from 1, to each, until
// that fails. A last line without an end, as a crash leaves it, is cut: it is
// left out. Whole is the number of bytes before it. A line of more than most
// bytes is an error; some more may be read.
func Read(r io.Reader, most int64, each func(n int, line []byte) error) (whole int64, cut bool, err error) {
	limit := &io.LimitedReader{R: r}
	in := bufio.NewReaderSize(limit, 1<<16)
	for n := 1; ; n++ {
		limit.N = most
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && limit.N > 0:
			return whole, len(line) > 0, nil
		case errors.Is(err, io.EOF) || int64(len(line)) > most:
			return 0, false, fmt.Errorf("line %d has more than %d bytes", n, most)
		case err != nil:
			return 0, false, fmt.Errorf("line %d: %w", n, err)
		}
		if err := each(n, line); err != nil {
			return 0, false, err
		}
		whole += int64(len(line))
	}
}

// A File is open to be added to. One process at a time may have it.
type File struct {
	// Cut tells whether the last line was cut short, and is removed.
	Cut bool

	path   string
	file   *os.File
	size   int64 // of its whole lines
	past   bool  // whether it is a regular file, not a pipe or a device
	unlock func()
}

// Open opens the file at path, made where there is none, and hands what is in
// it to each, as Read does. A pipe or a device has nothing in it. The error
// wraps atomicfile.ErrLocked where another process has the file. After an error
// a file that was there is as before.
func Open(path string, most int64, each func(n int, line []byte) error) (f *File, err error) {
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
	f = &File{path: path, file: file, past: true, unlock: unlock}
	if f.size, f.Cut, err = Read(file, most, each); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.Close())
	}
	if err := file.Truncate(f.size); err != nil {
		return nil, errors.Join(atomicfile.Error(path, err), f.Close())
	}
	return f, nil
}

// Append adds whole lines, which are on the disk when it returns. After an
// error, as of a full disk, a regular file is as before.
func (f *File) Append(lines []byte) error {
	if !f.past {
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

// Close gives the file back.
func (f *File) Close() error {
	defer f.unlock()
	return atomicfile.Error(f.path, f.file.Close())
}
