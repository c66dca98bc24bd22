package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/jsonl"
)

// A Store appends records to a file. When Append returns without an error, the complete
// record is on disk. A record that is incomplete after a crash is removed when the file is
// opened again. Only one process at a time can open the file.
type Store struct{ f *jsonl.File }

// OpenStore opens or creates the file at path, and returns the records in it.
// Warn is called if the last line is cut short; may be nil.
func OpenStore(path string, warn func(string)) (*Store, []Record, error) {
	if err := canHold(path); err != nil {
		return nil, nil, err
	}
	var old recordList
	f, err := jsonl.Open(path, maxLine, old.add)
	if errors.Is(err, atomicfile.ErrLocked) {
		err := fmt.Errorf("records %s: another process is writing to it", path)
		return nil, nil, advice.Add(err, "wait for it, or write to another file with %v", advice.Output)
	}
	if err != nil {
		return nil, nil, err
	}
	if f.Cut && warn != nil {
		warn(fmt.Sprintf("%s: the last line is cut short: dropped, its run is made again", path))
	}
	return &Store{f}, old.records, nil
}

// canHold is an error if there cannot be a file of records at path. It creates no file.
func canHold(path string) error {
	if strings.HasSuffix(path, ".gz") {
		return advice.Add(fmt.Errorf("records %s: nothing can be added to a compressed file", path),
			"gunzip it first, or write to another file with %v", advice.Output)
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeType&^fs.ModeDir) != 0 {
		return advice.Add(fmt.Errorf("records %s: not a file that can be added to", path),
			"write to a file, for example %v", advice.Output.To("runs.jsonl"))
	}
	return atomicfile.Check(path)
}

// Append appends r. After an error, for example a full disk, the file is
// unchanged.
func (s *Store) Append(r Record) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	if err := s.f.Append(line); err != nil {
		return advice.Add(err, "make room and run the same command again: it goes on where it stopped")
	}
	return nil
}

// Close closes and unlocks the file.
func (s *Store) Close() error { return s.f.Close() }

// otherThanRecords is an error if the file at path, with this beginning, is known to be
// something other than records.
func otherThanRecords(path string, begins []byte) error {
	if err := file.Misplaced(path, "records"); err != nil {
		return err
	}
	what := ""
	line, _, _ := bytes.Cut(begins, []byte("\n"))
	var object map[string]json.RawMessage
	_ = json.Unmarshal(line, &object) // a long line is cut: then it is no trace either
	switch {
	case dataset.IsMatrix(path):
		what = "a data set"
	case dataset.IsImage(path):
		what = "an image"
	case object["iter"] != nil && object["residual"] != nil && object["method"] == nil:
		what = "the trace of a training"
	case object["file"] != nil && object["faces"] != nil:
		what = "the results of naming faces"
	default:
		return nil
	}
	return advice.Add(fmt.Errorf("read records %s: this is %s, not records", path, what), "%v writes the records of runs", advice.RunPlan)
}
