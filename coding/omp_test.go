package coding_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// naiveOMP is the definition: the residual is explicit, and the least squares
// of every support are solved from scratch by QR. It returns the support in its order,
// the code, and by how much the choice of every atom was clear: the second
// largest correlation as a part of the largest.
func naiveOMP(d *mat.Dense, y []float64, sparsity int, ε float64) (support []int, code, clear []float64) {
	m, k := d.Dims()
	code = make([]float64, k)
	rest := mat.NewVecDense(m, slices.Clone(y))
	whole := mat.Norm(rest, 2)
	for len(support) < sparsity && mat.Norm(rest, 2) > max(ε, 1e-10*whole) {
		best, second, at := 0.0, 0.0, -1
		for a := range k {
			if slices.Contains(support, a) {
				continue
			}
			v := math.Abs(mat.Dot(d.ColView(a), rest)) / mat.Norm(d.ColView(a), 2)
			if v > best {
				best, second, at = v, best, a
			} else {
				second = max(second, v)
			}
		}
		if best <= 1e-12*whole {
			break
		}
		support, clear = append(support, at), append(clear, second/best)
		sub := columns(d, support)
		var c mat.VecDense
		if err := c.SolveVec(sub, mat.NewVecDense(m, slices.Clone(y))); err != nil {
			panic(err)
		}
		for i, a := range support {
			code[a] = c.AtVec(i)
		}
		rest.MulVec(sub, &c)
		rest.SubVec(mat.NewVecDense(m, slices.Clone(y)), rest)
	}
	return support, code, clear
}

func columns(d *mat.Dense, idx []int) *mat.Dense {
	m, _ := d.Dims()
	return fill(m, len(idx), func(i, j int) float64 { return d.At(i, idx[j]) })
}

// sparseCode returns the codes of y and checks that Code gives the same.
func sparseCode(t *testing.T, o coding.OMP, d, y *mat.Dense) *coding.SparseCodes {
	t.Helper()
	over, err := o.Over(coding.Basis{D: d})
	if err != nil {
		t.Fatal(err)
	}
	s := new(coding.SparseCodes)
	if err := over.(coding.Sparse).CodeSparse(context.Background(), s, y); err != nil {
		t.Fatal(err)
	}
	_, k := d.Dims()
	_, n := y.Dims()
	if len(s.First) != n+1 || s.First[n] != len(s.Atom) || len(s.Atom) != len(s.Coef) {
		t.Fatalf("codes of %d columns have %d starts, %d atoms and %d coefficients", n, len(s.First), len(s.Atom), len(s.Coef))
	}
	same := mat.NewDense(k, n, nil)
	for j := range n {
		atoms, coef := s.Column(j)
		for i, a := range atoms {
			same.Set(int(a), j, coef[i])
		}
	}
	if !sameBits(same, codeOver(t, over, d, y)) {
		t.Error("Code and CodeSparse differ")
	}
	return s
}

// TestOMPIsThePursuitOfTheDefinition compares supports and coefficients with
// the naive twin at every sparsity, on atoms that are more, fewer, alike, and
// of other lengths. A column counts as far as its choices are clear.
func TestOMPIsThePursuitOfTheDefinition(t *testing.T) {
	compared := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m, k := 3+rng.IntN(20), 3+rng.IntN(30)
		d, y := normal(seed, m, k), normal(1000+seed, m, 6)
		switch seed % 4 {
		case 1:
			d = unitColumns(fill(m, k, func(i, j int) float64 { return 2 + d.At(i, j) }))
		case 2:
			d = fill(m, k, func(i, j int) float64 { return d.At(i, j) * math.Exp(float64(j%9-4)) })
		case 3: // columns that few atoms rebuild
			y.Mul(d, fill(k, 6, func(i, j int) float64 { return float64((i*7+j*5)%11/10) * float64(i+1) }))
		}
		for sparsity := 1; sparsity <= min(k, m+2); sparsity++ {
			s := sparseCode(t, coding.OMP{Sparsity: sparsity}, d, y)
			for j := range 6 {
				support, want, clear := naiveOMP(d, mat.Col(nil, j, y), sparsity, 0)
				if slices.Max(append(clear, 0)) > 1-1e-6 {
					continue
				}
				atoms, coef := s.Column(j)
				if got := ints(atoms); !slices.Equal(got, support) {
					t.Fatalf("seed %d (%d×%d), T₀ %d, column %d: support %v, want %v", seed, m, k, sparsity, j, got, support)
				}
				for i, a := range support {
					if math.Abs(coef[i]-want[a]) > 1e-8*mat.Norm(mat.NewVecDense(k, want), 2) {
						t.Fatalf("seed %d, T₀ %d, column %d: coefficient %v of atom %d, want %v", seed, sparsity, j, coef[i], a, want[a])
					}
				}
				compared++
			}
		}
	}
	if compared < 2000 {
		t.Errorf("only %d codes were compared", compared)
	}
}

func ints(v []int32) []int {
	var w []int
	for _, x := range v {
		w = append(w, int(x))
	}
	return w
}

// rebuilt returns y_j − D·s.
func rebuilt(d, y *mat.Dense, s *coding.SparseCodes, j int) *mat.VecDense {
	rest := mat.VecDenseCopyOf(y.ColView(j))
	atoms, coef := s.Column(j)
	for i, a := range atoms {
		rest.AddScaledVec(rest, -coef[i], d.ColView(int(a)))
	}
	return rest
}

func TestOMPResidualIsOrthogonalToTheSupport(t *testing.T) {
	d, y := faces(31, 90, 6, 8, 0.02), faces(32, 90, 6, 20, 0.02)
	for _, sparsity := range []int{1, 5, 30} {
		s := sparseCode(t, coding.OMP{Sparsity: sparsity}, d, y)
		for j := range 120 {
			rest := rebuilt(d, y, s, j)
			atoms, _ := s.Column(j)
			if len(atoms) != sparsity {
				t.Errorf("T₀ %d: column %d has %d atoms", sparsity, j, len(atoms))
			}
			for _, a := range atoms {
				if v := mat.Dot(rest, d.ColView(int(a))); math.Abs(v) > 1e-10 {
					t.Errorf("T₀ %d, column %d: the residual has the product %v with atom %d", sparsity, j, v, a)
				}
			}
		}
	}
}

// TestOMPStopsAtTheError: the residual is at most ε, and was more with an atom
// less, down to errors that the recursion of the energy cannot see.
func TestOMPStopsAtTheError(t *testing.T) {
	d := unitColumns(normal(33, 40, 60))
	y := fill(40, 7, func(i, j int) float64 {
		var sum float64
		for a := range 14 {
			sum += math.Pow(5, -float64(a)) * d.At(i, (a*(j+7))%60)
		}
		return sum
	})
	for _, ε := range []float64{1, 1e-2, 1e-5, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9} {
		s := sparseCode(t, coding.OMP{Sparsity: 40, Error: ε}, d, y)
		for j := range 7 {
			atoms, _ := s.Column(j)
			if got := mat.Norm(rebuilt(d, y, s, j), 2); got > ε {
				t.Errorf("ε %v, column %d: the residual is %v with %d atoms", ε, j, got, len(atoms))
			}
			if len(atoms) == 0 {
				if whole := mat.Norm(y.ColView(j), 2); whole > ε {
					t.Errorf("ε %v: no atoms for a column of norm %v", ε, whole)
				}
				continue
			}
			less := sparseCode(t, coding.OMP{Sparsity: max(1, len(atoms)-1)}, d, y)
			if got := mat.Norm(rebuilt(d, y, less, j), 2); len(atoms) > 1 && got <= ε {
				t.Errorf("ε %v, column %d: %d atoms, where one less leaves %v", ε, j, len(atoms), got)
			}
		}
	}
}

// TestOMPErrorBelowTheRecursion: of coefficients 1, 1e-1 … 1e-9, a stop at an
// error between two takes those above it and no more, though the square of the
// error is less than the rounding of ‖y‖².
func TestOMPErrorBelowTheRecursion(t *testing.T) {
	const n = 100
	d := unitColumns(normal(39, 80, 60))
	y := fill(80, n, func(i, j int) float64 {
		var sum float64
		for a := range 10 {
			sum += math.Pow(10, -float64(a)) * d.At(i, (7*a+j)%60)
		}
		return sum
	})
	for ε, want := range map[float64]int{3e-7: 7, 3e-8: 8, 3e-9: 9} {
		s := sparseCode(t, coding.OMP{Sparsity: 20, Error: ε}, d, y)
		for j := range n {
			if atoms, _ := s.Column(j); len(atoms) != want {
				t.Errorf("ε %v, column %d: %d atoms, want %d", ε, j, len(atoms), want)
			}
		}
	}
}

// TestOMPErrorIsALength: samples and error in other units have the same code, in
// those units, also where squares are out of range.
func TestOMPErrorIsALength(t *testing.T) {
	d, y := normal(40, 30, 50), normal(41, 30, 20)
	for _, ε := range []float64{0.5, 2} {
		o := coding.OMP{Sparsity: 30, Error: ε}
		want := code(t, o, d, y)
		for _, e := range []int{-400, 400, 600} { // 2^400 is about 1e120
			o.Error = math.Ldexp(ε, e)
			got := code(t, o, d, fill(30, 20, func(i, j int) float64 { return math.Ldexp(y.At(i, j), e) }))
			if !sameBits(got, fill(50, 20, func(i, j int) float64 { return math.Ldexp(want.At(i, j), e) })) {
				t.Errorf("ε %v: samples and error scaled by 2^%d have other codes", ε, e)
			}
		}
	}
}

// TestOMPIsHomogeneous: the code of c·y is c times that of y, and the code
// over atoms of other lengths has coefficients of other sizes only.
func TestOMPIsHomogeneous(t *testing.T) {
	d, y := faces(34, 60, 5, 6, 0.02), faces(35, 60, 5, 3, 0.02)
	o := coding.OMP{Sparsity: 8}
	want := code(t, o, d, y)
	for _, e := range []int{-900, -40, 3, 900} {
		scaled := fill(60, 15, func(i, j int) float64 { return math.Ldexp(y.At(i, j), e) })
		got := code(t, o, d, scaled)
		if !sameBits(got, fill(30, 15, func(i, j int) float64 { return math.Ldexp(want.At(i, j), e) })) {
			t.Errorf("samples scaled by 2^%d have other codes", e)
		}
		longer := fill(60, 30, func(i, j int) float64 { return math.Ldexp(d.At(i, j), e/3*(j%4)) })
		got = code(t, o, longer, y)
		if !sameBits(got, fill(30, 15, func(i, j int) float64 { return math.Ldexp(want.At(i, j), -(e/3)*(i%4)) })) {
			t.Errorf("atoms scaled by powers of 2^%d have other codes", e/3)
		}
	}
}

func TestOMPBreaksTiesByTheFirst(t *testing.T) {
	// The atoms 1, 3 and −4 are equal, and 0 and 2 correlate as much.
	d := mat.NewDense(3, 5, []float64{
		0, 0.6, 0, 0.6, -0.6,
		0.6, 0, 0.6, 0, 0,
		0.8, 0.8, 0.8, 0.8, -0.8,
	})
	s := sparseCode(t, coding.OMP{Sparsity: 5}, d, mat.NewDense(3, 1, []float64{0.6, 0.6, 0.8}))
	if atoms, _ := s.Column(0); !slices.Equal(ints(atoms), []int{0, 1}) {
		t.Errorf("the atoms are %v", atoms)
	}
}

// TestOMPOfDependentAtoms: repeated atoms, and supports that span all there
// is, end the pursuit with coefficients that are no larger than they must be.
func TestOMPOfDependentAtoms(t *testing.T) {
	for seed := range uint64(20) {
		m := 4 + int(seed)%9
		d := normal(seed, m, 3*m)
		for j := 2 * m; j < 3*m; j++ {
			d.SetCol(j, mat.Col(nil, j-2*m, d))
		}
		y := normal(seed+50, m, 5)
		s := sparseCode(t, coding.OMP{Sparsity: 3 * m}, d, y)
		for j := range 5 {
			atoms, coef := s.Column(j)
			if len(atoms) > m {
				t.Errorf("seed %d: %d atoms of %d features", seed, len(atoms), m)
			}
			if got := mat.Norm(rebuilt(d, y, s, j), 2); got > 1e-9*mat.Norm(y.ColView(j), 2)*(1+largest(coef)) {
				t.Errorf("seed %d, column %d: the residual of all atoms is %v", seed, j, got)
			}
			for _, a := range atoms {
				if int(a) >= 2*m {
					t.Errorf("seed %d: atom %d repeats atom %d and comes first", seed, a, int(a)-2*m)
				}
			}
		}
	}
}

func largest(v []float64) (largest float64) {
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// TestOMPLeavesOutNearlyDependentAtoms: a second atom at the angle that is too
// small is not added, though it correlates; one at a larger angle is.
func TestOMPLeavesOutNearlyDependentAtoms(t *testing.T) {
	for sine, want := range map[float64]int{1e-5: 2, 5e-7: 1} {
		d := mat.NewDense(2, 2, []float64{1, 1, 0, sine})
		s := sparseCode(t, coding.OMP{Sparsity: 2}, d, mat.NewDense(2, 1, []float64{1, 1e-2}))
		if len(s.Atom) != want {
			t.Errorf("%d atoms at an angle of %v, want %d", len(s.Atom), sine, want)
		}
	}
}

// TestOMPOutsideTheSpan: what no atom explains is not pursued.
func TestOMPOutsideTheSpan(t *testing.T) {
	d, y := normal(36, 20, 4), normal(37, 20, 3)
	s := sparseCode(t, coding.OMP{Sparsity: 4}, d, y)
	twice := mat.NewDense(20, 3, nil)
	for j := range 3 {
		twice.SetCol(j, rebuilt(d, y, s, j).RawVector().Data)
	}
	s = sparseCode(t, coding.OMP{Sparsity: 4}, d, twice)
	if len(s.Atom) != 0 {
		t.Errorf("%d atoms for samples that are orthogonal to all", len(s.Atom))
	}
	mustCode := sparseCode(t, coding.OMP{Sparsity: 2}, d, columns(d, []int{2, 0, 2}))
	if !slices.Equal(mustCode.Atom, []int32{2, 0, 2}) {
		t.Errorf("atoms are coded by %v", mustCode.Atom)
	}
}

// More atoms than there are is all atoms: then the code is the least squares of the samples.
func TestOMPOfFewAtoms(t *testing.T) {
	d, y := normal(39, 6, 4), normal(40, 6, 3)
	s := code(t, coding.DefaultOMP, d, y)
	if !mat.Equal(s, code(t, coding.OMP{Sparsity: 4}, d, y)) {
		t.Error("30 of 4 atoms are not 4")
	}
	var rest, gradient mat.Dense
	rest.Mul(d, s)
	rest.Sub(y, &rest)
	gradient.Mul(d.T(), &rest)
	if largest := lin.MaxAbs(&gradient); largest > 1e-12 {
		t.Errorf("the residual has a part of %g in the span of the atoms", largest)
	}
}

func TestOMPRefuses(t *testing.T) {
	d := normal(38, 6, 20)
	for _, c := range []struct {
		o             coding.OMP
		message, hint string
	}{
		{coding.OMP{Sparsity: 0}, "sparsity = 0 of the pursuit is not ≥ 1", ""},
		{coding.OMP{Sparsity: 3, Error: -1}, "error = -1 of the pursuit is not a length ≥ 0", ""},
		{coding.OMP{Sparsity: 3, Error: math.NaN()}, "error = NaN of the pursuit is not a length ≥ 0", ""},
		{coding.OMP{Sparsity: 3, Error: math.Inf(1)}, "error = +Inf of the pursuit is not a length ≥ 0", ""},
	} {
		_, over := c.o.Over(coding.Basis{D: d})
		for _, err := range []error{over, coding.Check(c.o, 6, 20)} {
			if err == nil || err.Error() != c.message || advice.Text(err) != c.hint {
				t.Errorf("%+v: %v (%s)", c.o, err, advice.Text(err))
			}
		}
	}
	d.Set(2, 7, math.Inf(1))
	if _, err := (coding.OMP{Sparsity: 3}).Over(coding.Basis{D: d}); err == nil || !strings.Contains(err.Error(), "atom 7") {
		t.Errorf("an infinite atom: %v", err)
	}
}

// FuzzOMP: any code is no worse than no code, has at most T₀ atoms, once each,
// and a residual orthogonal to them.
func FuzzOMP(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, uint8(seed*5), uint8(seed*7), uint8(seed*3), int8(seed*20))
	}
	f.Fuzz(func(t *testing.T, seed uint64, rows, atoms, sparsity uint8, scale int8) {
		m, k := 1+int(rows)%40, 1+int(atoms)%60
		rng := rand.New(rand.NewPCG(seed, 12))
		shift := float64(rng.IntN(40))
		d := fill(m, k, func(int, int) float64 { return shift + rng.NormFloat64() })
		for range rng.IntN(4) {
			d.SetCol(rng.IntN(k), mat.Col(nil, rng.IntN(k), d))
		}
		y := fill(m, 4, func(int, int) float64 { return math.Ldexp(shift/2+rng.NormFloat64(), int(scale)) })
		o := coding.OMP{Sparsity: 1 + int(sparsity)%k}
		s := sparseCode(t, o, d, y)
		for j := range 4 {
			got, coef := s.Column(j)
			whole, rest := mat.Norm(y.ColView(j), 2), rebuilt(d, y, s, j)
			size := 1.0
			for i, a := range got {
				size += math.Abs(coef[i]) * mat.Norm(d.ColView(int(a)), 2) / whole
			}
			if len(got) > o.Sparsity || mat.Norm(rest, 2) > whole*(1+1e-12*size) {
				t.Errorf("column %d: %d atoms leave %v of %v", j, len(got), mat.Norm(rest, 2), whole)
			}
			for i, a := range got {
				if slices.Contains(got[:i], a) {
					t.Errorf("column %d has atom %d twice", j, a)
				}
				if v := math.Abs(mat.Dot(rest, d.ColView(int(a)))) / mat.Norm(d.ColView(int(a)), 2); v > 1e-13*whole*size {
					t.Errorf("column %d: product %v with atom %d of the support (%v)", j, v/whole, a, size)
				}
			}
		}
	})
}

func BenchmarkOMP(b *testing.B) {
	for _, c := range []struct {
		name    string
		n       int
		learned bool
	}{{"Batch", 1654, false}, {"BatchLearned", 1654, true}, {"Single", 1, true}} {
		b.Run(c.name, func(b *testing.B) { benchmarkCode(b, coding.DefaultOMP, c.n, c.learned) })
	}
	b.Run("Over", func(b *testing.B) {
		d, _ := benchmarkData(true)
		for b.Loop() {
			if _, err := coding.DefaultOMP.Over(coding.Basis{D: d}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Patches", func(b *testing.B) {
		d, y := unitColumns(normal(1, 64, 256)), normal(2, 64, 20000)
		over, err := coding.OMP{Sparsity: 10}.Over(coding.Basis{D: d})
		if err != nil {
			b.Fatal(err)
		}
		s := new(coding.SparseCodes)
		for b.Loop() {
			if err := over.(coding.Sparse).CodeSparse(context.Background(), s, y); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20000, "ns/column")
	})
}

func ExampleSparse() {
	d := mat.NewDense(2, 3, []float64{
		1, 0, 0.6,
		0, 1, 0.8,
	})
	over, err := coding.OMP{Sparsity: 2}.Over(coding.Basis{D: d})
	if err != nil {
		fmt.Println(err)
		return
	}
	var s coding.SparseCodes
	y := mat.NewDense(2, 2, []float64{
		1.2, 3,
		1.6, 1,
	})
	if err := over.(coding.Sparse).CodeSparse(context.Background(), &s, y); err != nil {
		fmt.Println(err)
		return
	}
	for j := range 2 {
		atoms, coef := s.Column(j)
		fmt.Printf("%d %.1f\n", atoms, coef)
	}
	// Output:
	// [2] [2.0]
	// [0 1] [3.0 1.0]
}
