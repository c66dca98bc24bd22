package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"nrdl/dataset"
	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
)

// results is a file of results, an object a line, that only grows: a batch at a
// time, so that a run that is killed loses at most the batch it was at.
type results struct {
	path   string
	file   *os.File
	unlock func()

	mu     sync.Mutex
	done   map[string]bool // by key; false for files that could not be read
	told   map[string]bool // by key, that they could not be read
	model  string
	buffer bytes.Buffer
}

// openResults opens the file at path for the results of a model, of which it has
// the checksum. A file that is there already is not written over: it holds what
// took long. With resume it is gone on with if it is of this model; a torn last
// line is cut off.
func openResults(path, model string, resume bool) (*results, error) {
	r := &results{path: path, unlock: func() {}, done: map[string]bool{}, told: map[string]bool{}, model: model}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, atomicfile.Check(path)
	case err == nil && !info.Mode().IsRegular(): // a pipe or a device has no past
		r.file, err = os.OpenFile(path, os.O_WRONLY, 0)
		return r, atomicfile.Error(path, err)
	case err == nil && !resume && info.Size() > 0:
		return nil, hint.Add(fmt.Errorf("write %s: it is there already", path), "go on with it by --resume, or remove it")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, atomicfile.Error(path, err)
	}
	if r.unlock, err = atomicfile.Lock(path); err != nil {
		return nil, err
	}
	if r.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		r.unlock()
		return nil, atomicfile.Error(path, err)
	}
	if err := r.replay(); err != nil {
		r.file.Close()
		r.unlock()
		return nil, err
	}
	return r, nil
}

// mostResult bounds a line of results: one of a thousand faces has 1 MB.
const mostResult = 64 << 20

// replay reads what is in the file and leaves it ready for more.
func (r *results) replay() error {
	whole, err := r.read(r.file)
	if err != nil {
		return err
	}
	if err := r.file.Truncate(whole); err != nil {
		return atomicfile.Error(r.path, err)
	}
	_, err = r.file.Seek(whole, io.SeekStart)
	return err
}

// read reads the results in file and returns how many bytes their lines have,
// without a torn last one.
func (r *results) read(file io.Reader) (whole int64, err error) {
	limit := &io.LimitedReader{R: file}
	in := bufio.NewReader(limit)
	for n := 1; ; n++ {
		limit.N = mostResult
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && limit.N > 0 {
			return whole, nil
		}
		if errors.Is(err, io.EOF) {
			return 0, hint.Add(fmt.Errorf("read %s: line %d has more than %d bytes", r.path, n, mostResult), "write to another file")
		}
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", r.path, err)
		}
		var o struct{ File, Error, Model string }
		if json.Unmarshal(line, &o) != nil || o.File == "" {
			return 0, hint.Add(fmt.Errorf("read %s: line %d is no result of identify", r.path, n), "write to another file")
		}
		if o.Model != r.model {
			return 0, hint.Add(fmt.Errorf("%s was written with another model: %s, and not %s", r.path, o.Model, r.model), "write to another file")
		}
		r.done[o.File] = r.done[o.File] || o.Error == ""
		r.told[o.File] = r.told[o.File] || o.Error != ""
		whole += int64(len(line))
	}
}

// key is path as JSON keeps it.
func key(path string) string { return dataset.Text(path) }

// claim reports whether the file at path is not named in r yet, and counts it as
// named. A nil r lets all be named.
func (r *results) claim(path string) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	named := r.done[key(path)]
	r.done[key(path)] = true
	return !named
}

// unclaim takes back that the file at path is named: it could not be read.
func (r *results) unclaim(path string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.done, key(path))
}

// write appends o. A file that could not be read has one line that says so, however
// often it is tried.
func (r *results) write(o object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Error != "" {
		told := r.told[o.File]
		r.told[o.File], r.done[o.File] = true, false
		if told {
			return nil
		}
	}
	r.buffer.Reset()
	writeObject(&r.buffer, o)
	_, err := r.file.Write(r.buffer.Bytes())
	return atomicfile.Error(r.path, err)
}

// close gives the file back, its content on the disk.
func (r *results) close() error {
	info, err := r.file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = r.file.Sync()
	}
	err = errors.Join(err, r.file.Close())
	r.unlock()
	return atomicfile.Error(r.path, err)
}

// checksumDigits of a SHA-256 tell models apart.
const checksumDigits = 16

// fileChecksum returns the beginning of the SHA-256 of the file at path.
func fileChecksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read model: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read model: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil))[:checksumDigits], nil
}
