package coding_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/coding"
)

// nasty draws a dictionary and samples with the defects that dictionaries
// have: equal atoms, nearly equal ones, zero ones, sums of others, opposite
// ones, norms far apart, and samples that are zero, atoms, or opposite to all.
func nasty(t *rapid.T) (d, y *mat.Dense) {
	m, k := rapid.IntRange(1, 14).Draw(t, "d"), rapid.IntRange(1, 24).Draw(t, "K")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	shift := rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(t, "mean") // of non-negative atoms the codes stay small
	value := func(int, int) float64 { return shift + rng.NormFloat64() }
	if shift > 0 {
		value = func(int, int) float64 { return shift + rng.Float64() }
	}
	d, y = fill(m, k, value), fill(m, 5, value)
	atom := func(j int, f func(i int) float64) {
		for i := range m {
			d.Set(i, j, f(i))
		}
	}
	for range rapid.IntRange(0, 2*k).Draw(t, "defects") {
		j, a, b := rng.IntN(k), rng.IntN(k), rng.IntN(k)
		kinds := []string{"equal", "near", "zero", "sum", "scaled"}
		if shift == 0 {
			kinds = append(kinds, "opposite")
		}
		switch rapid.SampledFrom(kinds).Draw(t, "defect") {
		case "equal":
			atom(j, func(i int) float64 { return d.At(i, a) })
		case "near":
			eps := rapid.SampledFrom([]float64{1e-3, 1e-6, 1e-8, 1e-10, 1e-13}).Draw(t, "near")
			atom(j, func(i int) float64 { return d.At(i, a) * (1 + eps*rng.Float64()) })
		case "zero":
			atom(j, func(int) float64 { return 0 })
		case "sum":
			atom(j, func(i int) float64 { return (d.At(i, a) + d.At(i, b)) / 2 })
		case "scaled":
			f := rapid.SampledFrom([]float64{1e-6, 1e-3, 1e3, 1e6}).Draw(t, "scale")
			atom(j, func(i int) float64 { return f * d.At(i, j) / max(1e-300, mat.Norm(d.ColView(j), 2)) })
		case "opposite":
			atom(j, func(i int) float64 { return -d.At(i, a) })
		}
	}
	from := rng.IntN(k)
	for i := range m {
		y.Set(i, 0, 0)
		y.Set(i, 1, d.At(i, from))
		y.Set(i, 2, -d.At(i, from))
	}
	return d, y
}

// rounding is what of w = Dᵀ(Ds − y) may be rounding errors. It is above 1e-8
// for the huge codes of nearly opposite atoms only.
func rounding(d *mat.Dense, s []float64) float64 {
	var sum, largest float64
	for j, v := range s {
		norm := mat.Norm(d.ColView(j), 2)
		sum += norm * v
		largest = max(largest, norm)
	}
	return 1e-15 * sum * largest
}

func TestExactIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, y := nasty(t)
		over, err := coding.DefaultNonNegative.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		_, k := d.Dims()
		s := mat.NewDense(k, 5, nil)
		if err := over.Code(context.Background(), s, y); err != nil {
			t.Fatal(err)
		}
		for j := range 5 {
			s, y := mat.Col(nil, j, s), mat.Col(nil, j, y)
			if v := violation(d, s, y); !(v <= max(1e-8, rounding(d, s))) {
				t.Fatalf("the conditions are violated by %g", v)
			}
		}
		if mat.Norm(s.ColView(0), 1) != 0 {
			t.Fatal("the code of zero is not zero")
		}
	})
}

func TestExactHandMade(t *testing.T) {
	diagonal := func(v ...float64) *mat.Dense {
		return fill(len(v), len(v), func(i, j int) float64 {
			if i == j {
				return v[i]
			}
			return 0
		})
	}
	column := func(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }
	for _, c := range []struct {
		name    string
		d, y, s *mat.Dense // s is the code, nil where it is not unique
	}{
		{"one atom", column(1, 2, 2), column(2, 4, 4), column(2)},
		{"one opposite atom", column(1, 2, 2), column(-2, -4, -4), column(0)},
		{"one feature", mat.NewDense(1, 3, []float64{2, -1, 0}), column(-3), column(0, 3, 0)},
		{"identity", diagonal(1, 1, 1), column(3, -4, 5), column(3, 0, 5)},
		{"scales", diagonal(1e6, 1e-6, 1), column(3, 5, -2), column(3e-6, 5e6, 0)},
		{"far scales", diagonal(1e150, 1e-150), column(2, 3), column(2e-150, 3e150)},
		{"extreme scales", diagonal(1e300, 1e-300), column(0.5, 0.25), column(5e-301, 2.5e299)},
		{"large sample", diagonal(1, 2), column(1e300, 1e300), column(1e300, 5e299)},
		{"small sample", diagonal(1, 2), column(1e-300, 1e-300), column(1e-300, 5e-301)},
		{"equal atoms", mat.NewDense(2, 3, []float64{1, 1, 1, 1, 1, 1}), column(2, 4), nil},
		{"opposite atoms", mat.NewDense(2, 2, []float64{1, -1, 1, -1}), column(-2, -2), column(0, 2)},
		{"rank one", mat.NewDense(3, 4, []float64{1, 2, 3, -1, 1, 2, 3, -1, 2, 4, 6, -2}), column(1, 1, 1), nil},
		{"degenerate", diagonal(1, 1, 1), column(1, 0, -1), column(1, 0, 0)},
		{"span with a small angle", mat.NewDense(2, 2, []float64{1, -1, 0, 1e-3}), column(0, 1), column(1e3, 1e3)},
		{"atoms nearly opposite", mat.NewDense(2, 2, []float64{1, -1, 0, 1e-7}), column(0, 1), column(1e7, 1e7)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := code(t, coding.DefaultNonNegative, c.d, c.y)
			if v := worstViolation(c.d, s, c.y); !(v <= 1e-8) {
				t.Errorf("the conditions are violated by %g", v)
			}
			if c.s == nil {
				return
			}
			for i := range c.s.RawMatrix().Data {
				if got, want := s.At(i, 0), c.s.At(i, 0); !(math.Abs(got-want) <= 1e-8*want) {
					t.Errorf("s[%d] = %v, want %v", i, got, want)
				}
			}
		})
	}
}

// TestExactOfWideDictionaries: many more atoms than features, samples inside
// and outside the cone of the atoms.
func TestExactOfWideDictionaries(t *testing.T) {
	for _, k := range []int{20, 60, 200} {
		d, y := normal(uint64(k), 12, k), normal(uint64(k)+1, 12, 40)
		if v := worstViolation(d, code(t, coding.DefaultNonNegative, d, y), y); !(v <= 1e-8) {
			t.Errorf("normal, K = %d: violated by %g", k, v)
		}
		d = fill(12, k, func(i, j int) float64 { return math.Abs(d.At(i, j)) + 1 })
		if v := worstViolation(d, code(t, coding.DefaultNonNegative, d, y), y); !(v <= 1e-8) {
			t.Errorf("positive, K = %d: violated by %g", k, v)
		}
	}
}

// naive is NNLS of [lh] with a new QR factorisation at every step.
func naive(d *mat.Dense, y *mat.VecDense) []float64 {
	m, k := d.Dims()
	s := mat.NewVecDense(k, nil)
	var passive []int
	for range 10 * k {
		var rest, w mat.VecDense
		rest.MulVec(d, s)
		rest.SubVec(y, &rest)
		w.MulVec(d.T(), &rest)
		for _, p := range passive {
			w.SetVec(p, 0)
		}
		best := 0
		for j := range k {
			if w.AtVec(j) > w.AtVec(best) {
				best = j
			}
		}
		if w.AtVec(best) < 1e-12 {
			break
		}
		passive = append(passive, best)
		for {
			sub := mat.NewDense(m, len(passive), nil)
			for i, p := range passive {
				sub.SetCol(i, mat.Col(nil, p, d))
			}
			var z mat.VecDense
			if err := z.SolveVec(sub, y); err != nil {
				panic(err)
			}
			step := 1.0
			for i, p := range passive {
				if z.AtVec(i) <= 0 {
					step = min(step, s.AtVec(p)/(s.AtVec(p)-z.AtVec(i)))
				}
			}
			kept := passive[:0:0]
			for i, p := range passive {
				v := s.AtVec(p) + step*(z.AtVec(i)-s.AtVec(p))
				if step < 1 && v < 1e-14 {
					v = 0
				} else {
					kept = append(kept, p)
				}
				s.SetVec(p, v)
			}
			passive = kept
			if step == 1 {
				break
			}
		}
	}
	return s.RawVector().Data
}

func TestExactAgreesWithNaive(t *testing.T) {
	for seed := range uint64(20) {
		m := 10 + int(seed)*2
		k := m - 5
		d, y := unitColumns(normal(seed, m, k)), normal(seed+50, m, 6)
		if seed%2 == 1 {
			d = faces(seed, m, 3, k/3, 0.2)
		}
		s := code(t, coding.DefaultNonNegative, d, y)
		for j := range 6 {
			for i, want := range naive(d, mat.VecDenseCopyOf(y.ColView(j))) {
				if got := s.At(i, j); !(math.Abs(got-want) <= 1e-9) {
					t.Fatalf("seed %d: s(%d, %d) = %v, want %v", seed, i, j, got, want)
				}
			}
		}
	}
}

// The numbers of this test are those of SciPy 1.10.1:
//
//	i = np.arange(10)[:, None]
//	D = np.cos(1 + i*np.arange(1, 8)*.7) + .4
//	Y = np.sin(2 + i*np.arange(1, 5)*.9) + .6
//	[scipy.optimize.nnls(D, y)[0] for y in Y.T]
func TestExactAgreesWithSciPy(t *testing.T) {
	d := fill(10, 7, func(i, j int) float64 { return math.Cos(1+float64(i)*float64(j+1)*.7) + .4 })
	y := fill(10, 4, func(i, j int) float64 { return math.Sin(2+float64(i)*float64(j+1)*.9) + .6 })
	want := mat.NewDense(4, 7, []float64{
		0.7735246468436675, 0, 0, 0.005032806640550857, 0.049054941530778585, 0.12658547809482446, 0.3289717535306225,
		0, 0.134981856434425, 0.11835716806487152, 0.07786479701126205, 0.16999567868441887, 0.7494377260892722, 0,
		0, 0, 0, 0.8674519996039446, 0.8714659604888134, 0, 0,
		0.006250806266797344, 0.03657384939634679, 0.0983792821714806, 0.24346289562039045, 1.0306794448191892, 0, 0,
	})
	if got := code(t, coding.DefaultNonNegative, d, y); !mat.EqualApprox(got, want.T(), 1e-12) {
		t.Errorf("codes\n%v", mat.Formatted(got.T()))
	}
}

// Golden values of faces-like atoms, of SciPy 1.10.1 too: for every sample the
// number of s_k > 0, ‖y − Ds‖ and ‖s‖₁.
//
//	i = np.arange(1, 121)[:, None]
//	def faces(k, phase):
//	    x = 1 + .5*np.sin(.37*i*(k//6 + 1)) + .1*np.cos(1.3*i*(k + 1) + phase)
//	    return x/np.linalg.norm(x, axis=0)
//	D, Y = faces(np.arange(48), 0), faces(np.arange(0, 48, 3), .5)
//	s, r = scipy.optimize.nnls(D, y)  # (s > 0).sum(), r, s.sum()
func TestExactGolden(t *testing.T) {
	face := func(step int, phase float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			k, x := float64(j*step), float64(i+1)
			return 1 + .5*math.Sin(.37*x*(math.Floor(k/6)+1)) + .1*math.Cos(1.3*x*(k+1)+phase)
		}
	}
	d, y := unitColumns(fill(120, 48, face(1, 0))), unitColumns(fill(120, 16, face(3, .5)))
	s := code(t, coding.DefaultNonNegative, d, y)
	for j, want := range []struct {
		support   int
		rest, sum float64
	}{
		{10, 0.032120676633036443, 1.0001924211958033},
		{8, 0.03212348270929115, 1.0001461963906506},
		{7, 0.03187387880494864, 1.0002013680018067},
		{6, 0.03209830701578652, 0.9999297656694371},
		{9, 0.03209587841673458, 1.0001039771955658},
		{8, 0.03213642459995598, 1.0002079374455433},
		{9, 0.0317799713555929, 1.0005830236819862},
		{7, 0.03195166644601535, 1.000228396919386},
		{5, 0.03201994530987879, 0.9998316555050819},
		{5, 0.03197421395546061, 0.9998181433152167},
		{11, 0.03213364759736969, 1.0002178302784694},
		{8, 0.0316928616671282, 1.0002733577459244},
		{7, 0.03202280188016667, 1.0001741788864187},
		{9, 0.03206195900364495, 1.0001233328911172},
		{6, 0.032099923285978736, 1.000174138532603},
		{6, 0.03168240604941649, 0.9999629532790336},
	} {
		support := 0
		for _, v := range mat.Col(nil, j, s) {
			if v > 0 {
				support++
			}
		}
		var rest mat.VecDense
		rest.MulVec(d, s.ColView(j))
		rest.SubVec(y.ColView(j), &rest)
		got := fmt.Sprintf("%d %.10f %.10f", support, mat.Norm(&rest, 2), mat.Sum(s.ColView(j)))
		if w := fmt.Sprintf("%d %.10f %.10f", want.support, want.rest, want.sum); got != w {
			t.Errorf("sample %d: %s, want %s", j, got, w)
		}
	}
}

func TestTooSmallAtomIsAnError(t *testing.T) {
	over, err := coding.DefaultNonNegative.Over(coding.Basis{D: mat.NewDense(1, 1, []float64{1e-310})})
	if err != nil {
		t.Fatal(err)
	}
	if err := over.Code(context.Background(), mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{1e10})); err == nil {
		t.Error("a code of 1e320 is no error")
	}
}

// FuzzNonNegativeExact reads d, K and a matrix of small integers, each atom
// with a power of two of its own, from bytes: whatever it is, the code is
// optimal.
func FuzzNonNegativeExact(f *testing.F) {
	f.Add([]byte{2, 2, 0, 0, 1, 0, 0, 1, 3, 4})
	f.Add([]byte{1, 1, 0, 255, 7})
	f.Add([]byte{3, 5, 8, 240, 0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 255, 255, 255, 1, 2, 3, 7, 250, 9})
	f.Add(binary.LittleEndian.AppendUint64([]byte{4, 6, 1, 2, 3, 4, 5, 6}, 0x1234567890abcdef))
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() float64 {
			if len(data) == 0 {
				return 1
			}
			v := int8(data[0])
			data = data[1:]
			return float64(v)
		}
		size := func(limit int) int { return 1 + int(math.Abs(next()))%limit }
		m, k := size(8), size(12)
		d := mat.NewDense(m, k, nil)
		for j := range k {
			exp := int(next()) / 8
			for i := range m {
				d.Set(i, j, math.Ldexp(next(), exp))
			}
		}
		y := fill(m, 2, func(int, int) float64 { return next() })
		if v := worstViolation(d, code(t, coding.DefaultNonNegative, d, y), y); !(v <= 1e-8) {
			t.Errorf("violated by %g\nD = %v\nY = %v", v, mat.Formatted(d), mat.Formatted(y))
		}
	})
}
