package gallery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/openset"
)

// relabelled is s with other labels for some of its images, which keep the ID of their
// place in s.
func relabelled(t *testing.T, s *dataset.Images, to map[int]string) *dataset.Images {
	t.Helper()
	var labels, ids []string
	for j := range s.Len() {
		label := s.Classes[s.ClassOf(j)]
		if other, ok := to[j]; ok {
			label = other
		}
		labels, ids = append(labels, label), append(ids, fmt.Sprint(j))
	}
	again, err := dataset.NewImages(mat.DenseCopyOf(s.X), labels, ids, nil, s.Frame)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func reviewOf(t *testing.T, s *dataset.Images) *Review {
	t.Helper()
	r, err := learnMean(t, s).Review(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Images with the name of somebody else are listed, with the person that they show; five of
// one person in the group of another as well as two that were exchanged. Nobody else is.
func TestMislabelledImagesAreListed(t *testing.T) {
	for _, l := range openset.Shipped() {
		for seed := range uint64(3) {
			s := embedded(t, l, seed, slices.Repeat([]int{10}, 20)...)
			if r := reviewOf(t, relabelled(t, s, nil)); len(r.Suspects) > 0 {
				t.Errorf("seed %d: %+v are listed of images with right labels", seed, r.Suspects)
			}
			planted := map[int]string{
				0: "person001", 2: "person001", 3: "person001", 5: "person001",
				7: "person001", 50: "person009", 90: "person005",
			}
			r := reviewOf(t, relabelled(t, s, planted))
			if len(r.Suspects) != len(planted) {
				t.Errorf("seed %d: %d are listed, want %d", seed, len(r.Suspects), len(planted))
			}
			for i, one := range r.Suspects {
				var j int
				fmt.Sscan(one.ID, &j)
				if planted[j] != one.Person || one.Other != s.Classes[s.ClassOf(j)] {
					t.Errorf("seed %d: image %d of %s is labelled %s and looks like %s", seed, j, s.Classes[s.ClassOf(j)], one.Person, one.Other)
				}
				if p := *one.Probability; p < DefaultReviewPriors.Leave || p > 1 || i > 0 && p > *r.Suspects[i-1].Probability {
					t.Errorf("seed %d: the probability of suspect %d is %v", seed, i, p)
				}
			}
		}
	}
}

// Of a person made of two, the photographs of the one with fewer are listed together: of 4
// + 3, with the second enrolled elsewhere and not, and of 3 + 1. Of two photographs that do
// not look like one person, both are listed. Each is named in the advice, which is also the note.
func TestTwoPeopleUnderOneName(t *testing.T) {
	for _, l := range openset.Shipped() {
		for seed := range uint64(3) {
			s := embedded(t, l, seed, 4, 3, 4, 8, 3, 1, 1, 1, 5, 6, 7, 2)
			one := map[string]string{"person001": "person000", "person005": "person004", "person007": "person006"}
			planted := map[int]string{}
			for j := range s.Len() {
				if name := s.Classes[s.ClassOf(j)]; one[name] != "" {
					planted[j] = one[name]
				}
			}
			for j := s.Groups[3]; j < s.Groups[3]+3; j++ {
				planted[j] = "person002" // 4 + 3, and 5 elsewhere
			}
			r := reviewOf(t, relabelled(t, s, planted))
			found, together := map[string]int{}, map[string]int{}
			for _, o := range r.Suspects {
				found[o.Person]++
				together[o.Person] = max(together[o.Person], len(o.Part))
				var j int
				fmt.Sscan(o.ID, &j)
				if planted[j] == "" && o.Person != "person006" {
					t.Errorf("seed %d: %d of %s is listed", seed, j, o.Person)
				}
				if (o.Other != "") != (o.Person == "person002") {
					t.Errorf("seed %d: %+v", seed, o)
				}
			}
			want := map[string]int{"person000": 3, "person002": 3, "person004": 1, "person006": 2}
			if fmt.Sprint(found) != fmt.Sprint(want) || together["person000"] != 3 || together["person006"] != 2 || together["person004"] != 0 {
				t.Errorf("seed %d: %v are listed, %v together, want %v", seed, found, together, want)
			}
			for c, p := range r.People {
				advice := strings.Join(r.Advice[c], "; ")
				if listed := strings.Contains(advice, "see whether"); listed != (want[p.Name] > 0) || p.Note != advice {
					t.Errorf("seed %d: %s: %q", seed, p.Name, advice)
				}
			}
		}
	}
}

// One person with two names is a pair that may be the same, and no image of it is a
// suspect; other pairs are different people.
func TestTwoNamesOfOnePerson(t *testing.T) {
	l := openset.Shipped()[0]
	s := embedded(t, l, 1, slices.Repeat([]int{10}, 20)...)
	r := reviewOf(t, relabelled(t, s, map[int]string{0: "twin", 1: "twin", 2: "twin", 3: "twin", 4: "twin"}))
	for i, p := range r.Pairs {
		if p.Same != (i == 0) || p.Same && (p.A != "person000" || p.B != "twin") {
			t.Errorf("pair %d: %+v", i, p)
		}
		if *p.Share < 0 || *p.Share > 1 || p.Wrong > p.Held {
			t.Errorf("pair %d: %+v", i, p)
		}
	}
	if others := r.Others("twin"); !slices.Equal(others, []string{"person000"}) || r.Others("person001") != nil {
		t.Errorf("twin may be %q", others)
	}
	for _, p := range r.People {
		twice := p.Name == "twin" || p.Name == "person000"
		if strings.HasPrefix(p.Note, "may be one person with") != twice || twice && strings.Contains(p.Note, "confused") {
			t.Errorf("the note of %s: %s", p.Name, p.Note)
		}
	}
	if len(r.Pairs) == 0 || len(r.Suspects) > 0 {
		t.Errorf("%d pairs, suspects %+v", len(r.Pairs), r.Suspects)
	}
}

// Two photographs under one name, of which one shows somebody else of the model, do not make two
// people one.
func TestHalfOfAPersonIsNotThePerson(t *testing.T) {
	for _, l := range openset.Shipped() {
		for seed := range uint64(3) {
			s := embedded(t, l, seed, 5, 4, 6, 6, 6)
			for c := range s.Classes { // photographs of one day
				first := mat.Col(nil, s.Groups[c], s.X)
				for j := s.Groups[c]; j < s.Groups[c+1]; j++ {
					v := mat.Col(nil, j, s.X)
					floats.Add(v, first)
					floats.Scale(1/floats.Norm(v, 2), v)
					s.X.SetCol(j, v)
				}
			}
			r := reviewOf(t, relabelled(t, s, map[int]string{0: "mixed", 5: "mixed"}))
			for _, p := range r.Pairs {
				if p.Same {
					t.Errorf("seed %d: %+v", seed, p)
				}
			}
			if len(r.Suspects) != 2 || r.Suspects[0].Person != "mixed" || r.Suspects[1].Person != "mixed" {
				t.Errorf("seed %d: %+v", seed, r.Suspects)
			}
		}
	}
}

// What the photographs of a person lack is in the advice for that person only.
func TestAdvice(t *testing.T) {
	l := openset.Shipped()[0]
	s := embedded(t, l, 2, 2, 6, 6, 6)
	d, _ := s.X.Dims()
	column := make([]float64, d)
	s.X.SetCol(3, mat.Col(column, 2, s.X)) // two of person001 are equal
	s.Quality = make([]dataset.Quality, s.Len())
	for j := range s.Quality {
		s.Quality[j] = dataset.Quality{Eyes: 60, Sharpness: 0.5, Exposure: 1}
		if p := s.ClassOf(j); p == 2 || p == 3 && j > s.Groups[3] {
			s.Quality[j].Sharpness = 0.1
		}
	}
	r := reviewOf(t, s)
	for c, want := range []string{
		"few photographs (2)", "1 of 6 photographs are nearly copies",
		"all 6 faces are blurred: add sharp ones", "only one face is sharp: add more",
	} {
		if got := strings.Join(r.Advice[c], "; "); !strings.Contains(got, want) || c > 0 && len(r.Advice[c]) > 1 {
			t.Errorf("person %d: %q, want %q", c, got, want)
		}
	}
}

// Without a network, an image is a suspect if it is recognised as somebody else's.
func TestReviewByHeldOutFaces(t *testing.T) {
	s := patterns(t, 5, 6, dataset.Size{Height: 8, Width: 8}, 5)
	const exchanged = 7
	m := learnKeeping(t, relabelled(t, s, map[int]string{exchanged: s.Classes[4]}), "8x8 pixels")
	r, err := m.Review(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Suspects) != 1 || r.Suspects[0].ID != fmt.Sprint(exchanged) || r.Suspects[0].Other != s.Classes[1] ||
		r.Suspects[0].Probability != nil {
		t.Errorf("%+v", r.Suspects)
	}
	if len(r.Pairs) != 1 || r.Pairs[0].Wrong != 1 || r.Pairs[0].A != s.Classes[1] || r.Pairs[0].B != s.Classes[4] {
		t.Errorf("%+v", r.Pairs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Review(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	m.Enrolled = nil
	if _, err := m.Review(t.Context(), nil); !errors.Is(err, ErrForgotten) {
		t.Error(err)
	}
}
