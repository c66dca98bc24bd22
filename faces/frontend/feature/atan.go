package feature

import "math"

// arctan are the coefficients of z, z³, z⁵, … of a polynomial that is atan z
// to 2e-13 for |z| ≤ tan(π/8): the first of the Chebyshev series
//
//	atan(x·tan 2φ) = 2·Σ_k (−1)^k·(tan φ)^(2k+1)/(2k+1)·T_{2k+1}(x),   φ = π/16
var arctan = chebyshevArctan()

func chebyshevArctan() (a [8]float64) {
	const last = 2*len(a) - 1
	t, reach := math.Tan(math.Pi/16), math.Tan(math.Pi/8)
	before, at := [last + 1]float64{1}, [last + 1]float64{0, 1} // T₀ and T₁ by powers of x
	for k := range len(a) {
		term := 2 * math.Pow(-1, float64(k)) * math.Pow(t, float64(2*k+1)) / float64(2*k+1)
		for i := range a {
			a[i] += term * at[2*i+1] / math.Pow(reach, float64(2*i+1))
		}
		for range 2 { // T_{n+1} = 2x·T_n − T_{n−1}
			var next [last + 1]float64
			for i := range last {
				next[i+1] = 2 * at[i]
			}
			for i := range next {
				next[i] -= before[i]
			}
			before, at = at, next
		}
	}
	return a
}

// tiny keeps a zero gradient from dividing by zero and changes no other.
const tiny = 1e-300

// polar sets length to the lengths of the gradients (right, down) and angle to
// perHalfTurn/π times their angles modulo π, plus shift, from 0 to perHalfTurn.
// A gradient that is zero has the angle of any.
func polar(length, angle, right, down []float64, perHalfTurn, shift float64) {
	unit := perHalfTurn / math.Pi
	// Of a gradient in the first octant the angle is π/8 + atan z; the others
	// are mirrored into it, by whether it is steep, whether it falls.
	sign := [4]float64{unit, -unit, -unit, unit}
	turn := [4]float64{shift, shift + perHalfTurn/2, shift + perHalfTurn, shift + perHalfTurn/2}
	for q := range turn {
		turn[q] += sign[q] * math.Pi / 8
	}
	c0, c1, c2, c3, c4, c5, c6, c7 := arctan[0], arctan[1], arctan[2], arctan[3], arctan[4], arctan[5], arctan[6], arctan[7]
	tangent := math.Tan(math.Pi / 8)
	length, angle, down = length[:len(right)], angle[:len(right)], down[:len(right)]
	for i, x := range right {
		y := down[i]
		length[i] = math.Sqrt(x*x + y*y)
		falls := (math.Float64bits(x) ^ math.Float64bits(y)) >> 63
		x, y = math.Abs(x), math.Abs(y)
		steep := math.Float64bits(x-y) >> 63
		short, long := min(x, y), max(x, y)
		z := (short - tangent*long) / (long + tangent*short + tiny)
		zz := z * z
		z4 := zz * zz
		a := z * ((c0 + c1*zz) + z4*((c2+c3*zz)+z4*((c4+c5*zz)+z4*(c6+c7*zz))))
		q := (2*falls + steep) & 3
		angle[i] = turn[q] + sign[q]*a
	}
}
