package explain

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// drawnFaces are images of five drawn people, four of each, and one more of the
// second.
func drawnFaces(t testing.TB) (learned, other *dataset.Images) {
	t.Helper()
	d := synthetic.Default
	d.People, d.PerPerson, d.Input = 5, 5, dataset.Size{Height: 16, Width: 16}
	set, err := d.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var columns []int
	for j := range set.IDs {
		if j%5 != 4 {
			columns = append(columns, j)
		}
	}
	return set.Select(columns), set.Select([]int{9})
}

func explanation(t testing.TB, m *gallery.Gallery, face *dataset.Images) *Explanation {
	t.Helper()
	e, err := New(t.Context(), m, face)
	if err != nil {
		t.Fatalf("%s: %v", m.Parts().Method, err)
	}
	return e
}

// Every method's recognition is explained by numbers that add up.
func TestExplain(t *testing.T) {
	set, face := drawnFaces(t)
	for _, m := range method.All() {
		model := learn(t, m, set, "16x16 pixels")
		e := explanation(t, model, face)
		p := model.Parts()
		check := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
				t.Errorf("%s: %s is %v, want %v", m.Name(), what, got, want)
			}
		}
		results, err := model.Identify(t.Context(), face)
		if err != nil {
			t.Fatal(err)
		}
		if e.Class != results[0].Class || e.Evidence != results[0].Evidence || e.Known != results[0].Known ||
			!slices.Equal(e.Scores, results[0].Scores) || !slices.Equal(e.Image, mat.Col(nil, 0, face.X)) {
			t.Errorf("%s: another face, or another recognition, is explained", m.Name())
		}
		y := mat.Col(nil, 0, classify.Unit(face.X))
		all, ofClasses := make([]float64, len(y)), p.Groups[len(p.Classes)]
		for k := ofClasses; k < len(e.Code); k++ {
			for i := range all {
				all[i] += p.D.At(i, k) * e.Code[k]
			}
		}
		for c := range p.Classes {
			own := make([]float64, len(y))
			for k := ofClasses; k < len(e.Code); k++ { // common to all
				for i := range own {
					own[i] += p.D.At(i, k) * e.Code[k]
				}
			}
			weight := 0.0
			for k := p.Groups[c]; k < p.Groups[c+1]; k++ {
				for i := range own {
					own[i] += p.D.At(i, k) * e.Code[k]
					all[i] += p.D.At(i, k) * e.Code[k]
				}
				weight += math.Abs(e.Code[k])
			}
			check("a distance of a class", e.Distances[c], apart(y, own))
			check("the share of a class", e.Shares[c], weight/mat.Norm(mat.NewVecDense(ofClasses, e.Code[:ofClasses]), 1))
			if c == e.Class {
				check("what is rebuilt by the class", apart(own, e.Guess.Sample), 0)
				check("its distance", e.Guess.Distance, apart(y, own))
			}
		}
		check("what is rebuilt by all", apart(all, e.All.Sample), 0)
		check("its distance", e.All.Distance, apart(y, all))
		checkAtoms(t, model, e)
	}
}

func apart(a, b []float64) float64 {
	var v mat.VecDense
	v.SubVec(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b))
	return mat.Norm(&v, 2)
}

// checkAtoms checks that atoms are all of the code, the largest first.
func checkAtoms(t *testing.T, m *gallery.Gallery, e *Explanation) {
	t.Helper()
	p := m.Parts()
	total, score := 0.0, 0.0
	seen := map[int]bool{}
	for i, a := range e.Atoms {
		if e.Code[a.Atom] != a.Coefficient || a.Coefficient == 0 || seen[a.Atom] {
			t.Errorf("%s: atom %d has the coefficient %v, and %v in the code", p.Method, a.Atom, a.Coefficient, e.Code[a.Atom])
		}
		if a.Atom < p.Groups[a.Class] || a.Atom >= p.Groups[a.Class+1] || m.Images().ClassOf(a.Enrolled) != a.Class {
			t.Errorf("%s: atom %d, like image %d, is of class %d", p.Method, a.Atom, a.Enrolled, a.Class)
		}
		if i > 0 && a.Share > e.Atoms[i-1].Share {
			t.Errorf("%s: atom %d is out of order", p.Method, a.Atom)
		}
		seen[a.Atom] = true
		total += a.Share
		score += a.Adds
	}
	for k, v := range e.Code[:p.Groups[len(p.Classes)]] {
		if v != 0 && !seen[k] {
			t.Errorf("%s: atom %d is missing", p.Method, k)
		}
	}
	if math.Abs(total-1) > 1e-12 {
		t.Errorf("%s: the shares add up to %v", p.Method, total)
	}
	if _, linear := p.Rule.(classify.Linear); linear && math.Abs(score-e.Scores[e.Class]) > 1e-9 {
		t.Errorf("%s: what atoms add is %v, the score %v", p.Method, score, e.Scores[e.Class])
	}
	if alone := slices.Contains([]string{"lrc", "dlsi", "dpl", "lda", "pca-lda", "ridge", "svm"}, p.Method); alone != e.Separate {
		t.Errorf("%s: alone is %v", p.Method, e.Separate)
	}
	if _, robust := p.Coder.(coding.Robust); robust != (e.Errors != nil) {
		t.Errorf("%s: errors of %d features", p.Method, len(e.Errors))
	}
}

// Where the atoms are the training samples, they are found to be the images in
// their order, and after those of a person their mirror images, whatever is
// between an image and its sample.
func TestExplainFindsImages(t *testing.T) {
	set, face := drawnFaces(t)
	two := set.Select([]int{0, 1, 2, 3, 4, 5, 6, 7}) // one dimension after fisher: all samples of a person are one
	for _, text := range []string{
		"16x16 pixels", "16x16 mirror pixels", "16x16 lcn", "16x16 hog:cell=4 mirror",
		"16x16 igo mirror fisher:0.1 shift=1",
	} {
		for _, from := range []*dataset.Images{set, two} {
			m := learn(t, method.DefaultCRC, from, text)
			p := m.Parts()
			for _, a := range explanation(t, m, face).Atoms {
				n := from.Groups[a.Class+1] - from.Groups[a.Class]
				at := a.Atom - p.Groups[a.Class]
				if !a.IsEnrolled() || a.Enrolled != from.Groups[a.Class]+at%n || a.Mirrored != (at >= n) {
					t.Errorf("%s: atom %d of a person is image %d, mirrored: %v, with cosine %v", text, at,
						a.Enrolled-from.Groups[a.Class], a.Mirrored, a.Cosine)
				}
			}
		}
	}
}

// A learned atom has the image that it is most like, naively.
func TestExplainNearestImage(t *testing.T) {
	set, face := drawnFaces(t)
	m := learn(t, method.DefaultKSVD, set, "16x16 hog:cell=4")
	p := m.Parts()
	samples, err := m.Pipeline.Samples(set)
	if err != nil {
		t.Fatal(err)
	}
	x := classify.Unit(samples.X)
	for _, a := range explanation(t, m, face).Atoms {
		best, at := 0.0, -1
		for j := set.Groups[a.Class]; j < set.Groups[a.Class+1]; j++ {
			if v := mat.Dot(p.D.ColView(a.Atom), x.ColView(j)) / mat.Norm(p.D.ColView(a.Atom), 2); math.Abs(v) > math.Abs(best) {
				best, at = v, j
			}
		}
		if at != a.Enrolled || math.Abs(best-a.Cosine) > 1e-9 {
			t.Errorf("atom %d: image %d with cosine %v, want %d with %v", a.Atom, a.Enrolled, a.Cosine, at, best)
		}
	}
	m.Enrolled = nil
	if a := explanation(t, m, face).Atoms[0]; a.Enrolled != -1 || a.IsEnrolled() {
		t.Errorf("a model without images finds %d", a.Enrolled)
	}
}

// The votes of the blocks are, in the mean, the scores.
func TestExplainBlocks(t *testing.T) {
	set, face := drawnFaces(t)
	for _, text := range []string{"16x16 pixels", "16x16 igo"} {
		for _, step := range []string{"8", "5"} {
			m, err := method.Set(method.DefaultBlocks, "coder.step", step)
			if err != nil {
				t.Fatal(err)
			}
			e := explanation(t, learn(t, m, set, text), face)
			for c, want := range e.Scores {
				got := 0.0
				for _, b := range e.Blocks {
					got += b.Votes[c] / float64(len(e.Blocks))
				}
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%s, step %s: %d blocks give class %d %v, want %v", text, step, len(e.Blocks), c, got, want)
				}
			}
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	set, face := drawnFaces(t)
	m := learn(t, method.DefaultCRC, set, "16x16 pixels")
	black := *face
	black.X = mat.NewDense(256, 1, nil)
	for want, s := range map[string]*dataset.Images{"one at a time": set, "blank": &black} {
		if _, err := New(t.Context(), m, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
