package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"nrdl/dataset"
	"nrdl/internal/hint"
	"nrdl/internal/jsonl"
)

// results is a file of results, an object a line, that only grows: a batch at a
// time, so that a run that is killed loses at most the batch it was at.
type results struct {
	file *jsonl.File

	mu     sync.Mutex
	done   map[string]bool // by key; false for files that could not be read
	model  string
	buffer bytes.Buffer
}

// openResults opens the file at path for the results of a model, of which it has
// the checksum. A file that is there already is not written over: it holds what
// took long. With resume it is gone on with if it is of this model.
func openResults(path, model string, resume bool) (*results, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !resume && info.Size() > 0 {
		return nil, hint.Add(fmt.Errorf("write %s: it is there already", path), "go on with it by --resume, or remove it")
	}
	r := &results{done: map[string]bool{}, model: model}
	var err error
	if r.file, err = jsonl.Open(path, mostResult, r.replay); err != nil {
		if hint.Of(err) == "" {
			err = hint.Add(err, "write to another file")
		}
		return nil, err
	}
	return r, nil
}

// mostResult bounds a line of results: one of a thousand faces has 1 MB.
const mostResult = 64 << 20

// replay counts the result in line n as named.
func (r *results) replay(n int, line []byte) error {
	var o struct{ File, Error, Model string }
	if json.Unmarshal(line, &o) != nil || o.File == "" {
		return fmt.Errorf("line %d is no result of identify", n)
	}
	if o.Model != r.model {
		return fmt.Errorf("it was written with another model: %s, and not %s", o.Model, r.model)
	}
	r.done[o.File] = r.done[o.File] || o.Error == ""
	return nil
}

// key is path as JSON keeps it.
func key(path string) string { return dataset.Text(path) }

// has reports whether the file at path is named in r. A nil r has none.
func (r *results) has(path string) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done[key(path)]
}

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

// write appends the objects of batch. A file that could not be read has one line
// that says so, however often it is tried.
func (r *results) write(batch []*sight, object func(*sight) object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buffer.Reset()
	for _, s := range batch {
		if s.err != nil {
			if _, told := r.done[key(s.path)]; told {
				continue
			}
			r.done[key(s.path)] = false
		}
		writeObject(&r.buffer, object(s))
	}
	return r.file.Append(r.buffer.Bytes())
}

// close gives the file back.
func (r *results) close() error { return r.file.Close() }

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
