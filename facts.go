package nrdl

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/openset"
)

// Facts are what is known of people beside their faces. They forbid names.
type Facts struct {
	// Born has the first day on which each person may have been born. Nobody gets the name of a
	// person on a photograph that was taken more than two days before, as the clock of a camera has
	// no time zone. A date of the 1st of January 1970, 1980 or 2000 does not count: cameras whose
	// clock was not set write it.
	Born map[string]time.Time

	// Different has pairs of people who look alike and are not the same, as siblings. A face gets the
	// name of one only if it is so much more similar to that one that at most the share of strangers
	// for which the model has its threshold (FPIR) of the faces of the other would get it.
	Different [][2]string
}

// mostFacts bounds the bytes of a file of facts.
const mostFacts = 16 << 20

// ReadFacts reads a CSV file with a header: name, and born (2006-01-02, 2006-01 or 2006) or not (names
// of people whom this one is not, with ; between them), or both.
func ReadFacts(path string) (*Facts, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	defer file.Close()
	f, err := readFacts(io.LimitReader(file, mostFacts))
	if err != nil {
		return nil, advice.Add(fmt.Errorf("read people %s: %w", path, err), "the file has a header name,born,not and lines such as Ann,2015-03-28,Bo;Cy")
	}
	return f, nil
}

func readFacts(from io.Reader) (*Facts, error) {
	r := csv.NewReader(from)
	header, err := r.Read()
	if err != nil {
		return nil, err
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	column := map[string]int{}
	for i, name := range header {
		column[strings.ToLower(strings.TrimSpace(name))] = i
	}
	name, ok := column["name"]
	if !ok {
		return nil, errors.New("it has no column name")
	}
	f := &Facts{Born: map[string]time.Time{}}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, err
		}
		person := strings.TrimSpace(row[name])
		if i, ok := column["born"]; ok && strings.TrimSpace(row[i]) != "" {
			if f.Born[person], err = ParseBorn(row[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", person, err)
			}
		}
		if i, ok := column["not"]; ok {
			for other := range strings.SplitSeq(row[i], ";") {
				if other = strings.TrimSpace(other); other != "" && other != person {
					f.Different = append(f.Different, [2]string{person, other})
				}
			}
		}
	}
}

// Missing are the people of f who are not among names, sorted.
func (f *Facts) Missing(names []string) (missing []string) {
	all := slices.Collect(maps.Keys(f.Born))
	for _, pair := range f.Different {
		all = append(all, pair[:]...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return slices.Contains(names, name) })
}

// ParseBorn reads a date of birth, 2006-01-02, 2006-01 or 2006, and returns its first day.
func ParseBorn(text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no date of birth, such as 2015-03-28, 2015-03 or 2015", text)
}

// clockSkew is by how much the date of a photograph may be early.
const clockSkew = 48 * time.Hour

// possible reports whether a photograph that was taken at this time, zero if it is not known, can show
// somebody born on a day or later.
func possible(taken, born time.Time) bool {
	unset := taken.YearDay() == 1 && slices.Contains([]int{1970, 1980, 2000}, taken.Year())
	return taken.IsZero() || unset || !taken.Before(born.Add(-clockSkew))
}

// A lead is by how many deviates a face has to be more similar to somebody than to a rival.
type lead struct {
	rival string
	least float64
}

// facts are Facts for a model.
type facts struct {
	born  map[string]time.Time
	leads map[string][]lead
	law   *openset.Impostors
}

// WithFacts returns r with f, which replace those that it has; nil for none. It is an error if f has
// pairs and the model does not decide by how similar its network finds strangers, or keeps no
// faces. Names that the model does not have are ignored.
func (r *Recogniser) WithFacts(f *Facts) (*Recogniser, error) {
	t := *r
	t.facts = nil
	if f == nil {
		return &t, nil
	}
	t.facts = &facts{born: f.Born, leads: map[string][]lead{}}
	if len(f.Different) == 0 {
		return &t, nil
	}
	law, images := r.m.Impostors(), r.m.Images()
	switch {
	case law == nil:
		return nil, errors.New("people who are not the same are told apart by how similar strangers are, which is known for measured networks only")
	case images == nil || r.m.Calibration == nil:
		return nil, errors.New("people who are not the same are told apart by their faces and a threshold, and the model does not have both")
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
				t.facts.leads[own] = append(t.facts.leads[own], lead{rival, leastLead(law, faces(p[0]), faces(p[1]), q)})
			}
		}
	}
	return &t, nil
}

// leastLead is the least lead over rival with which a face is that of own: the quantile q of the leads
// over the rival of the rival's own faces, with its sign turned. Their level with the rival is
// normal as the genuine levels of the law, that with own as strangers about the mean of the
// rival's photographs; the two are taken to be independent, which makes the lead larger.
func leastLead(law *openset.Impostors, own, rival *mat.Dense, q float64) float64 {
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

// unborn are the people whom a photograph that was taken then cannot show.
func (f *facts) unborn(taken time.Time) map[string]bool {
	if f == nil {
		return nil
	}
	all := map[string]bool{}
	for name, born := range f.born {
		if !possible(taken, born) {
			all[name] = true
		}
	}
	return all
}

// rival is the person over whom f, which has a name, has too small a lead; "" if there is none. Those
// who are excluded are no rivals.
func (f *facts) rival(of *Face, excluded func(string) bool) string {
	if f == nil || !of.Known {
		return ""
	}
	level := func(score float64) float64 { return f.law.Deviate(math.MaxInt, score) }
	for _, l := range f.leads[of.Name] {
		if excluded(l.rival) {
			continue
		}
		for _, c := range of.Ranked {
			if c.Name == l.rival && level(of.Ranked[0].Score)-level(c.Score) < l.least {
				return l.rival
			}
		}
	}
	return ""
}
