package coding

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// gradient computes w = Gs − f for an s that is given by its magnitudes and its
// signs. It holds copies of the rows of G for which s
// is not 0, side by side: one product with them takes a third of the time of
// as many additions of rows from all over G, and from one round to the next
// few of them change.
type gradient struct {
	g    blas64.General // G, K×K
	w    []float64      // len K
	sign []float64      // 1, or −1 where s_k < 0; len K
	sum  float64        // ‖s‖₁
	held []int          // the atoms whose rows are held, in their order
	at   []int          // the place of atom k in held, −1 if it is not; len K
	rows []float64      // the rows, K each
	coef []float64      // the coefficients of held
}

func newGradient(g blas64.General) *gradient {
	d := &gradient{g: g, w: make([]float64, g.Rows), sign: make([]float64, g.Rows), at: make([]int, g.Rows)}
	for k := range d.at {
		d.at[k], d.sign[k] = -1, 1
	}
	return d
}

// start sets w = −f, as for s = 0.
func (d *gradient) start(f []float64) {
	for _, k := range d.held {
		d.at[k] = -1
	}
	d.held, d.sum = d.held[:0], 0
	for k, v := range f {
		d.w[k] = -v
	}
}

// hold copies the row of atom k.
func (d *gradient) hold(k int) {
	n := len(d.held)
	d.at[k] = n
	d.held = append(d.held, k)
	d.rows = append(d.rows[:n*d.g.Cols], d.g.Data[k*d.g.Stride:k*d.g.Stride+d.g.Cols]...)
}

// release forgets the row of atom k; the last row takes its place.
func (d *gradient) release(k int) {
	size, hole, last := d.g.Cols, d.at[k], len(d.held)-1
	if hole < last {
		copy(d.rows[hole*size:(hole+1)*size], d.rows[last*size:])
		d.held[hole] = d.held[last]
		d.at[d.held[hole]] = hole
	}
	d.held, d.at[k] = d.held[:last], -1
}

// update sets w = Gs − f for the s that is s[i] for atom atoms[i], times its
// sign, and 0 for all others. Exactly the rows of atoms are held.
func (d *gradient) update(f []float64, atoms []int, s []float64) {
	for k, v := range f {
		d.w[k] = -v
	}
	n := len(atoms)
	if n == 0 {
		d.sum = 0
		return
	}
	d.coef = append(d.coef[:0], s...)
	d.sum = 0
	for i, k := range atoms {
		d.coef[d.at[k]] = d.sign[k] * s[i]
		d.sum += math.Abs(s[i])
	}
	size := d.g.Cols
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
		blas64.General{Rows: 1, Cols: n, Stride: n, Data: d.coef},
		blas64.General{Rows: n, Cols: size, Stride: size, Data: d.rows}, 1,
		blas64.General{Rows: 1, Cols: size, Stride: size, Data: d.w})
}
