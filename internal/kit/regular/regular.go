// Package regular opens regular files only. Opening a pipe waits until a program writes into it, and
// opening a device may have effects of its own, so a name that a program derives, or finds in a
// folder, is opened after its mode is known.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNot is the error of a folder, a pipe, a socket or a device.
var ErrNot = errors.New("is not a regular file")

// check is an error that wraps ErrNot if the mode of the file name is not that of a regular file.
func check(name string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return folder(name)
	}
	return fmt.Errorf("%s %w", name, ErrNot)
}

// A folder is the error of one.
type folder string

func (f folder) Error() string { return string(f) + " is a folder" }
func (f folder) Unwrap() error { return ErrNot }

// ErrTooLarge is the error of a file that is larger than its reader allows.
var ErrTooLarge = errors.New("is too large")

// A Folder opens what is in it. *os.Root is one.
type Folder interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
}

type everywhere struct{}

func (everywhere) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (everywhere) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}

// Open opens the regular file at path to be read. The error wraps ErrNot for everything else. It does
// not wait for a pipe, also if one takes the place of the file in this moment.
func Open(path string) (*os.File, fs.FileInfo, error) { return OpenIn(everywhere{}, path) }

// OpenIn is Open of a name in a folder.
func OpenIn(in Folder, name string) (*os.File, fs.FileInfo, error) {
	info, err := in.Stat(name)
	if err == nil {
		err = check(name, info.Mode())
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := in.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// ReadFile returns the content of the regular file at path. The error wraps ErrTooLarge if it has
// more than maxBytes bytes.
func ReadFile(path string, maxBytes int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, 0, min(info.Size(), maxBytes)+1)
	for int64(len(data)) <= maxBytes {
		if len(data) == cap(data) { // it grows
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s %w: more than %d bytes", path, ErrTooLarge, maxBytes)
}
