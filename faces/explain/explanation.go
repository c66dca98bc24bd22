package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/lin"
)

// An Explanation has the numbers that say why a model names a face.
type Explanation struct {
	gallery.Face

	Image  []float64 // grey values of the face in the pipeline's Frame, 0 … 255, column after column; nil if only its sample is known
	Sample []float64 // len d, y, the coded sample, of unit norm
	Code   []float64 // len K, s

	// All is the reconstruction D·s of y by the atoms of all classes, and Guess the
	// reconstruction D_c·s_c by those of the most likely class, Face.Class.
	All, Guess Reconstruction
	// Distances has ‖y − D_c·s_c‖ of each class c, len C.
	Distances []float64
	// Shares has the weight ‖s_c‖₁/‖s‖₁ of each class c, len C. Their sum is 1, or 0 if s
	// is zero.
	Shares []float64
	// Atoms has the atoms with nonzero coefficients, the largest magnitude first.
	Atoms []WeightedAtom
	// Separate says that every class codes the face separately (coding.ByClass). Then
	// All and Shares, which mix the classes, have no meaning.
	Separate bool

	// Errors is the sparse error of a robust coder, len d; nil for other coders.
	Errors []float64
	// Blocks has the votes of each block of the face if the rule is classify.Votes and the coder coding.Blocks. Then
	// each block has a code, and Code is the mean of these.
	Blocks []BlockVotes

	Similarities *Similarities // nil unless a network made the vectors of the model
}

// A Reconstruction is an approximation of a sample y by atoms.
type Reconstruction struct {
	Sample   []float64 // len d
	Distance float64   // ℓ2, from y, whose norm is 1
}

// A WeightedAtom is an atom of the dictionary and its coefficient in the code of a face.
type WeightedAtom struct {
	Atom        int // its column of D
	Class       int
	Coefficient float64 // its element of s
	Share       float64 // of the weight: |s_k|/‖s‖₁
	Adds        float64 // W_ck·s_k, its contribution to the score of Recognition.Class if the rule is Linear; 0 for other rules

	// Enrolled is the column of the enrolled image of the same class whose sample is
	// nearest to the atom, or -1 if the model stores no images. Mirrored says that the
	// mirror image is meant. Cosine is that of the sample and the atom: 1 if they are equal.
	Enrolled int
	Mirrored bool
	Cosine   float64
}

// same is from which cosine on a sample is an atom, but for rounding.
const same = 1 - 1e-9

// IsEnrolled reports whether the atom is the sample of an enrolled image, or of
// its mirror image.
func (a *WeightedAtom) IsEnrolled() bool { return a.Enrolled >= 0 && a.Cosine >= same }

// BlockVotes are the votes of one block of an image.
type BlockVotes struct {
	Top, Left, Side int       // of the square, in pixels
	Votes           []float64 // len C, shares that add up to at most 1; all 0 if the block is blank
}

// New identifies image, a set of exactly one face, with m and explains the result.
func New(ctx context.Context, m *gallery.Gallery, image *dataset.Images) (*Explanation, error) {
	if image == nil {
		return nil, errors.New("explain: there is no image")
	}
	if n := image.Len(); n != 1 {
		return nil, fmt.Errorf("explain %d faces: one at a time", n)
	}
	results, err := m.IdentifyCoded(ctx, image)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	return Of(ctx, m, image, results[0])
}

// Of explains the result of m.IdentifyCoded for image. The face is not coded again, except
// for its Blocks.
func Of(ctx context.Context, m *gallery.Gallery, image *dataset.Images, result gallery.Face) (*Explanation, error) {
	e, p := &Explanation{Face: result}, m.Parts()
	e.Separate = coding.ByClass(p.Coder)
	if image.AreImages() && image.Frame.Same(m.Frame) {
		e.Image = mat.Col(nil, 0, image.X)
		for i := range e.Image {
			e.Image[i] *= image.Scale()
		}
	}
	if err := e.fill(ctx, &p); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	if err := nearest(ctx, m, e.Atoms); err != nil {
		return nil, err
	}
	if !m.Embedding.IsZero() {
		return e, e.compare(ctx, m, image.X)
	}
	return e, nil
}

var errBlankSample = errors.New("the sample is blank: there is nothing to explain")

// fill fills in what follows from the sample and its code.
func (e *Explanation) fill(ctx context.Context, p *classify.Parts) (err error) {
	r := e.Coded
	if mat.Norm(r.Samples, 2) == 0 {
		return errBlankSample
	}
	e.Sample, e.Code = mat.Col(nil, 0, r.Samples), mat.Col(nil, 0, r.Codes)
	rebuild(p, e)
	weigh(p, e)
	if r.Errors != nil {
		e.Errors = mat.Col(nil, 0, r.Errors)
	}
	if _, ok := p.Coder.(coding.Blocks); ok && p.Rule.Name() == (classify.Votes{}).Name() {
		e.Blocks, err = blocks(ctx, p, r.Samples)
	}
	return err
}

// rebuild fills in what the atoms make of the sample.
func rebuild(p *classify.Parts, e *Explanation) {
	d, k := p.D.Dims()
	common := make([]float64, d)
	if first := p.Groups[len(p.Classes)]; first < k {
		lin.AB(mat.NewDense(d, 1, common), 1, lin.Cols(p.D, first, k), mat.NewDense(k-first, 1, e.Code[first:])) // D₀·s₀
	}
	all := slices.Clone(common)
	for c := range p.Classes {
		lo, hi := p.Groups[c], p.Groups[c+1]
		own := mat.NewDense(d, 1, nil)
		lin.AB(own, 1, lin.Cols(p.D, lo, hi), mat.NewDense(hi-lo, 1, e.Code[lo:hi])) // D_c·s_c
		v := own.RawMatrix().Data
		for i := range all {
			all[i] += v[i]
			v[i] += common[i]
		}
		e.Distances = append(e.Distances, distance(e.Sample, v))
		if c == e.Class {
			e.Guess = Reconstruction{v, e.Distances[c]}
		}
	}
	e.All = Reconstruction{all, distance(e.Sample, all)}
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return math.Sqrt(sum)
}

// weigh fills in the atoms and the shares of the classes.
func weigh(p *classify.Parts, e *Explanation) {
	e.Shares = make([]float64, len(p.Classes))
	total := 0.0
	for _, v := range e.Code[:p.Groups[len(p.Classes)]] {
		total += math.Abs(v)
	}
	for c := range p.Classes {
		for k := p.Groups[c]; k < p.Groups[c+1]; k++ {
			if v := e.Code[k]; v != 0 {
				share := math.Abs(v) / total
				e.Shares[c] += share
				a := WeightedAtom{Atom: k, Class: c, Coefficient: v, Share: share, Enrolled: -1}
				if linear, ok := p.Rule.(classify.Linear); ok {
					a.Adds = linear.W.At(e.Class, k) * v
				}
				e.Atoms = append(e.Atoms, a)
			}
		}
	}
	slices.SortStableFunc(e.Atoms, func(a, b WeightedAtom) int { return cmp.Compare(b.Share, a.Share) })
}

// nearest finds the enrolled images that are nearest to the atoms, class by
// class: what it holds at a time is the samples of one.
func nearest(ctx context.Context, m *gallery.Gallery, atoms []WeightedAtom) error {
	if m.Enrolled == nil {
		return nil
	}
	classes := m.Parts().Classes
	of := make([][]*WeightedAtom, len(classes))
	for i := range atoms {
		of[atoms[i].Class] = append(of[atoms[i].Class], &atoms[i])
	}
	for c, list := range of {
		if len(list) == 0 {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := nearestOf(m, c, list); err != nil {
			return fmt.Errorf("explain: the enrolled images of %s: %w", classes[c], err)
		}
	}
	return nil
}

// nearestOf is nearest for atoms of class c.
func nearestOf(m *gallery.Gallery, c int, atoms []*WeightedAtom) error {
	p := m.Parts()
	first, n := m.Images().Groups[c], m.Images().Groups[c+1]-m.Images().Groups[c]
	columns := make([]int, n)
	for j := range columns {
		columns[j] = first + j
	}
	in := m.Pipeline
	in.Shift = 0 // only the projection was fit on moved images
	prepared, err := in.Prepare(m.Images().Select(columns))
	if err != nil {
		return err
	}
	x := classify.Unit(m.Project(prepared.Samples.X))
	_, images := x.Dims()
	lo, hi := p.Groups[c], p.Groups[c+1]
	cosine := mat.NewDense(hi-lo, images, nil)
	lin.AtB(cosine, 1, classify.Unit(lin.Cols(p.D, lo, hi)), x)
	for _, a := range atoms {
		row := cosine.RawRowView(a.Atom - lo)
		j := largestCosine(row, a.Atom-lo)
		a.Cosine = row[j]
		a.Enrolled, a.Mirrored = first+j%n, j >= n // copies follow the images
	}
	return nil
}

// largestCosine returns the first of the cosines that is largest in magnitude: an
// atom of either sign has the same pattern. Of several samples that are the atom,
// as in few dimensions, it is the one at index k, from which the atom was learned.
func largestCosine(cosines []float64, k int) int {
	if k < len(cosines) && cosines[k] >= same {
		return k
	}
	at := 0
	for j, v := range cosines {
		if math.Abs(v) > math.Abs(cosines[at]) {
			at = j
		}
	}
	return at
}

// blocks are the votes of the parts of y, d×1, which are images of one block.
func blocks(ctx context.Context, p *classify.Parts, y *mat.Dense) ([]BlockVotes, error) {
	in := p.Grid
	placed, err := in.Place(p.Coder)
	if err != nil {
		return nil, err
	}
	c := placed.(coding.Blocks) // as Check says
	single, err := c.Place(c.Side, c.Side, in.Planes)
	if err != nil {
		return nil, err
	}
	var all []BlockVotes
	for _, left := range c.Starts(in.Width) {
		for _, top := range c.Starts(in.Height) {
			b := BlockVotes{Top: top, Left: left, Side: c.Side}
			over, err := single.Over(coding.Basis{D: b.cut(p.D, in), Groups: p.Groups})
			if err != nil {
				return nil, err
			}
			votes := mat.NewDense(len(p.Classes), 1, nil)
			if err := over.(coding.Detailed).CodeWith(ctx, coding.Details{Votes: votes}, b.cut(y, in)); err != nil {
				return nil, err
			}
			b.Votes = mat.Col(nil, 0, votes)
			all = append(all, b)
		}
	}
	return all, nil
}

// cut returns what the columns of a, samples of in, have at the place of b.
func (b *BlockVotes) cut(a *mat.Dense, in classify.Grid) *mat.Dense {
	_, n := a.Dims()
	part := mat.NewDense(in.Planes*b.Side*b.Side, n, nil)
	for i := range in.Planes * b.Side * b.Side {
		plane, col, row := i/(b.Side*b.Side), i/b.Side%b.Side, i%b.Side
		copy(part.RawRowView(i), a.RawRowView((plane*in.Width+b.Left+col)*in.Height+b.Top+row))
	}
	return part
}
