package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/coding"
	"nrdl/dataset"
	"nrdl/internal/hint"
	"nrdl/method"
)

// learning is the flags that say what to learn from and how.
type learning struct {
	method string
	preset string
	set    []string
	input  inputFlags
	seed   uint64
}

func (l *learning) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&l.method, "method", "m", "", "`NAME` of the method; nrdl methods lists them (default "+comparer+"; "+learner+" for grey values without projection)")
	f.StringVar(&l.preset, "preset", "", "use the parameters for the database `NAME`: "+strings.Join(method.PresetNames(), ", "))
	f.StringArrayVarP(&l.set, "set", "s", nil, "set a parameter, `NAME=VALUE`, after --preset; may be repeated; nrdl methods NAME lists them")
	l.input.register(c)
	f.Uint64Var(&l.seed, "seed", 0, "random seed `N`")
	complete(c, "method", completeMethods)
	complete(c, "preset", completePresets)
	complete(c, "set", completeParams)
}

// The methods where none is named. On features and on projected samples learning
// a dictionary takes long and gains nothing over comparing with all of them
// (doc/frontends.md).
const (
	learner  = "nrdl"
	comparer = "nrc"
)

// methodFor is the name of the method that the flags describe, for samples that
// in makes; it may change once the samples of a file say how they were made.
func (l *learning) methodFor(in nrdl.Input) string {
	switch {
	case l.method != "":
		return l.method
	case in.Projection.IsZero() && len(in.Features) == 0:
		return learner
	}
	return comparer
}

// configured returns the method that the flags describe, for samples that in
// makes.
func (l *learning) configured(in nrdl.Input) (nrdl.Method, error) {
	m, err := method.Named(l.methodFor(in))
	if err != nil {
		return nil, usageError{err}
	}
	if l.preset != "" {
		if m, err = method.Preset(m, l.preset); err != nil {
			return nil, usageError{err}
		}
	}
	for _, s := range l.set {
		path, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, hint.Add(misuse("--set %q is not of the form NAME=VALUE", s),
				"nrdl methods %s lists the parameters", m.Name())
		}
		path, value = strings.TrimSpace(path), strings.TrimSpace(value)
		next, err := method.Set(m, path, value)
		if err != nil {
			return nil, l.named(usageError{err}, m, path, value)
		}
		m = next
	}
	if err := m.Validate(); err != nil {
		return nil, misuse("%s: %w", m.Name(), err)
	}
	return m, nil
}

// named returns err, that m has no such parameter, with the hint to name the
// method that has it where m is only what is taken where none is named.
func (l *learning) named(err error, m nrdl.Method, path, value string) error {
	if l.method != "" || m.Name() == learner {
		return err
	}
	of, wrong := method.Named(learner)
	if wrong == nil {
		_, wrong = method.Set(of, path, value)
	}
	if wrong != nil {
		return err
	}
	return hint.Add(err, "it is a parameter of %s, and %s is the method where samples are features or projected: --method %s", learner, m.Name(), learner)
}

// sizeFlag is a --size HxW; zero where it is not given.
type sizeFlag struct{ nrdl.Size }

func (s *sizeFlag) register(c *cobra.Command) {
	s.registerAs(c, "resize images to `HxW` pixels (default the size of the input, "+nrdl.DefaultSize.String()+" for pixels; .mat and .npz keep theirs)")
}

func (s *sizeFlag) registerAs(c *cobra.Command, use string) {
	c.Flags().Var(s, "size", use)
	complete(c, "size", cobra.FixedCompletions([]string{"32x32", "56x46", "64x64"}, cobra.ShellCompDirectiveNoFileComp))
}

func (s *sizeFlag) String() string {
	if s.Len() == 0 {
		return ""
	}
	return s.Size.String()
}

func (s *sizeFlag) Type() string { return "HxW" }

func (s *sizeFlag) Set(text string) (err error) {
	s.Size, err = nrdl.ParseSize(text)
	if err == nil && s.Len() == 0 {
		return fmt.Errorf("size %q has no pixels", text)
	}
	return err
}

// splitFlag is a --split; dataset.Split with the Type that pflag asks for.
type splitFlag struct{ dataset.Split }

func (s *splitFlag) register(c *cobra.Command, use string) {
	c.Flags().Var(s, "split", use+": "+strings.Join(dataset.SplitForms, ", "))
	complete(c, "split", cobra.FixedCompletions(splitCompletions(), cobra.ShellCompDirectiveNoFileComp))
}

func (s *splitFlag) Type() string { return "SPLIT" }

func (s *splitFlag) Set(text string) error { return s.UnmarshalText([]byte(text)) }

// open reads the data set at path, or else below the folder that NRDL_DATA
// names, and tells what it holds. Find says how faces are found in photographs.
func (a *app) open(ctx context.Context, path string, in nrdl.Input, find faceFlags) (*nrdl.Set, error) {
	start := time.Now()
	path = a.databases("").Find(path)
	count, done := a.count("reading " + path)
	faces := find.detector(in)
	set, err := dataset.Open(ctx, path, dataset.Options{
		Input: in, Faces: a.tellingFaces(faces), Warn: func(s string) { a.warn("%s", s) }, Progress: count,
	})
	done()
	if err != nil {
		return nil, err
	}
	a.warnOfSeveral(faces)
	what := describe(set)
	if !isMatrix(path) {
		what = strings.Replace(what, " of ", ", resized to ", 1)
	}
	a.tell("read %s: %s in %s", path, what, seconds(time.Since(start)))
	return set, nil
}

// describe counts what is in a set: "10 people, 100 images of 32x32".
func describe(set *nrdl.Set) string {
	d, n := set.X.Dims()
	if !set.Input.ArePixels() {
		return fmt.Sprintf("%d people, %d samples of %d features", len(set.Classes), n, d)
	}
	return fmt.Sprintf("%d people, %d images of %v", len(set.Classes), n, set.Input.Size)
}

// tellMethod tells a method's parameters as --set would give them.
func (a *app) tellMethod(m nrdl.Method, l learning) {
	if l.preset != "" && len(method.PresetValues(m, l.preset)) == 0 {
		a.tell("%s has no values of its own for %s: the defaults are used", m.Name(), l.preset)
	}
	line := fmt.Sprintf("method %s, seed %d:", m.Name(), l.seed)
	for _, p := range method.Params(m) {
		word := " " + p.Path + "=" + p.Value
		if len(line)+len(word) > 100 {
			a.tell("%s", line)
			line = "   "
		}
		line += word
	}
	a.tell("%s", line)
}

// ended tells why a fit ended and how long it took.
func ended(o nrdl.Outcome, took time.Duration) string {
	switch o.Status {
	case nrdl.ClosedForm:
		return "learnt in " + seconds(took)
	case nrdl.Converged:
		return fmt.Sprintf("converged after %s in %s", passCount(o.Iter), seconds(took))
	case nrdl.Complete:
		return fmt.Sprintf("learnt in %s, all that were asked for, in %s", passCount(o.Iter), seconds(took))
	case nrdl.Exhausted:
		return fmt.Sprintf("not converged in %s, all that were allowed, in %s", passCount(o.Iter), seconds(took))
	}
	return fmt.Sprintf("%s after %s in %s", o.Status, passCount(o.Iter), seconds(took))
}

func passCount(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// loadModel reads the model file at path.
func loadModel(path string) (*nrdl.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		err = fmt.Errorf("read model: %w", err)
		if errors.Is(err, fs.ErrNotExist) {
			err = hint.Add(err, "learn it first: nrdl train DATA -o %s", path)
		}
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, hint.Add(fmt.Errorf("read model %s: is a folder", path), "the model comes first, then the images")
	}
	m, err := nrdl.Load(f)
	if err != nil {
		return nil, fmt.Errorf("read model %s: %w", path, err)
	}
	return m, nil
}

// megabytes writes the size of a file.
func megabytes(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// warnOvercomplete tells of a learnt dictionary over which the exact
// non-negative code is not unique: it then rebuilds any face from atoms of
// anybody.
func (a *app) warnOvercomplete(m *nrdl.Model) {
	p := m.Parts()
	d, k := p.D.Dims()
	if c, ok := p.Coder.(coding.NonNegative); ok && c.Solver == coding.Exact && p.Rule == nrdl.Linear && k > d {
		a.warn("%d atoms for %d features: exact non-negative codes may recognise badly there", k, d)
		a.tell("nrdl: %s --set coder.solver=admm, fewer atoms a person (--set atoms=N), or a larger --size", a.paint(cyan, "hint:"))
	}
}
