package gallery

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
)

// A reassignment finds the images whose label looks wrong. First, where the images of a
// group fall into two clear parts, the smaller one leaves the group: in a group of four and
// three images of two people, each image looks like the mean. Then, in each round, in each
// group, the image whose label is most probably wrong leaves the group, so that it no longer
// speaks for the others, and joins the group that it looks like.
type reassignment struct {
	g        *Gallery
	settings *Settings
	l        *openset.Impostors
	x        *mat.Dense // d×n of unit norm
	labels   []int      // labels
	groups   []int      // the groups that the images are in now; nobody for none
	sums     *mat.Dense // d×C, of the images that are in a group now
	norms    []float64  // squared, of the sums
	count    []int      // images in each group now
	dots     *mat.Dense // C×n, of the sums and the images
	parts    []*part    // of the images, nil for one that is in no part
	unusual  []float64  // of each image, the share of unusual ones in its group
}

// A part is two or more images of one group that look like another person together. It stays out of
// the group, since an image alone may look enough like the mean to come back.
type part struct {
	images      []int
	probability float64
}

const nobody = -1

// ReviewPriors are what a Review assumes before it looks at the images.
type ReviewPriors struct {
	Mislabelled float64 `json:"mislabelled"` // share of images with a wrong label; half of them show strangers
	TwoPeople   float64 `json:"two_people"`  // share of groups of images that show two people

	// A share Unusual of the images of a person, covered or turned away, has deviates that are
	// lower by UnusualFall on average, with the standard deviation UnusualSD.
	Unusual     float64 `json:"unusual"`
	UnusualFall float64 `json:"unusual_fall"`
	UnusualSD   float64 `json:"unusual_sd"`

	// A share Aged of the people have photographs that are years apart, as children have. Their mean cosine
	// is AgedMean of that of others, with the standard deviation AgedSD. A review begins with this share, and
	// finds that of the gallery.
	Aged     float64 `json:"aged"`
	AgedMean float64 `json:"aged_mean"`
	AgedSD   float64 `json:"aged_sd"`

	// An image leaves its group if its label is wrong with the probability Leave, and is a
	// Suspect from the probability Suspect on: it costs more to miss a wrong label than to look
	// at a right one.
	Leave   float64 `json:"leave"`
	Suspect float64 `json:"suspect"`

	// Copied is the cosine from which two images count as copies of one photograph.
	Copied float64 `json:"copied"`

	// At least MinAlike images of a person are very alike if their mean cosine is AlikeSD
	// standard deviations above that of the network's people.
	MinAlike int     `json:"fewest_alike"`
	AlikeSD  float64 `json:"alike_sd"`

	// A Pair has an estimated share of confused images above MinConfused, or some that are confused.
	MinConfused float64 `json:"least_confused"`
}

// DefaultReviewPriors are the values of Review. In LFW a photograph and a copy of it in grey have
// the cosine 0.997; of two photographs of a person, one pair in a thousand has more than 0.991.
// The other values are not fitted: doc/openset.md explains them.
var DefaultReviewPriors = ReviewPriors{
	Mislabelled: 0.01, TwoPeople: 0.1,
	Unusual: 0.02, UnusualFall: 2, UnusualSD: 2,
	Aged: 0.02, AgedMean: 0.55, AgedSD: 0.16,
	Leave: 0.5, Suspect: 0.1,
	Copied: 0.995, MinAlike: 3, AlikeSD: 2, MinConfused: 0.001,
}

const maxRounds = 100

func newReassignment(g *Gallery, l *openset.Impostors) *reassignment {
	s := g.Images()
	x := g.vectors()
	f := &reassignment{
		g: g, settings: g.Numbers().aged(l, x, g.Enrolled.Groups()), l: l, x: x,
		labels: make([]int, s.Len()), count: make([]int, len(s.Classes)), norms: make([]float64, len(s.Classes)),
	}
	for j := range f.labels {
		f.labels[j] = s.ClassOf(j)
	}
	f.groups = slices.Clone(f.labels)
	d, n := f.x.Dims()
	f.sums, f.dots = mat.NewDense(d, len(s.Classes), nil), mat.NewDense(len(s.Classes), n, nil)
	f.parts = make([]*part, s.Len())
	all := make([]bool, len(s.Classes))
	for c := range all {
		all[c] = true
		f.splitPeople(c)
	}
	f.update(all)
	groups := g.Enrolled.Groups()
	for c := range len(groups) - 1 {
		for j := groups[c]; j < groups[c+1]; j++ {
			f.unusual = append(f.unusual, f.settings.Review.Unusual)
			if groups[c+1]-groups[c] > 1 {
				others := slices.DeleteFunc(f.group(c), func(i int) bool { return i == j })
				f.unusual[j] = f.settings.unusual(l, lin.Select(x, others))
			}
		}
	}
	return f
}

// group are the images with label c.
func (f *reassignment) group(c int) (in []int) {
	for j := f.g.Enrolled.Groups()[c]; j < f.g.Enrolled.Groups()[c+1]; j++ {
		in = append(in, j)
	}
	return in
}

// splitPeople moves parts of group c that look like another person out of it.
func (f *reassignment) splitPeople(c int) {
	for in := f.group(c); len(in) > 1; {
		others, p := f.settings.TwoPeople(f.l, lin.Select(f.x, in))
		if others == nil {
			return
		}
		one := &part{probability: p}
		for _, k := range others {
			one.images = append(one.images, in[k])
		}
		for _, j := range one.images {
			f.parts[j] = one
			if len(in) > 2 {
				f.groups[j] = nobody
			}
		}
		in = slices.DeleteFunc(in, func(j int) bool { return f.parts[j] != nil })
	}
}

// update computes what depends on who is in the groups that changed.
func (f *reassignment) update(changed []bool) {
	d, n := f.x.Dims()
	for c, is := range changed {
		if !is {
			continue
		}
		sum, row := make([]float64, d), f.dots.RawRowView(c)
		f.count[c], f.norms[c] = 0, 0
		for j, at := range f.groups {
			if at == c {
				f.count[c]++
				for i := range sum {
					sum[i] += f.x.At(i, j)
				}
			}
		}
		clear(row)
		for i, v := range sum {
			f.norms[c] += v * v
			for j, w := range f.x.RawRowView(i)[:n] {
				row[j] += v * w
			}
		}
		f.sums.SetCol(c, sum)
	}
}

// deviate compares image j with the mean of the k other images in group c. It returns the
// deviate of the cosine, and k; both are 0 if there is no other image.
func (f *reassignment) deviate(j, c int) (z float64, k int) {
	dot, norm, k := f.dots.At(c, j), f.norms[c], f.count[c]
	if f.groups[j] == c {
		dot, norm, k = dot-1, norm-2*dot+1, k-1
	}
	if k == 0 || !(norm > 0) {
		return 0, 0
	}
	return f.l.Deviate(k, dot/math.Sqrt(norm)), k
}

// ratio is the log likelihood ratio of two hypotheses for image j: that it shows the
// person of group c, and somebody else; 0 if the group has no other image.
func (f *reassignment) ratio(j, c int) float64 {
	z, k := f.deviate(j, c)
	if k == 0 {
		return 0
	}
	g := f.l.Genuine[min(len(f.l.Genuine), k)-1]
	usual := distuv.Normal{Mu: g[0], Sigma: g[1]}
	a := &f.settings.Review
	other := distuv.Normal{Mu: g[0] - a.UnusualFall, Sigma: a.UnusualSD}
	z = min(z, g[0]) // more similar than usual is no reason against
	share := a.Unusual
	if c == f.labels[j] {
		share = f.unusual[j]
	}
	p := (1-share)*usual.Prob(z) + share*other.Prob(z)
	return math.Log(p) - distuv.UnitNormal.LogProb(z)
}

// wrong is the probability that the label of image j is wrong, and who it shows then,
// most probably.
func (f *reassignment) wrong(j int) (probability float64, who int) {
	people, mislabelled := len(f.count), f.settings.Review.Mislabelled
	own := math.Log(1-mislabelled) + f.ratio(j, f.labels[j])
	no := math.Log(mislabelled / 2)
	each := math.Log(mislabelled / 2 / float64(people-1))
	best, who := no, nobody
	terms := append(make([]float64, 0, people), no)
	for c := range people {
		if c == f.labels[j] || f.count[c] == 0 {
			continue
		}
		v := each + f.ratio(j, c)
		if terms = append(terms, v); v > best {
			best, who = v, c
		}
	}
	top := max(own, best)
	var sum float64
	for _, v := range terms {
		sum += math.Exp(v - top)
	}
	return sum / (sum + math.Exp(own-top)), who
}

func (f *reassignment) run(ctx context.Context) error {
	for range maxRounds {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		changed, any := make([]bool, len(f.count)), false
		move := func(j, to int) {
			for _, c := range []int{f.groups[j], to} {
				if c != nobody {
					changed[c] = true
				}
			}
			f.groups[j], any = to, true
		}
		wrong, looks := f.all()
		for c := range f.count {
			largest, which, to := f.settings.Review.Leave, -1, nobody
			for j := f.g.Enrolled.Groups()[c]; j < f.g.Enrolled.Groups()[c+1]; j++ {
				p, who := wrong[j], looks[j]
				switch {
				case f.parts[j] != nil:
				case f.groups[j] != c && p < f.settings.Review.Leave:
					move(j, c)
				case f.groups[j] == c && p > largest:
					largest, which, to = p, j, who
				}
			}
			if which >= 0 {
				move(which, to)
			}
		}
		if !any {
			break
		}
		f.update(changed)
	}
	return nil
}

// all is wrong of all images.
func (f *reassignment) all() (wrong []float64, looks []int) {
	wrong, looks = make([]float64, len(f.labels)), make([]int, len(f.labels))
	const chunk = 16
	parallel.For(len(f.labels), chunk, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			wrong[j], looks[j] = f.wrong(j)
		}
	})
	return wrong, looks
}

// suspects are the images that look mislabelled, the surest first.
func (f *reassignment) suspects() []Suspect {
	all := []Suspect{}
	wrong, looks := f.all()
	for j, c := range f.labels {
		p, who := wrong[j], looks[j]
		in := f.parts[j]
		if in == nil && (p < f.settings.Review.Suspect || f.contradicted(j, who)) {
			continue
		}
		if in != nil && p < in.probability {
			if p < f.settings.Review.Leave {
				who = nobody
			}
			p = in.probability
		}
		s := Suspect{Image: j, ID: f.g.Images().ID(j), Person: f.g.Names()[c], Probability: &p, Nearest: f.nearest(j, c)}
		if who != nobody {
			s.Other, s.Nearest = f.g.Names()[who], f.nearest(j, who)
		} else if who = f.likeliest(j); who != nobody {
			s.Likeliest = f.g.Names()[who]
		}
		if in != nil {
			s.Part = in.images
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Suspect) int { return cmp.Compare(*b.Probability, *a.Probability) })
	return all
}

// likeliest returns the person that image j resembles most, apart from the person of its label; nobody if
// it resembles none.
func (f *reassignment) likeliest(j int) (who int) {
	who = nobody
	for c, best := 0, 0.0; c < len(f.count); c++ {
		if v := f.ratio(j, c); c != f.labels[j] && v > best {
			best, who = v, c
		}
	}
	return who
}

// contradicted reports whether image j is the only one of its person, so that nothing but its
// similarity with person who speaks against its label, and is not similar enough to be named so.
func (f *reassignment) contradicted(j, who int) bool {
	own, c := f.labels[j], f.g.Calibration
	if who == nobody || c == nil || f.g.Enrolled.Groups()[own+1]-f.g.Enrolled.Groups()[own] > 1 {
		return false
	}
	z, k := f.deviate(j, who)
	score := []float64{f.l.Cosine(k, z)}
	f.l.Level(score, []int{k}, c.Photographs)
	return !c.Known(f.l.Evidence(score[0], len(f.count)))
}

// nearest is the image of person c that is nearest to image j; -1 if there is no other.
func (f *reassignment) nearest(j, c int) int {
	at, best := -1, math.Inf(-1)
	for i := f.g.Enrolled.Groups()[c]; i < f.g.Enrolled.Groups()[c+1]; i++ {
		if v := mat.Dot(f.x.ColView(i), f.x.ColView(j)); i != j && v > best {
			at, best = i, v
		}
	}
	return at
}
