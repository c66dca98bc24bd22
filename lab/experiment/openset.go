package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// An OpenSet says how open-set identification is evaluated. In each draw, a
// random part of the people is enrolled with a part of their faces; their other
// faces are genuine probes. All faces of the people who are not enrolled are
// impostor probes.
type OpenSet struct {
	Split         dataset.Split     // of the faces of the enrolled people
	EnrolledShare float64           // share of the people that are enrolled
	Repeats       int               // draws
	Seed          uint64            // draw r, its split and its fit have the seed Seed + r
	Input         frontend.Pipeline // makes samples of the images
	Calibrate     openset.Options

	// Strangers are images of further strangers, with the Frame of the set; may be
	// nil. Blank images count as images without a face, which get no name.
	Strangers *dataset.Images
	// CalibrationStrangers is the number of Strangers, drawn at random, that the
	// calibration uses; the others are test faces.
	CalibrationStrangers int
}

// FPIRs are the rates at which an OpenSetResult has
// identification rates.
var FPIRs = []float64{0.001, 0.01, 0.1}

// An OpenSetResult is the result of JudgeOpenSet. Rates are fractions. An identification
// rate is the share of genuine probes with the right name and a score above the threshold.
type OpenSetResult struct {
	Method                 string            `json:"method"`
	Input                  frontend.Pipeline `json:"input"`
	Split                  string            `json:"split"`
	Calibrate              openset.Options   `json:"calibrate"`   // how the threshold is estimated
	People                 int               `json:"people"`      // enrolled in a draw
	Strangers              int               `json:"strangers"`   // people of the set who are not enrolled
	OtherFaces             int               `json:"other_faces"` // test faces of further strangers
	CalibrationStrangers   int               `json:"given"`       // further strangers given to the calibration
	Draws                  []OpenSetDraw     `json:"draws"`       // one entry a draw of the enrolled people
	Scores                 []ScoreResult     `json:"scores"`      // the margin first, which models use
	Reliability            []ReliabilityBin  `json:"reliability"` // of all draws
	NamedFaces             ReliabilityBin    `json:"named"`       // the faces of all draws that are named
	LawThresholds          bool              `json:"by_law"`      // the thresholds follow from the impostors of the network
	MaxStrangerProbability float64           `json:"surest"`      // largest probability of a stranger who is named; 0 if none is
	ECE                    float64           `json:"ece"`         // expected calibration error, mean over the draws
	ECESD                  float64           `json:"ece_sd"`      // standard deviation of the expected calibration error over the draws
	FPIR                   Spread            `json:"far"`         // share of strangers named at the calibrated thresholds (FPIR)
	IdentificationRate     Spread            `json:"identified"`  // identification rate at them
	ClosedSet              Spread            `json:"closed_set"`  // rank-1 rate, without a threshold
}

// A Spread summarises a number over the draws.
type Spread struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`    // sample standard deviation; 0 for one draw
	Min  float64 `json:"least"` // least over the draws
	Max  float64 `json:"most"`  // largest over the draws
}

// An OpenSetDraw is the result of one draw of the enrolled people.
type OpenSetDraw struct {
	Seed               uint64  `json:"seed"`
	Train              int     `json:"train"`      // faces
	Test               int     `json:"test"`       // genuine probes
	Strangers          int     `json:"strangers"`  // faces
	MinFPIR            float64 `json:"bears"`      // smallest FPIR that the calibration supports
	Threshold          float64 `json:"threshold"`  // of training
	FPIR               float64 `json:"far"`        // share of strangers named at this threshold (FPIR)
	IdentificationRate float64 `json:"identified"` // identification rate at this threshold
	ClosedSet          float64 `json:"closed_set"` // share of the enrolled faces whose best guess is right, without a threshold
	ECE                float64 `json:"ece"`        // expected calibration error of the probabilities
}

// A ScoreResult has the open-set rates of one score, over the draws.
type ScoreResult struct {
	Name       string    `json:"name"`
	Identified []Spread  `json:"identified"` // at FPIRs
	EER        Spread    `json:"eer"`        // equal error rate: FPIR = FNIR
	ROC        []float64 `json:"roc"`        // mean identification rates at ROCRates
}

// A ReliabilityBin summarises the faces whose probability lies in an interval of width
// 0.1. The weights make the total share of strangers equal to the prior of the calibration.
type ReliabilityBin struct {
	Probability float64 `json:"said"`  // mean probability
	Right       float64 `json:"right"` // share of the best guesses that are right
	Share       float64 `json:"share"` // of all faces
	Faces       int     `json:"faces"` // number of faces
}

// ROCRates are the FPIR of a ROC: from 0.001 to 1, evenly on a
// logarithmic scale.
var ROCRates = floats.LogSpan(make([]float64, 31), 0.001, 1)

// scores are the scores that are evaluated: each part of the evidence, and their
// combination, fitted to the other draws.
var scores = []struct {
	name     string
	relative bool // to other people, so that it says nothing of a single person
	score    func(j *drawState) func(classify.Evidence) float64
}{
	{"margin", true, just(func(e classify.Evidence) float64 { return e.Margin })},
	{"largest", false, just(func(e classify.Evidence) float64 { return e.Largest })},
	{"concentration", true, just(func(e classify.Evidence) float64 { return e.Concentration })},
	{"share", true, just(func(e classify.Evidence) float64 { return e.Share })},
	{"residual", false, just(func(e classify.Evidence) float64 { return e.Residual })},
	{"combined", true, func(j *drawState) func(classify.Evidence) float64 { return j.combinedScore }},
}

func just(of func(classify.Evidence) float64) func(*drawState) func(classify.Evidence) float64 {
	return func(*drawState) func(classify.Evidence) float64 { return of }
}

// Validate reports the first impossible field.
func (o OpenSet) Validate() error {
	switch {
	case o.Repeats < 1:
		return fmt.Errorf("%d repeats", o.Repeats)
	case !(o.EnrolledShare > 0 && o.EnrolledShare <= 1):
		return fmt.Errorf("enrolled = %v is not a share of the people", o.EnrolledShare)
	case o.CalibrationStrangers < 0:
		return fmt.Errorf("given = %d strangers is negative", o.CalibrationStrangers)
	case o.CalibrationStrangers > 0 && o.CalibrationStrangers >= o.others():
		return advice.Add(fmt.Errorf("given = %d strangers of %d: none is left to judge by", o.CalibrationStrangers, o.others()),
			"give fewer, or more photographs of strangers")
	}
	return o.Calibrate.Validate()
}

// others returns how many faces of further strangers there are.
func (o OpenSet) others() int {
	if o.Strangers == nil {
		return 0
	}
	_, n := o.Strangers.X.Dims()
	return n
}

// JudgeOpenSet evaluates m on set as o describes. Done is called after each draw; may be
// nil.
func JudgeOpenSet(ctx context.Context, set *dataset.Images, m classify.Method, o OpenSet, done func(OpenSetDraw)) (*OpenSetResult, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open set: %w", err)
	}
	people := int(math.Round(o.EnrolledShare * float64(len(set.Classes))))
	others := o.others()
	minPeople := 3
	if gallery.OneIsEnough(o.Input.ForImages(set.Frame), m) == nil {
		minPeople = 1
	}
	switch {
	case people < minPeople:
		return nil, advice.Add(fmt.Errorf("open set: %d of %s are too few to enrol", people, legible.People(len(set.Classes))),
			"at least %d is needed, and others as strangers", minPeople)
	case people == len(set.Classes) && others == 0:
		return nil, advice.Add(errors.New("open set: everybody is enrolled, and there are no strangers"),
			"give photographs of strangers, or enrol fewer")
	}
	res := &OpenSetResult{
		Method: m.Name(), Input: o.Input.ForImages(set.Frame), Split: o.Split.String(), Calibrate: o.Calibrate,
		People: people, Strangers: len(set.Classes) - people, OtherFaces: others - o.CalibrationStrangers,
		CalibrationStrangers: o.CalibrationStrangers,
	}
	var all []*drawState
	for r := range o.Repeats {
		one, err := o.draw(ctx, set, m, people, o.Seed+uint64(r))
		if err != nil {
			return nil, fmt.Errorf("open set: draw with seed %d: %w", o.Seed+uint64(r), err)
		}
		all = append(all, one)
		res.Draws = append(res.Draws, one.OpenSetDraw)
		if done != nil {
			done(one.OpenSetDraw)
		}
	}
	res.summarise(all)
	return res, nil
}

// drawState is a draw with its faces.
type drawState struct {
	OpenSetDraw
	enrolledFaces, strangerFaces []gallery.Face
	enrolledRight                []bool // for each of enrolledFaces: the best guess is right
	bins                         []ReliabilityBin
	namedFaces                   ReliabilityBin
	maxStrangerProbability       float64
	lawThreshold                 bool                            // the threshold
	combinedScore                func(classify.Evidence) float64 // nil of one draw
}

// draw enrols people, trains, and identifies all probes.
func (o OpenSet) draw(ctx context.Context, set *dataset.Images, m classify.Method, people int, seed uint64) (*drawState, error) {
	known, unknown := divideFaces(set, people, seed)
	learn, test, err := o.Split.Apply(known, seed)
	if err != nil {
		return nil, err
	}
	if len(test) == 0 {
		return nil, advice.Add(fmt.Errorf("split %v leaves no image to judge by", o.Split), "choose half, or first:K or random:K")
	}
	model, err := gallery.Learn(ctx, known.Select(learn), o.Input.ForImages(set.Frame), m, classify.Run{Seed: seed}, math.MaxInt)
	if err != nil {
		return nil, err
	}
	others, calibrating := o.further(seed)
	if model, err = model.Calibrate(ctx, o.Calibrate, calibrating, nil); err != nil {
		return nil, err
	}
	calibration := model.Calibration
	probes := known.Select(test)
	j := &drawState{OpenSetDraw: OpenSetDraw{
		Seed: seed, Train: len(learn), Test: len(test),
		MinFPIR: calibration.SmallestFPIR(), Threshold: calibration.Threshold,
	}, lawThreshold: calibration.FollowsLaw()}
	if j.enrolledFaces, err = model.Identify(ctx, probes); err != nil {
		return nil, err
	}
	for i, r := range j.enrolledFaces {
		j.enrolledRight = append(j.enrolledRight, r.Class >= 0 && model.Parts().Classes[r.Class] == probes.Classes[probes.ClassOf(i)])
	}
	for _, s := range []*dataset.Images{unknown, others} {
		if s == nil {
			continue
		}
		r, err := model.Identify(ctx, s)
		if err != nil {
			return nil, err
		}
		j.strangerFaces = append(j.strangerFaces, r...)
	}
	j.count(o.Calibrate.Prior)
	return j, nil
}

// further returns the further strangers that are test faces, and those for the
// calibration; nil if there are none.
func (o OpenSet) further(seed uint64) (judge, calibrating *dataset.Images) {
	if o.CalibrationStrangers == 0 {
		return o.Strangers, nil
	}
	_, n := o.Strangers.X.Dims()
	order := rand.New(rand.NewPCG(seed, uint64(n))).Perm(n)
	return pick(o.Strangers, order[o.CalibrationStrangers:]), pick(o.Strangers, order[:o.CalibrationStrangers])
}

// pick returns these columns of set, which has no labels.
func pick(set *dataset.Images, columns []int) *dataset.Images {
	d, _ := set.X.Dims()
	t := dataset.Unlabelled(mat.NewDense(d, len(columns), nil), set.Frame)
	t.White = set.White
	for j, from := range columns {
		t.X.SetCol(j, mat.Col(nil, from, set.X))
		if set.NoFace != nil {
			t.NoFace = append(t.NoFace, set.NoFace[from])
		}
	}
	return t
}

// divideFaces draws the enrolled people. Unknown is nil if everybody is enrolled.
func divideFaces(set *dataset.Images, people int, seed uint64) (known, unknown *dataset.Images) {
	chosen := rand.New(rand.NewPCG(seed, uint64(len(set.Classes)))).Perm(len(set.Classes))[:people]
	var in, out []int
	for j, c := range set.Labels() {
		if slices.Contains(chosen, c) {
			in = append(in, j)
		} else {
			out = append(out, j)
		}
	}
	if len(out) > 0 {
		unknown = set.Select(out)
	}
	return set.Select(in), unknown
}

// count sets the rates at the threshold of training, and the reliability of the
// probabilities.
func (j *drawState) count(prior float64) {
	j.Strangers = len(j.strangerFaces)
	named := 0
	for _, r := range j.strangerFaces {
		if r.Known {
			named++
			if judges(r) {
				j.maxStrangerProbability = max(j.maxStrangerProbability, r.Probability)
			}
		}
	}
	j.FPIR = float64(named) / float64(len(j.strangerFaces))
	closed, identified := 0, 0
	for i, r := range j.enrolledFaces {
		if j.enrolledRight[i] {
			closed++
			if r.Known {
				identified++
			}
		}
	}
	j.ClosedSet = float64(closed) / float64(len(j.enrolledFaces))
	j.IdentificationRate = float64(identified) / float64(len(j.enrolledFaces))
	j.bins = j.reliability(tenths, false, prior)
	j.namedFaces = j.reliability(1, true, prior)[0]
	j.ECE = calibrationError(j.bins)
}

// summarise sets the results over all draws.
func (r *OpenSetResult) summarise(all []*drawState) {
	over := func(of func(*drawState) float64) Spread {
		v := make([]float64, len(all))
		for i, j := range all {
			v[i] = of(j)
		}
		return spreadOf(v)
	}
	r.FPIR = over(func(j *drawState) float64 { return j.FPIR })
	r.IdentificationRate = over(func(j *drawState) float64 { return j.IdentificationRate })
	r.ClosedSet = over(func(j *drawState) float64 { return j.ClosedSet })
	ece := over(func(j *drawState) float64 { return j.ECE })
	r.ECE, r.ECESD = ece.Mean, ece.SD
	r.Reliability = pooled(all)
	var named []ReliabilityBin
	for _, j := range all {
		named = append(named, j.namedFaces)
		r.MaxStrangerProbability = max(r.MaxStrangerProbability, j.maxStrangerProbability)
		r.LawThresholds = j.lawThreshold
	}
	r.NamedFaces = merged(named)
	if len(all) > 1 && r.People > 1 {
		combined(all)
	}
	for _, s := range scores {
		if s.score(all[0]) == nil || r.People == 1 && s.relative {
			continue
		}
		one := ScoreResult{Name: s.name, ROC: make([]float64, len(ROCRates))}
		for _, fpir := range FPIRs {
			one.Identified = append(one.Identified, over(func(j *drawState) float64 { return j.identifiedAt(s.score(j), fpir) }))
		}
		one.EER = over(func(j *drawState) float64 { return j.equalError(s.score(j)) })
		for i, fpir := range ROCRates {
			one.ROC[i] = over(func(j *drawState) float64 { return j.identifiedAt(s.score(j), fpir) }).Mean
		}
		r.Scores = append(r.Scores, one)
	}
}

func spreadOf(v []float64) Spread {
	s := Spread{Mean: stat.Mean(v, nil), Min: slices.Min(v), Max: slices.Max(v)}
	if len(v) > 1 {
		s.SD = stat.StdDev(v, nil)
	}
	return s
}
