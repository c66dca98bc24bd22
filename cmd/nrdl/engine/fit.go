package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/method"
)

// A problem is what a method is to learn.
type problem struct {
	method classify.Method
	frame  dataset.Frame // of the images that the samples are, or of the faces of which a network made them; zero for others
	x      *mat.Dense
	labels []string
}

// problem returns the method that f names, with its parameters, and the samples x with their
// labels y; f may have these further arrays.
func (f *incoming) problem(further ...string) (p problem, err error) {
	if err := f.only(append([]string{"x", "y"}, further...)...); err != nil {
		return p, err
	}
	if p.method, err = method.Named(f.Method); err != nil {
		return p, err
	}
	for _, set := range f.Params {
		if p.method, err = method.Set(p.method, set.Name, set.Value); err != nil {
			return p, err
		}
	}
	if f.Image != nil {
		if len(f.Image) != 2 {
			return p, &coded{"request", fmt.Errorf("image %v is no height and width", f.Image)}
		}
		p.frame.Size = dataset.Size{Height: f.Image[0], Width: f.Image[1]}
		if err := p.frame.Validate(); err != nil {
			return p, err
		}
	}
	if p.x, err = f.pixels("x", p.frame.Grid(), nil); err != nil {
		return p, err
	}
	if f.Vectors {
		if p.frame, err = f.vectorsFrame(p.x); err != nil {
			return p, err
		}
	}
	_, n := p.x.Dims()
	y, err := f.integers("y", n, len(f.Classes))
	for _, c := range y {
		p.labels = append(p.labels, f.Classes[c])
	}
	return p, err
}

// fit answers with the model file of what a method has learned.
func (s *session) fit(ctx context.Context, f *incoming) (*answer, error) {
	p, err := f.problem()
	if err != nil {
		return nil, err
	}
	images, err := dataset.NewImages(p.x, p.labels, nil, f.Classes, p.frame)
	if err != nil {
		return nil, err
	}
	var h history
	g, err := gallery.Learn(ctx, images, frontend.Pipeline{}.ForImages(p.frame), p.method, s.watched(f, &h), 0)
	if err == nil && !f.Keep {
		g, err = g.Forget()
	}
	if err != nil {
		return nil, err
	}
	a, err := s.made(g)
	if err != nil {
		return nil, err
	}
	a.arrays = append(a.arrays, h.arrays()...)
	return a, nil
}

// A history is the objective and the residual after each pass.
type history struct{ objective, residual []float64 }

func (h *history) add(objective, residual float64) {
	h.objective, h.residual = append(h.objective, objective), append(h.residual, residual)
}

// watched returns the run that f asks for. It adds each pass to h, and sends it at once if f wants that.
func (s *session) watched(f *incoming, h *history) classify.Run {
	return classify.Run{Seed: f.Seed, Watch: func(p classify.Progress) {
		h.add(classify.Total(p.Terms()), p.Residual)
		if f.Watch {
			last := history{h.objective[p.Iter-1:], h.residual[p.Iter-1:]}
			_ = s.send(map[string]any{"progress": p.Iter}, last.arrays()) // the answer fails likewise
		}
	}}
}

func (h *history) arrays() []npz.Array {
	n := []int{len(h.residual)}
	return []npz.Array{npz.Float64("history.objective", n, h.objective), npz.Float64("history.residual", n, h.residual)}
}

// A stepping is a fit that is under way, pass by pass.
type stepping struct {
	method  classify.Method
	frame   dataset.Frame
	pull    func() (*classify.Step, error, bool)
	stop    func()
	step    *classify.Step // the last one; nil after the end
	history history
}

func (s *stepping) end() {
	if s.stop != nil {
		s.stop()
	}
	*s = stepping{}
}

// begin starts the fit that f asks for.
func (s *session) begin(ctx context.Context, f *incoming) error {
	s.end()
	further := []string{"start.D", "start.S", "start.W"}
	for _, a := range f.State {
		further = append(further, statePrefix+a.Name)
	}
	p, err := f.problem(further...)
	if err != nil {
		return err
	}
	o := classify.LearnOptions{Seed: f.Seed, Classes: f.Classes, Grid: p.frame.Grid()}
	if o.Start, err = f.start(o.Grid); err != nil {
		return err
	}
	if err := dataset.CheckNames(f.Classes); err != nil {
		return err
	}
	s.method, s.frame = p.method, p.frame
	s.pull, s.stop = iter.Pull2(classify.Steps(ctx, p.x, p.labels, p.method, o))
	return nil
}

// learn makes all passes, and answers with what was learned.
func (s *session) learn(ctx context.Context, f *incoming) (*answer, error) {
	if err := s.begin(ctx, f); err != nil {
		return nil, err
	}
	defer s.end()
	for {
		if err := s.advance(); err != nil {
			return nil, err
		}
		if s.step.Status != classify.Stopped {
			return s.learned(ctx, f)
		}
	}
}

// advance makes a pass.
func (s *session) advance() error {
	if s.pull == nil || s.step != nil && s.step.Status != classify.Stopped {
		return &coded{"request", errors.New("no fit is under way")}
	}
	step, err, ok := s.pull()
	if err == nil && !ok {
		err = &coded{"request", errors.New("the fit has ended")}
	}
	if s.step = step; err == nil {
		s.history.add(step.Objective, step.Residual)
	}
	return err
}

// steps begins a fit and makes its first pass.
func (s *session) steps(ctx context.Context, f *incoming) (*answer, error) {
	if err := s.begin(ctx, f); err != nil {
		return nil, err
	}
	return s.next(ctx, f)
}

// next makes one pass.
func (s *session) next(context.Context, *incoming) (*answer, error) {
	if err := s.advance(); err != nil {
		return nil, err
	}
	names, values, info := []string{}, []float64{}, []bool{}
	for _, t := range s.step.Terms {
		names, values, info = append(names, t.Name), append(values, t.Value), append(info, t.Info)
	}
	return &answer{
		map[string]any{"pass": s.step.Iter, "status": s.step.Status, "terms": names, "info": info},
		[]npz.Array{
			npz.Float64("objective", nil, []float64{s.step.Objective}),
			npz.Float64("residual", nil, []float64{s.step.Residual}),
			npz.Float64("terms", []int{len(values)}, values),
		},
	}, nil
}

// axes say what the rows and the columns of a matrix of an iterate are.
type axes struct {
	Name    string        `json:"name"`
	Rows    classify.Axis `json:"rows"`
	Columns classify.Axis `json:"columns"`
}

const statePrefix = "state."

// stateOf names the axes of matrices, and makes arrays of them. Those of features have the pixels
// of g row after row.
func stateOf(all []classify.Matrix, g classify.Grid) (names []axes, arrays []npz.Array) {
	names = []axes{}
	for _, m := range all {
		names = append(names, axes{m.Name, m.Rows, m.Columns})
		arrays = append(arrays, plain(statePrefix+m.Name, along(m, classify.Grid.ByRows, g)))
	}
	return names, arrays
}

// along returns m with its axes of features in the other order of the pixels of g.
func along(m classify.Matrix, order func(classify.Grid, *mat.Dense) *mat.Dense, g classify.Grid) *mat.Dense {
	rows, columns := m.Value.Dims()
	out := m.Value
	if m.Rows == classify.FeatureAxis && rows == g.Len() {
		out = order(g, out)
	}
	if m.Columns == classify.FeatureAxis && columns == g.Len() {
		out = mat.DenseCopyOf(order(g, mat.DenseCopyOf(out.T())).T())
	}
	return out
}

// start has the matrices of f from which a fit starts. Those of features have the pixels of g row
// after row.
func (f *incoming) start(g classify.Grid) (from classify.Start, err error) {
	for name, to := range map[string]**mat.Dense{"start.D": &from.D, "start.S": &from.S, "start.W": &from.W} {
		if *to, err = f.matrix(name); err != nil {
			return from, err
		}
	}
	if from.D != nil {
		from.D = along(classify.Matrix{Rows: classify.FeatureAxis, Columns: classify.AtomAxis, Value: from.D}, classify.Grid.ByColumns, g)
	}
	for _, a := range f.State {
		if a.Rows < classify.FeatureAxis || a.Rows > classify.OneAxis || a.Columns < classify.FeatureAxis || a.Columns > classify.OneAxis {
			return from, fmt.Errorf("state %.80q has the unknown axes %d and %d", a.Name, a.Rows, a.Columns)
		}
		m, err := f.matrix(statePrefix + a.Name)
		if err == nil && m == nil {
			err = fmt.Errorf("no array %s%.80s", statePrefix, a.Name)
		}
		if err != nil {
			return from, err
		}
		given := classify.Matrix{Name: a.Name, Rows: a.Rows, Columns: a.Columns, Value: m}
		given.Value = along(given, classify.Grid.ByColumns, g)
		from.State = append(from.State, given)
	}
	return from, nil
}

// matrices answers with those of the iterate after the last pass.
func (s *session) matrices(context.Context, *incoming) (*answer, error) {
	if s.step == nil {
		return nil, &coded{"request", errors.New("no fit is under way")}
	}
	all, err := s.step.Matrices()
	if err != nil {
		return nil, err
	}
	names, arrays := stateOf(all, s.frame.Grid())
	return &answer{map[string]any{"state": names}, arrays}, nil
}

// learned answers with what the passes so far have learned.
func (s *session) learned(context.Context, *incoming) (*answer, error) {
	if s.step == nil {
		return nil, &coded{"request", errors.New("no fit is under way")}
	}
	fit, err := s.step.Fit()
	if err != nil {
		return nil, err
	}
	g := &gallery.Gallery{Method: s.method, Model: &frontend.Model{Classifier: fit.Classifier}}
	g.Pipeline.Frame = s.frame
	a, err := s.made(g)
	if err != nil {
		return nil, err
	}
	names, arrays := stateOf(fit.State, s.frame.Grid())
	a.header["state"] = names
	a.arrays = append(append(a.arrays, arrays...), npz.Float64("objective", []int{len(fit.Objective)}, fit.Objective))
	a.arrays = append(a.arrays, s.history.arrays()...)
	return a.with(fit.D, fit.S, fit.W, fit.Classifier), nil
}

// with adds the parts of c, and the matrices that are there.
func (a *answer) with(d, codes, w *mat.Dense, c *classify.Classifier) *answer {
	p := c.Parts()
	if d != nil {
		d = p.Grid.ByRows(d)
	}
	a.header["classes"], a.header["groups"], a.header["rule"] = p.Classes, p.Groups, p.Rule.Name()
	for _, m := range []struct {
		name  string
		value *mat.Dense
	}{{"D", d}, {"S", codes}, {"W", w}} {
		if m.value != nil {
			a.arrays = append(a.arrays, plain(m.name, m.value))
		}
	}
	return a
}

// parts answers with what a model has learned.
func (s *session) parts(_ context.Context, f *incoming) (*answer, error) {
	g, err := s.model(f)
	if err == nil {
		g, err = g.Whole()
	}
	if err != nil {
		return nil, err
	}
	p := g.Parts()
	var w *mat.Dense
	if l, ok := p.Rule.(classify.Linear); ok {
		w = l.W
	}
	a := &answer{map[string]any{"method": p.Method, "params": p.Params, "seed": p.Seed}, nil}
	return a.with(p.D, nil, w, g.Classifier), nil
}
