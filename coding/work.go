package coding

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"nrdl.example/nrdl/advice"
)

// Work bounds from above what it takes to code over one dictionary. The unit of
// Prepare and Sample is a multiply-add of a product with a vector; one of a
// product of two matrices counts 1/8, since it is that much faster.
type Work struct {
	Err error // why it cannot be done over so few atoms, or with so many features; nil if it can

	Prepare float64 // operations of Over
	Sample  float64 // operations of Code for one sample
	Memory  float64 // numbers that Over and the Coding hold, without the dictionary

	Factors string // the parameters that multiply the work, with their values; "" for none
	Advice  string // what makes the work less
}

const (
	matrixSpeed = 8    // multiply-adds of a product of two matrices in the time of one with a vector
	passWork    = 2000 // operations in the time that a pass takes besides its products

	// A sample may take sampleWork operations, and as many more as it takes to
	// read the dictionary sampleReads times, but not more than maxSample: a few
	// seconds for hundreds of atoms, ten for a thousand. The default parameters
	// of all coders need less, and so do those that tuning tries.
	sampleWork  = 5e9
	sampleReads = 1e4
	maxSample   = 2e11

	maxPrepare = 1e12 // operations to prepare all blocks of Blocks
)

// ErrMemory is returned, wrapped, where something would take more memory than
// MemoryLimit.
var ErrMemory = errors.New("more than the limit")

// MemoryLimit is how many bytes a Coding, and what a method learns from, may
// hold: what the environment variable GOMEMLIMIT says, which is the limit of the
// garbage collector as well, or else 16 GiB.
func MemoryLimit() float64 {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return float64(limit)
	}
	return 16 << 30
}

// Affordable returns ErrMemory, wrapped, if what takes more bytes than MemoryLimit.
func Affordable(what string, bytes float64) error {
	limit := MemoryLimit()
	if bytes <= limit {
		return nil
	}
	return fmt.Errorf("%s takes %.3g GiB of memory, %w of %.3g (GOMEMLIMIT sets it)", what, bytes/(1<<30), ErrMemory, limit/(1<<30))
}

// sampleLimit is how many operations the code of one sample may take over k
// atoms of d features.
func sampleLimit(d, k int) float64 {
	return min(sampleWork+sampleReads*float64(d)*float64(k), maxSample)
}

// sampleLimit is that of a code over b.
func (b *Basis) sampleLimit(d, k int) float64 {
	if b.work > 0 {
		return b.work
	}
	return sampleLimit(d, k)
}

// affordable reports work that is beyond the limits for k atoms of d features.
func affordable(c Coder, d, k int) error {
	w := c.Work(d, k)
	if w.Err != nil {
		return w.Err
	}
	limit := sampleLimit(d, k)
	if err := Affordable(w.what(c, d, k), 8*w.Memory); err != nil {
		return advice.Add(err, "%s", w.remedy())
	}
	if w.Sample > limit {
		return w.tooMuch(c, d, k, fmt.Sprintf("%.2g operations for one sample, more than the limit of %.2g", w.Sample, limit))
	}
	if _, ok := c.(Blocks); ok && w.Prepare > maxPrepare {
		return w.tooMuch(c, d, k, fmt.Sprintf("%.2g operations to prepare, more than the limit of %.2g", w.Prepare, maxPrepare))
	}
	return nil
}

func (w Work) tooMuch(c Coder, d, k int, work string) error {
	return advice.Add(fmt.Errorf("%s takes %s", w.what(c, d, k), work), "%s", w.remedy())
}

func (w Work) what(c Coder, d, k int) string {
	with := ""
	if w.Factors != "" {
		with = " with " + w.Factors
	}
	return fmt.Sprintf("the coder %s%s over %d atoms of %d features", c.Name(), with, k, d)
}

func (w Work) remedy() string {
	if w.Advice != "" {
		return w.Advice
	}
	return "use fewer atoms, or another coder"
}

// gramWork is that of DᵀD for a dictionary of k atoms of d features, and of so
// many Cholesky factors of it.
func gramWork(d, k, factors float64) float64 {
	return (d*k*k/2 + factors*k*k*k/6) / matrixSpeed
}

// admmWork is that of passes of admm.
func admmWork(d, k, passes float64) (w Work, pass float64) {
	if 2*d < k {
		pass = 2 * d * k
		w = Work{Prepare: gramWork(k, d, 2) + d*d*k/matrixSpeed, Memory: d*k + 2*d*d}
	} else {
		pass = k * k
		w = Work{Prepare: gramWork(d, k, 2) + k*k*k/matrixSpeed, Memory: 3 * k * k} // H, G and its factor
	}
	pass += 4*k + passWork
	w.Sample = d*k + passes*pass
	return w, pass
}

// Work implements Coder. The solver exact takes as long as the sample needs: Code returns an
// error above the limit.
func (c NonNegative) Work(d, k int) Work {
	n, m := float64(d), float64(k)
	if c.Solver == ADMM {
		w, _ := admmWork(n, m, float64(c.Passes))
		w.Factors, w.Advice = fmt.Sprintf("passes = %d", c.Passes), "lower passes"
		return w
	}
	if c.Solver == Authors {
		return authorsWork(n, m)
	}
	w := Work{Prepare: gramWork(n, m, 0), Sample: n*m + m*m, Memory: m * m}
	if c.L2 > 0 {
		w.Memory += (n + m) * m // [D; √μ·I]
	}
	return w
}

// Work implements Coder. A code takes as long as the sample needs: Code returns an error above
// the limit.
func (Lasso) Work(d, k int) Work {
	n, m := float64(d), float64(k)
	w := Work{Prepare: gramWork(n, m, 0), Sample: 2*n*m + m*m, Memory: m * m}
	if m <= guessWide*n {
		w.Prepare += gramWork(0, m, 1) + m*m*m/matrixSpeed
		w.Sample += guessSteps * m * m
		w.Memory += m * m
	}
	return w
}

func (Ridge) Work(d, k int) Work { return normalWork(d, k) }

func (Discriminative) Work(d, k int) Work { return normalWork(d, k) }

func normalWork(d, k int) Work {
	n, m := float64(d), float64(k)
	return Work{Prepare: 2 * gramWork(n, m, 1), Sample: n*m + m*m, Memory: 2 * m * m} // and the factor
}

// Work implements Coder. The groups are not known: all atoms may be of one class.
func (PerClass) Work(d, k int) Work {
	n, m := float64(d), float64(k)
	smaller := min(n, m)
	return Work{Prepare: 10 * n * m * smaller, Sample: n*m + m*smaller + m*passWork, Memory: (n + smaller) * m}
}

func (c Local) Work(d, k int) Work {
	n, m, near := float64(d), float64(k), float64(min(c.Neighbours, k))
	return Work{
		Prepare: n * m, Memory: n * m,
		Sample:  n*m + 8*m + near*(n+near) + gramWork(n, near, 2) + passWork,
		Factors: fmt.Sprintf("neighbours = %d", c.Neighbours), Advice: "lower neighbours",
	}
}

func (o OMP) Work(d, k int) Work {
	n, m, t := float64(d), float64(k), float64(min(o.Sparsity, k))
	return Work{
		Prepare: gramWork(n, m, 0), Memory: m*m + t*m,
		// Every step makes a row of U, and may compute the residual again.
		Sample:  n*m + t*(t/2+1)*(m+n+t) + t*(2*m+n+passWork/10),
		Factors: fmt.Sprintf("sparsity = %d", o.Sparsity), Advice: "lower sparsity",
	}
}

func (c Robust) Work(d, k int) Work {
	n, m, rounds := float64(d), float64(k), float64(c.Rounds)
	if c.Estimator == Reweighted {
		factors := 1.0 // of DᵀWD in every round, one more where a ridge is needed
		if c.L2 < 1e-9 {
			factors = 2
		}
		round := 4*n*m + 2*m*m + 8*n + gramWork(n, m, factors) + 4*passWork
		return Work{
			Prepare: n * m, Sample: (rounds + 1) * round, Memory: n * m,
			Factors: fmt.Sprintf("rounds = %d", c.Rounds), Advice: "lower rounds, or set estimator to huber",
		}
	}
	w, pass := admmWork(n, m, 1)
	round := (float64(c.Passes)+1)*pass + 2*n*m + 2*n + passWork
	w.Sample = rounds*round + 3*n*m
	w.Memory += n * m
	w.Factors, w.Advice = fmt.Sprintf("rounds = %d and passes = %d", c.Rounds, c.Passes), "lower rounds or passes: the work is their product"
	return w
}

// Work implements Coder. It is zero before Place.
func (c Blocks) Work(d, k int) Work {
	if c.place == (place{}) || c.Inner == nil {
		return Work{}
	}
	if err := c.fits(d, k); err != nil {
		return Work{Err: err}
	}
	size := c.Side * c.Side * c.planes
	m, b := float64(k), float64(c.along(c.height)*c.along(c.width))
	w := c.Inner.Work(size, k)
	w.Prepare = b * (w.Prepare + float64(size)*m)
	w.Sample = b * (w.Sample + 3*float64(size)*m + 2*m + passWork) // with the residuals of votes
	w.Memory = b * (w.Memory + float64(size)*m)
	blocks := fmt.Sprintf("side = %d and step = %d, which are %.0f blocks", c.Side, c.Step, b)
	if w.Factors != "" {
		blocks += ", each coded by " + c.Inner.Name() + " with " + w.Factors
	}
	remedy := "raise step"
	if w.Advice != "" {
		remedy += ", or for the inner coder " + w.Advice
	}
	w.Factors, w.Advice = blocks, remedy
	return w
}
