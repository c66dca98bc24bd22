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

	"nrdl.example/nrdl"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/jsonl"
	"nrdl.example/nrdl/results"
)

// A File is a file of Objects, one a line, that only grows: a batch at a
// time, so that a run that is killed loses at most the batch it was at.
type File struct {
	file *jsonl.File

	mu    sync.Mutex
	done  map[string]bool // by key; false for files that could not be read
	told  map[string]bool // by key, that they could not be read
	model string
	top   int

	buffer  bytes.Buffer // what waits to be written
	waiting int
	written time.Time
}

// OpenFile opens the file at path for results of a model, of which it has the
// checksum, with the top likeliest people. A file that is there already is not
// written over: it holds what took long. With resume it is gone on with if it is of
// this model.
func OpenFile(path string, top int, model string, resume bool) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !resume && info.Size() > 0 {
		return nil, advice.Add(fmt.Errorf("write %s: it is there already", path), "go on with it by --resume, or remove it")
	}
	r := &File{done: map[string]bool{}, told: map[string]bool{}, model: model, top: top}
	var err error
	if r.file, err = jsonl.Open(path, mostResult, r.replay); err != nil {
		if advice.Text(err) == "" {
			err = advice.Add(err, "write to another file")
		}
		return nil, err
	}
	return r, nil
}

// mostResult bounds a line of results: one of a thousand faces has 1 MB.
const mostResult = 64 << 20

// replay counts the result in line n as named.
func (r *File) replay(n int, line []byte) error {
	var o struct{ File, Error, Model string }
	if json.Unmarshal(line, &o) != nil || o.File == "" {
		return fmt.Errorf("line %d is no result of identify", n)
	}
	if o.Model != r.model {
		return fmt.Errorf("it was written with another model: %s, and not %s", o.Model, r.model)
	}
	r.done[o.File] = r.done[o.File] || o.Error == ""
	r.told[o.File] = r.told[o.File] || o.Error != ""
	return nil
}

// key is path as JSON keeps it.
func key(path string) string { return dataset.Text(path) }

// Claim reports whether the file at path is not named in r yet, and counts it as
// named. A nil r lets all be named.
func (r *File) Claim(path string) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	named := r.done[key(path)]
	r.done[key(path)] = true
	return !named
}

// Unclaim takes back that the file at path is named: it could not be read.
func (r *File) Unclaim(path string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.done, key(path))
}

// How many results, and for how long, wait to be written together.
const (
	waitingResults = 64
	waitingTime    = 200 * time.Millisecond
)

// Write adds the Object of p.
func (r *File) Write(p nrdl.Result, unread error) error {
	return r.add(results.Of(p, unread, r.top, r.model))
}

// add writes o. A file that could not be read has one line that says so, however
// often it is tried.
func (r *File) add(o results.Object) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Error != "" {
		told := r.told[o.File]
		r.told[o.File], r.done[o.File] = true, false
		if told {
			return nil
		}
	}
	_ = results.Write(&r.buffer, o) // a buffer takes it
	if r.waiting++; r.waiting < waitingResults && time.Since(r.written) < waitingTime {
		return nil
	}
	return r.flush()
}

// flush puts what waits on the disk.
func (r *File) flush() error {
	r.waiting, r.written = 0, time.Now()
	defer r.buffer.Reset()
	return r.file.Append(r.buffer.Bytes())
}

// Close writes what waits and gives the file back.
func (r *File) Close() error { return errors.Join(r.flush(), r.file.Close()) }

// checksumDigits of a SHA-256 tell models apart.
const checksumDigits = 16

// Checksum returns the beginning of the SHA-256 of the file at path.
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
