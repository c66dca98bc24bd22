package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFolder makes the folder at path with the files that fill puts into an empty folder. It
// renames that folder to path when it is complete. There must be nothing at path, or an empty
// folder.
func WriteFolder(path string, fill func(folder string) error) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	mark, err := new(Writer).createTemp(filepath.Dir(target))
	if err != nil {
		return Error(path, err)
	}
	defer removeTemp(mark)
	folder := mark.Name() + folderSuffix
	defer os.RemoveAll(folder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return Error(path, err)
	}
	if err := fill(folder); err != nil {
		return Error(path, err)
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Error(path, err)
	}
	return Error(path, os.Rename(folder, target))
}

// CheckFolder returns the error that WriteFolder would return for path.
func CheckFolder(path string) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	return Error(path, tryTemp(filepath.Dir(target)))
}

// MakeFolder makes the folder at path, and those above it, unless it exists. It returns an error
// if no file can be made in it.
func MakeFolder(path string) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o777); err != nil {
		return Error(path, err)
	}
	return Error(path+string(filepath.Separator), tryTemp(target))
}
