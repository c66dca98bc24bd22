package measure

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/openset"
)

// drawn are vectors of so many people with as many photographs each: a normal vector for each
// person, and another for each photograph.
func drawn(seed uint64, people, photographs int) *dataset.Images {
	const length = 24
	rng := rand.New(rand.NewPCG(seed, 0))
	set := &dataset.Images{}
	set.X = mat.NewDense(length, people*photographs, nil)
	set.Groups = []int{0}
	for range people {
		centre := make([]float64, length)
		for i := range centre {
			centre[i] = rng.NormFloat64()
		}
		first := set.Groups[len(set.Groups)-1]
		for j := range photographs {
			for i, v := range centre {
				set.X.Set(i, first+j, v+0.5*rng.NormFloat64())
			}
		}
		set.Groups = append(set.Groups, first+photographs)
	}
	return set
}

// One pair of photographs of two names that show one person hardly moves the end of a law.
func TestTail(t *testing.T) {
	several, cohort := drawn(1, 60, 8), drawn(2, 200, 1)
	plain, err := Law(several, cohort)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		cohort.X.Set(i, 0, several.X.At(i, 0))
	}
	twin, err := Law(several, cohort)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= maxPhotographs; k++ {
		for _, z := range []float64{3, maxDeviate, 5.5} {
			if a, b := plain.Cosine(k, z), twin.Cosine(k, z); math.Abs(a-b) > 0.02 {
				t.Errorf("%d photographs: the cosine of deviate %v is %.3f, and was %.3f", k, z, b, a)
			}
		}
	}
	// Of standard normal cosines, the tail is that of the normal distribution.
	var z []float64
	for i := range points {
		z = append(z, minDeviate+float64(i)*0.15)
	}
	of := tailOf(1e5, z)
	if got := of.straighten(slices.Clone(z[:of.end]), z); len(got) != points || math.Abs(got[points-1]-z[points-1]) > 1e-5 {
		t.Errorf("the tail of a line is %v", got[of.first:])
	}
	for _, few := range []int{1, 90, 3540} {
		if of := tailOf(few, z); of.first < 0 || of.end-of.first < tailPoints || of.end > points {
			t.Errorf("%d comparisons: %+v", few, of)
		}
	}
}

func TestLaw(t *testing.T) {
	several, cohort := drawn(1, 60, 8), drawn(2, 200, 1)
	with, err := Law(several, cohort)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Law(several, nil)
	if err != nil {
		t.Fatal(err)
	}
	if with.People != 60 || with.Photographs != 480 || with.Faces != 200 || with.Comparisons != 60*200 || alone.Comparisons != 60*59 ||
		len(with.Cosines) != maxPhotographs {
		t.Errorf("%+v", with)
	}
	judge := drawn(3, 300, 1)
	for name, l := range map[string]*openset.Impostors{"cohort": with, "alone": alone} {
		limit, above, all := l.Cosine(1, 2), 0, 0
		x := compared(classify.Unit(judge.X), classify.Unit(judge.X))
		for i := range 300 {
			for j := range i {
				if all++; x.At(i, j) > limit {
					above++
				}
			}
		}
		// 2.3 % of impostors have a deviate above 2, less the standard error that is added.
		if share := float64(above) / float64(all); math.Abs(share-0.02) > 0.006 {
			t.Errorf("%s: %.4f of other people exceed the cosine of 2.3 %%", name, share)
		}
		if l.Genuine[0][0] < 2 || l.Genuine[4][0] < l.Genuine[0][0] || l.Same.Mean < l.Different.Mean {
			t.Errorf("%s: genuine %v", name, l.Genuine)
		}
		l.Source = `of "people", and others`
		again, err := openset.ParseImpostors(Lines(l))
		if err != nil || !reflect.DeepEqual(again, l) {
			t.Errorf("%s: read again: %v", name, err)
		}
	}
	if few, err := Law(drawn(1, 30, 4), nil); err != nil || len(few.Cosines) != 3 {
		t.Errorf("four photographs each: %v", err)
	}
	for _, set := range []*dataset.Images{drawn(1, 9, 8), drawn(1, 60, 3)} {
		if _, err := Law(set, nil); err == nil || !strings.Contains(advice.Text(err), "100 people") {
			t.Errorf("too few: %v", err)
		}
	}
}

// Measure the vectors of a network: of people with several photographs each, and of others.
func ExampleLaw() {
	people, others := drawn(1, 60, 8), drawn(2, 200, 1) // as faces.Read and faces.ReadFiles make them of photographs
	law, err := Law(people, others)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d people, %d pairs; means of up to %d photographs\n", law.People, law.Comparisons, len(law.Cosines))
	fmt.Printf("more photographs are better: %v\n", law.Accepts(5, 0.01) > law.Accepts(1, 0.01))
	// Output:
	// 60 people, 12000 pairs; means of up to 5 photographs
	// more photographs are better: true
}
