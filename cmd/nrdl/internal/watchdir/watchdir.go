// Package watchdir finds the images that arrive in a folder.
package watchdir

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"nrdl.example/nrdl/faces/dataset"
)

// How a folder is watched. It is read again and again: unlike the events of the
// system that works on network drives, and needs nothing else.
const (
	pollEvery = 500 * time.Millisecond
	pollShare = 10               // a pause is so many times as long as a look, at least
	stillFor  = time.Second      // without a change, after which a file is taken as written
	unreadFor = 10 * time.Second // and after which it is given up if it cannot be read
	oldAfter  = 2 * time.Second  // files that are there at the beginning are taken as written, and damaged ones given up
)

// A Watcher finds new images in a folder by looking again and again. Its methods may be
// called concurrently.
type Watcher struct {
	dir         string
	skip        []string
	mu          sync.Mutex // of files
	files       map[string]*arrival
	knownPaths  map[string]bool // paths of images
	problems    map[string]bool // what is wrong with the folder
	isFirstPoll bool
	now         time.Time // of this poll
}

// An arrival is an image in a watched folder.
type arrival struct {
	info      fs.FileInfo
	firstSeen time.Time // when it was first seen as it is
	state     arrivalState
	lastTry   bool // another failure gives the file up
	present   bool // in this poll
}

// An arrivalState is how far an arrival is.
type arrivalState uint8

const (
	waiting arrivalState = iota // to be still
	tried                       // in vain: it may still be written, by a program that pauses
	named
	givenUp
)

// changed reports whether another picture may be in the file: cameras overwrite theirs, or
// rename a new one over it.
func (f *arrival) changed(info fs.FileInfo) bool {
	return f.info.Size() != info.Size() || !f.info.ModTime().Equal(info.ModTime()) || !os.SameFile(f.info, info)
}

// New returns a Watcher of the folder dir, without what a pattern of skip matches
// (dataset.Options.Skip).
func New(dir string, skip ...string) *Watcher {
	return &Watcher{
		dir: dir, skip: skip, files: map[string]*arrival{}, knownPaths: map[string]bool{},
		problems: map[string]bool{}, isFirstPoll: true,
	}
}

// Pause returns how long to wait until the next Poll, after one that took this time.
func Pause(took time.Duration) time.Duration { return max(pollEvery, pollShare*took) }

// Poll returns the images that are ready to be read, those of them that an earlier
// Poll returned (again: their content may be another one), and errors that it has not returned before. Images
// that were deleted are forgotten.
func (w *Watcher) Poll(now time.Time) (ready, again []string, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = now
	if _, err := os.Stat(w.dir); err != nil { // a network drive may come back: nothing is forgotten
		return nil, nil, w.unreported(err)
	}
	found, err := dataset.ImageFiles(w.dir, w.skip...)
	for _, one := range dataset.Joined(err) {
		if !errors.Is(one, fs.ErrNotExist) { // or it went meanwhile
			errs = append(errs, w.unreported(one)...)
		}
	}
	for _, f := range w.files {
		f.present = false
	}
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if w.arrived(path, info) {
			ready = append(ready, path)
			if w.knownPaths[path] {
				again = append(again, path)
			}
			w.knownPaths[path] = true
		}
	}
	for path, f := range w.files {
		if !f.present {
			delete(w.files, path)
		}
	}
	w.isFirstPoll = false
	return ready, again, errs
}

// unreported is err if it was not reported before.
func (w *Watcher) unreported(err error) []error {
	if w.problems[err.Error()] {
		return nil
	}
	w.problems[err.Error()] = true
	return []error{err}
}

// arrived reports whether the image at path is to be read now: it has not
// changed for a moment, or was there long before the Watcher.
func (w *Watcher) arrived(path string, info fs.FileInfo) bool {
	f := w.files[path]
	switch {
	case f == nil:
		f = &arrival{info: info, firstSeen: w.now, present: true}
		w.files[path] = f
		if w.isFirstPoll && w.now.Sub(info.ModTime()) >= oldAfter {
			f.state, f.lastTry = named, true
			return true
		}
		return false
	case f.changed(info):
		*f = arrival{info: info, firstSeen: w.now}
	}
	f.present = true
	still := w.now.Sub(f.firstSeen)
	if f.state == waiting && still >= stillFor || f.state == tried && still >= unreadFor {
		f.state = named
		return true
	}
	return false
}

// GivesUp is called after the image at path could not be read. If true, the Watcher waits
// until the file changes; if false, it returns the image once more later.
func (w *Watcher) GivesUp(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[path]
	if f == nil {
		return true
	}
	if f.lastTry {
		f.state = givenUp
		return true
	}
	f.state, f.lastTry = tried, true
	return false
}

// Wrote is called after the caller itself changed the image at path, so that it is no new
// picture.
func (w *Watcher) Wrote(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if info, err := os.Stat(path); err == nil && w.files[path] != nil {
		w.files[path].info = info
	}
}
