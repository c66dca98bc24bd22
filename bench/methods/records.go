package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"nrdl"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/internal/atomicfile"
	"nrdl/internal/blas"
	"nrdl/internal/hint"
	"nrdl/method"
)

// repeats is how many runs a random split has, with the seeds 0, 1, ….
const repeats = 3

// A cell is one of the table: a method with the preset of a database.
type cell struct {
	method   nrdl.Method
	database database
	split    dataset.Split
	params   string // JSON
}

// allCells has a cell for every method and database, method by method.
func allCells() ([]cell, error) {
	var cells []cell
	for _, m := range method.All {
		for _, d := range databases {
			split, err := dataset.ParseSplit(d.split)
			if err != nil {
				return nil, err
			}
			set, err := method.Preset(m, d.name)
			if err != nil {
				return nil, err
			}
			params, err := method.Marshal(set)
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell{set, d, split, string(params)})
		}
	}
	return cells, nil
}

// key is method/database.
func (c cell) key() string { return c.method.Name() + "/" + c.database.name }

func (c cell) protocol() experiment.Protocol {
	return experiment.Protocol{Split: c.split, Repeats: repeats, Seed: 0}
}

// A record is what was measured of a cell, and where.
type record struct {
	Database string `json:"database"`
	experiment.Result
	Go      string `json:"go"`
	Threads int    `json:"threads"`
	Backend string `json:"blas"`
}

// of reports whether r is what c asks for.
func (r record) of(c cell) bool {
	p := c.protocol()
	if r.Database != c.database.name || r.Method != c.method.Name() || string(r.Params) != c.params ||
		r.Split != c.split.String() || len(r.Runs) != p.Runs() {
		return false
	}
	for i, one := range r.Runs {
		if one.Seed != p.Seed+uint64(i) {
			return false
		}
	}
	return true
}

// find returns the last record of c.
func find(records []record, c cell) (record, bool) {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].of(c) {
			return records[i], true
		}
	}
	return record{}, false
}

// measure measures the wanted cells that have no record, and adds each to the
// file at once. A method that fails leaves its cell without a record.
func measure(ctx context.Context, cells []cell, wanted func(cell) bool, records []record, again bool, path string) ([]record, error) {
	for _, d := range databases { // one is in memory at a time
		var set *nrdl.Set
		for _, c := range cells {
			if _, done := find(records, c); c.database != d || !wanted(c) || done && !again {
				continue
			}
			if set == nil {
				var err error
				if set, err = open(ctx, d); err != nil {
					return nil, err
				}
			}
			result, err := experiment.Evaluate(ctx, set, c.method, c.protocol(), experiment.Observer{})
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", c.key(), err)
				records = slices.DeleteFunc(records, func(r record) bool { return r.of(c) })
				continue
			}
			r := record{d.name, result, runtime.Version(), runtime.GOMAXPROCS(0), fmt.Sprint(blas.Current())}
			learn, name := r.seconds()
			fmt.Fprintf(os.Stderr, "%s: %.1f ± %.1f, learnt in %.2g s, named in %.2g s\n", c.key(), 100*r.Accuracy, 100*r.SD, learn, name)
			if err := appendRecord(path, r); err != nil {
				return nil, err
			}
			records = append(records, r)
		}
	}
	return records, nil
}

func open(ctx context.Context, d database) (*nrdl.Set, error) {
	root := os.Getenv("NRDL_DATA")
	if root == "" {
		return nil, hint.Add(errors.New("NRDL_DATA is not set"), "it names the folder of the face databases; -render needs none")
	}
	return dataset.Open(ctx, filepath.Join(root, "sets", d.file), dataset.Options{})
}

// seconds are the least of the runs: to learn, and to name all test images.
func (r record) seconds() (learn, name float64) {
	learn, name = r.Runs[0].FitSeconds, r.Runs[0].CodeSeconds
	for _, one := range r.Runs {
		learn, name = min(learn, one.FitSeconds), min(name, one.CodeSeconds)
	}
	return learn, name
}

// readRecords reads a record a line; no file holds none.
func readRecords(path string) ([]record, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var records []record
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var r record
		switch err := d.Decode(&r); err {
		case nil:
			records = append(records, r)
		case io.EOF:
			return records, nil
		default:
			return nil, fmt.Errorf("%s: record %d: %w", path, len(records)+1, err)
		}
	}
}

func appendRecord(path string, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func writeRecords(ctx context.Context, path string, records []record) error {
	_, err := atomicfile.Write(ctx, path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		for _, r := range records {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
