package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A temporary file is open and, if the file system has locks, locked while it is used. The system
// closes it when the process ends. So another process can see which files are abandoned. The number
// of the process in the name would not do, as systems use numbers again.
const (
	prefix       = ".nrdl-"
	suffix       = ".tmp"
	folderSuffix = ".d" // of the temporary folder that belongs to a temporary file
)

// temporary matches the names of temporary files. They do not contain the names of the files, which
// may be too long to add something.
var temporary = regexp.MustCompile(`^\.nrdl-[0-9a-f]{16}\.tmp$`)

// createTemp makes a temporary file in dir. The first call for a folder removes abandoned files.
func (w *Writer) createTemp(dir string) (*os.File, error) {
	once, _ := w.cleaned.LoadOrStore(dir, new(sync.Once))
	once.(*sync.Once).Do(func() { removeAbandoned(dir) })
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x%s", prefix, rand.Uint64(), suffix))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Another process may have found the file before it was locked.
		if taken, _ := tryLock(f); !taken && !missing(name) {
			return f, nil
		}
		removeTemp(f)
	}
}

// removeTemp closes and removes a temporary file.
func removeTemp(f *os.File) {
	f.Close()
	_ = os.Remove(f.Name())
}

// tryTemp returns an error if no temporary file can be made in dir.
func tryTemp(dir string) error {
	f, err := new(Writer).createTemp(dir)
	if err == nil {
		removeTemp(f)
	}
	return err
}

// removeAbandoned removes the temporary files of processes that have ended, and their folders, from
// dir. It ignores errors.
func removeAbandoned(dir string) {
	entries, _ := os.ReadDir(dir) // sorted: a folder comes after its file
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch file, isFolder := strings.CutSuffix(e.Name(), folderSuffix); {
		case !temporary.MatchString(file):
		case !isFolder && e.Type().IsRegular():
			removeIfAbandoned(name)
		case isFolder && e.IsDir() && missing(filepath.Join(dir, file)):
			_ = os.RemoveAll(name)
		}
	}
}
