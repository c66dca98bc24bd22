package group_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/internal/testing/realdata"
	"nrdl.example/nrdl/openset"
)

// How albums are drawn: people of a circle come together, up to five in a photograph.
const (
	circle     = 8
	maxInPhoto = 5
	stranger   = 0.3 // share of photographs with a stranger
	unnamed    = 0.1 // share of people in photographs who have no name there
	unfound    = 0.1 // share of people in photographs who are named and whose face is not found
	enough     = 5   // photographs of a person who counts
)

// An album is faces in photographs with names.
type album struct {
	faces       *mat.Dense
	photographs []int
	truth       []string // "" for a stranger, or somebody without a name in the photograph
	person      []string
	names       [][]string
}

// drawAlbum draws an album of people of a set, each face once, with strangers.
func drawAlbum(set, others *dataset.Images, people, strangers []int, rng *rand.Rand) *album {
	a := &album{}
	x, strange := classify.Unit(set.X), classify.Unit(others.X)
	var columns [][]float64
	add := func(column []float64, truth, person string) {
		columns = append(columns, column)
		a.photographs, a.truth, a.person = append(a.photographs, len(a.names)-1), append(a.truth, truth), append(a.person, person)
	}
	for lo := 0; lo < len(people); lo += circle {
		left := map[int][]int{}
		open := slices.Clone(people[lo:min(len(people), lo+circle)])
		for _, c := range open {
			for _, k := range rng.Perm(set.Groups[c+1] - set.Groups[c]) {
				left[c] = append(left[c], set.Groups[c]+k)
			}
		}
		for len(open) > 0 {
			var names []string
			a.names = append(a.names, nil)
			rng.Shuffle(len(open), func(i, k int) { open[i], open[k] = open[k], open[i] })
			for _, c := range open[:min(len(open), 1+rng.IntN(maxInPhoto))] {
				name, j := set.Classes[c], left[c][0]
				left[c] = left[c][1:]
				truth := ""
				if rng.Float64() >= unnamed {
					names, truth = append(names, name), name
				}
				if rng.Float64() >= unfound {
					add(mat.Col(nil, j, x), truth, name)
				}
			}
			a.names[len(a.names)-1] = names
			open = slices.DeleteFunc(open, func(c int) bool { return len(left[c]) == 0 })
			if rng.Float64() < stranger && len(strangers) > 0 {
				add(mat.Col(nil, strangers[0], strange), "", "")
				strangers = strangers[1:]
			}
		}
	}
	a.faces = mat.NewDense(len(columns[0]), len(columns), nil)
	for j, column := range columns {
		a.faces.SetCol(j, column)
	}
	return a
}

// rates are shares of the faces of people with enough photographs, and of faces of nobody.
type rates struct{ faces, right, wrong, nobody, named int }

func (a *album) judge(guesses []group.Guess) (r rates) {
	times := map[string]int{}
	for _, all := range a.names {
		for _, name := range all {
			times[name]++
		}
	}
	for k, g := range guesses {
		switch truth := a.truth[k]; {
		case truth == "":
			r.nobody++
			if g.Name != "" {
				r.named++
			}
		case times[truth] >= enough:
			r.faces++
			if g.Name == truth {
				r.right++
			} else if g.Name != "" {
				r.wrong++
			}
		}
	}
	return r
}

func (r rates) String() string {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	return fmt.Sprintf(
		"%5d faces of people with %d or more photographs: %.2f %% right, %.2f %% wrong, %.2f %% left out; of %d faces of "+
			"nobody %.2f %% have a name",
		r.faces, enough, share(r.right, r.faces), share(r.wrong, r.faces), share(r.faces-r.right-r.wrong, r.faces),
		r.nobody, share(r.named, r.nobody))
}

// drawnPeople draws vectors that are as similar as those of the built-in network.
func drawnPeople(people, each int, seed uint64) (*dataset.Images, *openset.Impostors) {
	frame := embedding.Default().Frame()
	l := frontend.Pipeline{Frame: frame}.Law()
	d := frame.Len()
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(d, people*each, nil)
	var labels, ids []string
	common, person, photograph := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/float64(d)),
		math.Sqrt((1-l.Same.Mean)/float64(d))
	for p := range people {
		own := make([]float64, d)
		for i := range own {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		for k := range each {
			j := p*each + k
			for i := range own {
				x.Set(i, j, own[i]+photograph*rng.NormFloat64())
			}
			labels, ids = append(labels, fmt.Sprintf("%03d", p)), append(ids, fmt.Sprintf("%03d/%d", p, k))
		}
	}
	set, err := dataset.NewImages(x, labels, ids, nil, frame)
	if err != nil {
		panic(err)
	}
	return set, l
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// Drawn people of photographs with names get their names, and strangers none.
func TestWeak(t *testing.T) {
	set, l := drawnPeople(24, 6, 1)
	others, _ := drawnPeople(40, 1, 2)
	a := drawAlbum(set, others, upTo(24), upTo(40), rand.New(rand.NewPCG(3, 3)))
	guesses, err := group.Weak(t.Context(), a.faces, a.photographs, a.names, nil, l, group.DefaultWeak)
	if err != nil {
		t.Fatal(err)
	}
	r := a.judge(guesses)
	t.Log(r)
	if float64(r.right) < 0.95*float64(r.faces) || float64(r.wrong) > 0.01*float64(r.faces) || float64(r.named) > 0.02*float64(r.nobody) {
		t.Error(r)
	}
	for k, g := range guesses { // nobody gets a name that the photograph does not have, or twice
		if g.Name != "" && !slices.Contains(a.names[a.photographs[k]], g.Name) {
			t.Errorf("face %d: %s", k, g.Name)
		}
		for j := range k {
			if g.Name != "" && a.photographs[j] == a.photographs[k] && guesses[j].Name == g.Name {
				t.Errorf("faces %d and %d: %s", j, k, g.Name)
			}
		}
	}
	again, err := group.Weak(t.Context(), a.faces, a.photographs, a.names, nil, l, group.DefaultWeak)
	if err != nil || !slices.Equal(again, guesses) {
		t.Error("not the same again")
	}
}

// Two people who are always together cannot be distinguished: neither gets a name.
func TestWeakLeavesTwinsOut(t *testing.T) {
	set, l := drawnPeople(8, 6, 4)
	var photographs []int
	var names [][]string
	for j := range set.Len() {
		c, k := set.ClassOf(j), j%6
		if c < 2 { // the first two in the same photographs
			photographs = append(photographs, k)
		} else {
			photographs = append(photographs, 6+j-12)
		}
	}
	for range 6 {
		names = append(names, []string{"A", "B"})
	}
	for j := 12; j < set.Len(); j++ {
		names = append(names, []string{set.Classes[set.ClassOf(j)]})
	}
	guesses, err := group.Weak(t.Context(), classify.Unit(set.X), photographs, names, nil, l, group.DefaultWeak)
	if err != nil {
		t.Fatal(err)
	}
	for j, g := range guesses {
		if want := map[bool]string{true: "", false: set.Classes[set.ClassOf(j)]}[j < 12]; g.Name != want {
			t.Errorf("face %d: %+v, want %q", j, g, want)
		}
	}
	// A face that is known tells the one from the other.
	known := make([]string, set.Len())
	known[0] = "A"
	guesses, err = group.Weak(t.Context(), classify.Unit(set.X), photographs, names, known, l, group.DefaultWeak)
	if err != nil || guesses[1].Likeliest != "A" || guesses[7].Name == "A" {
		t.Errorf("%+v, %v", guesses[:12], err)
	}
}

// A photograph with one name and one face is enough, unless the face resembles somebody else.
func TestWeakOfOnePhotograph(t *testing.T) {
	set, l := drawnPeople(6, 2, 9)
	names, photographs := [][]string{}, upTo(set.Len())
	for j := range set.Len() {
		names = append(names, []string{set.Classes[set.ClassOf(j)]})
	}
	for perPerson := 1; perPerson <= 2; perPerson++ {
		var of []int
		for j := range set.Len() {
			if j%2 < perPerson {
				of = append(of, j)
			}
		}
		some, titles := set.Select(of), [][]string{}
		for _, j := range of {
			titles = append(titles, names[j])
		}
		guesses, err := group.Weak(t.Context(), classify.Unit(some.X), photographs[:len(of)], titles, nil, l, group.DefaultWeak)
		if err != nil {
			t.Fatal(err)
		}
		for k, g := range guesses {
			if g.Name != titles[k][0] {
				t.Errorf("%d a person, face %d: %+v, want %s", perPerson, k, g, titles[k][0])
			}
		}
	}
	names[1] = []string{"somebody else"} // a face of the first person
	guesses, err := group.Weak(t.Context(), classify.Unit(set.X), photographs, names, nil, l, group.DefaultWeak)
	if err != nil || guesses[1].Name != "" {
		t.Errorf("%+v, %v", guesses[1], err)
	}
}

// Real faces in drawn albums: the numbers of DefaultWeak were chosen on one half of the people,
// the other half judges.
func TestRealAlbums(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("finds faces in 1900 photographs")
	}
	o := faces.ReadOptions{
		Embedder: embedding.Default(), Detect: face.Options{Detect: face.Always},
		Observer: faces.Observer{Warn: func(error) {}},
	}
	set, err := faces.Read(t.Context(), realdata.Path(t, "photos", "lfw_several"), o)
	if err != nil {
		t.Fatal(err)
	}
	var files []dataset.File
	files, err = dataset.PhotoFiles(realdata.Path(t, "photos", "lfw_strangers"))
	if err != nil {
		t.Fatal(err)
	}
	o.Frame = set.Frame
	others, err := faces.ReadFiles(t.Context(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	albums(t, set, others)
}

// albums names the faces of five albums of each half of the people of set.
func albums(t *testing.T, set, others *dataset.Images) {
	set, others = set.Select(classify.NonZero(set.X)), others.Select(classify.NonZero(others.X))
	l := frontend.Pipeline{Frame: set.Frame}.Law()
	order, apart := rand.New(rand.NewPCG(7, 7)).Perm(len(set.Classes)), rand.New(rand.NewPCG(8, 8)).Perm(others.Len())
	for half, what := range []string{"chosen on", "judged on"} {
		people, strangers := order[half*len(order)/2:(half+1)*len(order)/2], apart[half*len(apart)/2:(half+1)*len(apart)/2]
		var all rates
		for draw := range 5 {
			a := drawAlbum(set, others, people, strangers, rand.New(rand.NewPCG(uint64(half), uint64(draw))))
			guesses, err := group.Weak(t.Context(), a.faces, a.photographs, a.names, nil, l, group.DefaultWeak)
			if err != nil {
				t.Fatal(err)
			}
			r := a.judge(guesses)
			t.Logf("%s, draw %d: %v", what, draw+1, r)
			all = rates{all.faces + r.faces, all.right + r.right, all.wrong + r.wrong, all.nobody + r.nobody, all.named + r.named}
		}
		t.Logf("%s, all draws: %v", what, all)
		if half == 1 && (float64(all.right) < 0.95*float64(all.faces) || float64(all.wrong) > 0.01*float64(all.faces)) {
			t.Error("fewer faces are right, or more are wrong, than is promised")
		}
	}
}
