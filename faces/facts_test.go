package faces

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/testing/realdata"
	"nrdl.example/nrdl/openset"
)

// best is the sorted list of evidences, largest first, of the best way to give names to faces: each
// name once, and only allowed ones; lists are compared number by number, and a longer one is better.
func best(evidence [][]float64, face int, taken map[int]bool, so []float64) []float64 {
	if face == len(evidence) {
		so = slices.Clone(so)
		slices.Sort(so)
		slices.Reverse(so)
		return so
	}
	largest := best(evidence, face+1, taken, so)
	for p, e := range evidence[face] {
		if taken[p] || math.IsInf(e, -1) {
			continue
		}
		taken[p] = true
		if other := best(evidence, face+1, taken, append(so, e)); slices.Compare(other, largest) > 0 {
			largest = other
		}
		delete(taken, p)
	}
	return largest
}

// With dates, names equal the best assignment of all, by trying each; with pairs too, no name is
// against a fact.
func TestFactsAreRespected(t *testing.T) {
	images := drawnVectors(t, 0, 5, 3)
	r, err := Train(t.Context(), images, Defaults(images))
	if err != nil || r.m.Impostors() == nil {
		t.Fatal(err)
	}
	people := r.m.Names()
	taken := time.Date(2010, 6, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		f := &gallery.Facts{Birthdays: map[string]time.Time{}}
		for _, name := range people {
			if rapid.IntRange(0, 2).Draw(t, "unborn") == 0 {
				f.Birthdays[name] = taken.AddDate(0, 0, rapid.IntRange(-30, 30).Draw(t, "days"))
			}
		}
		pairs := rapid.Bool().Draw(t, "pairs")
		for range 3 {
			a, b := rapid.SampledFrom(people).Draw(t, "a"), rapid.SampledFrom(people).Draw(t, "b")
			if pairs && a != b {
				f.Different = append(f.Different, [2]string{a, b})
			}
		}
		q, err := r.WithFacts(f)
		if err != nil {
			t.Fatal(err)
		}
		faces := make([]Face, rapid.IntRange(1, 4).Draw(t, "faces"))
		for k := range faces {
			// Between two people, so that names are contested.
			i, j := rapid.IntRange(0, images.Len()-1).Draw(t, "i"), rapid.IntRange(0, images.Len()-1).Draw(t, "j")
			w := rapid.Float64Range(0, 1).Draw(t, "w")
			var v mat.VecDense
			v.AddScaledVec(images.X.ColView(i), w, images.X.ColView(j))
			v.ScaleVec(1/mat.Norm(&v, 2), &v)
			faces[k].values = slices.Clone(v.RawVector().Data)
		}
		alone := slices.Clone(faces)
		for k := range alone {
			if err := r.namePhotographs(context.Background(), nil, alone[k:k+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.namePhotographs(context.Background(), []time.Time{taken}, faces); err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, face := range faces {
			if face.Known && named[face.Name] {
				t.Fatalf("%s is there twice", face.Name)
			}
			named[face.Name] = named[face.Name] || face.Known
		}
		var got []float64
		evidence := make([][]float64, len(faces))
		for k, face := range faces {
			if face.Known {
				got = append(got, face.Margin)
			}
			if born, ok := f.Birthdays[face.Name]; face.Known && ok && !gallery.Possible(taken, born) {
				t.Fatalf("face %d is %s, who was not born", k, face.Name)
			}
			if born, ok := f.Birthdays[face.Unborn]; face.Unborn != "" && (!ok || gallery.Possible(taken, born)) {
				t.Fatalf("face %d is not %s for no reason", k, face.Unborn)
			}
			scores := map[string]float64{}
			for _, c := range face.Ranking {
				scores[c.Name] = r.m.Impostors().Deviate(99, c.Score)
			}
			for _, l := range q.facts.leads[face.Name] {
				if born, ok := f.Birthdays[l.rival]; ok && !gallery.Possible(taken, born) || named[l.rival] {
					continue
				}
				if face.Known && scores[face.Name]-scores[l.rival] < l.minScore {
					t.Fatalf("face %d is %s with a lead of %g over %s, less than %g", k, face.Name, scores[face.Name]-scores[l.rival], l.rival, l.minScore)
				}
			}
			for _, name := range people {
				only := alone[k].result.Gallery.Without(alone[k].result, func(other string) bool { return other != name })
				e := only.DecisionScore
				if born, ok := f.Birthdays[name]; !only.Known || ok && !gallery.Possible(taken, born) {
					e = math.Inf(-1)
				}
				evidence[k] = append(evidence[k], e)
			}
		}
		slices.Sort(got)
		slices.Reverse(got)
		if want := best(evidence, 0, map[int]bool{}, nil); !pairs && !slices.Equal(got, want) {
			t.Fatalf("the evidences are %v, and could be %v", got, want)
		}
	})
}

// People who look alike and are listed as different take fewer names from each other; the log has
// the numbers of doc/face-tags.md.
func TestFactsOfPeopleAlike(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG makes vectors of 750 photographs")
	}
	images, err := Read(t.Context(), realdata.Path(t, "photos", "alike50"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []int{1, 2, 4, 8} {
		var train, test []int
		for c := range images.Classes {
			for j := images.Groups[c]; j < images.Groups[c+1]; j++ {
				if j-images.Groups[c] < each {
					train = append(train, j)
				} else {
					test = append(test, j)
				}
			}
		}
		enrolled, held := images.Select(train), images.Select(test)
		r, err := Train(t.Context(), enrolled, Defaults(enrolled))
		if err != nil {
			t.Fatal(err)
		}
		_, means := openset.Means(enrolled.X, enrolled.Groups)
		f, near := &gallery.Facts{}, map[string]string{}
		for a := range enrolled.Classes {
			largest := -1.0
			for b := range enrolled.Classes {
				if v := mat.Dot(means.ColView(a), means.ColView(b)); a != b && v > largest {
					largest, near[enrolled.Classes[a]] = v, enrolled.Classes[b]
				}
			}
			f.Different = append(f.Different, [2]string{enrolled.Classes[a], near[enrolled.Classes[a]]})
		}
		q, err := r.WithFacts(f)
		if err != nil {
			t.Fatal(err)
		}
		count := func(r *Recogniser) (right, wrong int) {
			for j := range held.Len() {
				face := []Face{{values: mat.Col(nil, j, held.X)}}
				if err := r.namePhotographs(t.Context(), nil, face); err != nil {
					t.Fatal(err)
				}
				own := held.Classes[held.ClassOf(j)]
				pair := near[own] == face[0].Name || near[face[0].Name] == own
				switch {
				case face[0].Name == own:
					right++
				case face[0].Known && pair:
					wrong++
				}
			}
			return right, wrong
		}
		right, wrong := count(r)
		less, fewer := count(q)
		if fewer > wrong {
			t.Errorf("%d wrong names became %d", wrong, fewer)
		}
		t.Logf("%d photographs each: of %d faces %d right, %d named as the most similar person; with facts %d and %d",
			each, held.Len(), right, wrong, less, fewer)
	}
}
