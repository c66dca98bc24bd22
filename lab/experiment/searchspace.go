package experiment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// Constants of drawing points.
const (
	moveProbability   = 0.5  // probability that a step moves a number
	redrawProbability = 0.15 // probability that a step draws another choice
	zeroPart          = 0.2  // part of a range with Zero that stands for 0
	digits            = 3    // of a number that is drawn
)

// A space is the search space of the parameters of a method.
type space struct {
	m    classify.Method // with its initial parameters
	axes []axis
}

// An axis is the range of one parameter.
type axis struct {
	method.Range
	integer   bool
	initial   string // its value in the method as given
	condition string // PATH=VALUE without which it has no effect, or ""
}

// A point is a configuration: for each axis a position, 0 … 1, and the value there. The
// values of the initial method may lie outside the range.
type point struct {
	position []float64
	value    []string
}

func newSpace(m classify.Method) (*space, error) {
	s := &space{m: m}
	params := paramsOf(m)
	for _, r := range classify.TraitsOf(m).Ranges {
		i := slices.IndexFunc(params, func(p method.Param) bool { return p.Path == r.Path })
		if i < 0 {
			return nil, fmt.Errorf("a range of %q, which is no parameter", r.Path)
		}
		s.axes = append(s.axes, axis{r, params[i].Type == "integer", params[i].Value, params[i].If})
	}
	if len(s.axes) == 0 {
		return nil, advice.Add(errors.New("the method does not say where to look for its parameters"),
			"give it Traits with Ranges, or judge parameters of your own choice by the same folds")
	}
	return s, nil
}

// initial is the point of the initial method.
func (s *space) initial() point {
	var p point
	for _, a := range s.axes {
		p.position, p.value = append(p.position, a.place(a.initial)), append(p.value, a.initial)
	}
	return p
}

// draw returns a random point.
func (s *space) draw(rng *rand.Rand) point {
	var p point
	for _, a := range s.axes {
		u := rng.Float64()
		p.position, p.value = append(p.position, u), append(p.value, a.valueAt(u))
	}
	return p
}

// spread returns n points: a Latin hypercube, with one point in each n-th part of every
// axis.
func (s *space) spread(rng *rand.Rand, n int) []point {
	points := make([]point, n)
	for _, a := range s.axes {
		for i, part := range rng.Perm(n) {
			u := (float64(part) + rng.Float64()) / float64(n)
			points[i].position, points[i].value = append(points[i].position, u), append(points[i].value, a.valueAt(u))
		}
	}
	return points
}

// near returns a random point near p. Steps have the standard deviation σ. A parameter
// that does not move keeps all digits of its value.
func (s *space) near(rng *rand.Rand, p point, σ float64) point {
	q := point{slices.Clone(p.position), slices.Clone(p.value)}
	one := rng.IntN(len(s.axes)) // is moved in any case
	for i, a := range s.axes {
		switch {
		case a.Choices != nil && rng.Float64() < redrawProbability:
			q.position[i] = rng.Float64()
		case a.Choices == nil && (i == one || rng.Float64() < moveProbability):
			q.position[i] = inside(p.position[i] + σ*rng.NormFloat64())
		default:
			continue
		}
		q.value[i] = a.valueAt(q.position[i])
	}
	return q
}

// inside reflects u into 0 … 1.
func inside(u float64) float64 {
	if u < 0 {
		u = -u
	}
	if u > 1 {
		u = 2 - u
	}
	return max(0, u) // further than the other end, which takes more than three σ
}

// configure returns the method at p, and its differences from the initial method.
// Parameters that do not apply at p keep their initial values. It is an error if
// method.Set refuses a value.
func (s *space) configure(p point) (classify.Method, []string, error) {
	m, set := s.m, []string{}
	for i, a := range s.axes {
		if a.condition != "" {
			if path, want, _ := strings.Cut(a.condition, "="); valueOf(m, path) != want {
				continue
			}
		}
		if valueOf(m, a.Path) == p.value[i] {
			continue
		}
		set = append(set, a.Path+"="+p.value[i])
		var err error
		if m, err = setParam(m, a.Path, p.value[i]); err != nil {
			return nil, set, err
		}
	}
	return m, set, nil
}

// valueOf returns the value of a parameter of m, or "" where there is none.
func valueOf(m classify.Method, path string) string {
	for _, p := range paramsOf(m) {
		if p.Path == path {
			return p.Value
		}
	}
	return ""
}

// valueAt returns the value at the position u, rounded to a few digits.
func (a axis) valueAt(u float64) string {
	if n := len(a.Choices); n > 0 {
		return a.Choices[min(int(u*float64(n)), n-1)]
	}
	if a.Zero {
		if u < zeroPart {
			return "0"
		}
		u = (u - zeroPart) / (1 - zeroPart)
	}
	v := a.Low + u*(a.High-a.Low)
	if a.Log {
		v = a.Low * math.Pow(a.High/a.Low, u)
	}
	if a.integer {
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// place returns the position of value, or the nearest one.
func (a axis) place(value string) float64 {
	if n := len(a.Choices); n > 0 {
		return (float64(max(0, slices.Index(a.Choices, value))) + 0.5) / float64(n)
	}
	v, _ := strconv.ParseFloat(value, 64) // it is the text of a number
	if a.Zero && v == 0 {
		return zeroPart / 2
	}
	v = min(max(v, a.Low), a.High)
	u := (v - a.Low) / (a.High - a.Low)
	if a.Log {
		u = math.Log(v/a.Low) / math.Log(a.High/a.Low)
	}
	if a.Zero {
		u = zeroPart + u*(1-zeroPart)
	}
	return u
}
