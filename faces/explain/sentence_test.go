package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
)

// An example is a face of Ann, Bob or Cyd over atoms of two of each, with what
// the sentence is to have.
type example struct {
	scores  [3]float64
	code    [6]float64
	need    float64 // 0: not calibrated
	prob    float64
	rule    classify.Rule // nil: one that is not linear
	learned bool          // the atoms are no photographs
	mirrors bool          // the second atom of each is the mirror image of the first
	blocks  []int         // the class that each block votes for; -1 for none
	adds    [6]bool       // to the score
	useless bool          // hardly any face reaches the threshold
	want    string
}

var examples = []example{
	{
		scores: [3]float64{0.42, 0.11, 0.05}, code: [6]float64{0.4, 0.31, 0.2, 0.09}, need: 0.17, prob: 0.97,
		want: "It is Ann: clearly above the threshold. Score 0.42, 0.31 ahead of Bob (0.17 needed). Two photographs of " +
			"Ann carry 71 % of the weight. Likely 97 %.",
	},
	{
		scores: [3]float64{0.05, 0.81, 0.11}, code: [6]float64{0.01, 0, 0.01, 0.98}, need: 0.17, prob: 0.9999,
		want: "It is Bob: far above the threshold. Score 0.81, 0.70 ahead of Cyd (0.17 needed). One photograph of Bob " +
			"carries 98 % of the weight (all photographs of Bob: 99 %). Sure 99.9 %.",
	},
	{
		scores: [3]float64{0.42, 0.11, 0.05}, code: [6]float64{0.4, 0.4, 0.2}, need: 0.17, prob: math.NaN(), mirrors: true,
		want: "It is Ann: clearly above the threshold. Score 0.42, 0.31 ahead of Bob (0.17 needed). One photograph of Ann " +
			"and its mirror image carry 80 % of the weight.",
	},
	{
		scores: [3]float64{0.42, 0.11, 0.05}, code: [6]float64{0, 0.6, 0.2, 0.2}, need: 0.17, prob: 0.5, mirrors: true,
		want: "It is Ann: clearly above the threshold. Score 0.42, 0.31 ahead of Bob (0.17 needed). The mirror image of " +
			"one photograph of Ann carries 60 % of the weight. Doubtful 50 %.",
	},
	{
		scores: [3]float64{0.22, 0.2, 0.05}, code: [6]float64{0.2, 0.1, 0.3, 0, 0.4}, need: 0.17, prob: 0.12,
		want: "Unknown: most similar is Ann, clearly below the threshold. Score 0.22, 0.02 ahead of Bob (0.17 needed). " +
			"Two photographs of Ann carry 30 % of the weight. The probability that it is Ann: 12 %.",
	},
	{
		scores: [3]float64{0.2, 0.2, 0.05}, code: [6]float64{0.2, 0.1, 0.1, 0.1, 0.25, 0.25}, need: 0.17, prob: 0.001, learned: true,
		want: "Unknown: most similar is Ann, clearly below the threshold. Score 0.20, 0.00 ahead of Bob (0.17 needed). " +
			"Two atoms of Ann carry 30 % of the weight. The probability that it is Ann: under 1 %.",
	},
	{
		scores: [3]float64{0.32, 0.2, 0.05}, code: [6]float64{0.2, 0.2, 0.2, 0, 0.2, 0.2}, need: 0.17, prob: math.NaN(), learned: true,
		want: "Unknown: most similar is Ann, clearly below the threshold. Score 0.32, 0.12 ahead of Bob (0.17 needed). " +
			"Two atoms of Ann carry 40 % of the weight, more than anybody else's.",
	},
	{
		scores: [3]float64{0.42, 0.11, -0.05}, code: [6]float64{0, 0, 0.5, 0.5},
		want: "The best guess among 3 people is Ann: score 0.42, 0.31 ahead of Bob. No photograph of Ann has a weight. " +
			"The model has no threshold, so it names every face.",
	},
	{
		scores: [3]float64{0.9, 0.11, 0.05}, code: [6]float64{0.4, 0.31, 0.2, 0.09}, need: 0.1, prob: 0.97,
		rule: classify.Linear{}, adds: [6]bool{true, true, false, true},
		want: "It is Ann: far above the threshold. Score 0.90, 0.79 ahead of Bob (0.10 needed). Three atoms, two of them " +
			"of Ann, make most of the score. Likely 97 %.",
	},
	{
		scores: [3]float64{0.9, 0.11, 0.05}, code: [6]float64{0.4, 0.31, 0.2, 0.09}, need: 1, prob: 0.3,
		rule: classify.Linear{}, adds: [6]bool{false, false, true},
		want: "Unknown: most similar is Ann, just below the threshold. Score 0.90, 0.79 ahead of Bob (1.00 needed). One " +
			"atom of other people makes most of the score of Ann. The probability that it is Ann: 30 %.",
	},
	{
		scores: [3]float64{0.9, 0.11, 0.05}, code: [6]float64{0.4, 0.31, 0.2, 0.09}, need: 1, prob: 0.3,
		rule: classify.Linear{}, adds: [6]bool{true, true}, useless: true,
		want: "Unknown: most similar is Ann. Hardly any face reaches the threshold of this model: calibrate it again. " +
			"Score 0.90, 0.79 ahead of Bob (1.00 needed). Two atoms of Ann make most of the score. The probability that it is Ann: 30 %.",
	},
	{
		scores: [3]float64{0.6, 0.3, 0.1}, code: [6]float64{1}, need: 0.2, prob: 0.8, rule: classify.Votes{}, blocks: []int{0, 0, 1, -1},
		want: "It is Ann: clearly above the threshold. Score 0.60, 0.30 ahead of Bob (0.20 needed). Two of the 4 parts of " +
			"the face resemble Ann most. Likely 80 %.",
	},
	{
		scores: [3]float64{0.9, 0.11, 0.05}, code: [6]float64{0.4, 0.31, 0.2, 0.09}, need: 1, prob: 0.3,
		rule: classify.Linear{}, adds: [6]bool{true, true}, useless: true,
		want: "Unknown: most similar is Ann. Hardly any face reaches the threshold of this model: calibrate it again. " +
			"Score 0.90, 0.79 ahead of Bob (1.00 needed). Two atoms of Ann make most of the score. The probability that it is Ann: 30 %.",
	},
	{
		scores: [3]float64{0.6, 0.3, 0.1}, code: [6]float64{1}, need: 0.2, prob: 0.8, rule: classify.Votes{}, blocks: []int{0, 0},
		want: "It is Ann: clearly above the threshold. Score 0.60, 0.30 ahead of Bob (0.20 needed). All 2 parts of the " +
			"face resemble Ann most. Likely 80 %.",
	},
}

func (x *example) explained() *view {
	frame := dataset.Frame{Size: dataset.Size{Height: 1, Width: 1}}
	p := parts{Pipeline: frontend.Pipeline{Frame: frame}, Settings: &gallery.DefaultSettings, useless: x.useless}
	p.Groups, p.Classes, p.D = []int{0, 2, 4, 6}, []string{"Ann", "Bob", "Cyd"}, mat.NewDense(1, 6, nil)
	p.Coder, p.Rule = coding.DefaultRidge, x.rule
	if p.Rule == nil {
		p.Rule = classify.Residual{}
	}
	e := &Explanation{Face: gallery.Face{
		Recognition: frontend.Recognition{Scores: x.scores[:]},
		Decision:    (*openset.Calibration)(nil).Decide(0),
	}, Code: x.code[:], Shares: make([]float64, 3)}
	if _, linear := p.Rule.(classify.Linear); !x.learned && !linear {
		p.Enrolled = dataset.Unlabelled(nil, frame)
	}
	for c, v := range x.scores {
		if v > x.scores[e.Class] {
			e.Class = c
		}
	}
	f := newView(p, e)
	e.Margin = e.Scores[f.order[0]] - e.Scores[f.order[1]]
	if x.need > 0 {
		f.p.Calibration = &openset.Calibration{Threshold: x.need, FPIR: 0.01}
		e.DecisionScore = e.Margin
		e.Known, e.Probability = e.Margin >= x.need, x.prob
	}
	for k, v := range x.code {
		if v == 0 {
			continue
		}
		a := WeightedAtom{Atom: k, Class: k / 2, Coefficient: v, Share: v, Enrolled: -1}
		if p.Enrolled != nil {
			a.Enrolled, a.Cosine = k, 1
			if x.mirrors {
				a.Enrolled, a.Mirrored = k/2, k%2 == 1
			}
		}
		if x.adds[k] {
			a.Adds = 1
		}
		e.Shares[a.Class] += v
		e.Atoms = append(e.Atoms, a)
	}
	slices.SortStableFunc(e.Atoms, func(a, b WeightedAtom) int { return cmp.Compare(b.Share, a.Share) })
	for _, c := range x.blocks {
		b := BlockVotes{Votes: make([]float64, 3)}
		if c >= 0 {
			b.Votes[c] = 1
		}
		e.Blocks = append(e.Blocks, b)
	}
	return f
}

func TestSentence(t *testing.T) {
	for _, x := range examples {
		if got := strings.TrimSpace(x.explained().verdict() + " " + x.explained().reasons()); got != x.want {
			t.Errorf("it says\n%s\nwant\n%s", got, x.want)
		}
	}
}

// Bars are as long as scores are large, and the line is where the best score
// would be far enough ahead.
func TestChart(t *testing.T) {
	x := examples[0]
	x.scores = [3]float64{0.5, 0.2, -0.1}
	c := x.explained().chart(3)
	place := func(v float64) float64 { return (v + 0.1) / 0.6 }
	for i, b := range c.Bars {
		if want := place(x.scores[i]); math.Abs(b.End-want) > 1e-12 {
			t.Errorf("bar %d ends at %v, want %v", i, b.End, want)
		}
	}
	if want := place(0.2 + x.need); math.Abs(c.Line-want) > 1e-12 || math.Abs(c.Zero-place(0)) > 1e-12 {
		t.Errorf("zero is at %v, the line at %v, want %v", c.Zero, c.Line, want)
	}
	if c.Label != "named from 0.37" || c.Bars[0].Note != "named" || c.Bars[1].Note != "the rival" || c.Bars[2].Score != "−0.10" {
		t.Errorf("%+v", c)
	}
	c = x.explained().chart(2)
	if c.Others != "1 other, −0.10" {
		t.Errorf("others: %q", c.Others)
	}
	x.scores = [3]float64{0.82, 0.81, 0.8} // bars begin at 0, even if they look alike
	c = x.explained().chart(3)
	if c.Zero != 0 || math.Abs(c.Bars[2].End/c.Bars[0].End-0.8/0.82) > 1e-9 {
		t.Errorf("bars end at %v and %v of %v", c.Bars[0].End, c.Bars[2].End, c.Zero)
	}
	x.need = 0
	if c = x.explained().chart(3); c.HasLine {
		t.Error("a model that names everybody has a line")
	}
}

func TestDecimals(t *testing.T) {
	for want, v := range map[string]float64{"0.00": -0.001, "−0.10": -0.1, "1.25": 1.25} {
		if got := decimals(v, 2); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	for want, v := range map[string]float64{
		"0 %": 0, "less than 1 %": 0.004, "1 %": 0.006, "99 %": 0.99,
		"more than 99 %": 0.9999, "100 %": 1,
	} {
		if got := percent(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
