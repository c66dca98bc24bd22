package faces

import (
	"errors"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
)

// A lead is by how many deviates a face has to be more similar to somebody than to a rival.
type lead struct {
	rival    string
	minScore float64
}

// knowledge are Facts for a model.
type knowledge struct {
	births map[string]time.Time
	leads  map[string][]lead
	law    *openset.Impostors
}

// WithFacts returns r with f, which replace those that it has; nil for none. It is an error if f has
// pairs and the model does not decide by how similar its network finds strangers, or keeps no
// faces. Names that the model does not have are ignored.
func (r *Recogniser) WithFacts(f *gallery.Facts) (*Recogniser, error) {
	t := *r
	t.facts = nil
	if f == nil {
		return &t, nil
	}
	t.facts = &knowledge{births: f.Birthdays, leads: map[string][]lead{}}
	if len(f.Different) == 0 {
		return &t, nil
	}
	law, images := r.m.Impostors(), r.m.Images()
	switch {
	case law == nil:
		return nil,
			errors.New("people who are not the same are distinguished by how similar strangers are, which is known for measured networks only")
	case images == nil || r.m.Calibration == nil:
		return nil, errors.New("people who are not the same are distinguished by their faces and a threshold, and the model does not have both")
	}
	t.facts.law = law
	class := map[string]int{}
	for c, name := range images.Classes {
		class[name] = c
	}
	faces := func(c int) *mat.Dense {
		first, end := images.Groups[c], images.Groups[c+1]
		return images.X.Slice(0, images.X.RawMatrix().Rows, first, end).(*mat.Dense)
	}
	q := distuv.UnitNormal.Quantile(1 - r.m.Calibration.FPIR)
	for _, pair := range f.Different {
		a, okA := class[pair[0]]
		b, okB := class[pair[1]]
		if !okA || !okB {
			continue
		}
		for _, p := range [][2]int{{a, b}, {b, a}} {
			own, rival := images.Classes[p[0]], images.Classes[p[1]]
			if !slices.ContainsFunc(t.facts.leads[own], func(l lead) bool { return l.rival == rival }) {
				t.facts.leads[own] = append(t.facts.leads[own], lead{rival, minLead(law, faces(p[0]), faces(p[1]), q)})
			}
		}
	}
	return &t, nil
}

// minLead is the least lead over rival with which a face is that of own: the quantile q of the leads
// over the rival of the rival's own faces, with its sign turned. Their level with the rival is
// normal as the genuine levels of the law, that with own as strangers about the mean of the
// rival's photographs; the two are taken to be independent, which makes the lead larger.
func minLead(law *openset.Impostors, own, rival *mat.Dense, q float64) float64 {
	_, n := own.Dims()
	_, k := rival.Dims()
	_, mean := openset.Means(own, []int{0, n})
	level := 0.0
	for j := range k {
		v := rival.ColView(j)
		level += law.Deviate(n, mat.Dot(v, mean.ColView(0))/mat.Norm(v, 2)) / float64(k)
	}
	genuine := law.Genuine[min(len(law.Genuine), k)-1]
	return max(0, q*math.Hypot(genuine[1], 1)-(genuine[0]-level))
}

// unborn are the people who were not born when a photograph was taken.
func (f *knowledge) unborn(taken time.Time) map[string]bool {
	if f == nil {
		return nil
	}
	all := map[string]bool{}
	for name, born := range f.births {
		if !gallery.Possible(taken, born) {
			all[name] = true
		}
	}
	return all
}

// rival is the person who is nearly as similar to f as the person of its name; "" if there is none. Those
// who are excluded are no rivals.
func (f *knowledge) rival(of *Face, excluded func(string) bool) string {
	if f == nil || !of.Known {
		return ""
	}
	level := func(score float64) float64 { return f.law.Deviate(math.MaxInt, score) }
	for _, l := range f.leads[of.Name] {
		if excluded(l.rival) {
			continue
		}
		for _, c := range of.Ranking {
			if c.Name == l.rival && level(of.Ranking[0].Score)-level(c.Score) < l.minScore {
				return l.rival
			}
		}
	}
	return ""
}
