package gallery

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl/classify"
	"nrdl/internal/parallel"
	"nrdl/openset"
)

// A Review is a Survey with what could be better about the photographs of a Model: those
// that look mislabelled, and the people who are easily confused. With Impostors it takes
// both from the cosines of the photographs with the means of the people, without those
// that look mislabelled; else from the faces that were held out.
type Review struct {
	Survey
	Suspects []Suspect  `json:"suspects"` // images that look mislabelled, the surest first
	Pairs    []Pair     `json:"pairs"`    // people who may be confused, the most easily confused first; none are sought among more than 2000
	Advice   [][]string `json:"advice"`   // for each of People, what its photographs lack
}

// A Suspect is an image that looks mislabelled.
type Suspect struct {
	Image       int      `json:"image"` // column of the images
	ID          string   `json:"id"`
	Person      string   `json:"person"`      // its label
	Other       string   `json:"other"`       // who it looks like; "" for nobody of the model
	Probability *float64 `json:"probability"` // that the label is wrong; nil without Impostors
	Nearest     int      `json:"nearest"`     // column of the image of Other, or of Person if there is none, that is nearest to it; -1 without Impostors
}

// A Pair is two people who may be confused. Shares are nil without Impostors.
type Pair struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Wrong int      `json:"wrong"` // held-out images of one that are taken for the other
	Held  int      `json:"held"`  // held-out images of both
	Share *float64 `json:"share"` // estimated share of images of one that would be taken for the other
	Alike *float64 `json:"alike"` // share of pairs of different people who are as similar
	Same  bool     `json:"same"`  // they may be one person under two names
}

// Review reviews the images of m, which was trained by method. Progress is called after
// each fold; may be nil. The error wraps ErrForgotten if m keeps no images.
func (m *Model) Review(ctx context.Context, method classify.Method, progress func(done, total int)) (*Review, error) {
	if m.Enrolled == nil {
		return nil, fmt.Errorf("review: %w", ErrForgotten)
	}
	s, results, err := m.survey(ctx, method, true, progress)
	if err != nil {
		return nil, err
	}
	r := &Review{Survey: *s, Suspects: []Suspect{}, Pairs: []Pair{}, Advice: make([][]string, len(s.People))}
	if l := m.Impostors(); l != nil {
		f := newReassignment(m, l)
		if err := f.run(ctx); err != nil {
			return nil, err
		}
		r.Suspects, r.Pairs = f.suspects(), f.pairs()
		for c := range r.People {
			r.Advice[c] = f.advice(c)
		}
	} else {
		r.byHeldOut(m, results)
	}
	for c, p := range r.People {
		r.Advice[c] = append(r.Advice[c], quality(m, c, p)...)
	}
	slices.SortStableFunc(r.Pairs, func(a, b Pair) int {
		if a.Share != nil && *a.Share != *b.Share {
			return cmp.Compare(*b.Share, *a.Share)
		}
		return cmp.Compare(b.Wrong, a.Wrong)
	})
	r.Pairs = r.Pairs[:min(len(r.Pairs), mostPairs)]
	return r, nil
}

// mostPairs bounds Review.Pairs.
const mostPairs = 50

// byHeldOut takes suspects and pairs from the results of cross-validation: a face is a
// suspect if without it the model would give it the name of somebody else.
func (r *Review) byHeldOut(m *Model, results []HeldOutResult) {
	type names struct{ a, b string }
	pairs := map[names]*Pair{}
	margin := map[int]float64{}
	held := map[string]int{}
	for _, p := range r.People {
		held[p.Name] = p.Held
	}
	for _, one := range results {
		if one.Stranger || one.Right {
			continue
		}
		person := m.Enrolled.Classes[m.Images().ClassOf(one.Image)]
		key := names{min(person, one.Guess), max(person, one.Guess)}
		if pairs[key] == nil {
			pairs[key] = &Pair{A: key.a, B: key.b, Held: held[key.a] + held[key.b]}
		}
		pairs[key].Wrong++
		if r.Threshold == nil || one.Margin >= *r.Threshold {
			r.Suspects = append(r.Suspects, Suspect{Image: one.Image, ID: m.Images().ID(one.Image), Person: person, Other: one.Guess, Nearest: -1})
			margin[one.Image] = one.Margin
		}
	}
	slices.SortFunc(r.Suspects, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(margin[b.Image], margin[a.Image]), cmp.Compare(a.Image, b.Image))
	})
	for _, p := range pairs {
		r.Pairs = append(r.Pairs, *p)
	}
	slices.SortFunc(r.Pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
}

// A reassignment finds the images whose label looks wrong. In each round, in each group,
// the image whose label is most probably wrong leaves the group, so that it no longer
// speaks for the others, and joins the group that it looks like.
type reassignment struct {
	m     *Model
	l     *openset.Impostors
	x     *mat.Dense // d×n of unit norm
	own   []int      // labels
	now   []int      // the groups that the images are in now; nobody for none
	sums  *mat.Dense // d×C, of the images that are in a group now
	norms []float64  // squared, of the sums
	count []int      // images in each group now
	dots  *mat.Dense // C×n, of the sums and the images
}

const nobody = -1

// What is assumed before the images are looked at.
const (
	// mislabelled is the share of images with a wrong label: half of them of somebody
	// else in the model, and half of nobody there.
	mislabelled = 0.01
	// Some images of a person are covered or turned away: a share unusual of them has
	// deviates that are lower by unusualFall on average, and vary with unusualSD.
	unusual, unusualFall, unusualSD = 0.02, 2.0, 2.0
	// suspicious is the probability of a wrong label from which an image is a Suspect.
	suspicious = 0.5
	mostRounds = 100
)

func newReassignment(m *Model, l *openset.Impostors) *reassignment {
	s := m.Images()
	f := &reassignment{m: m, l: l, x: m.vectors(), own: make([]int, s.Len()), count: make([]int, len(s.Classes)), norms: make([]float64, len(s.Classes))}
	for j := range f.own {
		f.own[j] = s.ClassOf(j)
	}
	f.now = slices.Clone(f.own)
	d, n := f.x.Dims()
	f.sums, f.dots = mat.NewDense(d, len(s.Classes), nil), mat.NewDense(len(s.Classes), n, nil)
	all := make([]bool, len(s.Classes))
	for c := range all {
		all[c] = true
	}
	f.update(all)
	return f
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
		for j, at := range f.now {
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

// deviate is that of image j with the mean of the others in group c, of which there
// are k; 0 of none.
func (f *reassignment) deviate(j, c int) (z float64, k int) {
	dot, norm, k := f.dots.At(c, j), f.norms[c], f.count[c]
	if f.now[j] == c {
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
	other := distuv.Normal{Mu: g[0] - unusualFall, Sigma: unusualSD}
	z = min(z, g[0]) // more similar than usual is no reason against
	p := (1-unusual)*usual.Prob(z) + unusual*other.Prob(z)
	return math.Log(p) - distuv.UnitNormal.LogProb(z)
}

// wrong is the probability that the label of image j is wrong, and who it shows then,
// most probably.
func (f *reassignment) wrong(j int) (probability float64, who int) {
	people := len(f.count)
	own := math.Log(1-mislabelled) + f.ratio(j, f.own[j])
	no := math.Log(mislabelled / 2)
	each := math.Log(mislabelled / 2 / float64(people-1))
	best, who := no, nobody
	terms := []float64{no}
	for c := range people {
		if c == f.own[j] || f.count[c] == 0 {
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
	for range mostRounds {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		changed, any := make([]bool, len(f.count)), false
		move := func(j, to int) {
			for _, c := range []int{f.now[j], to} {
				if c != nobody {
					changed[c] = true
				}
			}
			f.now[j], any = to, true
		}
		wrong, looks := f.all()
		for c := range f.count {
			most, which, to := suspicious, -1, nobody
			for j := f.m.Enrolled.Groups[c]; j < f.m.Enrolled.Groups[c+1]; j++ {
				p, who := wrong[j], looks[j]
				switch {
				case f.now[j] != c && p < suspicious:
					move(j, c)
				case f.now[j] == c && p > most:
					most, which, to = p, j, who
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
	wrong, looks = make([]float64, len(f.own)), make([]int, len(f.own))
	const chunk = 16
	parallel.For(len(f.own), chunk, func(lo, hi int) {
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
	for j, c := range f.own {
		p, who := wrong[j], looks[j]
		if p < suspicious {
			continue
		}
		s := Suspect{Image: j, ID: f.m.Images().ID(j), Person: f.m.Enrolled.Classes[c], Probability: &p, Nearest: f.nearest(j, c)}
		if who != nobody {
			s.Other, s.Nearest = f.m.Enrolled.Classes[who], f.nearest(j, who)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Suspect) int { return cmp.Compare(*b.Probability, *a.Probability) })
	return all
}

// nearest is the image of person c that is nearest to image j; -1 if there is no other.
func (f *reassignment) nearest(j, c int) int {
	at, best := -1, math.Inf(-1)
	for i := f.m.Enrolled.Groups[c]; i < f.m.Enrolled.Groups[c+1]; i++ {
		if v := mat.Dot(f.x.ColView(i), f.x.ColView(j)); i != j && v > best {
			at, best = i, v
		}
	}
	return at
}

// pairs are the people with an estimated share of confused images that is worth telling,
// or with held-out images that are confused. Images that look mislabelled do not count.
func (f *reassignment) pairs() []Pair {
	const mostPeople = 2000
	leastShare, used := 0.001, 0.0
	people := len(f.count)
	if people > mostPeople {
		return []Pair{}
	}
	// How the lead of an image's own person over another one varies about its mean is taken
	// to be the same for all pairs.
	leads := make([]pairLead, people*people)
	each := func(see func(p *pairLead, lead float64)) {
		for j, c := range f.own {
			z, k := f.deviate(j, c)
			if f.now[j] != c || k == 0 {
				continue
			}
			for q := range people {
				if other, k := f.deviate(j, q); q != c && k > 0 {
					see(&leads[c*people+q], z-other)
				}
			}
		}
	}
	each((*pairLead).add)
	for j, c := range f.own {
		if _, k := f.deviate(j, c); f.now[j] == c && k > 0 {
			used++
		}
	}
	// One bad image gives every pair this share at most, by its leads over all others.
	leastShare = max(leastShare, 1/max(1, used))
	var about residuals
	each(func(p *pairLead, lead float64) { about.add(lead - p.mean) })
	below := about.cumulated()
	all := []Pair{}
	for a := range people {
		for b := range a {
			p, q := leads[a*people+b], leads[b*people+a]
			n := p.n + q.n
			if n == 0 {
				continue
			}
			share := (p.n*below(-p.mean) + q.n*below(-q.mean)) / n
			if share <= leastShare && p.wrong+q.wrong == 0 {
				continue
			}
			one := Pair{A: f.m.Enrolled.Classes[b], B: f.m.Enrolled.Classes[a], Wrong: p.wrong + q.wrong, Held: int(n), Share: &share}
			alike, same := f.similar(a, b)
			one.Alike, one.Same = &alike, same
			all = append(all, one)
		}
	}
	return all
}

// A pairLead is the leads of the images of one person over another.
type pairLead struct {
	n, mean float64
	wrong   int // negative ones
}

func (p *pairLead) add(v float64) {
	p.n++
	p.mean += (v - p.mean) / p.n
	if v < 0 {
		p.wrong++
	}
}

// residuals are the counts of numbers from −mostResidual to mostResidual in equal steps.
type residuals [2 * mostResidual * stepsOfOne]float64

const mostResidual, stepsOfOne = 16, 32

func (r *residuals) at(v float64) int {
	return max(0, min(len(r)-1, int(math.Floor((v+mostResidual)*stepsOfOne))))
}

func (r *residuals) add(v float64) { r[r.at(v)]++ }

// cumulated returns the share of the numbers that are below one.
func (r *residuals) cumulated() func(float64) float64 {
	var to residuals
	var sum float64
	for i, n := range r {
		sum += n
		to[i] = sum
	}
	return func(v float64) float64 { return to[r.at(v)] / max(1, sum) }
}

// similar is the share of pairs of different people who are as similar as a and b, and
// whether these may be the same person, by the mean cosine of their images.
func (f *reassignment) similar(a, b int) (share float64, same bool) {
	na, nb := f.count[a], f.count[b]
	cosine := mat.Dot(f.sums.ColView(a), f.sums.ColView(b)) / float64(na*nb)
	d := f.l.Different
	level := d.Mean + (cosine-d.Mean)*math.Sqrt((d.Pair+2*d.Photograph)/(d.Pair+d.Photograph*(1/float64(na)+1/float64(nb))))
	return f.l.FMR(1, level), f.l.SameRatio(cosine, na, nb) > 2*math.Log(float64(len(f.count))) // for as many pairs
}

// copied is the cosine from which two images count as copies of one photograph. In LFW a
// photograph and a copy of it in grey have 0.997; of two photographs of a person, one
// pair in a thousand has more than 0.991.
const copied = 0.995

// advice says what is lacking in the variety of the images of person c.
func (f *reassignment) advice(c int) (all []string) {
	lo, hi := f.m.Enrolled.Groups[c], f.m.Enrolled.Groups[c+1]
	var sum, pairs float64
	copies := 0
	for j := lo; j < hi; j++ {
		again := false
		for i := lo; i < j; i++ {
			v := mat.Dot(f.x.ColView(i), f.x.ColView(j))
			sum, pairs, again = sum+v, pairs+1, again || v >= copied
		}
		if again {
			copies++
		}
	}
	n := float64(hi - lo)
	if copies > 0 {
		all = append(all, fmt.Sprintf("%d of %d photographs are nearly copies of others: only %d differ", copies, hi-lo, hi-lo-copies))
	}
	const fewest, deviations = 3, 2
	same := f.l.Same
	if n >= fewest && sum/pairs > same.Mean+deviations*math.Sqrt(same.Pair+2*same.Photograph/n) {
		all = append(all, "the photographs are more alike than usual, as if taken on one occasion: add some from other days and in other light")
	}
	return all
}

// quality says what the quality of the images of person c says of what is lacking.
func quality(m *Model, c int, p *Person) (all []string) {
	lo, hi := m.Enrolled.Groups[c], m.Enrolled.Groups[c+1]
	if hi-lo < fewFaces {
		all = append(all, fmt.Sprintf("few photographs (%d): add more", hi-lo))
	}
	if p.Quality == nil {
		return all
	}
	var small, blurry, dark int
	for _, q := range m.Images().Quality[lo:hi] {
		if q.Eyes < smallEyes {
			small++
		}
		if q.Sharpness < blurred {
			blurry++
		}
		if q.Exposure < badlyLit {
			dark++
		}
	}
	for _, one := range []struct {
		n          int
		bad, worse string
	}{
		{small, "small", "large"}, {blurry, "blurred", "sharp"}, {dark, "badly lit (too dark or too bright)", "well lit"},
	} {
		switch n := hi - lo; {
		case n == 1:
		case one.n == n:
			all = append(all, fmt.Sprintf("all %d photographs are %s", n, one.bad))
		case one.n == n-1:
			all = append(all, fmt.Sprintf("only one photograph is %s", one.worse))
		}
	}
	return all
}
