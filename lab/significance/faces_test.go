package significance

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The p-value is that of all choices of signs, counted one by one.
func TestSignFlipsEnumerates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		d := make([]int, 1+rng.IntN(11))
		observed := 0
		for i := range d {
			d[i] = rng.IntN(7) - 3
			observed += d[i]
		}
		extreme := 0
		for signs := range 1 << len(d) {
			sum := 0
			for i, x := range d {
				if signs>>i&1 == 1 {
					x = -x
				}
				sum += x
			}
			if max(sum, -sum) >= max(observed, -observed) {
				extreme++
			}
		}
		want := float64(extreme) / float64(int(1)<<len(d))
		if got := SignFlips(d); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: p = %v, not %v", d, got, want)
		}
	}
}

// Of one run it is McNemar's test, twice the tail of a binomial distribution; and
// the normal distribution is near where there are many differences.
func TestSignFlipsOfOneRun(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {3, 0}, {5, 9}, {40, 22}, {200, 150}} {
		var d []int
		for range c[0] {
			d = append(d, 1, 0)
		}
		for range c[1] {
			d = append(d, -1)
		}
		got, want := SignFlips(d), min(1, 2*distuv.Binomial{N: float64(c[0] + c[1]), P: 0.5}.CDF(float64(min(c[0], c[1]))))
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: p = %v, McNemar's %v", c, got, want)
		}
		for i := range d {
			d[i] = -d[i]
		}
		if SignFlips(d) != got {
			t.Errorf("%v: another p for the other order", c)
		}
	}
	var many []int
	for range 10050 {
		many = append(many, 1)
	}
	for range 9950 {
		many = append(many, -1)
	}
	want := 2 * distuv.Binomial{N: 20000, P: 0.5}.CDF(9950)
	if got := SignFlips(many); math.Abs(got-want) > 0.01 {
		t.Errorf("many: p = %v, exactly %v", got, want)
	}
}

// The correction for overlap is that of the variance: with ratio ρ, t is smaller
// by √(1 + nρ), and with none it is the paired t-test.
func TestCorrectedT(t *testing.T) {
	a, b := []float64{0.91, 0.95, 0.93, 0.97, 0.92}, []float64{0.90, 0.92, 0.93, 0.94, 0.90}
	plain, err := CorrectedT(a, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, ratio := range []float64{0, 0.5, 2} {
		got, err := CorrectedT(a, b, ratio)
		if err != nil {
			t.Fatal(err)
		}
		if want := plain.Statistic / math.Sqrt(1+5*ratio); math.Abs(got.Statistic-want) > 1e-12*want || got.P < plain.P-1e-15 {
			t.Errorf("ratio %v: t = %v, p = %v; not %v", ratio, got.Statistic, got.P, want)
		}
	}
}
