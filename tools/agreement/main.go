// Command agreement runs the published programs of methods in GNU Octave, and nrdl's methods,
// on equal splits, and writes doc/agreement.md:
//
//	NRDL_DATA=DIR go -C tools run ./agreement -programs DIR [-only METHOD/DATA,…]
//
// The folder of -programs has checkouts of the repositories that the page names, each by its
// name, with OMP-Box and KSVD-Box compiled by mkoctfile --mex. AR is AR_DAT.mat of DNRC. Rows that are not asked for
// stay as they are in lab/experiment/results/agreement.json. Each side has one thread; times are
// processor time of learning and recognising, without the start of Octave.
package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
	"nrdl.example/nrdl/tools/internal/cputime"
	"nrdl.example/nrdl/tools/internal/hint"
)

// The script has no ending .m, by which Go would take it for Objective-C.
//
//go:embed published.octave
var script []byte

// A row is what the page says of a method on a split.
type row struct {
	Method, Data, Split string
	Images              int        // of the test part
	Same                int        // of them named alike by both; -1 if unknown
	Rates               [2]float64 // percent; of the program, then of nrdl
	Objectives          [2]float64 // computed by the same lines of the script; 0 where there are none
	Seconds             [2]float64 // processor time
	Mended              float64    `json:",omitempty"` // the rate of the program with codes of the dictionary that it has; 0 if not tried
	Started             float64    `json:",omitempty"` // the rate of nrdl from the first dictionary of the program; 0 if not tried
	Printed             float64    `json:",omitempty"` // the rate that the program's authors or its own script print; 0 if none is known
}

func main() {
	programs := flag.String("programs", "", "`DIR` with the checkouts")
	only := flag.String("only", "", "make only these rows: `METHOD/DATA,…`; all if empty")
	flag.Parse()
	hint.Exit("agreement", run(context.Background(), *programs, *only))
}

func run(ctx context.Context, programs, only string) error {
	runtime.GOMAXPROCS(1)
	var rows []row
	records := filepath.Join("..", "lab", "experiment", "results", "agreement.json")
	text, err := os.ReadFile(records)
	if err := errors.Join(err, json.Unmarshal(text, &rows)); err != nil {
		return err
	}
	for _, c := range comparisons {
		for _, data := range c.data {
			if only != "" && !slices.Contains(strings.Split(only, ","), c.method+"/"+data) {
				continue
			}
			r, err := c.compare(ctx, programs, data)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", c.method, data, err)
			}
			rows = slices.DeleteFunc(rows, func(old row) bool { return old.Method == r.Method && old.Data == r.Data })
			rows = append(rows, *r)
			fmt.Fprintf(os.Stderr, "%+v\n", *r)
		}
	}
	text, err = json.MarshalIndent(rows, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(records, append(text, '\n'), 0o644),
		os.WriteFile(filepath.Join("..", "doc", "agreement.md"), page(rows), 0o644))
}

// Dims are eigenfaces, without centring, as the programs for AR make them.
var sets = map[string]struct {
	file, title, split string
	dims               int
}{
	"orl":    {"orl_56x46", "ORL", "first:6", 0},
	"gt":     {"gt_50x40", "GT", "first:5", 0},
	"lfw":    {"lfw86_32x32", "LFW", "random:8", 0},
	"yaleb":  {"yaleb_32x32", "Extended Yale B", "random:20", 0},
	"digits": {"", "digits", "random:100", 0},
	"ar54":   {"", "AR, 54 eigenfaces", "authors", 54},
	"ar120":  {"", "AR, 120 eigenfaces", "authors", 120},
	"ar300":  {"", "AR, 300 eigenfaces", "authors", 300},
}

// divided returns the training and the test part of a set.
func divided(ctx context.Context, programs, data string) (learn, held *dataset.Images, err error) {
	s := sets[data]
	if s.dims > 0 {
		file := filepath.Join(programs, "DNRC", "AR_DAT.mat")
		learn, err = dataset.Open(ctx, file, dataset.Options{Arrays: dataset.Arrays{X: "NewTrain_DAT", Y: "trainlabels"}})
		if err == nil {
			held, err = dataset.Open(ctx, file, dataset.Options{Arrays: dataset.Arrays{X: "NewTest_DAT", Y: "testlabels"}})
		}
		if err != nil {
			return nil, nil, err
		}
		faces, err := projection.PCA{Dims: s.dims}.Fit(ctx, learn.X, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, part := range []*dataset.Images{learn, held} {
			var x mat.Dense
			x.Mul(faces.P.T(), part.X)
			part.X = &x
		}
		return learn, held, nil
	}
	path := filepath.Join(os.Getenv("NRDL_DATA"), "sets", s.file+".mat")
	if s.file == "" {
		path = filepath.Join("..", "faces", "dataset", "bundled", data+".npz")
	}
	set, err := dataset.Open(ctx, path, dataset.Options{})
	if err != nil {
		return nil, nil, err
	}
	split, err := dataset.ParseSplit(s.split)
	if err != nil {
		return nil, nil, err
	}
	train, test, err := split.Apply(set, 1)
	if err != nil {
		return nil, nil, err
	}
	return set.Select(train), set.Select(test), nil
}

// compare has both sides learn and recognise.
func (c comparison) compare(ctx context.Context, programs, data string) (*row, error) {
	learn, held, err := divided(ctx, programs, data)
	if err != nil {
		return nil, err
	}
	own, params, seconds, err := c.own(ctx, data, learn, held, nil)
	if err != nil {
		return nil, err
	}
	theirs, err := c.ask(ctx, programs, params, map[string]*mat.Dense{
		"X": classify.Unit(learn.X), "Y": classify.Unit(held.X), "x": labels(learn), "y": labels(held),
		"D": own.D, "S": own.S, "W": own.W, "C": own.codes,
	})
	if err != nil {
		return nil, err
	}
	r := &row{
		Method: c.method, Data: data, Split: sets[data].split, Printed: c.rates[data], Images: len(own.names),
		Objectives: [2]float64{theirs.Theirs, theirs.Ours}, Seconds: [2]float64{theirs.Seconds, seconds}, Mended: theirs.Mended,
	}
	var right [2]int
	for j, of := range held.Labels() { // the names are -1 where there is a rate
		for i, named := range []int{theirs.Classes[j] - 1, own.names[j]} {
			if named == of {
				right[i]++
			}
		}
		if theirs.Classes[j]-1 == own.names[j] {
			r.Same++
		}
	}
	for i, n := range right {
		r.Rates[i] = 100 * float64(n) / float64(r.Images)
	}
	if theirs.Rate >= 0 {
		r.Rates[0], r.Same = theirs.Rate, -1
	}
	if c.params != nil && len(theirs.Start) > 0 {
		d0 := mat.NewDense(len(theirs.Start), len(theirs.Start[0]), slices.Concat(theirs.Start...))
		if own, _, _, err = c.own(ctx, data, learn, held, d0); err != nil {
			return nil, err
		}
		for j, of := range held.Labels() {
			if own.names[j] == of {
				r.Started += 100 / float64(r.Images)
			}
		}
	}
	return r, nil
}

// An answer is what the script writes.
type answer struct {
	Seconds      float64
	Theirs, Ours float64 // objectives
	Rate         float64 // of a program that gives no names; else -1
	Mended       float64
	Classes      []int       // from 1
	Start        [][]float64 // the rows of its first dictionary; none if nrdl is not started there
}

// ask has the program learn and recognise.
func (c comparison) ask(ctx context.Context, programs string, params []byte, matrices map[string]*mat.Dense) (*answer, error) {
	dir, err := os.MkdirTemp("", "agreement")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, m := range matrices {
		err = errors.Join(err, write(filepath.Join(dir, name+".bin"), m))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "params.json"), params, 0o600),
		os.WriteFile(filepath.Join(dir, "published.m"), script, 0o600))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "octave-cli", "--no-init-file", filepath.Join(dir, "published.m"), c.method, programs, dir)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("octave-cli: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "answer.json"))
	var a answer
	return &a, errors.Join(err, json.Unmarshal(text, &a))
}

// learned is what nrdl has; S and W are nil where the method has none.
type learned struct {
	D, S, W, codes *mat.Dense // codes are of the test part
	names          []int
}

// own learns and recognises by nrdl, from d0 where it is given, and returns the parameters and the
// processor time too.
func (c comparison) own(ctx context.Context, data string, learn, held *dataset.Images, d0 *mat.Dense) (*learned, []byte, float64, error) {
	m, err := method.Named(c.method)
	if err != nil {
		return nil, nil, 0, err
	}
	if slices.Contains(method.PresetNames(), data) {
		if m, err = method.Preset(m, data); err != nil {
			return nil, nil, 0, err
		}
	}
	params := c.params
	if v := c.values[data]; v != "" {
		params = append(slices.Clone(params), [2]string{c.weight, v})
	}
	for _, p := range params {
		if m, err = method.Set(m, p[0], p[1]); err != nil {
			return nil, nil, 0, err
		}
	}
	begun := cputime.Used()
	model, err := m.Fit(ctx, &learn.Samples, classify.Run{Start: classify.Start{D: d0}})
	if err != nil {
		return nil, nil, 0, err
	}
	r, err := model.Classify(ctx, held.X)
	if err != nil {
		return nil, nil, 0, err
	}
	seconds := (cputime.Used() - begun).Seconds()
	var names []string
	for _, l := range learn.Labels() {
		names = append(names, learn.Classes[l])
	}
	f, err := classify.Learn(ctx, learn.X, names, m, classify.LearnOptions{Classes: learn.Classes, Start: classify.Start{D: d0}})
	if err != nil {
		return nil, nil, 0, err
	}
	l := &learned{D: f.D, S: f.S, W: f.W, codes: r.Codes, names: classify.Best(r.Scores)}
	return l, model.Parts().Params, seconds, nil
}

func labels(set *dataset.Images) *mat.Dense {
	l := mat.NewDense(1, len(set.Labels()), nil)
	for j, c := range set.Labels() {
		l.Set(0, j, float64(c+1))
	}
	return l
}

// write writes the numbers of rows and columns and the columns of m, 0 for nil.
func write(path string, m *mat.Dense) error {
	if m == nil {
		m = &mat.Dense{}
	}
	r, c := m.Dims()
	v := []float64{float64(r), float64(c)}
	for j := range c {
		v = append(v, mat.Col(nil, j, m)...)
	}
	out, err := binary.Append(nil, binary.LittleEndian, v)
	return errors.Join(err, os.WriteFile(path, out, 0o600))
}
