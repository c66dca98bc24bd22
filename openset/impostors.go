package openset

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Impostors is how similar a network finds different people: the distribution of
// the cosine of a face and the mean of k photographs of somebody else. It belongs
// to the network and not to a gallery, so it is measured once, by
// go -C tools run ./people on people who are in nobody's gallery, and shipped.
//
// A deviate is a cosine on the scale on which these cosines are standard normal: a
// share Q(z) of strangers has a deviate above z, where Q is the upper tail of the
// normal distribution. If a stranger resembles N people independently of each
// other, the largest deviate exceeds z with the probability 1 − (1 − Q(z))ᴺ.
type Impostors struct {
	Network   string `json:"network"`             // SHA-256 of the file of the network
	Mirror    bool   `json:"mirror"`              // the embeddings are means over the face and its mirror image
	Landmarks bool   `json:"landmarks,omitempty"` // faces are aligned by five landmarks, not by their pupils alone
	Channels  string `json:"channels,omitempty"`  // "bgr" if the network was given blue first; "" if red, or if Settings says it
	Centring  string `json:"centring,omitempty"`  // SHA-256 of that of the vectors; "" for none
	Source    string `json:"about"`               // how it was measured

	// Settings are those of the network, in the words of an input: its values, how a face is placed. "" for
	// the networks that are built in.
	Settings string `json:"settings,omitempty"`

	People      int     `json:"people,omitempty"`      // whose photographs were averaged
	Photographs int     `json:"photographs,omitempty"` // of these
	Faces       int     `json:"faces,omitempty"`       // of other people, that they were compared with
	Comparisons int     `json:"comparisons"`           // for each k
	Independent float64 `json:"independent"`           // comparisons that would tell as much, if they were independent

	Deviates []float64    `json:"deviates"` // ascending
	Cosines  [][]float64  `json:"cosines"`  // Cosines[k-1][i] has the deviate Deviates[i], for k photographs, or more if it is the last row
	Genuine  [][2]float64 `json:"genuine"`  // mean and standard deviation of the deviates of faces of the same person, for k photographs

	// Accepted[k-1][i] is the share of photographs of the same person whose deviate is at least
	// Deviates[i]; nil if it was not measured.
	Accepted [][]float64 `json:"accepted,omitempty"`

	// Extrapolated is how many of the last steps of a table its line beyond the end follows; 0
	// means 7, one deviate of the tables that are shipped.
	Extrapolated int `json:"extrapolated,omitempty"`

	Different Variation `json:"different"` // of the mean cosine of the photographs of two people
	Same      Variation `json:"same"`      // of one person
}

// Subjects describes the people that l was measured on, to follow "measured on": "ordinary people of all ages and groups".
func (l *Impostors) Subjects() string {
	switch {
	case l.Centring != "":
		return "ordinary people of all ages and groups"
	case l.Settings != "":
		return "the faces that this network was measured with"
	}
	return "famous adults: children and people of one origin are mistaken for each other far more often"
}

// A Variation says how the mean cosine of a photographs with b others varies: with
// the variance Pair + Photograph·(1/a + 1/b).
type Variation struct {
	Mean       float64 `json:"mean"`
	Pair       float64 `json:"pair"`       // standard deviation between pairs of people
	Photograph float64 `json:"photograph"` // standard deviation between photographs of a pair
}

// variance is the variance for a and b photographs.
func (v Variation) variance(a, b float64) float64 { return v.Pair + v.Photograph*(1/a+1/b) }

// SameRatio compares two hypotheses about a photographs of one person and b of another or the
// same one: that they show one person, and that they show two. It returns the logarithm of the
// ratio of the likelihoods of cosine, the mean cosine of all pairs. For one person the cosines
// are modelled as normally distributed, where a cosine above the mean counts as the mean. For
// two people they follow the impostor distribution for one photograph, with the variance for a
// and b, moved by shift: 0 for people chosen at random, and so many deviates more for people
// who resemble each other.
func (l *Impostors) SameRatio(cosine, a, b, shift float64) float64 {
	same, different := l.Same.variance(a, b), l.Different.variance(a, b)
	mean, scale := l.Different.Mean, math.Sqrt(l.Different.variance(1, 1)/different)
	z := l.Deviate(1, mean+(cosine-mean)*scale) - shift*scale
	short := max(0, l.Same.Mean-cosine)
	return (z*math.Abs(z) - short*short/same + math.Log(different/same)) / 2
}

// Distinct returns the effective number of independent photographs among n photographs of a
// person, from the squared norm of the mean of their unit vectors. Nearly equal photographs
// count as one.
func (l *Impostors) Distinct(squaredNorm float64, n int) float64 {
	if squaredNorm <= l.Same.Mean {
		return float64(n)
	}
	return min(float64(n), max(1, (1-l.Same.Mean)/(squaredNorm-l.Same.Mean)))
}

// minPoints is how many cosines a distribution has at least.
const minPoints = 2

// Validate reports the first impossible number.
func (l *Impostors) Validate() error {
	if l == nil {
		return errors.New("impostors: there are none")
	}
	if l.Extrapolated < 0 || len(l.Deviates) < minPoints || len(l.Cosines) == 0 || len(l.Genuine) != len(l.Cosines) || !(l.Independent > 0) {
		return fmt.Errorf("impostors: %d deviates for %d numbers of photographs", len(l.Deviates), len(l.Cosines))
	}
	for k, row := range append([][]float64{l.Deviates}, l.Cosines...) {
		if len(row) != len(l.Deviates) {
			return fmt.Errorf("impostors: %d cosines of %d photographs, and %d deviates", len(row), k, len(l.Deviates))
		}
		for i, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && v <= row[i-1] {
				return fmt.Errorf("impostors: %v is out of order", v)
			}
		}
	}
	for _, v := range []Variation{l.Different, l.Same} {
		if !(math.Abs(v.Mean) <= 1) || !(v.Pair > 0) || !(v.Photograph > 0) {
			return fmt.Errorf("impostors: variation %v", v)
		}
	}
	for _, row := range l.Accepted {
		if len(l.Accepted) != len(l.Cosines) || len(row) != len(l.Deviates) {
			return fmt.Errorf("impostors: %d accepted shares for %d deviates", len(row), len(l.Deviates))
		}
	}
	for _, g := range l.Genuine {
		if math.IsNaN(g[0]) || !(g[1] > 0) {
			return fmt.Errorf("impostors: genuine deviates %v", g)
		}
	}
	return nil
}

// row is the cosines for k photographs of a person.
func (l *Impostors) row(k int) []float64 { return l.Cosines[min(max(k, 1), len(l.Cosines))-1] }

// Deviate returns the deviate of a cosine with the mean of k photographs.
func (l *Impostors) Deviate(k int, cosine float64) float64 {
	return l.interpolate(l.row(k), l.Deviates, cosine)
}

// Cosine returns the cosine that has this deviate for k photographs.
func (l *Impostors) Cosine(k int, deviate float64) float64 {
	return l.interpolate(l.Deviates, l.row(k), deviate)
}

// interpolate returns y at v of the table x, ascending, to y, and on the line
// through its last points beyond the ends.
func (l *Impostors) interpolate(x, y []float64, v float64) float64 {
	i, _ := slices.BinarySearch(x, v)
	return l.lineOf(x, y, i).value(v)
}

// A line goes through a point with a slope of rise/run.
type line struct{ x, y, rise, run float64 }

func (l line) value(v float64) float64 { return l.y + (v-l.x)*l.rise/l.run }

// lineOf is the line of interpolate where x[i] is the first that is not below the value.
func (l *Impostors) lineOf(x, y []float64, i int) line {
	const usual = 7
	steps, lo, hi := cmp.Or(l.Extrapolated, usual), i-1, i
	switch n := len(x); {
	case i == 0:
		lo, hi = 0, min(steps, n-1)
	case i == n:
		lo, hi = max(0, n-1-steps), n-1
		return line{x[hi], y[hi], y[hi] - y[lo], x[hi] - x[lo]}
	}
	return line{x[lo], y[lo], y[hi] - y[lo], x[hi] - x[lo]}
}

// A table interpolates faster than the function interpolate: it has the lines between the points,
// and a grid that says near which point a value is.
type table struct {
	x     []float64
	lines []line  // for each i of lineOf
	scale float64 // cells for a unit of x
	first []int   // first[cell] is the least i with x[i] in the cell or after it
}

// cells is how many cells a table has: several for each point.
const cells = 512

func (l *Impostors) newTable(x, y []float64) *table {
	t := &table{x, make([]line, len(x)+1), cells / (x[len(x)-1] - x[0]), make([]int, cells+1)}
	for i := range t.lines {
		t.lines[i] = l.lineOf(x, y, i)
	}
	i := 0
	for cell := range t.first {
		for i < len(x) && t.cell(x[i]) < cell {
			i++
		}
		t.first[cell] = i
	}
	return t
}

// cell is where v is. It does not fall with v.
func (t *table) cell(v float64) int {
	if at := (v - t.x[0]) * t.scale; at > 0 { // or else before the table, or NaN
		return int(min(cells, at))
	}
	return 0
}

// value is interpolate at v.
func (t *table) value(v float64) float64 {
	i := t.first[t.cell(v)]
	for i < len(t.x) && t.x[i] < v {
		i++
	}
	return t.lines[i].value(v)
}

// tables are those of the deviates for k photographs.
type tables struct {
	deviates []float64 // see counted
	byFaces  map[int]*table
}

func (t *tables) table(l *Impostors, k int) *table {
	k = min(max(k, 1), len(l.Cosines))
	if t.byFaces == nil {
		t.byFaces = map[int]*table{}
	}
	if t.byFaces[k] == nil {
		deviates := l.Deviates
		if t.deviates != nil {
			deviates = make([]float64, len(l.Deviates))
			for i, z := range l.Deviates {
				deviates[i] = among(z, t.deviates[k-1])
			}
		}
		t.byFaces[k] = l.newTable(l.row(k), deviates)
	}
	return t.byFaces[k]
}

// FMR is the false match rate of a threshold at this cosine: the probability that the
// mean of k photographs of a person is at least as similar to a face of somebody else.
func (l *Impostors) FMR(k int, cosine float64) float64 {
	return distuv.UnitNormal.Survival(l.Deviate(k, cosine))
}

// Accepts returns the true match rate at a false match rate: the share of photographs that are
// accepted as the person's by the mean of k others, at the threshold that accepts the share
// rate of other people's photographs. It is NaN if it was not measured.
func (l *Impostors) Accepts(k int, rate float64) float64 {
	if len(l.Accepted) == 0 {
		return math.NaN()
	}
	row := l.Accepted[min(max(k, 1), len(l.Accepted))-1]
	return min(1, max(0, l.interpolate(l.Deviates, row, distuv.UnitNormal.Quantile(1-rate))))
}

// Level makes the cosines of a face with the means of people comparable, whatever the number of
// photographs of each person; photographs[c] is that of person c. A mean of one photograph has
// smaller cosines with every face than a mean of five. Level replaces each cosine by the one
// that has the same deviate for the largest number of photographs that l knows. In a gallery of people
// with so many photographs, people with few are named for more strangers than those with many; nil
// if all are to count the same.
func (l *Impostors) Level(cosines []float64, photographs, gallery []int) {
	deviates, level := tables{deviates: l.counted(gallery)}, (*table)(nil)
	for c, v := range cosines {
		if k := photographs[c]; k < len(l.Cosines) || deviates.deviates != nil {
			if level == nil {
				level = l.newTable(l.Deviates, l.row(len(l.Cosines)))
			}
			cosines[c] = level.value(deviates.table(l, k).value(v))
		}
	}
}

// evidenceOf is −log10 of the share of strangers whose largest deviate among so many
// people exceeds z. It is at most maxEvidence.
func evidenceOf(z float64, people int) float64 {
	return min(maxEvidence, max(0, -math.Log10(ofMany(distuv.UnitNormal.Survival(z), people))))
}

// deviateOf is the z of evidenceOf.
func deviateOf(evidence float64, people int) float64 {
	const limit = 1 - 1e-9 // share of strangers
	return AtLarge(min(limit, math.Pow(10, -evidence)), people)
}

// maxEvidence bounds evidence where the tail of the normal distribution is 0.
const maxEvidence = 100

// ofMany is 1 − (1 − p)ᴺ: the probability that one of N independent events of
// probability p happens.
func ofMany(p float64, n int) float64 { return powerOf(p, float64(n)) }

// ofOne is the p of which share is ofMany.
func ofOne(share float64, n int) float64 { return -math.Expm1(math.Log1p(-share) / float64(n)) }

// AtLarge returns a threshold as a deviate (Impostors): this share of strangers chosen at
// random exceeds it with at least one of so many enrolled people.
func AtLarge(share float64, people int) float64 {
	return -distuv.UnitNormal.Quantile(ofOne(share, people))
}

// Evidence returns the evidence that a face shows one of the enrolled people: −log10 of the
// share of strangers whose largest cosine with so many people is at least this one. Level has
// made the cosine independent of the number of photographs. One stranger in a hundred has an
// evidence of 2 or more.
func (l *Impostors) Evidence(cosine float64, people int) float64 {
	return evidenceOf(l.Deviate(len(l.Cosines), cosine), people)
}

// ParseImpostors reads the JSON form of an impostor distribution, which may be of unknown
// origin.
func ParseImpostors(data []byte) (*Impostors, error) {
	l, d := new(Impostors), json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return nil, err
	}
	return l, l.Validate()
}

//go:embed impostors
var shipped embed.FS

// Shipped returns the impostor distributions that were measured for networks.
var Shipped = sync.OnceValue(func() (all []*Impostors) {
	files, err := shipped.ReadDir("impostors")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		if path.Ext(f.Name()) != ".json" {
			continue
		}
		data, err := shipped.ReadFile("impostors/" + f.Name())
		if err != nil {
			panic(err)
		}
		l, err := ParseImpostors(data)
		if err != nil {
			panic(f.Name() + ": " + err.Error())
		}
		all = append(all, l)
	}
	return all
})

// ImpostorsOf returns the distribution that was measured for a network; nil if there is none.
// The network is its SHA-256. The channels of the images are "bgr", or "" for red first. Mirror
// is whether the vectors of an image and its mirror image are added; landmarks is whether faces
// were aligned by landmarks, and not by their pupils alone; centring is the digest of that of the
// vectors, "" for none.
func ImpostorsOf(network, channels string, mirror, landmarks bool, centring string) *Impostors {
	i := slices.IndexFunc(Shipped(), func(l *Impostors) bool {
		return l.Network == network && l.Channels == channels && l.Mirror == mirror && l.Landmarks == landmarks && l.Centring == centring
	})
	if i < 0 {
		return nil
	}
	return Shipped()[i]
}
