package gallery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// embedded draws embeddings of the network of l of people with so many faces each.
func embedded(t testing.TB, l *openset.Impostors, seed uint64, counts ...int) *dataset.Images {
	t.Helper()
	const d = 128
	rng := rand.New(rand.NewPCG(seed, 1))
	common, person, face := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/d), math.Sqrt((1-l.Same.Mean)/d)
	var labels []string
	var columns [][]float64
	for p, k := range counts {
		own := make([]float64, d)
		for i := range own {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		for range k {
			v := make([]float64, d)
			for i := range v {
				v[i] = own[i] + face*rng.NormFloat64()
			}
			labels, columns = append(labels, fmt.Sprintf("person%03d", p)), append(columns, v)
		}
	}
	x := mat.NewDense(d, len(columns), nil)
	for j, v := range columns {
		x.SetCol(j, v)
	}
	f := dataset.Frame{Embedding: dataset.Embedding{Name: "drawn", Digest: l.Network, Length: d, Mirror: l.Mirror}}
	if l.Landmarks {
		f.Embedding.Alignment = dataset.ToMean
	}
	s, err := dataset.NewImages(classify.Unit(x), labels, nil, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var errTrained = errors.New("it is trained")

// trainedOnce is a Mean that cannot be trained again.
type trainedOnce struct{ method.Mean }

func (trainedOnce) Fit(context.Context, *classify.Samples, classify.Run) (*classify.Classifier, error) {
	return nil, errTrained
}

func learnMean(t testing.TB, s *dataset.Images) *Gallery {
	t.Helper()
	m, err := Learn(t.Context(), s, frontend.Pipeline{}.ForImages(s.Frame), method.Mean{}, classify.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Nothing is trained to calibrate a model of embeddings, or to hold faces out, and
// each face is held out.
func TestEmbeddingsAreCalibratedWithoutTraining(t *testing.T) {
	l := openset.Shipped()[0]
	m := learnMean(t, embedded(t, l, 1, 4, 1, 7, 3))
	if m.Impostors() != l {
		t.Fatal("the model does not know its law")
	}
	m.Method = trainedOnce{}
	m, err := m.Calibrate(t.Context(), openset.Default, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	again, err := m.recalibrated(openset.Default.FPIR, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.Calibration, again, cmpopts.IgnoreUnexported(openset.Calibration{})); d != "" {
		t.Errorf("calibrated again: (-first +again)\n%s", d)
	}
	results, err := m.HeldOut(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	known, strangers := 0, 0
	for _, r := range results {
		if r.Stranger {
			strangers++
		} else if known++; !r.Right {
			t.Errorf("%+v", r)
		}
	}
	if known != 14 || strangers != 15 {
		t.Errorf("%d faces of enrolled people are held out, and %d as strangers'", known, strangers)
	}
}

// Enrolled faces and others of the same people are named, others are not; the class is
// the best by the scores, which are those of equal numbers of photographs.
func TestEmbeddingsAreDecidedByEvidence(t *testing.T) {
	l := openset.Shipped()[0]
	all := embedded(t, l, 2, 12, 8, 9, 8, 8, 8)
	var enrolled, others []int
	for j, c := range all.Labels() {
		if at := j - all.Groups[c]; c < 4 && at < 1+c {
			enrolled = append(enrolled, j)
		} else {
			others = append(others, j)
		}
	}
	m := learnMean(t, all.Select(enrolled))
	calibrate(t, m, openset.Default, nil)
	var err error
	probes := all.Select(others)
	faces, err := m.Identify(t.Context(), probes)
	if err != nil {
		t.Fatal(err)
	}
	missed := 0
	for j, f := range faces {
		person := probes.Classes[probes.ClassOf(j)]
		for _, v := range f.Scores {
			if v > f.Scores[f.Class] {
				t.Errorf("face %d: class %d of %v", j, f.Class, f.Scores)
			}
		}
		if f.Known != (f.DecisionScore >= m.Calibration.Threshold) {
			t.Errorf("face %d: %+v", j, f)
		}
		switch {
		case person >= "person004" && f.Known:
			t.Errorf("%s is named", person)
		case person < "person004" && (!f.Known || m.Parts().Classes[f.Class] != person):
			missed++
		}
	}
	if missed > 3 {
		t.Errorf("%d faces are not named", missed)
	}
}

func TestOtherNetworksHaveNoLaw(t *testing.T) {
	l := *openset.Shipped()[0]
	l.Network = fmt.Sprintf("%064d", 7)
	if m := learnMean(t, embedded(t, &l, 3, 3, 3, 3)); m.Impostors() != nil {
		t.Error("a network that was not measured has a law")
	}
}

// What a model says of another rate is what it does once it is calibrated for it.
func TestRatesAreThoseOfAnotherCalibration(t *testing.T) {
	embeddings := learnMean(t, embedded(t, openset.Shipped()[0], 4, 4, 1, 7, 3, 5))
	crops := learnKeeping(t, patterns(t, 9, 4, dataset.Size{Height: 12, Width: 10}, 150), "12x10")
	two := learnKeeping(t, patterns(t, 2, 4, dataset.Size{Height: 6, Width: 6}, 20), "6x6")
	many := make([]float64, 3000) // more than a quantile needs
	for i := range many {
		many[i] = 3 * float64(i) / float64(len(many))
	}
	for name, c := range map[string]struct {
		m     *Gallery
		given []float64
	}{
		"embeddings": {embeddings, nil}, "embeddings and strangers": {embeddings, many[:400]},
		"embeddings and many strangers": {embeddings, many},
		"crops":                         {crops, nil}, "crops and many strangers": {crops, many}, "two people": {two, many[:20]},
	} {
		for _, fpir := range []float64{0.01, 0.02} {
			how := openset.Default
			how.FPIR = fpir
			calibrate(t, c.m, how, c.given)
			rates, present := c.m.Rates(), 0
			for i, r := range rates {
				again, err := c.m.recalibrated(r.FPIR, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Present {
					present++
				}
				r.Present = true
				if d := cmp.Diff(r, again.Rates()); d != "" {
					t.Errorf("%s: (-stored +calibrated)\n%s", name, d)
				}
				if i > 0 && (r.FPIR <= rates[i-1].FPIR || c.given == nil && r.Right < rates[i-1].Right) {
					t.Errorf("%s: %+v after %+v", name, r, rates[i-1])
				}
			}
			if want := len(openset.Offered) + int(100*fpir) - 1; len(rates) != want || present != 1 {
				t.Errorf("%s: %d rates, %d of them present", name, len(rates), present)
			}
		}
	}
}

// Where no face could be held out, there are no rates.
func TestOneFaceEachHasNoRates(t *testing.T) {
	for _, m := range []*Gallery{
		learnMean(t, embedded(t, openset.Shipped()[0], 5, 1, 1, 1)),
		learnKeeping(t, patterns(t, 8, 1, dataset.Size{Height: 6, Width: 6}, 20), "6x6"),
	} {
		if rates := m.Rates(); rates != nil {
			t.Errorf("without a calibration: %v", rates)
		}
		calibrate(t, m, openset.Default, nil)
		if rates := m.Rates(); rates != nil {
			t.Errorf("%v", rates)
		}
	}
}

// Vectors of a network stay in an index, unless an image comes that an index does
// not keep as it is; and the images are those of Merge all the same.
func TestVectorsStayInTheIndex(t *testing.T) {
	l := openset.Shipped()[0]
	all := embedded(t, l, 1, 4, 1, 7, 3)
	kept, err := Keep(all)
	if err != nil {
		t.Fatal(err)
	}
	m := learnMean(t, all.Select(span(0, 9)))
	for name, c := range map[string]struct {
		spoil func(s *dataset.Images)
		index bool
	}{
		"as it is": {func(*dataset.Images) {}, true},
		"black":    {func(s *dataset.Images) { s.X.Zero() }, false},
		"too long": {func(s *dataset.Images) { s.X.Scale(2, s.X) }, false},
		"with IDs": {func(s *dataset.Images) { s.IDs = []string{"x"} }, true},
	} {
		more := kept.Select([]int{13})
		c.spoil(more)
		got, report, err := m.Enrolled.Merge(more)
		if err != nil {
			t.Fatal(err)
		}
		want, wantReport, err := outsideIndex(m.Images()).Merge(more)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(wantReport, report); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
		if err := equalSets(got.Images(), want.Images()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if index := got.Faces != nil; index != c.index {
			t.Errorf("%s: in an index: %v", name, index)
		}
	}
	pixels := learnMean(t, patterns(t, 3, 3, dataset.Size{Height: 5, Width: 5}, 20))
	if pixels.Enrolled.Faces != nil || m.Enrolled.Faces == nil {
		t.Error("images are in an index, or vectors are not")
	}
}
