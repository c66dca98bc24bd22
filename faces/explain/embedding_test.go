package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// A cornered network looks only at the corner of a face, of so many rows and columns.
type cornered struct {
	frame   dataset.Frame
	corner  int
	batches []int  // faces of each call
	then    func() // after each call; may be nil
}

func (c *cornered) Frame() dataset.Frame { return c.frame }

func (c *cornered) Input() dataset.Size { return dataset.Size{Height: 30, Width: 20} }

func (c *cornered) Embed(ctx context.Context, faces [][]float32) ([][]float64, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c.batches = append(c.batches, len(faces))
	vectors := make([][]float64, len(faces))
	for i, face := range faces {
		v := make([]float64, c.frame.Embedding.Length)
		for k := range v {
			plane := face[k%3*c.Input().Len():]
			v[k] = 100 + float64(plane[k/3%c.corner*c.Input().Width+k/3/c.corner%c.corner])
		}
		vectors[i] = v
	}
	if c.then != nil {
		c.then()
	}
	return vectors, nil
}

// known has the frame of the network that is built in, whose impostors are known.
func known() *cornered {
	alignment := dataset.ByPupils
	e, err := embedding.Open("dlib", embedding.Given{Landmarks: &alignment})
	if err != nil {
		panic(err)
	}
	return &cornered{frame: e.Frame(), corner: 5}
}

// unknown has that of another.
func unknown() *cornered {
	c := known()
	c.frame.Embedding.Digest = strings.Repeat("0", 64)
	return c
}

// crops are faces of random colours, whose corners are alike for one person.
func crops(c *cornered, people int, photographs func(person int) int) (all [][]float32, labels []string) {
	r := rand.New(rand.NewPCG(7, 1))
	n := 3 * c.Input().Len()
	for p := range people {
		own := make([]float32, n)
		for i := range own {
			own[i] = 255 * r.Float32()
		}
		for range photographs(p) {
			face := slices.Clone(own)
			for i := range face {
				face[i] = max(0, min(255, face[i]+40*float32(r.NormFloat64())))
			}
			all, labels = append(all, face), append(labels, fmt.Sprintf("person%d", p))
		}
	}
	return all, labels
}

// enrolled is a model of the vectors of faces, calibrated.
func enrolled(t testing.TB, c *cornered, m classify.Method, faces [][]float32, labels []string) *gallery.Gallery {
	t.Helper()
	vectors, err := c.Embed(t.Context(), faces)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(len(vectors[0]), len(vectors), nil)
	var ids []string
	for j, v := range vectors {
		x.SetCol(j, v)
		ids = append(ids, fmt.Sprintf("%s/%02d.png", labels[j], j))
	}
	images, err := dataset.NewImages(x, labels, ids, nil, c.frame)
	if err != nil {
		t.Fatal(err)
	}
	model, err := gallery.Learn(t.Context(), images, frontend.Pipeline{Frame: c.frame}, m, classify.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if model, err = model.Calibrate(t.Context(), openset.Default, nil, nil); err != nil {
		t.Fatal(err)
	}
	return model
}

func explainedCrop(t testing.TB, m *gallery.Gallery, c *cornered, crop []float32) *Explanation {
	t.Helper()
	vectors, err := c.Embed(t.Context(), [][]float32{crop})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), m, dataset.Unlabelled(mat.NewDense(len(vectors[0]), 1, vectors[0]), m.Frame))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// uneven is how many photographs there are of a person.
func uneven(person int) int { return 1 + 2*person }

// The cosines are those of the vectors, and an enrolled photograph finds itself.
func TestSimilarities(t *testing.T) {
	for _, by := range []classify.Method{method.Mean{}, method.DefaultNRC} {
		c := known()
		faces, labels := crops(c, 5, uneven)
		m := enrolled(t, c, by, faces, labels)
		unit := classify.Unit(m.Images().X)
		const j = 5
		e := explainedCrop(t, m, c, faces[j]).Similarities
		if len(e.Nearest) != nearestOfAll || math.Abs(e.Nearest[0].Cosine-1) > 1e-6 || e.Nearest[0].ID != m.Images().ID(j) ||
			*e.Guess != e.Nearest[0] {
			t.Errorf("%s: photograph %s has the nearest ones %v, own %v", by.Name(), m.Images().ID(j), e.Nearest, e.Guess)
		}
		if len(e.People) != 5 || e.People[0].Person != labels[j] || math.Abs(e.People[0].Rebuilt-1) > 1e-6 {
			t.Errorf("%s: photograph %s of the people %v", by.Name(), m.Images().ID(j), e.People)
		}
		for _, s := range e.People {
			of := slices.Index(m.Images().Classes, s.Person)
			lo, hi := m.Images().Groups[of], m.Images().Groups[of+1]
			var sum mat.VecDense
			sum.CloneFromVec(unit.ColView(lo))
			nearest := mat.Dot(unit.ColView(lo), unit.ColView(j))
			for k := lo + 1; k < hi; k++ {
				sum.AddVec(&sum, unit.ColView(k))
				nearest = max(nearest, mat.Dot(unit.ColView(k), unit.ColView(j)))
			}
			mean := mat.Dot(&sum, unit.ColView(j)) / mat.Norm(&sum, 2)
			if math.Abs(s.Mean-mean) > 1e-6 || s.Photographs != hi-lo || !(s.Rebuilt >= max(mean, nearest)-1e-6) || s.Rebuilt > 1 {
				t.Errorf("%s: %+v of %d photographs, whose mean has %v and the nearest %v", by.Name(), s, hi-lo, mean, nearest)
			}
		}
	}
}

// A face is named from the threshold on, which is a cosine where that decides.
func TestThresholdDecides(t *testing.T) {
	for name, c := range map[string]*cornered{"known": known(), "unknown": unknown()} {
		faces, labels := crops(c, 6, uneven)
		m := enrolled(t, c, method.Mean{}, faces, labels)
		strangers, _ := crops(&cornered{}, 7, uneven)
		stranger := strangers[len(strangers)-1]
		named := 0
		for i := range 20 {
			crop := slices.Clone(faces[30])
			for k := range crop {
				crop[k] += float32(i) / 20 * (stranger[k] - crop[k])
			}
			e := explainedCrop(t, m, c, crop)
			if e.Similarities.ByScore != (name == "known") {
				t.Fatalf("%s: the score itself decides: %v", name, e.Similarities.ByScore)
			}
			score := e.Similarities.decisive(e.Scores, e.Class)
			if e.Known != (score >= e.Similarities.Threshold) && math.Abs(score-e.Similarities.Threshold) > 1e-9 {
				t.Errorf("%s: a score of %v names the face: %v; the threshold is %v", name, score, e.Known, e.Similarities.Threshold)
			}
			if e.Known {
				named++
			}
			text := Sentence(m, e)
			if e.Known != strings.HasPrefix(text, "It is ") || strings.Contains(text, "NaN") ||
				strings.Contains(text, "a name needs") != e.Similarities.ByScore {
				t.Errorf("%s: %s", name, text)
			}
		}
		if named == 0 || named == 20 {
			t.Errorf("%s: %d of 20 faces are named", name, named)
		}
	}
}

// Only the part that the network sees counts, and it counts as a face that is covered
// there does.
func TestOcclusion(t *testing.T) {
	for name, c := range map[string]*cornered{"known": known(), "unknown": unknown()} {
		faces, labels := crops(c, 5, uneven)
		m := enrolled(t, c, method.Mean{}, faces, labels)
		crop := faces[20]
		e := explainedCrop(t, m, c, crop)
		o := Occluder{Places: 8, Share: 0.25}
		c.batches = nil
		progress := 0
		if err := o.Occlude(t.Context(), m, c, e, crop, func(done, total int) { progress += total - done }); err != nil {
			t.Fatal(err)
		}
		got, all := e.Similarities.Occlusion, 0
		for _, n := range c.batches {
			all += n
		}
		if all != 64 || slices.Max(c.batches) > coveredTogether || progress != 32 || len(got.Falls) != 8 {
			t.Errorf("%s: %v faces are embedded", name, c.batches)
		}
		changed, speaks := 0, false
		for r, top := range o.starts(30) {
			for l, left := range o.starts(20) {
				other := explainedCrop(t, m, c, covered(crop, c.Input(), top, left, got.Square, means(crop)))
				if want := got.Score - e.Similarities.decisive(other.Scores, e.Class); got.Falls[r][l] != want {
					t.Errorf("%s: the fall is %v, want %v", name, got.Falls[r][l], want)
				}
				if other.Known != e.Known || e.Known && other.Class != e.Class {
					changed++
				}
				if outside := top >= c.corner || left >= c.corner; outside && got.Falls[r][l] != 0 {
					t.Errorf("%s: the square at %d, %d does not cover the corner and lets the score fall by %v", name, top, left, got.Falls[r][l])
				}
				speaks = speaks || got.Falls[r][l] != 0
			}
		}
		if !speaks || changed != got.Changes {
			t.Errorf("%s: falls %v, %d changes, want %d", name, got.Falls, got.Changes, changed)
		}
		reach := got.Square.Height + c.corner
		for i, v := range got.pixels(c.Input()) {
			if (i%20 >= reach || i/20 >= reach) && v != 0 || math.IsNaN(v) {
				t.Errorf("%s: pixel %d, %d has %v", name, i/20, i%20, v)
			}
		}
		again := explainedCrop(t, m, c, crop)
		if err := o.Occlude(t.Context(), m, c, again, crop, nil); err != nil ||
			!slices.EqualFunc(got.Falls, again.Similarities.Occlusion.Falls, slices.Equal) {
			t.Errorf("%s: another map of the same face, %v", name, err)
		}
	}
}

func TestOcclusionEndsEarly(t *testing.T) {
	c := known()
	faces, labels := crops(c, 3, uneven)
	m := enrolled(t, c, method.Mean{}, faces, labels)
	e := explainedCrop(t, m, c, faces[0])
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	c.batches, c.then = nil, func() { cancel(enough) }
	if err := DefaultOccluder.Occlude(ctx, m, c, e, faces[0], nil); !errors.Is(err, enough) || len(c.batches) != 1 ||
		e.Similarities.Occlusion != nil {
		t.Errorf("error %v after %d batches", err, len(c.batches))
	}
	for _, bad := range []Occluder{{}, {1, 0.5}, {10, 0}, {10, 1}, {10, math.NaN()}, {maxPlaces + 1, 0.5}} {
		if err := bad.Occlude(t.Context(), m, c, e, faces[0], nil); err == nil {
			t.Errorf("%+v is possible", bad)
		}
	}
	if err := DefaultOccluder.Occlude(t.Context(), m, c, e, faces[0][1:], nil); err == nil {
		t.Error("a crop of another size is covered")
	}
	if err := DefaultOccluder.Occlude(t.Context(), m, c, &Explanation{}, faces[0], nil); err == nil {
		t.Error("a face without a vector is covered")
	}
}

// A page has the face, the map and the photographs, where they are known.
func TestPageOfVectors(t *testing.T) {
	for name, c := range map[string]*cornered{"known": known(), "unknown": unknown()} {
		faces, labels := crops(c, 5, uneven)
		m := enrolled(t, c, method.Mean{}, faces, labels)
		e := explainedCrop(t, m, c, faces[20])
		if page := htmlOf(t, &Page{"a photograph", m, []Face{{"", e}}, DefaultShow}); strings.Contains(page, "<img ") {
			t.Errorf("%s: a page of a face whose crop is not known has pictures", name)
		}
		if err := DefaultOccluder.Occlude(t.Context(), m, c, e, faces[20], nil); err != nil {
			t.Fatal(err)
		}
		show := DefaultShow
		show.Photograph = func(id string) image.Image {
			if id == e.Similarities.Guess.ID {
				return image.NewGray(image.Rect(0, 0, 900, 700))
			}
			return nil
		}
		p := &Page{"a photograph", m, []Face{{"", e}}, show}
		page := htmlOf(t, p)
		checkAlone(t, page)
		if n := strings.Count(page, "<img "); n != 5 || len(page) > 100_000 {
			t.Errorf("%s: a page of %d bytes with %d pictures", name, len(page), n)
		}
		var b bytes.Buffer
		if os.Getenv("NRDL_LONG") != "" || name == "known" {
			if err := writePNG(p, &b, lettering.Regular, lettering.Bold); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := json.Marshal(e.Similarities.Rounded(math.Round)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A model without photographs is compared with nothing, and its faces have a page.
func TestForgottenPhotographs(t *testing.T) {
	for name, c := range map[string]*cornered{"known": known(), "unknown": unknown()} {
		faces, labels := crops(c, 5, uneven)
		m := enrolled(t, c, method.Mean{}, faces, labels)
		m.Enrolled = nil
		e := explainedCrop(t, m, c, faces[20])
		if err := DefaultOccluder.Occlude(t.Context(), m, c, e, faces[20], nil); err != nil {
			t.Fatal(err)
		}
		p := &Page{"a photograph", m, []Face{{"", e}}, DefaultShow}
		checkAlone(t, htmlOf(t, p))
		if e.Similarities.People != nil || e.Similarities.Nearest != nil || e.Similarities.Guess != nil ||
			!strings.Contains(Sentence(m, e), labels[20]) {
			t.Errorf("%s: %+v, %s", name, e.Similarities, Sentence(m, e))
		}
	}
}
