//go:build linux

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/parallel"
)

// A drawer draws faces: x = m + Lb·u·s + Lw·v·t at unit norm, where u belongs to a person
// and v to a photograph, all numbers normal. The mean m and the covariances Lb·Lbᵀ between and
// Lw·Lwᵀ within people are those of real embeddings. t is log-normal, since some photographs
// are worse than others; its spread gives the cosines of pairs of one person their variance.
type drawer struct {
	dims                    int
	mean                    []float32
	betweenRoot, withinRoot []float32 // Lb and Lw, row by row
	spread                  float64   // of log t
}

// fit returns the drawer of faces like those of set.
func fit(set *dataset.Images) (*drawer, error) {
	x := classify.Unit(set.X)
	d, n := x.Dims()
	people := len(set.Classes)
	mean := make([]float64, d)
	for i := range d {
		mean[i] = stat.Mean(x.RawRowView(i), nil)
	}
	total, inside := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	v := make([]float64, d)
	for c := range people {
		lo, hi := set.Groups[c], set.Groups[c+1]
		own := make([]float64, d)
		for j := lo; j < hi; j++ {
			for i := range d {
				own[i] += x.At(i, j) / float64(hi-lo)
			}
		}
		for j := lo; j < hi; j++ {
			for i := range d {
				v[i] = x.At(i, j) - mean[i]
			}
			total.SymRankOne(total, 1/float64(n-1), mat.NewVecDense(d, v))
			for i := range d {
				v[i] = x.At(i, j) - own[i]
			}
			inside.SymRankOne(inside, 1/float64(n-people), mat.NewVecDense(d, v))
		}
	}
	between := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			between.SetSym(i, j, total.At(i, j)-inside.At(i, j))
		}
	}
	r := &drawer{dims: d}
	for _, m := range mean {
		r.mean = append(r.mean, float32(m))
	}
	var err error
	if r.betweenRoot, err = root(between); err == nil {
		r.withinRoot, err = root(inside)
	}
	if err != nil {
		return nil, err
	}
	wanted := stat.StdDev(sameCosines(set), nil)
	lo, hi := 0.0, 1.0
	const steps = 12
	for range steps { // the deviation of the cosines grows with the spread
		r.spread = (lo + hi) / 2
		if stat.StdDev(sameCosines(r.images(people, set.Len()/people, 1)), nil) < wanted {
			lo = r.spread
		} else {
			hi = r.spread
		}
	}
	return r, nil
}

// plain returns the drawer of faces whose cosines have the means of the built-in network.
func plain() *drawer {
	f := frame()
	l := frontend.Pipeline{Frame: f}.Law()
	d := f.Len()
	r := &drawer{dims: d, mean: make([]float32, d), betweenRoot: make([]float32, d*d), withinRoot: make([]float32, d*d)}
	r.mean[0] = float32(math.Sqrt(l.Different.Mean))
	for i := range d {
		r.betweenRoot[i*d+i] = float32(math.Sqrt((l.Same.Mean - l.Different.Mean) / float64(d)))
		r.withinRoot[i*d+i] = float32(math.Sqrt((1 - l.Same.Mean) / float64(d)))
	}
	return r
}

// root is the symmetric square root of a without its negative eigenvalues.
func root(a *mat.SymDense) ([]float32, error) {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return nil, errors.New("no eigenvalues")
	}
	d := a.SymmetricDim()
	var q, scaled, r mat.Dense
	e.VectorsTo(&q)
	scaled.CloneFrom(&q)
	for j, v := range e.Values(nil) {
		for i := range d {
			scaled.Set(i, j, q.At(i, j)*math.Sqrt(max(0, v)))
		}
	}
	r.Mul(&scaled, q.T())
	all := make([]float32, 0, d*d)
	for i := range d {
		for j := range d {
			all = append(all, float32(r.At(i, j)))
		}
	}
	return all, nil
}

// faces draws k faces of each of the people from first on, row by row. Face j of a person
// with a number is always the same.
func (r *drawer) faces(first, people, from, k int) []float32 {
	d := r.dims
	rows := make([]float32, people*k*d)
	parallel.For(people, 256, func(lo, hi int) {
		n := hi - lo
		own, noise := make([]float32, n*d), make([]float32, n*k*d)
		for p := range n {
			rng := rand.New(rand.NewPCG(1, uint64(first+lo+p)))
			for i := range d {
				own[p*d+i] = float32(rng.NormFloat64())
			}
			for j := range k {
				rng := rand.New(rand.NewPCG(uint64(2+from+j), uint64(first+lo+p)))
				scale := math.Exp(r.spread*rng.NormFloat64() - r.spread*r.spread)
				for i := range d {
					noise[(p*k+j)*d+i] = float32(scale * rng.NormFloat64())
				}
			}
		}
		means := product(own, r.betweenRoot, d)
		copy(rows[lo*k*d:], product(noise, r.withinRoot, d))
		for p := range n {
			for j := range k {
				row := rows[((lo+p)*k+j)*d : ((lo+p)*k+j+1)*d]
				for i := range row {
					row[i] += r.mean[i] + means[p*d+i]
				}
				unit(row)
			}
		}
	})
	return rows
}

func unit(row []float32) {
	var norm float64
	for _, v := range row {
		norm += float64(v) * float64(v)
	}
	for i := range row {
		row[i] = float32(float64(row[i]) / math.Sqrt(norm))
	}
}

// product is A·Bᵀ of rows of d numbers.
func product(a, b []float32, d int) []float32 {
	m, n := len(a)/d, len(b)/d
	c := make([]float32, m*n)
	blas32.Implementation().Sgemm(blas.NoTrans, blas.Trans, m, n, d, 1, a, d, b, d, 0, c, n)
	return c
}

// images are drawn faces as a set.
func (r *drawer) images(people, k, first int) *dataset.Images {
	return imagesOf(r.people(first, people, k), r.dims, dataset.Frame{})
}

// infos is how many numbers of quality an index keeps with a face.
const infos = 5

// people are drawn people.
func (r *drawer) people(first, people, k int) []*index.Person {
	rows := r.faces(first, people, 0, k)
	all := make([]*index.Person, people)
	for p := range all {
		one := &index.Person{Name: fmt.Sprintf("drawn %d", first+p), Info: make([]float64, infos*k), Vectors: rows[p*k*r.dims : (p+1)*k*r.dims]}
		for j := range k {
			one.IDs = append(one.IDs, fmt.Sprintf("%s/%d.jpg", one.Name, j+1))
		}
		all[p] = one
	}
	return all
}

// imagesOf are people in natural order as a set.
func imagesOf(people []*index.Person, d int, f dataset.Frame) *dataset.Images {
	s := dataset.Unlabelled(nil, f)
	s.Groups = []int{0}
	for _, p := range people {
		s.Classes, s.IDs = append(s.Classes, p.Name), append(s.IDs, p.IDs...)
		s.Groups = append(s.Groups, len(s.IDs))
	}
	s.X = mat.NewDense(d, len(s.IDs), nil)
	j := 0
	for _, p := range people {
		for k := range p.IDs {
			for i, v := range p.Vectors[k*d : (k+1)*d] {
				s.X.Set(i, j, float64(v))
			}
			j++
		}
	}
	return s
}

// sameCosines are the cosines of pairs of faces of one person.
func sameCosines(set *dataset.Images) (same []float64) {
	x := classify.Unit(set.X)
	var all mat.Dense
	all.Mul(x.T(), x)
	for i := range set.Len() {
		for j := range i {
			if set.ClassOf(i) == set.ClassOf(j) {
				same = append(same, all.At(i, j))
			}
		}
	}
	return same
}
