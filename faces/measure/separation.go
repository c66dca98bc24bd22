package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/openset"
)

// testPeople are drawn people, the same each time: no photograph of anybody is needed.
var testPeople = synthetic.Photographs{People: 6, PerPerson: 3, Size: dataset.Size{Height: 240, Width: 320}, Seed: 3}

// MinSeparation is the separation of drawn faces below which a network is refused. With the
// right settings the networks faceplugin and dlib have 5.6 and 4.7, with exchanged channels or
// pupils elsewhere in the middle of the image 3.5 to 5.5, and with values of another range 0.0 to
// 2.4; networks of random weights have 1.9 to 2.1 (NRDL_LONG=1 go test -v -run TestSeparation ./faces/measure).
// So a wrong order of the channels is not found here but by network measure on photographs, and a
// network of the right settings is not refused.
const MinSeparation = 2.5

// Usable returns an error if the network of in does not separate the faces of a few drawn
// people: its settings, or the network, do not suit. The error names settings that separate them,
// or says what was tried. A network that is built in or was measured is usable. The result is
// kept for each network and its settings.
func Usable(ctx context.Context, in frontend.Pipeline) error {
	e := in.Embedder
	if e == nil || e.File() == nil || in.Measured != nil {
		return nil
	}
	key := e.Frame()
	if err, ok := checked.Load(key); ok {
		err, _ := err.(error)
		return err
	}
	err := usable(ctx, e)
	if ctx.Err() == nil {
		checked.Store(key, err)
	}
	return err
}

// checked has the results of Usable, by dataset.Frame.
var checked sync.Map

func usable(ctx context.Context, e *embedding.Embedder) error {
	own, err := separation(ctx, e, eyesOf(e))
	if err != nil || own >= MinSeparation {
		return err
	}
	best, words := own, ""
	for _, v := range variants(e) {
		s, err := separation(ctx, v.embedder, v.eyes)
		if err != nil {
			continue // values for which the network makes no vector
		}
		if s > best {
			best, words = s, v.words
		}
		if best >= 2*MinSeparation {
			break
		}
	}
	if context.Cause(ctx) != nil {
		return context.Cause(ctx)
	}
	name := e.Frame().Embedding.Name
	err = fmt.Errorf(
		"network %s does not separate the faces of %d drawn people with these settings, %s: their separation is %.1f, and %.1f is needed",
		name, testPeople.People, strings.Join(e.Frame().Embedding.Words()[1:], " "), own, MinSeparation)
	if best < MinSeparation {
		return advice.Add(err,
			"nothing that was tried separates them: channels rgb and bgr, values 0 … 255, 0 … 1 and −1 … 1, faces as those "+
				"of %s and as given; is it a network that makes vectors of faces?",
			strings.Join(embedding.Presets(), ", "))
	}
	return advice.Add(err, "their separation is %.1f with: %s", best, words)
}

// A variant is a network with other settings.
type variant struct {
	embedder *embedding.Embedder
	eyes     dataset.Eyes
	words    string // of an input
}

// variants are e with other values, channels and places of the pupils; first those that
// change least.
func variants(e *embedding.Embedder) (all []variant) {
	type place struct {
		eyes  dataset.Eyes
		words string
	}
	places := []place{{eyesOf(e), ""}}
	for _, name := range []string{"arcface", "dlib", "facenet"} {
		eyes, _ := embedding.PresetEyes(name)
		places = append(places, place{eyes, fmt.Sprintf(" eyes=%v", eyes)})
	}
	for _, p := range places {
		for _, channels := range []string{"rgb", "bgr"} {
			for _, values := range []struct {
				mean, scale float64
				words       string
			}{{0, 1, "subtract=0 scale=1"}, {127.5, 1 / 127.5, "subtract=127.5 scale=1/127.5"}, {0, 1. / 255, "subtract=0 scale=1/255"}} {
				all = append(all, variant{e.With(channels, values.mean, values.scale), p.eyes, values.words + " channels=" + channels + p.words})
			}
		}
	}
	return all
}

// eyesOf is where e has the pupils of a face.
func eyesOf(e *embedding.Embedder) dataset.Eyes {
	f := e.Frame()
	a := f.Embedding.Alignment
	if t, ok := a.Template(f.Eyes, e.Input()); ok && a != dataset.ToMean {
		return dataset.Eyes{Distance: t[1][0] - t[0][0], Height: (t[0][1] + t[1][1]) / 2}
	}
	return f.Eyes
}

// separation is by how many standard deviations the mean cosine of two test faces of one person
// exceeds that of different people.
func separation(ctx context.Context, e *embedding.Embedder, eyes dataset.Eyes) (float64, error) {
	x, err := e.Embed(ctx, testFaces(e.Input(), eyes))
	if err != nil {
		return 0, err
	}
	return separationOf(len(x), func(i int) int { return i / testPeople.PerPerson }, func(i, j int) (cosine float64) {
		for d, v := range x[i] {
			cosine += v * x[j][d]
		}
		return cosine
	}), nil
}

// Separation is the difference of the mean cosines of two faces of one person and of different
// people in s, in mean standard deviations. It is NaN if s does not have both.
func Separation(s *dataset.Images) float64 {
	var x, cosines mat.Dense
	x.CloneFrom(classify.Unit(s.X))
	cosines.Mul(x.T(), &x)
	return separationOf(s.Len(), s.ClassOf, cosines.At)
}

// separationOf is the separation of n faces of these people with these cosines.
func separationOf(n int, person func(i int) int, cosine func(i, j int) float64) float64 {
	var sum, squares, pairs [2]float64
	for i := range n {
		for j := range i {
			k, v := 0, cosine(i, j)
			if person(i) == person(j) {
				k = 1
			}
			pairs[k], sum[k], squares[k] = pairs[k]+1, sum[k]+v, squares[k]+v*v
		}
	}
	var mean, variance [2]float64
	for k := range mean {
		mean[k] = sum[k] / pairs[k]
		variance[k] = max(0, squares[k]/pairs[k]-mean[k]*mean[k])
	}
	const rounding = 1e-12
	return (mean[1] - mean[0]) / math.Sqrt((variance[0]+variance[1])/2+rounding)
}

// drawnPhotos are the photographs of testPeople with the pupils of the face in each.
var drawnPhotos = sync.OnceValue(func() (all []drawnPhoto) {
	for i := range testPeople.People * testPeople.PerPerson {
		img, about := testPeople.Draw(i)
		p := drawnPhoto{photo: dataset.NewPhoto(img)}
		for k, at := range about.Faces[0].Pupils {
			p.pupils[k] = face.Point{X: at.X, Y: at.Y}
		}
		all = append(all, p)
	}
	return all
})

type drawnPhoto struct {
	photo  *dataset.Photo
	pupils [2]face.Point
}

// testFaces are the faces of testPeople with their pupils at eyes.
func testFaces(size dataset.Size, eyes dataset.Eyes) (faces [][]float32) {
	for _, p := range drawnPhotos() {
		var values []float32
		for _, v := range face.CropColour(p.photo, p.pupils, dataset.Frame{Size: size, Eyes: eyes}) {
			values = append(values, float32(v))
		}
		faces = append(faces, values)
	}
	return faces
}

// The upper tail of a law is a line: cosines of different people are nearly normal there, so the
// cosine is a linear function of the deviate. Few pairs are as similar, some of them are one
// person with two names, and a quantile of few pairs would decide for people who look alike. The
// line is fitted to the two decades of the false match rate above the least one that tailPairs
// exceed, with the pairs as weights.
const (
	tailPairs   = 30
	tailDecades = 100  // by which the false match rates of the fitted points differ
	tailShare   = 0.05 // of the pairs, at most: farther in, cosines bend off the line
	tailPoints  = 4    // at least
)

// A tail is where the points of a law are on a line: from first on. Those before end are fitted.
type tail struct{ first, end int }

// tailOf returns the tail of a law of so many comparisons with these deviates, ascending.
func tailOf(comparisons int, deviates []float64) tail {
	beyond := func(share float64) int {
		i, _ := slices.BinarySearch(deviates, distuv.UnitNormal.Quantile(1-min(share, 1)))
		return i
	}
	minRate := tailPairs / float64(comparisons)
	end := max(tailPoints, beyond(minRate))
	return tail{min(beyond(min(tailDecades*minRate, tailShare)), end-tailPoints), end}
}

// straighten appends to the cosines of deviates[:t.end] those of the other deviates, and puts
// the tail on its line.
func (t tail) straighten(cosines, deviates []float64) []float64 {
	var weights []float64
	for _, z := range deviates[t.first:t.end] {
		weights = append(weights, distuv.UnitNormal.Survival(z))
	}
	at, slope := stat.LinearRegression(deviates[t.first:t.end], cosines[t.first:t.end], weights, false)
	cosines = cosines[:t.first]
	for _, z := range deviates[t.first:] {
		cosines = append(cosines, rounded5(at+slope*z))
	}
	return cosines
}

// ascending drops the deviates at which a row of l does not rise: few cosines are there.
func ascending(l *openset.Impostors) {
	for i := 1; i < len(l.Deviates); {
		if !slices.ContainsFunc(l.Cosines, func(row []float64) bool { return !(row[i] > row[i-1]) }) {
			i++
			continue
		}
		l.Deviates = slices.Delete(l.Deviates, i, i+1)
		for k := range l.Cosines {
			l.Cosines[k] = slices.Delete(l.Cosines[k], i, i+1)
		}
	}
}
