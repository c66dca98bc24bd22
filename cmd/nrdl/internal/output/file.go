package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"nrdl.example/nrdl/faces"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/jsonl"
	"nrdl.example/nrdl/internal/legible"
)

// A File is a JSON-lines file of results. Lines are appended in batches; a run that is
// killed loses at most the last batch.
type File struct {
	Name func(path string) string // how the path of a photograph is kept; nil: as it is

	file *jsonl.File

	mu       sync.Mutex
	states   map[string]bool // by key; false for files that could not be read
	failures map[string]bool // by key: files that could not be read, which have a line that says so
	model    string
	top      int

	buffer    bytes.Buffer // what waits to be written
	backlog   int
	lastFlush time.Time
}

// OpenFile opens the file at path for results with the top likeliest people. Model is the
// checksum of the model file. An existing file is never overwritten: with resume it is
// continued if its results are of the same model, else it is an error.
func OpenFile(path string, top int, model string, resume bool) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !resume && info.Size() > 0 {
		return nil, advice.Add(fmt.Errorf("write %s: it is there already", path), "go on with it by --resume, or remove it")
	}
	r := &File{states: map[string]bool{}, failures: map[string]bool{}, model: model, top: top}
	var err error
	if r.file, err = jsonl.Open(path, MaxLine, r.replay); err != nil {
		switch {
		case errors.Is(err, ErrOtherModel):
			err = advice.Add(err, "the model has changed, and all photographs are to be named again: delete %s, or give another -o",
				legible.ShellWord(path))
		case advice.Text(err) == "":
			err = advice.Add(err, "write to another file")
		}
		return nil, err
	}
	return r, nil
}

// ErrOtherModel is the error of a file with results of another model.
var ErrOtherModel = errors.New("it was written with another model")

// MaxLine bounds a line of results: one of a thousand faces has 1 MB.
const MaxLine = 64 << 20

// replay counts the result in line n as named.
func (r *File) replay(n int, line []byte) error {
	var o struct{ File, Error, Model string }
	if json.Unmarshal(line, &o) != nil || o.File == "" {
		return fmt.Errorf("line %d is no result of identify", n)
	}
	if o.Model != r.model {
		return fmt.Errorf("%w: %s, and not %s", ErrOtherModel, o.Model, r.model)
	}
	r.states[o.File] = r.states[o.File] || o.Error == ""
	r.failures[o.File] = r.failures[o.File] || o.Error != ""
	return nil
}

// name is how the path of a photograph is kept.
func (r *File) name(path string) string {
	if r.Name == nil {
		return path
	}
	return r.Name(path)
}

// key is path as JSON keeps it.
func (r *File) key(path string) string { return dataset.Text(r.name(path)) }

// Claim reports whether r has no result for the file at path, and marks the file as done.
// For a nil r it is true.
func (r *File) Claim(path string) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	named := r.states[r.key(path)]
	r.states[r.key(path)] = true
	return !named
}

// Unclaim undoes Claim for a file that could not be read.
func (r *File) Unclaim(path string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.states, r.key(path))
}

// How many results, and for how long, wait to be written together.
const (
	waitingResults = 64
	waitingTime    = 200 * time.Millisecond
)

// Write appends the result p, or the error unread if the photograph could not be read.
func (r *File) Write(p faces.Result, unread error) error {
	p.Photo.Name = r.name(p.Photo.Name)
	return r.add(results.New(p, unread, r.top, r.model))
}

// add writes o. A file that could not be read has one line that says so, however
// often it is tried.
func (r *File) add(o results.Object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Error != "" {
		reported := r.failures[o.File]
		r.failures[o.File], r.states[o.File] = true, false
		if reported {
			return nil
		}
	}
	_ = results.Write(&r.buffer, o) // a buffer takes it
	if r.backlog++; r.backlog < waitingResults && time.Since(r.lastFlush) < waitingTime {
		return nil
	}
	return r.flush()
}

// Flush puts what waits on the disk.
func (r *File) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flush()
}

// flush is Flush of a locked File.
func (r *File) flush() error {
	r.backlog, r.lastFlush = 0, time.Now()
	defer r.buffer.Reset()
	return r.file.Append(r.buffer.Bytes())
}

// Close writes the last batch and closes the file.
func (r *File) Close() error { return errors.Join(r.flush(), r.file.Close()) }

// checksumDigits of a SHA-256 tell models apart.
const checksumDigits = 16

// Checksum returns the first 16 hexadecimal digits of the SHA-256 of the file at path.
func Checksum(path string) (string, error) {
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
