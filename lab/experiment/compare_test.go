package experiment

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// Methods that are compared are evaluated as each is alone, with the tests that their
// runs give.
func TestCompareIsEvaluate(t *testing.T) {
	set := hard(t)
	methods := []classify.Method{method.DefaultNRC, method.DefaultCRC, method.Mean{}, method.DefaultSRC}
	for _, text := range []string{"random:3", "first:3"} {
		p := Protocol{Split: split(t, text), Repeats: 4, Seed: 2, Input: parsed(t, "igo fisher:0.2")}
		got, err := Compare(t.Context(), set, methods, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(got.Methods, func(a, b MethodResult) int { return compareRates(b.Accuracy, a.Accuracy) }) {
			t.Errorf("%s: not in order: %+v", text, got.Methods)
		}
		var best Result
		for i, row := range got.Methods {
			m, err := method.Named(row.Method)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := Evaluate(t.Context(), set, m, p, Observer{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone.Runs, row.Runs, times); diff != "" || row.Accuracy != alone.Accuracy || row.SD != alone.SD {
				t.Errorf("%s, %s: another result than alone:\n%s", text, row.Method, diff)
			}
			if i == 0 {
				best = alone
			}
			if row.Best != (i == 0) || math.Abs(row.Difference-(alone.Accuracy-best.Accuracy)) > 1e-12 ||
				row.Separated != (row.PAdjusted <= Level) && i > 0 {
				t.Errorf("%s: row %d is %+v", text, i, row)
			}
			if !(row.P >= 0 && row.P <= row.PAdjusted && row.PAdjusted <= 1) {
				t.Errorf("%s, %s: p %v, adjusted %v", text, row.Method, row.P, row.PAdjusted)
			}
		}
	}
}

// scripted is a method in a comparison whose rates are given.
func scripted(name string, n int, wrong ...int) MethodResult {
	c := MethodResult{Method: name}
	for _, w := range wrong {
		r := Run{N: n, Train: n, Wrong: w, Accuracy: float64(n-w) / float64(n)}
		for j := range w {
			r.MissedColumns = append(r.MissedColumns, j)
		}
		c.Runs = append(c.Runs, r)
	}
	return c
}

// The tests are those of the formulas: the corrected t with 1/n + test/train, the
// signed ranks for equal differences, and McNemar's for one run.
func TestComparisonTests(t *testing.T) {
	c := Comparison{Level: Level, Methods: []MethodResult{
		scripted("equal", 100, 12, 12, 12), scripted("best", 100, 2, 2, 2), scripted("varied", 100, 3, 4, 8), {Method: "broken", Err: "diverged"},
	}}
	if err := c.summarise(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range c.Methods {
		names = append(names, m.Method)
	}
	if !slices.Equal(names, []string{"best", "varied", "equal", "broken"}) {
		t.Fatalf("in the order %q", names)
	}
	// Differences −1, −2, −6 of mean −3 and variance 7; t = −3/√(7·(1/3 + 1)), with two
	// degrees of freedom P(|T| > t) = 1 − t/√(2 + t²).
	v := 3 / math.Sqrt(7*(1.0/3+1))
	want := 1 - v/math.Sqrt(2+v*v)
	varied, equal := c.Methods[1], c.Methods[2]
	if varied.Test != CorrectedT || math.Abs(varied.P-want) > 1e-12 || varied.Separated {
		t.Errorf("%s with p = %v, not %v", varied.Test, varied.P, want)
	}
	if equal.Test != SignedRank || equal.P != 0.25 || equal.Separated || equal.PAdjusted < 2*0.25 {
		t.Errorf("equal differences: %+v", equal)
	}
	one := Comparison{Level: Level, Methods: []MethodResult{scripted("a", 50, 1), scripted("b", 50, 9)}}
	if err := one.summarise(); err != nil {
		t.Fatal(err)
	}
	// Of 8 images that only one has right, none is b's: 2·2⁻⁸.
	if b := one.Methods[1]; b.Test != McNemar || b.P != 2.0/256 || !b.Separated {
		t.Errorf("a single run: %+v", b)
	}
}

// breaking fails from its second fit on.
type breaking struct {
	classify.Method
	fits *int
}

func (breaking) Name() string { return "breaking" }

func (b breaking) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	if *b.fits++; *b.fits > 1 {
		return nil, errors.New("it broke")
	}
	return b.Method.Fit(ctx, train, run)
}

// A method that fails costs its row; if all fail there is no comparison, and neither
// if it is interrupted.
func TestCompareWithFailures(t *testing.T) {
	set := drawn(t)
	p := Protocol{Split: split(t, "random:3"), Repeats: 3}
	fits, calls := 0, 0
	broken := breaking{method.DefaultCRC, &fits}
	observe := func(i int) Observer {
		return Observer{Failed: func(run int, err error) {
			calls++
			if i != 0 || run != 1 || err.Error() != "it broke" {
				t.Errorf("method %d failed in run %d: %v", i, run, err)
			}
		}}
	}
	c, err := Compare(t.Context(), set, []classify.Method{broken, method.DefaultNRC, method.CRC{Kappa: -1}}, p, func(i int) Observer {
		if i == 2 {
			return Observer{}
		}
		return observe(i)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Methods; !got[0].Best || got[0].Method != "nrc" || got[1].Err != "it broke" || got[1].Runs != nil ||
		!strings.Contains(got[2].Err, "kappa") || fits != 2 || calls != 1 {
		t.Errorf("%+v after %d fits, %d calls", got, fits, calls)
	}
	if _, err := Compare(t.Context(), set, []classify.Method{method.CRC{Kappa: -1}, method.CRC{Kappa: -2}},
		p, nil); err == nil || !strings.Contains(err.Error(), "none of 2 methods") {
		t.Errorf("all fail: %v", err)
	}
	for _, none := range []struct {
		methods []classify.Method
		p       Protocol
	}{
		{nil, p},
		{[]classify.Method{method.DefaultCRC}, Protocol{Split: p.Split}},
		{[]classify.Method{method.DefaultCRC}, Protocol{Split: split(t, "all"), Repeats: 1}},
		{[]classify.Method{method.DefaultCRC}, Protocol{Split: p.Split, Repeats: 1, Input: parsed(t, "32x32 igo")}},
	} {
		if _, err := Compare(t.Context(), set, none.methods, none.p, nil); err == nil {
			t.Errorf("%+v: no error", none)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stop := func(int) Observer {
		return Observer{
			Fit:    func(int) classify.Watch { cancel(enough); return nil },
			Failed: func(_ int, err error) { t.Errorf("an interruption is a failure: %v", err) },
		}
	}
	if _, err := Compare(ctx, set, []classify.Method{method.DefaultNRDL, method.DefaultCRC}, p, stop); !errors.Is(err, enough) {
		t.Errorf("interrupted: %v", err)
	}
}
