package experiment

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/legible"
)

// ProgramMethod is the value of Record.Method if the run was made by a Program.
const ProgramMethod = "external"

// A Program is an external contestant of a plan: a command that trains on samples and
// classifies test samples. doc/external.md describes its input and output.
type Program struct {
	Command []string                   `json:"command"`          // the program and its arguments
	Params  map[string]json.RawMessage `json:"params,omitempty"` // from the plan, for the program
	Files   string                     `json:"files,omitempty"`  // digest of the files in Command
	Ranges  []ProgramRange             `json:"ranges,omitempty"` // where a search looks for some of Params

	path string // what is started instead of Command, without arguments and surroundings; "": Command
}

// permit is p as the programs allow it to be started, by Program.String; nil allows every command.
func (p Program) permit(allowed map[string]string) (Program, error) {
	if allowed == nil {
		return p, nil
	}
	path := allowed[p.String()]
	if path == "" {
		return p, advice.Add(fmt.Errorf("the plan wants the external program %s, and none of that name is allowed here", p),
			"who trusts it starts the worker with %v", advice.AllowProgram.To(p.String()+"=PATH"))
	}
	p.path = path
	return p, nil
}

// command is what is started.
func (p Program) command(ctx context.Context) *exec.Cmd {
	if p.path == "" {
		c := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
		c.Env = os.Environ()
		return c
	}
	c := exec.CommandContext(ctx, p.path)
	c.Env = []string{} // nil would be that of this process
	return c
}

// Name returns ProgramMethod.
func (Program) Name() string { return ProgramMethod }

// Validate returns an error if the program cannot be started.
func (p Program) Validate() error {
	if len(p.Command) == 0 {
		return errors.New("no command")
	}
	if _, err := exec.LookPath(p.Command[0]); err != nil {
		return advice.Add(fmt.Errorf("the program %q cannot be started: %w", p.Command[0], err), "give its path, or put its folder into PATH")
	}
	return nil
}

// Fit returns an error, since a Program trains and classifies in one step, Run.
func (Program) Fit(context.Context, *classify.Samples, classify.Run) (*classify.Classifier, error) {
	return nil, errors.New("an external program makes no model")
}

// Bounds on the output of a program.
const (
	maxAnswer    = 32      // bytes of the line of a test sample
	maxTimes     = 64      // bytes of the line of times
	maxComplaint = 4 << 10 // last bytes of its standard error that are kept
	killDelay    = 5 * time.Second
)

// Answers are what a Program has found.
type Answers struct {
	Classes   []int   // of each test sample: the index of a class, or −1
	Fit, Code float64 // seconds of learning and of recognising, where the program tells; else 0
}

// Run starts the program and returns its answers for the columns of test. The samples are the columns
// of train.X (d×N) and test (d×n). It is an
// error if the program fails, or if an answer is missing. The program is killed when ctx
// ends, or when its output is too long.
func (p Program) Run(ctx context.Context, train *classify.Samples, test *mat.Dense, seed uint64) (*Answers, error) {
	input, err := p.input(train, test, seed)
	if err != nil {
		return nil, err
	}
	_, n := test.Dims()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	given := answers{maxBytes: n*maxAnswer + maxTimes, exceed: func() {
		stop(fmt.Errorf("%s wrote more than a line of at most %d bytes for each of %d test samples", p, maxAnswer, n))
	}}
	complaint := tail{maxBytes: maxComplaint}
	c := p.command(ctx)
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(input), &given, &complaint, killDelay
	together(c)
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GOMAXPROCS"} {
		c.Env = append(c.Env, name+"="+strconv.Itoa(blas.Threads()))
	}
	err = c.Run()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, p.failed(err, complaint)
	}
	return p.read(given.bytes, n, len(train.Classes))
}

// String returns the command on one line.
func (p Program) String() string {
	words := make([]string, len(p.Command))
	for i, w := range p.Command {
		words[i] = legible.ShellWord(w)
	}
	return strings.Join(words, " ")
}

// failed adds the last line of the standard error of the program to err.
func (p Program) failed(err error, complaint tail) error {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(complaint.bytes), "�")), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return fmt.Errorf("%s: %w: %s", p, err, last)
	}
	return fmt.Errorf("%s: %w", p, err)
}

// input is the .npz file that the program reads.
func (p Program) input(train *classify.Samples, test *mat.Dense, seed uint64) ([]byte, error) {
	labels := make([]int64, 0, len(train.IDs))
	for c := range train.Classes {
		for range train.Groups[c+1] - train.Groups[c] {
			labels = append(labels, int64(c))
		}
	}
	params, err := json.Marshal(p.Params)
	if err != nil {
		return nil, err
	}
	if p.Params == nil {
		params = []byte("{}")
	}
	var b bytes.Buffer
	err = npz.Write(&b,
		rows("X_train", train.Grid.ByRows(train.X)), npz.Int64("y_train", []int{len(labels)}, labels), rows("X_test", train.Grid.ByRows(test)),
		npz.Int64("seed", []int{1}, []int64{int64(seed)}), // has 53 bits
		npz.Int64("shape", []int{3}, []int64{int64(train.Grid.Planes), int64(train.Grid.Height), int64(train.Grid.Width)}),
		npz.Text("params", []string{string(params)}))
	return b.Bytes(), err
}

// rows returns an array whose rows are the columns of x.
func rows(name string, x *mat.Dense) npz.Array {
	d, n := x.Dims()
	return npz.Float64Rows(name, n, d, func(lo, hi int, dst []float64) {
		for j := lo; j < hi; j++ {
			mat.Col(dst[(j-lo)*d:(j-lo+1)*d], j, x)
		}
	})
}

// read reads n answers, each the index of one of so many classes or −1, and perhaps a line
// with the seconds of learning and of recognising.
func (p Program) read(text []byte, n, classes int) (*Answers, error) {
	var found Answers
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		word := strings.TrimSpace(lines.Text())
		if word == "" {
			continue
		}
		if times, ok := strings.CutPrefix(word, "seconds "); ok {
			if _, err := fmt.Sscan(times, &found.Fit, &found.Code); err != nil || !(found.Fit >= 0 && found.Code >= 0) {
				return nil,
					fmt.Errorf(`%s: the line %.80q does not give the seconds of learning and of recognising, such as "seconds 1.5 0.2"`, p, word)
			}
			continue
		}
		class, err := strconv.Atoi(word)
		if err != nil || class < -1 || class >= classes {
			return nil, fmt.Errorf("%s: answer %d is %.40q, not one of the classes 0 … %d or -1", p, len(found.Classes)+1, word, classes-1)
		}
		found.Classes = append(found.Classes, class)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(found.Classes) != n {
		return nil, fmt.Errorf("%s: %d answers for %d test samples", p, len(found.Classes), n)
	}
	return &found, nil
}

// answers keeps the output of a program, and calls exceed if it is too long.
type answers struct {
	bytes    []byte
	maxBytes int
	exceed   func()
}

func (a *answers) Write(b []byte) (int, error) {
	if len(a.bytes)+len(b) > a.maxBytes {
		a.exceed()
	} else {
		a.bytes = append(a.bytes, b...)
	}
	return len(b), nil // an error would seem to be the program's
}

// A tail keeps the last bytes of an output.
type tail struct {
	bytes    []byte
	maxBytes int
}

func (t *tail) Write(b []byte) (int, error) {
	t.bytes = append(t.bytes, b...)
	if over := len(t.bytes) - t.maxBytes; over > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[over:]...)
	}
	return len(b), nil
}

// runProgram is run for a program.
func (d *division) runProgram(ctx context.Context, p Program, seed uint64) (Run, error) {
	test, err := d.test()
	if err != nil {
		return Run{}, err
	}
	samples, err := samplesOf(d.pipeline, test)
	if err != nil {
		return Run{}, err
	}
	start := time.Now()
	found, err := p.Run(ctx, d.train, samples, seed)
	if err != nil {
		return Run{}, err
	}
	took := time.Since(start).Seconds()
	if found.Fit+found.Code > took {
		return Run{}, fmt.Errorf("%s tells of %.3g seconds, and took %.3g", p, found.Fit+found.Code, took)
	}
	r := Run{Seed: seed, FitSeconds: d.seconds + took}
	if found.Fit+found.Code > 0 {
		r.FitSeconds, r.CodeSeconds = d.seconds+found.Fit, found.Code
	}
	_, r.Train = d.train.X.Dims()
	r.tally(test, found.Classes, d.train.Classes)
	for i, j := range r.MissedColumns {
		r.MissedColumns[i] = d.judge[j]
	}
	return r, nil
}

// samplesOf returns what the pipeline makes of images, d×n.
func samplesOf(pipeline frontend.Fitted, images *dataset.Images) (*mat.Dense, error) {
	var samples *mat.Dense
	err := pipeline.Each(images, func(lo, hi int, x *mat.Dense) error {
		if samples == nil {
			d, _ := x.Dims()
			samples = mat.NewDense(d, images.Len(), nil)
		}
		samples.Slice(0, samples.RawMatrix().Rows, lo, hi).(*mat.Dense).Copy(x)
		return nil
	})
	return samples, err
}

// maxDigested bounds a file of a program that is digested, in bytes.
const maxDigested = 64 << 20

// digest returns a hash of the files and of the files in the folders that words name; ""
// if there are none. With it, a changed program is another contestant without records.
func digest(words []string) string {
	h, some := sha256.New(), false
	add := func(path string) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxDigested {
			return
		}
		if text, err := os.ReadFile(path); err == nil {
			some = true
			fmt.Fprintf(h, "%s\x00%d\x00%s", filepath.Base(path), len(text), text)
		}
	}
	for _, word := range words {
		entries, err := os.ReadDir(word)
		if err != nil {
			add(word)
			continue
		}
		for _, e := range entries {
			add(filepath.Join(word, e.Name()))
		}
	}
	if !some {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// programs is contestants for a methodFile with a command.
func (e *methodFile) programs() ([]contestant, error) {
	switch {
	case e.Method != "":
		return nil, advice.Add(e.node.errorf(`both "method" and "command"`), "a program is a contestant of its own")
	case e.node.member["preset"] != nil:
		return nil, e.node.errorf("a program has no presets")
	case e.Trace:
		return nil, e.node.errorf("a program shows nothing of its passes")
	case e.node.member["tune"] != nil && len(e.Ranges) == 0:
		return nil, advice.Add(e.node.errorf("nrdl does not know where to look for the parameters of a program"),
			`give "ranges" of some of its "params"`)
	}
	ranges, err := e.ranges()
	if err != nil {
		return nil, err
	}
	file := filepath.Base(e.Command[len(e.Command)-1])
	id := cmp.Or(e.Label, strings.TrimSuffix(file, filepath.Ext(file)))
	base := contestant{
		node: e.node, id: id, label: id + " (external)", description: e.About, tune: (*Search)(e.Tune),
		input: e.input, datasets: e.Datasets,
	}
	if base.description == "" {
		base.description = "the external program " + Program{Command: e.Command}.String()
		for _, a := range e.params {
			base.description += ", " + a.path + " = " + a.value
		}
		if !e.input.IsZero() {
			base.description += "; features " + e.input.String()
		}
	}
	variants := [][]assignment{nil}
	if e.variants != nil {
		variants = e.variants
	}
	var all []contestant
	for _, varied := range variants {
		c, p := base, Program{Command: e.Command, Ranges: ranges}
		p.Files = e.node.source.digest(p)
		for _, a := range slices.Concat(e.params, varied) {
			text, err := json.Marshal(a.node.token)
			if err != nil {
				return nil, a.node.errorf("%w", err)
			}
			if p.Params == nil {
				p.Params = map[string]json.RawMessage{}
			}
			p.Params[a.path] = text
		}
		if varied != nil {
			c.vary(varied)
		}
		c.method = func(string) (classify.Method, error) { return p, nil }
		all = append(all, c)
	}
	return all, nil
}
