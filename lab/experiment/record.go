package experiment

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/jsonl"
)

// A Record is the result of one run of a plan, a line of a file of records. It has all
// data for repeating the run. Cost has the fields that depend on the machine or the time.
// A failed run has an Error and no rate.
type Record struct {
	Key     string `json:"key"`             // of the run in its plan: the same for the same work
	Plan    string `json:"plan"`            // name of the plan
	About   string `json:"about,omitempty"` // what the plan is for
	Study   bool   `json:"study,omitempty"` // the plan looks into one method, and recommends none
	Dataset Source `json:"dataset"`
	Split   string `json:"split"`

	Noise          float64 `json:"noise,omitempty"`     // density of salt and pepper on all images
	Occlusion      float64 `json:"occlusion,omitempty"` // share of each test image that a block covers
	Repeat         int     `json:"repeat"`              // from 0
	Seed           uint64  `json:"seed"`                // of the split and of the fit
	CorruptionSeed uint64  `json:"dirt_seed,omitempty"` // of noise and occlusion

	Method      string             `json:"method"`
	Label       string             `json:"label"`               // its name in tables
	Explanation string             `json:"explained,omitempty"` // meaning of the label, from the plan
	Input       *frontend.Pipeline `json:"input,omitempty"`     // that made samples of the images; nil if their grey values are the samples
	Variation   *Variation         `json:"varied,omitempty"`
	Params      json.RawMessage    `json:"params"` // all parameters of the method, tuned ones included
	Tuning      *Tuning            `json:"tuning,omitempty"`

	SplitHash string          `json:"split_hash,omitempty"` // of the training columns
	Train     int             `json:"train,omitempty"`      // training images
	N         int             `json:"n,omitempty"`          // test images
	Wrong     int             `json:"wrong"`                // test images with a wrong best guess
	Rate      float64         `json:"rate"`                 // rank-1 rate, 0 … 1
	Passes    int             `json:"passes"`               // passes of the learning
	Status    classify.Status `json:"status,omitempty"`     // how the learning ended
	Residual  float64         `json:"residual"`             // value of the stopping test
	Error     string          `json:"error,omitempty"`      // why the run failed

	ClassErrors   map[string]int `json:"class_errors,omitempty"` // errors by person; people without errors are left out
	Confusions    []Confusion    `json:"confusions,omitempty"`   // the most frequent first
	MissedColumns []int          `json:"missed,omitempty"`       // columns of the set with errors, ascending
	Trace         *Trace         `json:"trace,omitempty"`

	Published *Published `json:"published,omitempty"` // the published rate, from the plan
	Note      string     `json:"note,omitempty"`      // about this rate, from the plan
	Cost      Cost       `json:"cost"`
}

// A Source is the data set of a run.
type Source struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`           // name in words
	Path      string           `json:"path,omitempty"`  // as in the plan; "" for drawn faces
	Synthetic *synthetic.Faces `json:"drawn,omitempty"` // how the faces were drawn
	X         string           `json:"x,omitempty"`     // array of the file with the samples; "" for the common names
	Y         string           `json:"y,omitempty"`     // array of the file with the labels
	Input     dataset.Frame    `json:"input"`
	Preset    string           `json:"preset,omitempty"` // database whose preset is used
	Hash      string           `json:"hash"`             // of samples and labels
	About     string           `json:"about,omitempty"`  // what it is
}

// A Variation is the parameter that a plan varies, with its value in this run.
type Variation struct {
	Path   string     `json:"path"`           // name of the parameter
	Value  string     `json:"value"`          // its value
	Second *Variation `json:"with,omitempty"` // a second parameter, where the plan varies two
}

// A Confusion counts the images of one person that were recognised as another.
type Confusion struct {
	Person string `json:"of"` // who it is
	Name   string `json:"as"` // whose name was given
	N      int    `json:"n"`  // how often
}

// Published is a published rate, in percent, with its sample standard
// deviation, 0 if none is published.
type Published struct {
	Mean   float64 `json:"mean"`
	SD     float64 `json:"sd,omitempty"`
	Source string  `json:"source,omitempty"` // tag of the publication
}

// A Trace has the terms of the objective after every pass.
type Trace struct {
	Terms  []string    `json:"terms"`  // names of the terms of the objective
	Values [][]float64 `json:"values"` // Values[p][t] of term t after pass p+1
}

// A Tuning is the search that chose the parameters of a run, on its training
// images.
type Tuning struct {
	Search
	Best   int     `json:"best"`   // the trial whose parameters the run uses
	Trials []Trial `json:"trials"` // the configurations that were tried
}

// A Cost has the time and memory of a run, the machine and the program version.
type Cost struct {
	FitSeconds  float64   `json:"fit_seconds"`            // of training, without tuning
	CodeSeconds float64   `json:"code_seconds"`           // of recognising the N images
	TuneSeconds float64   `json:"tune_seconds,omitempty"` // time of tuning
	PeakBytes   uint64    `json:"peak_bytes"`             // peak memory of the process during the run, including parallel runs; 0 if unknown
	BaseBytes   uint64    `json:"base_bytes,omitempty"`   // part of PeakBytes in use before the run; known only for a run alone
	Jobs        int       `json:"jobs"`                   // runs at a time
	Threads     int       `json:"threads"`                // of linear algebra in a run
	BLAS        string    `json:"blas"`                   // back end of the linear algebra
	Version     string    `json:"version"`                // of nrdl
	Go          string    `json:"go"`                     // version of Go
	System      string    `json:"system"`                 // operating system and processor
	EndTime     time.Time `json:"finished"`               // when the run ended
}

// Same reports whether two records agree in everything except Cost and the
// times of trials.
func (r Record) Same(s Record) bool {
	a, errA := json.Marshal(r.timeless())
	b, errB := json.Marshal(s.timeless())
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func (r Record) timeless() Record {
	r.Cost = Cost{}
	if r.Tuning != nil {
		t := *r.Tuning
		t.Trials = slices.Clone(t.Trials)
		for i := range t.Trials {
			t.Trials[i].Seconds = 0
		}
		r.Tuning = &t
	}
	return r
}

// check reports the first contradiction between fields of r, as in a damaged line that is
// still valid JSON.
func (r *Record) check() error {
	if r.Key == "" || r.Method == "" || r.Dataset.Name == "" || r.Label == "" {
		return errors.New("no key, method, label or data set: not a record of a run")
	}
	if r.Error != "" {
		return nil
	}
	errs, pairs := 0, 0
	for _, n := range r.ClassErrors {
		errs += n
	}
	for _, c := range r.Confusions {
		pairs += c.N
	}
	switch {
	case r.N < 1 || r.Wrong < 0 || r.Wrong > r.N:
		return fmt.Errorf("%d of %d images wrong", r.Wrong, r.N)
	case errs != r.Wrong || pairs != r.Wrong || len(r.MissedColumns) != r.Wrong:
		return fmt.Errorf("%d images wrong, but %d by person, %d by pair and %d in the list", r.Wrong, errs, pairs, len(r.MissedColumns))
	case r.Rate != float64(r.N-r.Wrong)/float64(r.N):
		return fmt.Errorf("rate %v with %d of %d images wrong", r.Rate, r.Wrong, r.N)
	}
	if t := r.Trace; t != nil {
		for p, v := range t.Values {
			if len(v) != len(t.Terms) {
				return fmt.Errorf("trace: pass %d has %d values for %d terms", p+1, len(v), len(t.Terms))
			}
		}
	}
	return nil
}

// count sets the results of the predictions: people[j] is the person in column columns[j],
// and named[j] the predicted one.
func (r *Record) count(columns []int, people, named []string) {
	pairs := map[[2]string]int{}
	r.N = len(columns)
	for j, is := range people {
		if named[j] == is {
			continue
		}
		r.Wrong++
		r.MissedColumns = append(r.MissedColumns, columns[j])
		pairs[[2]string{is, named[j]}]++
		if r.ClassErrors == nil {
			r.ClassErrors = map[string]int{}
		}
		r.ClassErrors[is]++
	}
	for p, n := range pairs {
		r.Confusions = append(r.Confusions, Confusion{p[0], p[1], n})
	}
	slices.SortFunc(r.Confusions, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.N, a.N), natural.Compare(a.Person, b.Person), natural.Compare(a.Name, b.Name))
	})
	r.Rate = float64(r.N-r.Wrong) / float64(r.N)
}

// A version identifies a run without its parameters.
type version struct {
	data, split      string
	noise, occlusion float64
	label            string
	repeat           int
}

func versionOf(r *Record) version {
	return version{r.Dataset.Name, r.Split, r.Noise, r.Occlusion, r.Label, r.Repeat}
}

// maxLine bounds a record, in bytes: two thousand people and a long trace need
// less.
const maxLine = 64 << 20

// ReadRecords reads records, one JSON object per line. An incomplete last line, for
// example after a crash, is left out; then cut is true. Whole is the number of bytes of
// the complete lines. Any other line that is not a record is an error that names the line.
// The last of several records with equal keys replaces the others.
func ReadRecords(r io.Reader) (records []Record, whole int64, cut bool, err error) {
	var all recordList
	whole, cut, err = jsonl.Read(r, maxLine, all.add)
	return all.records, whole, cut, err
}

// A recordList collects the records of a file.
type recordList struct {
	records []Record
	index   map[string]int // by key
}

// add adds the record of line n.
func (l *recordList) add(n int, line []byte) error {
	r, err := DecodeRecord(line)
	if err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	if i, twice := l.index[r.Key]; twice {
		l.records[i] = r
		return nil
	}
	if l.index == nil {
		l.index = map[string]int{}
	}
	l.index[r.Key] = len(l.records)
	l.records = append(l.records, r)
	return nil
}

// Line returns r as a line of a file of records, one that DecodeRecord can read again.
func (r *Record) Line() ([]byte, error) {
	line, err := json.Marshal(r)
	if bad := (*json.UnsupportedValueError)(nil); errors.As(err, &bad) {
		err = fmt.Errorf("a result has the value %s", bad.Str)
	}
	if err == nil && len(line) >= maxLine {
		err = fmt.Errorf("it is longer than %d MiB", maxLine>>20)
	}
	if err == nil {
		_, err = DecodeRecord(line)
	}
	if err != nil {
		return nil, fmt.Errorf("the record cannot be kept: %w", err)
	}
	return append(line, '\n'), nil
}

// DecodeRecord reads a line of a file of records.
func DecodeRecord(line []byte) (Record, error) {
	var rec Record
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	err := dec.Decode(&rec)
	if err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text after its end")
		}
	}
	if err != nil {
		return rec, advice.Add(fmt.Errorf("not a record: %w", explainJSON(err)), "%v", repairOf(err))
	}
	if err := rec.check(); err != nil {
		return rec, advice.Add(err, "%v", repair)
	}
	return rec, nil
}

// repair is the advice for a broken line.
var repair = advice.New("repair or remove that line, whose run is then made again; a plan (.json) has no records: %v makes them",
	advice.RunPlan)

// unknownField is the beginning of the error of encoding/json about an unknown member.
const unknownField = "json: unknown field "

// repairOf is the advice for a line that err, of a JSON decoder, refuses.
func repairOf(err error) advice.Advice {
	if strings.HasPrefix(err.Error(), unknownField) {
		return advice.New("if a later nrdl wrote the file, read it with that one; else %v", repair)
	}
	return repair
}

// explainJSON rewrites the error of a JSON decoder without names of Go types.
func explainJSON(err error) error {
	if bad := (*json.UnmarshalTypeError)(nil); errors.As(err, &bad) {
		if bad.Field == "" {
			return fmt.Errorf("a JSON %s", bad.Value)
		}
		return fmt.Errorf("%q cannot be a %s", bad.Field, bad.Value)
	}
	if bad := (*time.ParseError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("%q is not a time", bad.Value)
	}
	switch name, unknown := strings.CutPrefix(err.Error(), unknownField); {
	case unknown:
		return fmt.Errorf("unknown key %s", name)
	case errors.Is(err, io.EOF):
		return errors.New("an empty line")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return err
}

// ReadRecordsFile reads the records at path, which may be compressed by gzip.
// Warn is called if the last line is cut short; may be nil.
func ReadRecordsFile(path string, warn func(string)) ([]Record, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("read records %s: is a folder", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var r io.Reader = in
	compressed := false
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) || strings.HasSuffix(path, ".gz") {
		compressed = true
		if r, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("read records %s: %w", path, err)
		}
	}
	begins, _ := in.Peek(1 << 11)
	if err := otherThanRecords(path, begins); err != nil {
		return nil, err
	}
	records, _, cut, err := ReadRecords(r)
	if err != nil {
		err = fmt.Errorf("read records %s: %w", path, err)
		if compressed {
			err = advice.Add(err, "the compressed file is damaged: get it again, or unpack what can be unpacked")
		}
		return nil, err
	}
	if cut && warn != nil {
		warn(fmt.Sprintf("%s: the last line is cut short and left out", path))
	}
	return records, nil
}
