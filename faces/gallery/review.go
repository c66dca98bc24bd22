package gallery

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// A Review is a Survey with the photographs that look mislabelled, the people who are easily
// confused, and advice for each person. With Impostors it compares the photographs with the
// means of the people, where photographs that look mislabelled do not count. Without, it uses
// the faces that were held out.
type Review struct {
	Survey
	Suspects []Suspect  `json:"suspects"` // images that look mislabelled, the surest first
	Pairs    []Pair     `json:"pairs"`    // people who may be confused, the most easily confused first; none are sought among more than 2000
	Advice   [][]string `json:"advice"`   // for each of People, what should be done; the Note of the person has the same
}

// A Suspect is an image that looks mislabelled.
type Suspect struct {
	Image       int      `json:"image"` // column of the images
	ID          string   `json:"id"`
	Person      string   `json:"person"`      // its label
	Other       string   `json:"other"`       // the person that it looks like; "" if it looks like nobody of the model
	Probability *float64 `json:"probability"` // that the label is wrong; nil without Impostors
	// column of the image of Other, or of Person if there is none, that is nearest to it; -1 without
	// Impostors
	Nearest int `json:"nearest"`
	// the other person that it is most similar to, if Other is "" and some similarity speaks for that person
	Likeliest string `json:"likeliest"`

	// Part has the columns of the images of Person that together look like another person,
	// with this one. If Person has two images, which do not look like one person, it has both.
	// It is nil if there is no such part.
	Part []int `json:"part"`
}

// A Pair is two people who may be confused. Share and Alike are nil without Impostors.
type Pair struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Wrong int      `json:"wrong"` // held-out images of one that are taken for the other
	Held  int      `json:"held"`  // held-out images of both
	Share *float64 `json:"share"` // estimated share of images of one that would be taken for the other
	Alike *float64 `json:"alike"` // share of pairs of different people who are as similar
	Same  bool     `json:"same"`  // they may be one person under two names
}

// Review reviews the images of g. Progress is called after each fold; may be nil. The error
// wraps ErrForgotten if g keeps no images. Where g shortlists, all faces are compared with
// each other, which is an error for more than 100,000 (Whole).
func (g *Gallery) Review(ctx context.Context, progress func(done, total int)) (*Review, error) {
	if g.Enrolled == nil {
		return nil, fmt.Errorf("review: %w", ErrForgotten)
	}
	g, err := g.Whole()
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	s, results, err := g.survey(ctx, true, progress)
	if err != nil {
		return nil, err
	}
	r := &Review{Survey: *s, Suspects: []Suspect{}, Pairs: []Pair{}, Advice: make([][]string, len(s.People))}
	variety := func(int, bool) []string { return nil } // what person c lacks; with others, that some may show somebody else
	if l := g.Impostors(); l != nil {
		f := newReassignment(g, l)
		if err := f.run(ctx); err != nil {
			return nil, err
		}
		r.Suspects, r.Pairs = f.suspects(), f.pairs()
		groups, x := g.Enrolled.Groups(), g.vectors()
		variety = func(c int, others bool) []string {
			return f.settings.variety(l, lin.Cols(x, groups[c], groups[c+1]), others)
		}
	} else {
		r.byHeldOut(g, results)
	}
	for _, p := range r.Pairs {
		if p.Same {
			r.Same = append(r.Same, p)
		}
	}
	for c, p := range r.People {
		all := r.toSee(p.Name)
		others := r.Others(p.Name)
		if others != nil {
			all = append([]string{"may be one person with " + legible.Abridged(others)}, all...)
		}
		all = append(all, variety(c, len(all) == 0)...)
		r.Advice[c] = append(all, g.advice(c, p, r.Mislabelled(p.Name), others != nil)...)
		p.Note = strings.Join(r.Advice[c], "; ")
	}
	slices.SortStableFunc(r.Pairs, func(a, b Pair) int {
		if a.Share != nil && *a.Share != *b.Share {
			return cmp.Compare(*b.Share, *a.Share)
		}
		return cmp.Compare(b.Wrong, a.Wrong)
	})
	r.Pairs = r.Pairs[:min(len(r.Pairs), maxPairs)]
	return r, nil
}

// maxPairs bounds Review.Pairs.
const maxPairs = 50

// byHeldOut takes suspects and pairs from the results of cross-validation: a face is a
// suspect if without it the model would give it the name of somebody else.
func (r *Review) byHeldOut(g *Gallery, results []HeldOutResult) {
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
		person := g.Names()[g.Images().ClassOf(one.Image)]
		key := names{min(person, one.Guess), max(person, one.Guess)}
		if pairs[key] == nil {
			pairs[key] = &Pair{A: key.a, B: key.b, Held: held[key.a] + held[key.b]}
		}
		pairs[key].Wrong++
		if r.Threshold == nil || one.Margin >= *r.Threshold {
			r.Suspects = append(r.Suspects, Suspect{Image: one.Image, ID: g.Images().ID(one.Image), Person: person, Other: one.Guess, Nearest: -1})
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

// similar is the share of pairs of different people who are as similar as a and b, and
// whether these may be the same person, by the mean cosine of their images.
func (f *reassignment) similar(a, b int) (share float64, same bool) {
	na, nb := f.count[a], f.count[b]
	cosine := mat.Dot(f.sums.ColView(a), f.sums.ColView(b)) / float64(na*nb)
	d := f.l.Different
	level := d.Mean + (cosine-d.Mean)*math.Sqrt((d.Pair+2*d.Photograph)/(d.Pair+d.Photograph*(1/float64(na)+1/float64(nb))))
	same = f.l.SameRatio(cosine, float64(na), float64(nb), 0) > 2*math.Log(float64(len(f.count))) // for as many pairs
	return f.l.FMR(1, level), same && (f.resembles(a, b) || f.resembles(b, a))
}

// resembles reports whether most of the images of person a, those that look mislabelled too, are like
// those of b, unless b has two that do not look like one person: anybody may be like one of them.
func (f *reassignment) resembles(a, b int) bool {
	like, images := 0, f.g.Enrolled.Groups()
	if p := f.parts[images[b]]; p != nil && len(p.images) == images[b+1]-images[b] {
		return false
	}
	for j := images[a]; j < images[a+1]; j++ {
		if f.ratio(j, b) > 0 {
			like++
		}
	}
	return 2*like > images[a+1]-images[a]
}

// Lacking says what the photographs of a person lack: x are their vectors, d×n of unit
// norm, of a network with the impostors l, and q their qualities, nil if they are not known.
func (s *Settings) Lacking(l *openset.Impostors, x *mat.Dense, q []dataset.Quality) []string {
	_, n := x.Dims()
	return append(s.variety(l, x, true), s.quality(n, q)...)
}

// variety says what is lacking in the variety of the images x of a person; with others, also
// that some may be of somebody else.
func (s *Settings) variety(l *openset.Impostors, x *mat.Dense, others bool) (all []string) {
	var sum, pairs float64
	copies := 0
	_, images := x.Dims()
	for j := range images {
		again := false
		for i := range j {
			v := mat.Dot(x.ColView(i), x.ColView(j))
			sum, pairs, again = sum+v, pairs+1, again || v >= s.Review.Copied
		}
		if again {
			copies++
		}
	}
	if copies > 0 {
		all = append(all, fmt.Sprintf("%d of %d photographs are nearly copies of others: only %d differ", copies, images, images-copies))
	}
	if part, _ := s.TwoPeople(l, x); others && part != nil && images == 2 {
		all = append(all, "the two photographs do not look like one person: see whether one is of somebody else")
	} else if others && part != nil {
		all = append(all,
			fmt.Sprintf("%d of %d photographs do not look like the others: see whether they are of somebody else", len(part), images))
	}
	same, r := l.Same, s.Review
	if n := float64(images); images >= r.MinAlike && sum/pairs > same.Mean+r.AlikeSD*math.Sqrt(same.Pair+2*same.Photograph/n) {
		all = append(all, "the photographs are very alike: add some from other days")
	}
	return all
}

// quality says what the quality of the n images of a person says of what is lacking.
func (s *Settings) quality(n int, qualities []dataset.Quality) (all []string) {
	if n < s.FewFaces {
		all = append(all, fmt.Sprintf("few photographs (%d): add more", n))
	}
	var small, blurry, dark int
	for _, q := range qualities {
		if q.Eyes < s.Eyes {
			small++
		}
		if q.Sharpness < s.Sharpness {
			blurry++
		}
		if q.Exposure < s.Exposure {
			dark++
		}
	}
	for _, one := range []struct {
		n                 int
		bad, good, better string
	}{
		{small, "small", "large", "larger"}, {blurry, "blurred", "sharp", "sharp"}, {dark, "badly lit", "well lit", "well lit"},
	} {
		switch {
		case n == 1 || qualities == nil:
		case one.n == n:
			all = append(all, fmt.Sprintf("all %d faces are %s: add %s ones", n, one.bad, one.better))
		case one.n == n-1:
			all = append(all, fmt.Sprintf("only one face is %s: add more", one.good))
		}
	}
	return all
}
