package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// people makes a set with so many images of each person; the image says only
// which column it was.
func people(sizes ...int) *Images {
	s := Unlabelled(nil, Frame{})
	s.Groups = []int{0}
	for c, n := range sizes {
		s.Classes = append(s.Classes, fmt.Sprintf("s%d", c+1))
		s.Groups = append(s.Groups, s.Groups[c]+n)
	}
	n := s.Groups[len(sizes)]
	s.X = mat.NewDense(1, n, nil)
	for j := range n {
		s.X.Set(0, j, float64(j+1))
	}
	return s
}

func mustSplit(t testing.TB, text string) Split {
	t.Helper()
	s, err := ParseSplit(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSplitTextRoundTrips(t *testing.T) {
	for _, text := range []string{"all", "half", "first:6", "random:20", "authors:20", "authors:5"} {
		s := mustSplit(t, text)
		if s.String() != text {
			t.Errorf("%q is written %q", text, s)
		}
		var again Split
		if b, err := json.Marshal(s); err != nil || json.Unmarshal(b, &again) != nil || again != s {
			t.Errorf("%q does not survive JSON: %s, %v", text, b, again)
		}
	}
	if (Split{}).String() != "all" {
		t.Errorf("the zero split is %q", Split{})
	}
	for _, text := range []string{
		"", "first", "first:", "first:0", "first:-1", "first:x", "all:3",
		"half:2", "authors:4", "thirds", "random:9999999999",
	} {
		if s, err := ParseSplit(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

func TestSplitIsAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(8, 15), 2, 6).Draw(t, "sizes")
		text := rapid.SampledFrom([]string{"half", "first:6", "random:3", "authors:7", "authors:5", "all"}).Draw(t, "split")
		seed := rapid.Uint64().Draw(t, "seed")
		set := people(sizes...)
		s, err := ParseSplit(text)
		if err != nil {
			t.Fatal(err)
		}
		train, test, err := s.Apply(set, seed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(train) || !slices.IsSorted(test) {
			t.Fatalf("not ascending: %v, %v", train, test)
		}
		all := slices.Sorted(slices.Values(slices.Concat(train, test)))
		for j, v := range all {
			if v != j {
				t.Fatalf("not a partition: %v", all)
			}
		}
		for c, n := range sizes {
			checkPerson(t, s, n, inPerson(train, set, c))
		}
		again, err := s.Train(set, seed)
		if err != nil || !slices.Equal(again, train) {
			t.Fatalf("Train gives %v (%v), Apply %v", again, err, train)
		}
	})
}

// inPerson returns which images of person c are among columns.
func inPerson(columns []int, set *Images, c int) []int {
	var images []int
	for _, j := range columns {
		if set.ClassOf(j) == c {
			images = append(images, j-set.Groups[c])
		}
	}
	return images
}

func checkPerson(t *rapid.T, s Split, n int, images []int) {
	want := map[splitRule]int{splitAll: n, splitHalf: (n + 1) / 2}[s.rule]
	if s.rule.counted() {
		want = s.k
	}
	if len(images) != want {
		t.Fatalf("%v trains on %d of %d images, want %d", s, len(images), n, want)
	}
	kept := map[splitRule]int{splitFirst: s.k, splitAuthors: authorsKeep}[s.rule]
	for j := range kept {
		if images[j] != j {
			t.Fatalf("%v trains on %v", s, images)
		}
	}
}

func TestSplitDependsOnTheSeedWhereItIsRandom(t *testing.T) {
	set := people(20, 20, 20)
	for text, random := range map[string]bool{
		"all": false, "first:3": false, "authors:5": false,
		"authors:9": true, "random:4": true, "half": true,
	} {
		s := mustSplit(t, text)
		a, _, err1 := s.Apply(set, 1)
		b, _, err2 := s.Apply(set, 1)
		c, _, err3 := s.Apply(set, 2)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		if !slices.Equal(a, b) {
			t.Errorf("%s: one seed, two splits", text)
		}
		if s.Random() != random || slices.Equal(a, c) == random {
			t.Errorf("%s: random is %v, seeds differ %v", text, s.Random(), !slices.Equal(a, c))
		}
	}
}

// TestRandomSplitsAreUniform counts how often each image trains: 3000 draws
// with p = 1/2 stay within 5 standard deviations of 27.4.
func TestRandomSplitsAreUniform(t *testing.T) {
	set, s := people(6, 6), mustSplit(t, "random:3")
	times := make([]int, 12)
	for seed := range uint64(3000) {
		train, _, err := s.Apply(set, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range train {
			times[j]++
		}
	}
	for j, n := range times {
		if n < 1500-137 || n > 1500+137 {
			t.Errorf("image %d trains %d times of 3000, want about 1500", j, n)
		}
	}
}

func TestTooFewImagesNameThePerson(t *testing.T) {
	for _, c := range []struct {
		split, want string
		sizes       []int
	}{
		{"first:6", `"s2" has 1 image; first:6 needs at least 7 (6 to learn and 1 to test)`, []int{9, 1}},
		{"first:6", `"s1" has 6 images; first:6 needs at least 7`, []int{6, 7}},
		{"half", `"s2" has 1 image; half needs at least 2 (1 to learn and 1 to test)`, []int{2, 1}},
	} {
		set := people(c.sizes...)
		for _, want := range []string{strings.Replace(c.want, " image", " sample", 1), c.want} {
			_, _, err := mustSplit(t, c.split).Apply(set, 1)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %v: error %v, want %q", c.split, c.sizes, err, want)
			}
			set.Frame.Size = Size{1, 1} // not vectors any more
		}
	}
	train, err := mustSplit(t, "first:6").Train(people(6, 7), 1)
	if err != nil || len(train) != 12 {
		t.Errorf("training alone: %v, %v", train, err)
	}
	if _, err := mustSplit(t, "first:6").Train(people(5, 7), 1); err == nil || !strings.HasSuffix(err.Error(), "needs at least 6") {
		t.Errorf("training alone: error %v", err)
	}
}
