package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/lin"
)

// read reads what the Python program wrote.
func read(path string) (*results, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := npz.Read(bytes.NewReader(raw), int64(len(raw)), npz.DefaultLimits)
	if err != nil {
		return nil, err
	}
	r := &results{results: map[string]found{}}
	if r.version, err = text(list, "version"); err != nil {
		return nil, err
	}
	for _, a := range list {
		name, ok := strings.CutSuffix(a.Name, "_seconds")
		if !ok {
			continue
		}
		var got found
		if got.way, err = text(list, name+"_way"); err != nil {
			return nil, err
		}
		if got.value, err = columns(list, name); err != nil {
			return nil, err
		}
		seconds, err := a.Float64s()
		if err != nil {
			return nil, err
		}
		got.seconds = seconds[0]
		r.results[name] = got
	}
	return r, nil
}

func text(list npz.Arrays, name string) (string, error) {
	a, err := list.Find(name)
	if err != nil {
		return "", err
	}
	v, err := a.Strings()
	if err != nil {
		return "", err
	}
	return v[0], nil
}

// columns returns an array whose rows are samples as a matrix whose columns are.
func columns(list npz.Arrays, name string) (*mat.Dense, error) {
	a, err := list.Find(name)
	if err != nil {
		return nil, err
	}
	v, err := a.Float64s() // column by column
	if err != nil {
		return nil, err
	}
	n, k := a.Dims()
	return mat.NewDense(k, n, v), nil
}

// report prints the table, and judges the results of both sides alike.
func (t *tasks) report(ctx context.Context, w io.Writer, own, peer *results) error {
	fmt.Fprintf(w, "| task | nrdl | scikit-learn | ratio | the results |\n| --- | --- | --- | --- | --- |\n")
	row := func(name, what, judged string) {
		a, b := own.results[name], peer.results[name]
		fmt.Fprintf(w, "| %s | %.3f s | %.3f s (%s) | %.1f × | %s |\n", what, a.seconds, b.seconds, b.way, b.seconds/a.seconds, judged)
	}
	d, k := t.atoms.Dims()
	_, n := t.probes.Dims()
	row("omp", fmt.Sprintf("OMP, T₀ = %d: %d probes, d = %d, K = %d", sparsity, n, d, k),
		judgePursuit(own.results["omp"].value, peer.results["omp"].value))
	for i, p := range penalties {
		name, probes := fmt.Sprint("lasso", i), t.every(p.every)
		_, n := probes.Dims()
		row(name, fmt.Sprintf("lasso, λ = %v, gap %.0e: %d probes, d = %d, K = %d", p.λ, gap, n, d, k),
			fmt.Sprintf("largest gap %.1e and %.1e", worstGap(t.atoms, probes, own.results[name].value, p.λ),
				worstGap(t.atoms, probes, peer.results[name].value, p.λ)))
	}
	for _, l := range t.learn {
		a, err := l.judge(ctx, own.results[l.name].value)
		if err != nil {
			return err
		}
		b, err := l.judge(ctx, peer.results[l.name].value)
		if err != nil {
			return err
		}
		row(l.name, "online dictionary learning: "+l.title, fmt.Sprintf("objective on held-out samples %.6f and %.6f", a, b))
	}
	return nil
}

// judgePursuit says how many samples have the same code on both sides.
func judgePursuit(own, peer *mat.Dense) string {
	_, n := own.Dims()
	same, largest := 0, 0.0
	for j := range n {
		u, v := mat.Col(nil, j, own), mat.Col(nil, j, peer)
		if slices.EqualFunc(u, v, func(a, b float64) bool { return (a != 0) == (b != 0) }) {
			same++
			largest = max(largest, floats.Distance(u, v, math.Inf(1)))
		}
	}
	return fmt.Sprintf("%d of %d codes have the same atoms, coefficients then differ by ≤ %.0e", same, n, largest)
}

// rest is Y − DS.
func rest(d, y, s *mat.Dense) *mat.Dense {
	r := mat.DenseCopyOf(y)
	lin.AddAB(r, -1, d, s)
	return r
}

// worstGap returns the largest duality gap of the lasso codes s, computed from
// its definition with the residual, scaled, as the dual point.
func worstGap(d, y, s *mat.Dense, λ float64) float64 {
	r := rest(d, y, s)
	var c mat.Dense
	c.Mul(d.T(), r) // Dᵀr
	worst := 0.0
	_, n := y.Dims()
	for j := range n {
		α := min(1, λ/mat.Norm(c.ColView(j), math.Inf(1)))
		primal := squared(r.ColView(j))/2 + λ*mat.Norm(s.ColView(j), 1)
		var left mat.VecDense
		left.AddScaledVec(y.ColView(j), -α, r.ColView(j))
		dual := squared(y.ColView(j))/2 - squared(&left)/2
		worst = max(worst, primal-dual)
	}
	return worst
}

func squared(v mat.Vector) float64 { return mat.Dot(v, v) }

// judge returns the mean objective of samples that were not learned from, coded
// over the dictionary d to a small gap.
func (l learning) judge(ctx context.Context, d *mat.Dense) (float64, error) {
	s, err := codes(ctx, coding.Lasso{Lambda: l.penalty, Gap: 1e-9}, d, l.heldOut)
	if err != nil {
		return 0, err
	}
	_, n := l.heldOut.Dims()
	var sum float64
	for j := range n {
		sum += mat.Norm(s.ColView(j), 1)
	}
	return (lin.SquaredNorm(rest(d, l.heldOut, s))/2 + l.penalty*sum) / float64(n), nil
}
