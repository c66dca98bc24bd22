package coding_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
)

// twoWide is the block coder for samples that are images two pixels wide.
type twoWide struct{ coding.Blocks }

func (c twoWide) Over(b coding.Basis) (coding.Coding, error) {
	m, _ := b.D.Dims()
	placed, err := c.Place(m/2, 2, 1)
	if err != nil {
		return nil, err
	}
	return placed.Over(b)
}

func blocksOf(side, step int) coding.Blocks {
	c := coding.DefaultBlocks
	c.Side, c.Step = side, step
	return c
}

// naiveBlocks codes one sample block by block, by the formulas, and returns the
// mean code and the votes.
func naiveBlocks(t *testing.T, c coding.Blocks, h, w, planes int, d *mat.Dense, groups []int, y []float64) (s, votes []float64) {
	t.Helper()
	_, k := d.Dims()
	classes := len(groups) - 1
	s, votes = make([]float64, k), make([]float64, classes)
	at := func(n int) (starts []int) {
		for i := 0; ; i += c.Step {
			if i+c.Side >= n {
				return append(starts, n-c.Side)
			}
			starts = append(starts, i)
		}
	}
	tops, lefts := at(h), at(w)
	blocks := float64(len(tops) * len(lefts))
	for _, top := range tops {
		for _, left := range lefts {
			var part, atoms []float64
			for i := top; i < top+c.Side; i++ { // another order of the pixels
				for j := left; j < left+c.Side; j++ {
					for p := range planes {
						row := p*h*w + j*h + i
						part = append(part, y[row])
						atoms = append(atoms, mat.Row(nil, row, d)...)
					}
				}
			}
			dict, sample := mat.NewDense(len(part), k, atoms), mat.NewDense(len(part), 1, part)
			if mat.Norm(sample, 2) == 0 {
				continue
			}
			unitColumns(dict)
			unitColumns(sample)
			code := code(t, c.Inner, dict, sample)
			res, mean := make([]float64, classes), 0.0
			for class := range classes {
				var rest mat.Dense
				lo, hi := groups[class], groups[class+1]
				rest.Mul(dict.Slice(0, len(part), lo, hi), code.Slice(lo, hi, 0, 1))
				rest.Sub(sample, &rest)
				res[class] = mat.Norm(&rest, 2)
				mean += res[class] / float64(classes)
			}
			var sum float64
			for _, r := range res {
				sum += math.Exp(-r / (c.Temperature * mean))
			}
			for class, r := range res {
				votes[class] += math.Exp(-r/(c.Temperature*mean)) / sum / blocks
			}
			for i := range s {
				s[i] += code.At(i, 0) / blocks
			}
		}
	}
	return s, votes
}

func TestBlocksAgainstTheFormulas(t *testing.T) {
	groups := []int{0, 5, 10, 15, 20}
	for _, tt := range []struct{ h, w, planes, side, step int }{
		{8, 8, 1, 4, 4},
		{9, 7, 1, 4, 3}, // blocks flush with the edge
		{6, 8, 2, 4, 2},
		{5, 5, 1, 5, 9}, // one block
		{7, 6, 1, 2, 3}, // gaps
	} {
		d := tt.h * tt.w * tt.planes
		x, y := faces(40, d, 4, 5, 0.02), faces(41, d, 4, 2, 0.02)
		for j := range tt.side { // the first block of one sample is blank
			for i := range tt.side {
				for p := range tt.planes {
					y.Set(p*tt.h*tt.w+j*tt.h+i, 3, 0)
				}
			}
		}
		c := blocksOf(tt.side, tt.step)
		placed, err := c.Place(tt.h, tt.w, tt.planes)
		if err != nil {
			t.Fatal(err)
		}
		over, err := placed.Over(coding.Basis{D: x, Groups: groups})
		if err != nil {
			t.Fatal(err)
		}
		s := codeOver(t, over, x, y)
		votes := fill(4, 8, func(int, int) float64 { return math.NaN() })
		if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{Votes: votes}, y); err != nil {
			t.Fatal(err)
		}
		for j := range 8 {
			wantS, wantVotes := naiveBlocks(t, c, tt.h, tt.w, tt.planes, x, groups, mat.Col(nil, j, y))
			if got := mat.Col(nil, j, s); !alike(got, wantS, 1e-10) {
				t.Errorf("%+v: code %d is %v, want %v", tt, j, got, wantS)
			}
			if got := mat.Col(nil, j, votes); !alike(got, wantVotes, 1e-10) {
				t.Errorf("%+v: votes %d are %v, want %v", tt, j, got, wantVotes)
			}
		}
	}
}

func alike(a, b []float64, tol float64) bool {
	for i, v := range a {
		if !(math.Abs(v-b[i]) <= tol) {
			return false
		}
	}
	return len(a) == len(b)
}

// The votes for a sample are at most 1 in all, do not depend on the batch or on
// threads, and a blank one has none.
func TestVotes(t *testing.T) {
	x, y := faces(42, 96, 4, 5, 0.002), faces(43, 96, 4, 150, 0.002)
	for i := range 96 {
		y.Set(i, 1, 0)
	}
	placed, err := blocksOf(4, 2).Place(12, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	votes := func(y *mat.Dense) *mat.Dense {
		over, err := placed.Over(coding.Basis{D: x, Groups: []int{0, 5, 10, 15, 20}})
		if err != nil {
			t.Fatal(err)
		}
		_, n := y.Dims()
		v := mat.NewDense(4, n, nil)
		if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{Votes: v}, y); err != nil {
			t.Fatal(err)
		}
		return v
	}
	var all, one *mat.Dense
	withThreads(4, func() { all = votes(y) })
	withThreads(1, func() { one = votes(y) })
	if !sameBits(all, one) {
		t.Error("four threads give other votes than one")
	}
	right := 0
	for j := range 600 {
		sum := mat.Sum(all.ColView(j))
		if want := 1.0; j != 1 && math.Abs(sum-want) > 1e-12 || j == 1 && sum != 0 {
			t.Errorf("sample %d has %v votes", j, sum)
		}
		best := 0
		for c := range 4 {
			if all.At(c, j) > all.At(best, j) {
				best = c
			}
		}
		if best == j/150 {
			right++
		}
	}
	if right < 400 { // 150 by chance
		t.Errorf("%d of 600 samples have most votes for their class", right)
	}
	for _, j := range []int{0, 1, 77, 599} {
		if alone := votes(mat.DenseCopyOf(y.ColView(j))); !alike(mat.Col(nil, 0, alone), mat.Col(nil, j, all), 1e-12) {
			t.Errorf("sample %d has other votes alone", j)
		}
	}
}

func TestBlocksRefuse(t *testing.T) {
	for name, spoil := range map[string]func(*coding.Blocks){
		"side = 0":                  func(c *coding.Blocks) { c.Side = 0 },
		"side = 1025":               func(c *coding.Blocks) { c.Side = 1025 },
		"step = 0":                  func(c *coding.Blocks) { c.Step = 0 },
		"step = 1 ":                 func(c *coding.Blocks) { c.Side, c.Step = 9, 1 },
		"temperature = 0":           func(c *coding.Blocks) { c.Temperature = 0 },
		"temperature = NaN":         func(c *coding.Blocks) { c.Temperature = math.NaN() },
		"the block coder has no":    func(c *coding.Blocks) { c.Inner = nil },
		"the inner coder blocks of": func(c *coding.Blocks) { c.Inner = coding.DefaultBlocks },
		"inner: lambda = -1":        func(c *coding.Blocks) { c.Inner = coding.Ridge{Lambda: -1} },
	} {
		c := coding.DefaultBlocks
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Place(32, 32, 1); err == nil {
			t.Errorf("%s: it has a place", name)
		}
	}
	if _, err := coding.DefaultBlocks.Over(coding.Basis{D: normal(1, 64, 3)}); err == nil || !strings.Contains(err.Error(), "pixel grid") ||
		advice.Text(err) == "" {
		t.Errorf("without a place: %v", err)
	}
	if small, err := coding.DefaultBlocks.Place(6, 3, 1); err != nil || small.Side != 3 || small.Step != 3 {
		t.Errorf("a side of 8 in 6×3: %+v, %v", small, err)
	}
	placed, err := coding.DefaultBlocks.Place(8, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := coding.Check(placed, 63, 3); err == nil {
		t.Error("63 features fit 8×8 pixels")
	}
	if _, err := placed.Over(coding.Basis{D: normal(1, 63, 3)}); err == nil {
		t.Error("63 features are prepared as 8×8 pixels")
	}
	over, err := placed.Over(coding.Basis{D: normal(1, 64, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{Votes: mat.NewDense(3, 1, nil)},
		normal(2, 64, 1)); err == nil {
		t.Error("votes without classes")
	}
	other := coding.DefaultBlocks
	other.Inner = coding.Analysis{P: mat.NewDense(64, 4, nil)}
	if placed, err = other.Place(8, 8, 1); err != nil {
		t.Fatal(err)
	}
	if err := coding.Check(placed, 64, 3); err == nil || !strings.HasPrefix(err.Error(), "inner: ") {
		t.Errorf("4 analysis atoms of 3: %v", err)
	}
}

// The place is no parameter.
func TestPlaceIsNotWritten(t *testing.T) {
	placed, err := coding.DefaultBlocks.Place(16, 24, 2)
	if err != nil {
		t.Fatal(err)
	}
	a, err := coding.Marshal(placed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := coding.Marshal(coding.DefaultBlocks)
	if err != nil || string(a) != string(b) {
		t.Errorf("%s and %s, %v", a, b, err)
	}
}

// A file with coders in one another without end is refused before they are
// read.
func TestUnmarshalRefusesBlocksInBlocks(t *testing.T) {
	const open = `{"name":"blocks","side":8,"step":8,"temperature":0.1,"inner":`
	for _, n := range []int{2, 9000} {
		raw := strings.Repeat(open, n) + `{"name":"ridge","lambda":1}` + strings.Repeat("}", n)
		c, err := coding.Unmarshal(json.RawMessage(raw))
		if err == nil {
			err = c.Validate()
		}
		if err == nil {
			t.Errorf("%d blocks in one another are valid", n)
		}
	}
}
