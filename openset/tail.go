package openset

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/internal/parallel"
)

// A tail is the distribution of the scores that strangers reach in a gallery. The share of
// strangers above a score is counted below the score that Assumptions.TailShare of them exceed. Above
// it, the excess is modelled as exponential, as the largest of many scores has such a tail.
// If the scores are those with another number of people, S of strangers with N people
// become 1 − (1 − S)^(N'/N).
type tail struct {
	scores []float64 // of strangers, ascending
	share  float64   // in the tail
	growth float64   // N'/N
	start  float64   // of the tail
	excess float64   // its mean
}

// ByScores returns the calibration of a gallery of so many people by scores. The scores
// strangers were reached among compared people; right and wrong are the scores of held-out
// faces of enrolled people whose best guess is right or wrong. The margins of the result are
// evidences: −log10 of the share of strangers who reach a score with one of the people. So the
// FPIR stays the same when people change. The error wraps ErrNoStrangers if strangers are too
// few.
func ByScores(o Options, people, compared int, strangers, right, wrong []float64) (*Calibration, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c, n := o.calibration(people), len(strangers)
	by := c.assumptions()
	if n < by.LeastStrangers || compared < 1 || people < 1 {
		return nil, fmt.Errorf("calibrate: %d faces of strangers among %d people: %w", n, compared, ErrNoStrangers)
	}
	t := &tail{scores: slices.Sorted(slices.Values(strangers)), share: by.TailShare, growth: float64(people) / float64(compared)}
	first := n - int(t.share*float64(n))
	t.start = t.scores[first]
	for _, s := range t.scores[first:] {
		t.excess += (s - t.start) / float64(n-first)
	}
	if !(t.excess > 0) || math.IsInf(t.scores[0], 0) || math.IsInf(t.excess, 0) {
		return nil, fmt.Errorf("calibrate: the scores of strangers from %v to %v have no tail", t.scores[0], t.scores[n-1])
	}
	c.Faces, c.Mean, c.RawMean, c.ByScores, c.tail = float64(n), 1/math.Ln10, 1/math.Ln10, true, t
	for _, list := range []struct {
		to     *[]float64
		scores []float64
	}{{&c.Right, right}, {&c.Wrong, wrong}, {&c.LeftOut, strangers}} {
		all := slices.Clone(list.scores)
		parallel.For(len(all), 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				all[i] = c.Evidence(all[i])
			}
		})
		slices.Sort(all)
		*list.to = all
	}
	c.Threshold = -math.Log10(o.FPIR)
	few := *c
	step := max(1, (len(few.Right)+len(few.Wrong))/by.MostTrials)
	few.Right, few.Wrong, few.LeftOut = everyNth(few.Right, step), everyNth(few.Wrong, step), thin(few.LeftOut, by.MostTrials)
	c.Odds = few.odds()
	return c, c.Validate()
}

// everyNth returns each step-th number of a sorted list.
func everyNth(list []float64, step int) (kept []float64) {
	for i := step / 2; i < len(list); i += step {
		kept = append(kept, list[i])
	}
	return kept
}

// Evidence returns the evidence of a score. If c was not made by ByScores, it is the score
// itself.
func (c *Calibration) Evidence(score float64) float64 {
	if c == nil || c.tail == nil {
		return score
	}
	t, n := c.tail, float64(len(c.tail.scores))
	// The logarithm of the share of strangers with a score as large.
	at, _ := slices.BinarySearch(t.scores, score)
	share := math.Log((n - float64(at)) / (n + 1))
	if score >= t.start {
		share = math.Log(t.share) - (score-t.start)/t.excess
	}
	if share = min(share, -1e-9); share > -1 || t.growth*math.Exp(share) > 1e-3 {
		share = math.Log(-math.Expm1(t.growth * math.Log1p(-math.Exp(share))))
	} else {
		share += math.Log(t.growth) // the same where the power of ten is less than a float64 has
	}
	return min(maxEvidence, max(0, -share/math.Ln10))
}

// Score returns the score at which the evidence reaches the threshold: a face with this score
// or a larger one is named. If c was not made by ByScores, it is the threshold itself.
func (c *Calibration) Score() float64 {
	if c.tail == nil {
		return c.Threshold
	}
	lo, hi := c.tail.scores[0], c.tail.start+maxEvidence*math.Ln10*c.tail.excess
	const steps = 60
	for range steps {
		if mid := (lo + hi) / 2; c.Evidence(mid) >= c.Threshold {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Integrals over a normal number go this far and take so many points; those over
// the logarithm of a scale take fewer.
const (
	farOut = 9.0
	points = 200

	scalePoints = 24
)

// A rule of quadrature: Σ w f(x).
type quadrature struct{ x, w []float64 }

func legendre(n int, lo, hi float64) quadrature {
	q := quadrature{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(q.x, q.w, lo, hi)
	return q
}

func (q quadrature) integrate(f func(float64) float64) (sum float64) {
	for i, x := range q.x {
		sum += q.w[i] * f(x)
	}
	return sum
}

var (
	overNumbers   = sync.OnceValue(func() quadrature { return legendre(points, -farOut, farOut) })
	overDistances = sync.OnceValue(func() quadrature { return legendre(points, 0, 2*farOut) })
	densities     = sync.OnceValue(func() []float64 { // at the points of overNumbers
		d := make([]float64, points)
		for i, x := range overNumbers().x {
			d[i] = distuv.UnitNormal.Prob(x)
		}
		return d
	})
	overScales = sync.OnceValue(func() quadrature { return legendre(scalePoints, -farOut/2, farOut/2) })
)

// A memo keeps values of a function that takes long.
type memo[K comparable, V any] struct {
	of    func(K) V
	lock  sync.Mutex
	known map[K]V
}

func (m *memo[K, V]) at(k K) V {
	m.lock.Lock()
	v, ok := m.known[k]
	m.lock.Unlock()
	if ok {
		return v
	}
	v = m.of(k)
	m.lock.Lock()
	defer m.lock.Unlock()
	const most = 1000
	if len(m.known) >= most || m.known == nil {
		m.known = map[K]V{}
	}
	m.known[k] = v
	return v
}

// Every threshold of a model needs these, and its rates the same thresholds again.
var (
	spacings   = memo[int, float64]{of: newSpacing}
	variations = memo[int, float64]{of: newSpacingVariation}
	quantiles  = memo[quantileOf, float64]{of: newMarginQuantile}
)

// spacing is the expected distance between the two largest of n standard normal
// numbers, n ∫ Φ(x)ⁿ⁻¹(1 − Φ(x)) dx.
func spacing(n int) float64 { return spacings.at(n) }

func newSpacing(n int) float64 {
	return overNumbers().integrate(func(x float64) float64 {
		p := distuv.UnitNormal.CDF(x)
		return float64(n) * math.Pow(p, float64(n-1)) * distuv.UnitNormal.Survival(x)
	})
}

// spacingVariation is the variance of that distance in units of its squared mean:
// 0.57 for two numbers, and towards 1, that of an exponential number, for many.
func spacingVariation(n int) float64 { return variations.at(n) }

func newSpacingVariation(n int) float64 {
	square := overDistances().integrate(func(t float64) float64 { return 2 * t * spacingSurvival(n, t) })
	mean := spacing(n)
	return square/(mean*mean) - 1
}

// spacingSurvival is the probability that it exceeds t, n ∫ φ(x)Φ(x − t)ⁿ⁻¹ dx.
func spacingSurvival(n int, t float64) (p float64) {
	q, density := overNumbers(), densities()
	for i, x := range q.x {
		if x < t-farOut {
			continue // Φ is less than 10⁻¹⁸
		}
		p += q.w[i] * (float64(n) * density[i] * math.Pow(distuv.UnitNormal.CDF(x-t), float64(n-1)))
	}
	return p
}

// marginSurvival is the probability that the distance exceeds t where the n
// numbers have a scale of their own in each draw, whose logarithm is normal with
// this deviation.
func marginSurvival(n int, t, deviation float64) float64 {
	if deviation == 0 {
		return spacingSurvival(n, t)
	}
	return overScales().integrate(func(z float64) float64 {
		return distuv.UnitNormal.Prob(z) * spacingSurvival(n, t*math.Exp(-deviation*z))
	})
}

// marginQuantile is what the distance exceeds with probability p, in units of its
// mean: the middle of the step of 200/2³⁰ in which the survival falls to p.
func marginQuantile(n int, p, deviation float64) float64 {
	return quantiles.at(quantileOf{n, p, deviation})
}

type quantileOf struct {
	n            int
	p, deviation float64
}

func newMarginQuantile(q quantileOf) float64 {
	n, p, deviation := q.n, q.p, q.deviation
	const farthest, steps = 200.0, 1 << 30
	const step = farthest / steps
	mean := spacing(n) * math.Exp(deviation*deviation/2)
	// The logarithm of the survival is nearly a line, so that secants find the step in
	// a few evaluations; a bisection takes 30.
	lo, hi := 0, steps
	last, before := 0, 0
	excess, excessBefore := -math.Log(p), 0.0
	guess := min(steps/2, int(excess/step)) // if the law were exponential
	for secants := 0; hi-lo > 1; secants++ {
		before, excessBefore = last, excess
		last = min(hi-1, max(lo+1, guess))
		excess = math.Log(marginSurvival(n, float64(last)*step*mean, deviation) / p)
		if excess > 0 {
			lo = last
		} else {
			hi = last
		}
		guess = lo + (hi-lo)/2
		const most = 20 // of them: what rounding does not let them end, halves end
		if line := float64(last-before) * excess / (excessBefore - excess); secants < most && math.Abs(line) < steps {
			guess = last + int(math.Round(line))
		}
	}
	return (float64(lo) + 0.5) * step
}
