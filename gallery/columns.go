package gallery

import (
	"sync"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/openset"
)

// columns returns the vectors of people as the columns of a matrix, d×C. It copies those of
// people who are in old, too, from was, which has the vectors of old: row by row, which is
// several times as fast as to gather them. Was may be nil; if own, it may be changed.
func columns(people, old []*person, was *mat.Dense, own bool, of func(*person) []float64) *mat.Dense {
	if was == nil {
		old = nil
	}
	type run struct{ to, from, n int }
	var runs []run    // of people who stay
	var changed []int // people who are new or other ones
	for c, j := 0, 0; c < len(people); {
		switch {
		case j < len(old) && people[c] == old[j]:
			if n := len(runs); n > 0 && runs[n-1].to+runs[n-1].n == c && runs[n-1].from+runs[n-1].n == j {
				runs[n-1].n++
			} else {
				runs = append(runs, run{c, j, 1})
			}
			c, j = c+1, j+1
		case j < len(old) && natural.Compare(old[j].name, people[c].name) < 0:
			j++
		default:
			if j < len(old) && old[j].name == people[c].name {
				j++
			}
			changed = append(changed, c)
			c++
		}
	}
	d := len(of(people[0]))
	x := was
	own = own && len(old) == len(people)
	for _, r := range runs {
		own = own && r.to == r.from
	}
	if !own {
		x = mat.NewDense(d, len(people), nil)
		for i := range d {
			row := x.RawRowView(i)
			for _, r := range runs {
				copy(row[r.to:r.to+r.n], was.RawRowView(i)[r.from:])
			}
		}
	}
	const together = 64 // people whose numbers stay in the cache
	gathered := make([][]float64, 0, together)
	for lo := 0; lo < len(changed); lo += together {
		some := changed[lo:min(lo+together, len(changed))]
		gathered = gathered[:0]
		for _, c := range some {
			gathered = append(gathered, of(people[c]))
		}
		for i := range d {
			row := x.RawRowView(i)
			for k, c := range some {
				row[c] = gathered[k][i]
			}
		}
	}
	return x
}

// joined is e with the atoms of its people, d×C, put together; was, which e was made of, may
// have those of people who stay.
func (e *Enrolled) joined(was *Enrolled) *Enrolled {
	t := *e
	var old []*person
	var x *mat.Dense
	if was != nil {
		old, x = was.people, was.atoms
	}
	t.atoms = columns(e.people, old, x, false, func(p *person) []float64 { return p.atom })
	return &t
}

// kept has the means of the people that were asked for last, so that those who stay need
// not be gathered again. Enrolled that were made from each other share it.
type kept struct {
	sync.Mutex
	people []*person
	x      *mat.Dense
}

// summed calls do with the sums of the people, which do must not keep.
func (e *Enrolled) summed(do func(openset.Summed)) {
	k := e.means
	k.Lock()
	defer k.Unlock()
	k.x = columns(e.people, k.people, k.x, true, func(p *person) []float64 { return p.mean })
	k.people = e.people
	do(openset.Summed{
		Groups: e.Groups,
		Means:  k.x,
		Of:     func(c int) (*mat.Dense, []float64) { return e.people[c].x, e.people[c].sum },
	})
}
