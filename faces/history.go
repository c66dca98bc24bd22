package faces

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/jsonl"
	"nrdl.example/nrdl/internal/kit/regular"
)

// A Change is one entry in the history of a model file.
type Change struct {
	Time   time.Time `json:"time"`
	What   string    `json:"what"` // in the words of who made it
	People int       `json:"people"`
	Faces  int       `json:"faces"` // 0 where the model keeps none
}

const (
	maxChanges     = 100     // that a history keeps, the latest ones
	maxChangeBytes = 1 << 16 // of one line of a history
)

// historyOf is the path of the history of the model file at path.
func historyOf(path string) string { return path + ".history" }

// History returns the changes of the model file at path that Record has kept, the latest one last, and
// none if there are none.
func History(path string) (all []Change, err error) {
	f, _, err := regular.Open(historyOf(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	_, _, err = jsonl.Read(f, maxChangeBytes, func(n int, line []byte) error {
		var c Change
		if err := json.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("line %d: not a change: %w", n, err)
		}
		all = append(all, c)
		return nil
	})
	if err != nil {
		return nil, advice.Add(fmt.Errorf("%s: %w", historyOf(path), err), "without this file the history begins again")
	}
	return all[max(0, len(all)-maxChanges):], nil
}

// Record adds an entry to the history of the model file at path, which holds r now: what was done. The
// history is a file beside the model. It keeps the latest 100 changes, and so the names in their texts,
// until Discard deletes it.
func (r *Recogniser) Record(ctx context.Context, path, what string) error {
	if r.m == nil {
		return errEmpty
	}
	all, err := History(path)
	if err != nil {
		return err
	}
	if maxText := maxChangeBytes / 8; len(what) > maxText { // a byte takes at most 6 in JSON
		what = what[:maxText] + "…"
	}
	c := Change{Time: time.Now().UTC().Truncate(time.Second), What: what, People: r.m.Len()}
	for _, name := range r.m.Names() {
		c.Faces += r.m.Faces(name)
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, c := range append(all, c)[max(0, len(all)+1-maxChanges):] {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	_, err = new(atomicfile.Writer).Write(ctx, historyOf(path), func(w io.Writer) error { _, err := lines.WriteTo(w); return err })
	return err
}

// Discard deletes what Replace and Record have kept beside the model file at path: the version before,
// and the history.
func Discard(path string) error {
	var all []error
	for _, kept := range []string{Former(path), historyOf(path)} {
		if err := os.Remove(kept); !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
