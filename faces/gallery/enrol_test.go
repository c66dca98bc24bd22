package gallery

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/openset"
)

// equalSets reports where two sets differ.
func equalSets(got, want *dataset.Images) error {
	switch {
	case !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Groups, want.Groups):
		return fmt.Errorf("people %v in groups %v, want %v in %v", got.Classes, got.Groups, want.Classes, want.Groups)
	case !slices.Equal(got.IDs, want.IDs):
		return fmt.Errorf("IDs %v, want %v", got.IDs, want.IDs)
	case !mat.Equal(got.X, want.X):
		return errors.New("the images differ")
	case !reflect.DeepEqual(got.Quality, want.Quality) || got.White != want.White || got.Frame.String() != want.Frame.String():
		return fmt.Errorf("%v, %v, %v, want %v, %v, %v", got.Quality, got.White, got.Frame, want.Quality, want.White, want.Frame)
	}
	return got.Validate()
}

// imagesOr are the images of e, or nil.
func imagesOr(e *Enrolled, err error) (*dataset.Images, error) {
	if err != nil {
		return nil, err
	}
	return e.Images(), nil
}

func mergeImages(s, more *dataset.Images) (*dataset.Images, MergeReport, error) {
	e, m, err := Enrolling(s).Merge(more)
	all, err := imagesOr(e, err)
	return all, m, err
}

func withoutPeople(s *dataset.Images, names ...string) (*dataset.Images, error) {
	return imagesOr(Enrolling(s).Without(names...))
}

func renamePerson(s *dataset.Images, from, to string) (*dataset.Images, MergeReport, error) {
	e, m, err := Enrolling(s).Rename(from, to)
	all, err := imagesOr(e, err)
	return all, m, err
}

// folder is a set as opening a folder makes it, with people whose order as
// numbers is not that of their letters.
func folder(t testing.TB) *dataset.Images {
	t.Helper()
	var labels, ids []string
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"p2", "p10", "Ünal", "é 😀"} {
		for _, file := range []string{"1.png", "1.png#2", "2.png", "10.png", "s/1.png", "s.png"} {
			labels, ids = append(labels, name), append(ids, name+"/"+file)
		}
	}
	slices.SortStableFunc(ids, comparePaths)
	slices.SortStableFunc(labels, natural.Compare)
	x := mat.NewDense(6, len(ids), nil)
	x.Apply(func(int, int, float64) float64 { return float64(rng.IntN(256)) }, x)
	s, err := dataset.NewImages(x, labels, ids, nil, dataset.Frame{Size: dataset.Size{Height: 3, Width: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for range ids {
		s.Quality = append(s.Quality, dataset.Quality{Eyes: 30 + rng.Float64()})
	}
	return s
}

// Images that are added in any order, in any parts, some of them twice, make
// the set of the folder that holds them all.
func TestMergeIsOneFolder(t *testing.T) {
	whole := folder(t)
	_, n := whole.X.Dims()
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation(make([]int, n)).Draw(t, "order")
		for j := range order {
			order[j] = j
		}
		order = rapid.Permutation(order).Draw(t, "order of images")
		var got *dataset.Images
		for len(order) > 0 {
			k := rapid.IntRange(1, len(order)).Draw(t, "part")
			part := whole.Select(order[:k])
			if got == nil {
				got = part
			} else {
				merged, m, err := mergeImages(got, part)
				if err != nil {
					t.Fatal(err)
				}
				if m.Additions != k || m.Duplicates != nil || m.Renames != nil || m.Twice != nil {
					t.Fatalf("of %d: %+v", k, m)
				}
				got = merged
			}
			order = order[k:]
		}
		again := whole.Select([]int{rapid.IntRange(0, n-1).Draw(t, "again")})
		got, m, err := mergeImages(got, again)
		if err != nil || m.Additions != 0 || !slices.Equal(m.Duplicates, again.IDs) {
			t.Fatalf("the same again: %+v, %v", m, err)
		}
		if err := equalSets(got, whole); err != nil {
			t.Fatal(err)
		}
	})
}

// What is added and removed again leaves what there was.
func TestWithoutUndoesMerge(t *testing.T) {
	whole := folder(t)
	for _, name := range whole.Classes {
		rest, err := withoutPeople(whole, name)
		if err != nil || slices.Contains(rest.Classes, name) {
			t.Fatalf("%s: %v, %v", name, rest, err)
		}
		others := slices.DeleteFunc(slices.Clone(whole.Classes), func(n string) bool { return n == name })
		only, err := withoutPeople(whole, others...)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := mergeImages(rest, only)
		if err == nil {
			err = equalSets(back, whole)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := withoutPeople(whole, "p1"); err == nil || advice.Text(err) == "" {
		t.Errorf("nobody is p1: %v", err)
	}
	if _, err := withoutPeople(whole, whole.Classes...); err == nil {
		t.Error("nobody is left")
	}
}

// A renamed person is where a folder of that name would be, and the name back
// gives the set back.
func TestRename(t *testing.T) {
	whole := folder(t)
	for _, name := range whole.Classes {
		for _, to := range []string{"a", "p3", "zz"} {
			got, _, err := renamePerson(whole, name, to)
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil || !slices.IsSortedFunc(got.Classes, natural.Compare) || slices.Contains(got.Classes, name) {
				t.Errorf("%q to %q: %v, %v", name, to, got.Classes, err)
			}
			for j, id := range got.IDs {
				if !strings.HasPrefix(id, got.Classes[got.ClassOf(j)]+"/") {
					t.Errorf("%q to %q: %s of %s", name, to, id, got.Classes[got.ClassOf(j)])
				}
			}
			back, _, err := renamePerson(got, to, name)
			if err == nil {
				err = equalSets(back, whole)
			}
			if err != nil {
				t.Errorf("%q to %q and back: %v", name, to, err)
			}
		}
	}
	merged, m, err := renamePerson(whole, "p2", "p10")
	if err != nil || len(merged.Classes) != 3 || m.Additions != 6 || len(m.Renames) != 6 {
		t.Errorf("two people in one: %v, %+v, %v", merged.Classes, m, err)
	}
	if !slices.Contains(m.Renames, [2]string{"p10/1.png", "p10/1~2.png"}) {
		t.Errorf("renamed %v", m.Renames)
	}
	if _, _, err := renamePerson(whole, "p1", "p3"); err == nil {
		t.Error("nobody is p1")
	}
}

// one is a set of one image of these values.
func one(name, id string, values ...float64) *dataset.Images {
	s := dataset.Unlabelled(mat.NewDense(len(values), 1, values), dataset.Frame{Size: dataset.Size{Height: len(values), Width: 1}})
	s.IDs, s.Classes, s.Groups = []string{id}, []string{name}, []int{0, 1}
	return s
}

func TestMergeOfEqualIDs(t *testing.T) {
	s := one("ann", "ann/1.jpg", 1, 2)
	for _, more := range []*dataset.Images{one("ann", "ann/1.jpg", 3, 4), one("ann", "ann/1.jpg", 5, 6), one("bob", "bob/1.jpg", 3, 4)} {
		var err error
		var m MergeReport
		if s, m, err = mergeImages(s, more); err != nil || m.Additions != 1 {
			t.Fatalf("%+v, %v", m, err)
		}
		if twice := len(m.Twice) > 0; twice != (more.Classes[0] == "bob") || twice && m.Twice[0] != [2]string{"ann/1~2.jpg", "bob/1.jpg"} {
			t.Errorf("twice: %v", m.Twice)
		}
	}
	if want := []string{"ann/1.jpg", "ann/1~2.jpg", "ann/1~3.jpg", "bob/1.jpg"}; !slices.Equal(s.IDs, want) {
		t.Errorf("IDs %v", s.IDs)
	}
	again, m, err := mergeImages(s, one("ann", "ann/1.jpg", 5, 6))
	if err != nil || m.Additions != 0 || !slices.Equal(m.Duplicates, []string{"ann/1.jpg"}) {
		t.Errorf("the third again: %+v, %v", m, err)
	}
	if err := equalSets(again, s); err != nil {
		t.Error(err)
	}
}

// Images come in the units of the first, with names for what has none.
func TestMergeOfDifferentSources(t *testing.T) {
	s := one("ann", "", 0.5, 1)
	s.IDs, s.White = nil, 1
	more := one("ann", "ann/x.png", 51, 255)
	more.Quality = []dataset.Quality{{Eyes: 40}}
	got, _, err := mergeImages(s, more)
	if err != nil {
		t.Fatal(err)
	}
	want := one("ann", "", 0.5, 1)
	want.X = mat.NewDense(2, 2, []float64{0.5, float64(float32(0.2)), 1, 1})
	want.IDs, want.Groups, want.White = []string{"ann/0001", "ann/x.png"}, []int{0, 2}, 1
	want.Quality = []dataset.Quality{{}, {Eyes: 40}}
	if err := equalSets(got, want); err != nil {
		t.Error(err)
	}
	vectors := *more
	vectors.Frame, vectors.Grid = dataset.Frame{}, classify.Grid{}
	for _, other := range []*dataset.Images{one("bob", "bob/1", 1, 2, 3), &vectors} {
		if _, _, err := mergeImages(s, other); err == nil {
			t.Errorf("images of %v are merged with those of %v", s.Frame, other.Frame)
		}
	}
}

// What a model does not keep can neither be calibrated nor held out.
func TestForgottenImages(t *testing.T) {
	m := learnKeeping(t, patterns(t, 9, 4, dataset.Size{Height: 12, Width: 10}, 60), "12x10 pixels")
	m.Enrolled = nil
	if _, err := m.Calibrate(t.Context(), openset.Default, nil, nil); !errors.Is(err, ErrForgotten) {
		t.Errorf("it has forgotten: %v", err)
	}
	if _, err := m.HeldOut(t.Context(), nil); !errors.Is(err, ErrForgotten) {
		t.Errorf("it has forgotten: %v", err)
	}
}

// Each face is held out once of somebody who is known and once of a stranger,
// and the guess and the rival are the two likeliest.
func TestHeldOutIsEachFaceOnce(t *testing.T) {
	for _, people := range []int{2, 3, 5, 9} {
		for _, each := range []int{1, 2, 4, 7} {
			s := patterns(t, people, each, dataset.Size{Height: 12, Width: 10}, 200)
			m := learnKeeping(t, s, "12x10 pixels")
			last := 0
			verdicts, err := m.HeldOut(t.Context(), func(done, total int) {
				if last++; done != last || done > total {
					t.Errorf("%d of %d after %d", done, total, last)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			known, strange := make([]int, people*each), make([]int, people*each)
			for _, v := range verdicts {
				own := s.Classes[s.ClassOf(v.Image)]
				if v.Right != (v.Guess == own) || v.Right == (v.Guess == v.Rival) || v.Rival == own || v.Stranger && v.Right || !(v.Margin >= 0) {
					t.Fatalf("%d people, %d faces of each: %+v of %s", people, each, v, own)
				}
				if v.Stranger {
					strange[v.Image]++
				} else {
					known[v.Image]++
				}
			}
			for j := range known {
				if wantKnown, wantStrange := each > 1,
					people > 2; (known[j] == 1) != wantKnown || (strange[j] == 1) != wantStrange || known[j]+strange[j] > 2 {
					t.Fatalf("%d people, %d faces of each: face %d is held out %d times, and %d times as a stranger's",
						people, each, j, known[j], strange[j])
				}
			}
		}
	}
}

// Names that dataset.CheckName refuses come into no gallery and no model.
func TestNamesAreChecked(t *testing.T) {
	good := one("ann", "ann/1", 1, 2, 3)
	both, _, err := mergeImages(good, one("bob", "bob/1", 3, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"", "unknown", "Unknown", "..", "../../x", "a/b", "a\nb", "a\tb",
		"a\x1b[31m", "a\u202eb", "a\u200bb", "\xff", "bob",
	} {
		alike := *both
		alike.Classes = []string{name, "bob"}
		ways := map[string]func() error{
			"Learn": func() error {
				_, err := Learn(t.Context(), &alike, frontend.Pipeline{}, nil, classify.Run{}, 0)
				return err
			},
			"Keep": func() error { _, err := Keep(&alike); return err },
		}
		if name != "bob" {
			ways["Merge"] = func() error { _, _, err := mergeImages(both, one(name, "x", 1, 2, 3)); return err }
			ways["Rename"] = func() error { _, _, err := renamePerson(both, "ann", name); return err }
		}
		if name != "" && name != "bob" { // NewClassifier refuses those
			ways["Validate"] = func() error {
				fitted, samples, err := frontend.Pipeline{Frame: alike.Frame}.Fit(t.Context(), &alike)
				if err != nil {
					t.Fatal(err)
				}
				c, err := keeping{}.Fit(t.Context(), samples, classify.Run{})
				if err != nil {
					t.Fatal(err)
				}
				return (&Gallery{Model: &frontend.Model{Fitted: fitted, Classifier: c}}).Validate()
			}
		}
		for way, try := range ways {
			if err := try(); err == nil || name != "bob" && !strings.Contains(err.Error(), dataset.CheckName(name).Error()) {
				t.Errorf("%s of %q: %v", way, name, err)
			}
		}
	}
}
