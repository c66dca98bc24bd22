package people

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/store"
)

// A Curve has the error rates of a collection at many shares of strangers.
type Curve struct {
	Seq       int64          `json:"-"`
	FPIR      float64        `json:"fpir" doc:"The present share"`
	Points    []CurvePoint   `json:"points"`
	Faces     []Placed       `json:"faces" doc:"By evidence; those between two thresholds are decided otherwise at one than at the other"`
	Total     int            `json:"of" doc:"Faces in the collection, of which Faces has some"`
	Strangers AddedStrangers `json:"given"`
}

// A CurvePoint has the error rates at one share of strangers. Intervals are of 90 %.
type CurvePoint struct {
	FPIR      float64       `json:"fpir"`
	Threshold float64       `json:"threshold"`
	Strangers *Strangers    `json:"strangers,omitempty"`
	HeldOut   int           `json:"held"`
	Right     openset.Share `json:"right" doc:"Share of held-out faces with the right name"`
	Wrong     openset.Share `json:"wrong" doc:"Share of held-out faces with a wrong name"`
}

// A Placed is a face, and how similar it is to the best guess.
type Placed struct {
	Face     string  `json:"face"`
	Person   *Ref    `json:"person,omitempty" doc:"Missing for nobody yet"`
	Guess    Ref     `json:"guess"`
	Evidence float64 `json:"evidence"`
}

// Shares of strangers of a Curve, from 1 in 10 to 1 in 1000 in equal steps of their
// logarithm.
const (
	curvePoints       = 41
	maxFPIR, tenfolds = 0.1, 2
	maxPlaced         = 500     // faces without a person
	maxComparisons    = 1 << 23 // of a face with a person
)

// curves has the last Curve of each collection.
type curves struct {
	mu  sync.Mutex
	all map[string]*Curve
}

// Curve returns the error rates of a collection at many shares of strangers.
func (v *Service) Curve(ctx context.Context, collection string) (*Curve, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	v.curves.mu.Lock()
	last := v.curves.all[s.ID]
	v.curves.mu.Unlock()
	if last != nil && last.Seq == s.Seq {
		return last, nil
	}
	c := &Curve{Seq: s.Seq, FPIR: s.FPIR, Points: []CurvePoint{}, Faces: []Placed{}, Strangers: s.strangerCounts()}
	if s.live == nil || s.live.Model().Calibration == nil || s.live.Model().Impostors() == nil {
		return c, nil
	}
	if err := v.engine.place(ctx, s, c); err != nil {
		return nil, err
	}
	m := s.live.Model()
	o := m.Calibration.Options()
	for i := range curvePoints {
		fpir := maxFPIR * math.Pow(10, -tenfolds*float64(i)/(curvePoints-1))
		o.FPIR = fpir
		changed, err := m.Calibrate(ctx, o, nil, nil)
		if err != nil {
			return nil, err
		}
		r, strangers := changed.Calibration.Rates(), &Strangers{}
		strangers.AtLarge, strangers.Alike = changed.Calibration.StrangerRates(m.Impostors())
		c.Points = append(c.Points,
			CurvePoint{fpir, changed.Calibration.Threshold, strangers, r.Held, wilson(r.Right, r.Held), wilson(r.Wrong, r.Held)})
	}
	v.curves.mu.Lock()
	defer v.curves.mu.Unlock()
	if v.curves.all == nil {
		v.curves.all = map[string]*Curve{}
	}
	v.curves.all[s.ID] = c
	return c, nil
}

// wilson returns a share of n trials with Wilson's interval of 90 %.
func wilson(share float64, n int) openset.Share {
	if n == 0 {
		return openset.Share{Rate: share, High: 1}
	}
	const z = 1.645
	k := float64(n)
	middle, half := share+z*z/(2*k), z*math.Sqrt(share*(1-share)/k+z*z/(4*k*k))
	return openset.Share{Rate: share, Low: max(0, min(share, (middle-half)/(1+z*z/k))), High: min(1, max(share, (middle+half)/(1+z*z/k)))}
}

// place sets the faces of c: those without a person, and those of as many people as can be
// compared in a moment.
func (e *engine) place(ctx context.Context, s *snapshot, c *Curve) error {
	people := s.sorted("", "id", store.Known)
	c.Total = len(s.owner)
	compare := func(ids []string, limit int) error {
		samples, err := e.store.SamplesOf(ctx, s.ID, s.input.space, ids, limit)
		if err != nil {
			return err
		}
		all, err := s.compare(ctx, s.input.Frame, samples)
		classes := s.live.Model().Parts().Classes
		for j, o := range all {
			p := Placed{Face: samples[j].Face, Guess: s.ref(classes[o.classes[0]]), Evidence: o.evidence}
			if id := samples[j].Person; id != "" {
				ref := s.ref(id)
				p.Person = &ref
			}
			if !o.isOnly {
				c.Faces = append(c.Faces, p)
			}
		}
		return err
	}
	if err := compare([]string{""}, maxPlaced); err != nil {
		return err
	}
	var ids []string
	faces := 0
	step := 1 + len(people)*len(s.owner)/maxComparisons
	for i := 0; i < len(people) && len(ids) < maxReasoned/2; i += step {
		if faces += people[i].Faces; faces > maxReasoned {
			break
		}
		ids = append(ids, people[i].ID)
	}
	if err := compare(ids, math.MaxInt32); err != nil {
		return err
	}
	slices.SortStableFunc(c.Faces, func(a, b Placed) int { return cmp.Compare(b.Evidence, a.Evidence) })
	return nil
}
