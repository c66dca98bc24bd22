package explain

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/internal/kit/picture"
)

// A figure is a picture with its captions.
type figure struct {
	img  image.Image
	Name string // the caption below it
	Sub  string // the second line of the caption
	Alt  string // the text for readers who cannot see it
	Mark mark
}

// A mark says whose a picture is.
type mark string

const (
	ofNobody mark = ""
	ofBest   mark = "best"
	ofRival  mark = "rival"
)

// rebuilt is the row of the face and of what the atoms make of it.
func (f *view) rebuilt() (row, error) {
	r := row{Title: "The face, and its reconstruction from the atoms"}
	face, err := f.image(f.Image)
	if err != nil {
		return r, err
	}
	face.Name, face.Sub, face.Alt = "the face", "as it is seen", "The face"
	r.Pictures = append(r.Pictures, face)
	make, caption := f.maker()
	r.Caption = caption
	if make != nil && !f.Separate && f.All.Distance > 1 {
		r.Caption += " A distance above 1 is worse than the zero code: the coder stops early and does not minimise the distance."
	}
	if make != nil && f.isPicture() && !f.p.Pipeline.ArePixels() {
		seen, err := f.image(make(f.Sample))
		if err != nil {
			return r, err
		}
		seen.Name, seen.Sub, seen.Alt = "its sample", f.p.Pipeline.Photometric.String(), "The face after the photometric steps"
		r.Pictures = append(r.Pictures, seen)
	}
	if make == nil {
		return r, nil
	}
	for _, by := range f.partials() {
		if !slices.ContainsFunc(f.Code[by.lo:by.hi], func(v float64) bool { return v != 0 }) {
			continue
		}
		if f.isPicture() {
			by.values = make(f.product(by.lo, by.hi))
		} else {
			by.values = make(f.mixture(by.lo, by.hi))
		}
		s, err := f.image(by.values)
		if err != nil {
			return r, err
		}
		s.Name, s.Mark = by.name, by.mark
		s.Sub, s.Alt = "distance "+decimals(by.distance, 2), fmt.Sprintf("The face as %s make it", by.name)
		r.Pictures = append(r.Pictures, s)
	}
	return r, nil
}

// A partial is the reconstruction of the face by the atoms lo ≤ k < hi.
type partial struct {
	lo, hi   int
	name     string
	mark     mark
	distance float64
	values   []float64
}

// partials are those of all atoms, of the likeliest person's and of the next's.
func (f *view) partials() []partial {
	var all []partial
	if !f.Separate {
		all = append(all, partial{0, len(f.Code), "all atoms", ofNobody, f.All.Distance, nil})
	}
	for i, m := range []mark{ofBest, ofRival} {
		c := f.order[i]
		all = append(all, partial{f.p.Groups[c], f.p.Groups[c+1], f.name(c), m, f.Distances[c], nil})
	}
	return all
}

// maker returns what turns a sample, or a mixture of images, into grey values,
// nil if nothing can be shown, and the caption.
func (f *view) maker() (make func([]float64) []float64, caption string) {
	const left = "The distance is measured in the space of the features, where the face has length 1."
	switch {
	case f.Blocks != nil:
		return nil, "Every part of the face is reconstructed separately, so there is no picture of the whole face."
	case f.p.Pipeline.ArePixels():
		norm := mat.Norm(mat.NewVecDense(len(f.Image), f.Image), 2)
		return func(v []float64) []float64 { return withNorm(v, norm, 0) }, "Each has the brightness of the face. " + left
	case f.isPicture():
		const middle = 127.5 // of grey, for 0
		norm := middle / slices.Max(append(scaled(f.Sample, -1, 0), f.Sample...))
		return func(v []float64) []float64 { return withNorm(v, norm, middle) }, "Each has the contrast of the sample. " + left
	case f.fromImages():
		return f.like, "The model uses features, which cannot be shown; for display, the same coefficients mix the training photographs. " + left
	case !f.enrolledImages():
		return nil, "The model uses features, which cannot be shown, and stores no photographs."
	}
	return nil, "The model uses features and learned atoms. Neither are pictures, so the reconstruction of the face cannot be shown."
}

// withNorm is v brought to a norm, about zero; v itself is left alone.
func withNorm(v []float64, norm, zero float64) []float64 {
	if n := mat.Norm(mat.NewVecDense(len(v), v), 2); n > 0 {
		norm /= n
	}
	return scaled(v, norm, zero)
}

func scaled(v []float64, gain, zero float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = zero + gain*x
	}
	return out
}

// like returns v with the mean and the contrast of the face.
func (f *view) like(v []float64) []float64 {
	mean, sd := stat.PopMeanStdDev(f.Image, nil)
	mean0, sd0 := stat.PopMeanStdDev(v, nil)
	gain := 0.0
	if sd0 > 0 {
		gain = sd / sd0
	}
	return scaled(v, gain, mean-gain*mean0)
}

// product is D·s over the atoms lo ≤ k < hi.
func (f *view) product(lo, hi int) []float64 {
	d, _ := f.p.D.Dims()
	var v mat.VecDense
	v.MulVec(f.p.D.Slice(0, d, lo, hi), mat.NewVecDense(hi-lo, f.Code[lo:hi]))
	return v.RawVector().Data
}

// mixture is the sum of the images that the atoms lo ≤ k < hi are, each of unit
// norm, with their coefficients.
func (f *view) mixture(lo, hi int) []float64 {
	sum := make([]float64, f.p.Pipeline.Size.Len())
	for i := range f.Atoms {
		a := &f.Atoms[i]
		if a.Atom < lo || a.Atom >= hi {
			continue
		}
		v := f.enrolled(a)
		norm := mat.Norm(mat.NewVecDense(len(v), v), 2)
		for i, x := range v {
			if norm > 0 {
				sum[i] += a.Coefficient * x / norm
			}
		}
	}
	return sum
}

// enrolled is the image of a, in grey values of 0 … 255.
func (f *view) enrolled(a *WeightedAtom) []float64 {
	e := f.p.Enrolled
	v := mat.Col(nil, a.Enrolled, e.X)
	if e.White != 0 {
		v = scaled(v, white/e.White, 0)
	}
	if a.Mirrored {
		columns := slices.Collect(slices.Chunk(v, e.Frame.Height))
		slices.Reverse(columns)
		v = slices.Concat(columns...)
	}
	return v
}

const white = 255

// atoms is the row of the atoms with the largest weights.
func (f *view) atoms(limit int) (row, error) {
	r := row{Title: "The atoms with the largest weights", Caption: f.aboutAtoms()}
	list := f.Atoms
	switch {
	case f.linear():
		list = f.byImportance()
	case f.Separate:
		r.Title = "The atoms with the largest weights, of the best guess"
		list = nil
		for _, a := range f.Atoms {
			if a.Class == f.Class {
				list = append(list, a)
			}
		}
	}
	for i := range list[:min(limit, len(list))] {
		a := &list[i]
		s, ok, err := f.atom(a)
		if err != nil || !ok {
			return r, err
		}
		s.Name, s.Sub = f.name(a.Class), f.weight(a)
		s.Alt = fmt.Sprintf("%s, weight %s", s.Name, s.Sub)
		s.Mark = f.markOf(f.name(a.Class))
		r.Pictures = append(r.Pictures, s)
	}
	return r, nil
}

// byImportance are the atoms, those first that have a large part of the weight or
// of what is added to the score.
func (f *view) byImportance() []WeightedAtom {
	all := 0.0
	for _, a := range f.Atoms {
		all += max(0, a.Adds)
	}
	part := func(a WeightedAtom) float64 {
		if a.Adds > 0 {
			return max(a.Share, a.Adds/all)
		}
		return a.Share
	}
	list := slices.Clone(f.Atoms)
	slices.SortStableFunc(list, func(a, b WeightedAtom) int { return cmp.Compare(part(b), part(a)) })
	return list
}

// weight says how much a counts for.
func (f *view) weight(a *WeightedAtom) string {
	share := a.Share
	if f.Separate {
		share /= f.Shares[a.Class]
	}
	text := percent(share)
	if few := 0.0995; share < few { // with a decimal
		text = decimals(100*share, 1) + " %"
	}
	if a.Coefficient < 0 {
		text = "−" + text
	}
	if f.linear() {
		adds := decimals(a.Adds, 2)
		if a.Adds > 0 && adds != decimals(0, 2) {
			adds = "+" + adds
		}
		text = adds + ", " + text
	}
	if a.Mirrored && (a.IsEnrolled() || !f.p.Pipeline.ArePixels()) {
		text += ", mirrored"
	}
	return text
}

// atom is the picture of a; ok is false where there is none.
func (f *view) atom(a *WeightedAtom) (s figure, ok bool, err error) {
	switch {
	case f.enrolledImages() && (a.IsEnrolled() || !f.isPicture()):
		s, err = f.image(f.enrolled(a))
	case f.isPicture():
		s, err = f.drawn(f.p.D, a.Atom, picture.Each)
	default:
		return s, false, nil
	}
	return s, true, err
}

// aboutAtoms says what the pictures of the atoms are.
func (f *view) aboutAtoms() string {
	weight := fmt.Sprintf("The weight of an atom is its share of Σ|s|. All atoms of %s have %s of the weight, those of %s %s.",
		f.name(f.Class), percent(f.Shares[f.Class]), f.name(f.rival()), percent(f.Shares[f.rival()]))
	if f.linear() {
		weight += fmt.Sprintf(" The number before it is what the atom adds to the score of %s.", f.name(f.Class))
	}
	if f.Separate {
		weight = fmt.Sprintf("The atoms of each person code the face separately. The weight of an atom is its share of Σ|s_c|, for %s.",
			f.name(f.Class))
	}
	if f.Blocks != nil {
		weight += " Each is the mean over the parts of the face."
	}
	if slices.ContainsFunc(f.Atoms, func(a WeightedAtom) bool { return a.Coefficient < 0 }) {
		weight += " A negative weight is subtracted."
	}
	switch {
	case f.fromImages():
		weight = "The atoms are the training photographs. " + weight
	case f.isPicture():
		weight = "The learned atoms. " + weight
	case f.enrolledImages():
		weight = "The atoms are learned from features, which cannot be shown; each picture is the nearest photograph of the same person. " +
			weight
	default:
		weight = "The atoms are features, which cannot be shown, and the model stores no photographs. " + weight
	}
	return weight
}
