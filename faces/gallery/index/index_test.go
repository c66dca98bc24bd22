package index

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/internal/blas"
)

// unitRow appends a random vector of unit norm near the first axis, as vectors of faces
// are near each other.
func unitRow(v []float32, rng *rand.Rand, dims int) []float32 {
	row, norm := make([]float64, dims), 0.0
	for i := range row {
		if row[i] = rng.NormFloat64(); i == 0 {
			row[i] += 4
		}
		norm += row[i] * row[i]
	}
	for _, x := range row {
		v = append(v, float32(x/math.Sqrt(norm)))
	}
	return v
}

// drawn are people with one to four faces.
func drawn(rng *rand.Rand, dims, info, n int) []*Person {
	all := make([]*Person, n)
	for i := range all {
		p := &Person{Name: fmt.Sprintf("p%d", i)}
		for j := range 1 + rng.IntN(4) {
			p.IDs = append(p.IDs, fmt.Sprintf("%s/%d.jpg", p.Name, j))
			p.Vectors = unitRow(p.Vectors, rng, dims)
			for range info {
				p.Info = append(p.Info, rng.Float64())
			}
		}
		all[i] = p
	}
	return all
}

// contents are the people of x by name.
func contents(t testing.TB, x *Index) map[string]*Person {
	t.Helper()
	all := map[string]*Person{}
	last, faces := "", 0
	for i, r := range x.People() {
		p, err := x.Person(r)
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := x.Find(p.Name); !ok || found != r || i > 0 && natural.Compare(last, p.Name) >= 0 {
			t.Fatalf("%q is found at %v, %v; it is at %v, after %q", p.Name, found, ok, r, last)
		}
		last, all[p.Name] = p.Name, p
		faces += len(p.IDs)
	}
	if people, n := x.Len(); people != len(all) || n != faces {
		t.Fatalf("%d people with %d faces, want %d, %d", people, n, len(all), faces)
	}
	return all
}

// nearest is Nearest with all faces and nothing else.
func nearest(people map[string]*Person, q []float32, k int) []string {
	type one struct {
		name   string
		cosine float32
	}
	var all []one
	for name, p := range people {
		best := one{name, float32(math.Inf(-1))}
		for j := range p.IDs {
			var c [1]float32
			product(q, p.Vectors[j*len(q):(j+1)*len(q)], len(q), c[:])
			best.cosine = max(best.cosine, c[0])
		}
		all = append(all, best)
	}
	slices.SortFunc(all, func(a, b one) int {
		switch {
		case a.cosine > b.cosine:
			return -1
		case a.cosine < b.cosine:
			return 1
		}
		return natural.Compare(a.name, b.name)
	})
	var names []string
	for _, a := range all[:min(k, len(all))] {
		names = append(names, fmt.Sprint(a.name, a.cosine))
	}
	return names
}

func expectNearest(t testing.TB, x *Index, want map[string]*Person, rng *rand.Rand) {
	t.Helper()
	dims, _ := x.Dims()
	var queries []float32
	const n, k = 11, 7
	for range n {
		queries = unitRow(queries, rng, dims)
	}
	if one, ok := want["p3"]; ok { // a face of the index, and equal cosines
		copy(queries, one.Vectors[:dims])
	}
	found, err := x.Nearest(t.Context(), queries, k)
	if err != nil {
		t.Fatal(err)
	}
	for q, hits := range found {
		var names []string
		for _, h := range hits {
			names = append(names, fmt.Sprint(x.Name(h.Ref), h.Cosine))
		}
		if diff := cmp.Diff(nearest(want, queries[q*dims:(q+1)*dims], k), names); diff != "" {
			t.Fatalf("query %d: %s", q, diff)
		}
	}
}

// What is found equals what comparing everything finds, with all kernels and numbers of
// threads, after any changes, in memory and in a file.
func TestNearestIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const dims, info = 30, 2
	path := filepath.Join(t.TempDir(), "faces")
	people := drawn(rng, dims, info, 300)
	people[5].Vectors = slices.Clone(people[3].Vectors[:dims]) // two people with one face
	people[5].IDs, people[5].Info = people[5].IDs[:1], people[5].Info[:info]
	x, err := New(dims, info).With(people[:250]...)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*Person{}
	for _, p := range people[:250] {
		want[p.Name] = p
	}
	check := func() {
		t.Helper()
		if diff := cmp.Diff(want, contents(t, x)); diff != "" {
			t.Fatal(diff)
		}
		expectNearest(t, x, want, rng)
	}
	check()
	for i := range 160 {
		switch p := people[rng.IntN(len(people))]; {
		case want[p.Name] != nil && rng.IntN(3) > 0:
			delete(want, p.Name)
			x, err = x.Without(p.Name)
		default:
			other := drawn(rng, dims, info, 1)[0]
			other.Name = p.Name
			want[p.Name] = other
			x, err = x.With(other)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%20 == 19 {
			if err := x.Save(t.Context(), path, []byte("meta"), fmt.Appendf(nil, "state %d", i)); err != nil {
				t.Fatal(err)
			}
			if i%40 == 39 || i < 20 {
				var meta, state []byte
				if x, meta, state, err = Open(path); err != nil || string(meta) != "meta" || string(state) != fmt.Sprintf("state %d", i) {
					t.Fatalf("%q, %q, %v", meta, state, err)
				}
			}
			check()
		}
	}
	before := blas.Current()
	defer func() { _ = blas.Use(before) }()
	for _, b := range blas.Available() {
		if b == blas.Gonum {
			continue // it promises no bits
		}
		_ = blas.Use(b)
		for _, threads := range []int{1, 3} {
			old := blas.SetThreads(threads)
			expectNearest(t, x, want, rng)
			blas.SetThreads(old)
		}
	}
}

// More faces than candidates are kept, in several segments, with and without codes.
func TestNearestOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const dims = 8
	want := map[string]*Person{}
	var all []*Person
	for i := range 3000 {
		p := &Person{Name: fmt.Sprintf("p%d", i), IDs: []string{"1"}, Vectors: unitRow(nil, rng, dims)}
		want[p.Name], all = p, append(all, p)
	}
	x, err := New(dims, 0).With(all...)
	if err != nil {
		t.Fatal(err)
	}
	expectNearest(t, x, want, rng)
	defer func(b blas.Backend) { _ = blas.Use(b) }(blas.Current())
	_ = blas.Use(blas.Go)
	expectNearest(t, x, want, rng)
}

// The distance of each vector from its code is at most what the segment says, and a search
// is exact where it says less.
func TestErrorsOfCodesAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	people := drawn(rng, 24, 0, 200)
	x, err := New(24, 0).With(people...)
	if err != nil {
		t.Fatal(err)
	}
	s := x.segments[0]
	rest, code := make([]float32, 24), make([]int8, 24)
	for j := range s.faces {
		s.centred(rest, s.vectors[24*j:24*(j+1)])
		scale, distance := quantise(code, rest)
		if distance > s.codeError || distance > s.codeRatio*scale*(1+1e-6) {
			t.Errorf("face %d: its code is off by %v, more than %v or %v", j, distance, s.codeError, s.codeRatio*scale)
		}
	}
	want := map[string]*Person{}
	for _, p := range people {
		want[p.Name] = p
	}
	s.codeRatio = 0 // not known
	expectNearest(t, x, want, rng)
}

// A change of x does not change x, and what it costs does not grow with many changes.
func TestChangesAreNew(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	people := drawn(rng, 6, 1, 300)
	x, err := New(6, 1).With(people[:1]...)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Index
	for i, p := range people[1:] {
		all = append(all, x)
		if x, err = x.With(p); err != nil {
			t.Fatal(err)
		}
		if len(x.segments) > 12 {
			t.Fatalf("%d segments of %d people", len(x.segments), i+2)
		}
	}
	for i, x := range all {
		if i%50 == 0 && len(contents(t, x)) != i+1 {
			t.Errorf("index %d has %d people", i, x.people)
		}
	}
	if _, err := x.Without("nobody"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	for name, p := range map[string]*Person{
		"no faces":        {Name: "a"},
		"a short vector":  {Name: "a", IDs: []string{"1"}, Info: []float64{1}, Vectors: []float32{1}},
		"no unit norm":    {Name: "a", IDs: []string{"1"}, Info: []float64{1}, Vectors: []float32{1, 1, 0, 0, 0, 0}},
		"not a number":    {Name: "a", IDs: []string{"1"}, Info: []float64{1}, Vectors: []float32{float32(math.NaN()), 1, 0, 0, 0, 0}},
		"no further ones": {Name: "a", IDs: []string{"1"}, Vectors: []float32{1, 0, 0, 0, 0, 0}},
	} {
		if _, err := x.With(p); err == nil {
			t.Errorf("%s is added", name)
		}
	}
	if _, err := x.With(people[0], people[0]); err == nil {
		t.Error("a person is added twice")
	}
	if _, err := x.Nearest(t.Context(), []float32{1}, 1); err == nil {
		t.Error("a short query is searched")
	}
}

// firstState and secondState are alike: the second is stored as a change of the first.
var (
	firstState  = []byte(strings.Repeat("[{a]}", 40) + "first")
	secondState = []byte(strings.Repeat("[{a]}", 40) + "second")
)

// fileOf is a small file with what was appended.
func fileOf(t testing.TB) (path string, data []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 4))
	path = filepath.Join(t.TempDir(), "faces")
	people := drawn(rng, 5, 1, 40)
	x, err := New(5, 1).With(people[:39]...)
	if err == nil {
		err = x.Save(t.Context(), path, []byte("meta"), firstState)
	}
	if err == nil {
		x, _, _, err = Open(path)
	}
	if err == nil {
		x, err = x.Without("p7")
	}
	if err == nil {
		x, err = x.With(people[39])
	}
	if err == nil {
		err = x.Save(t.Context(), path, []byte("meta"), secondState)
	}
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

// use reads all that is in a file.
func use(t testing.TB, data []byte) error {
	x, _, _, err := parse(&source{bytes.NewReader(data), func() (os.FileInfo, error) { return nil, os.ErrClosed }, nil, int64(len(data))})
	if err != nil {
		return err
	}
	for _, r := range x.People() {
		if _, err := x.Person(r); err != nil {
			return err
		}
	}
	dims, _ := x.Dims()
	_, err = x.Nearest(t.Context(), make([]float32, dims), 3)
	return err
}

// Every cut and every change of a byte that counts is an error that says what is wrong.
func TestDamage(t *testing.T) {
	path, data := fileOf(t)
	if err := use(t, data); err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{0, 10, pageBytes, len(data) / 2, len(data) - 1} {
		write(data[:n])
		if _, _, _, err := Open(path); err == nil || use(t, data[:n]) == nil {
			t.Errorf("%d of %d bytes are a gallery", n, len(data))
		} else if n >= pageBytes && !strings.Contains(err.Error(), "cut short") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	write(append(slices.Clone(data), "not appended to the end"...))
	if x, _, state, err := Open(path); err != nil || string(state) != string(secondState) || x.people != 39 {
		t.Errorf("what an interrupted writer left counts: %v", err)
	}
	spoilt, padding := slices.Clone(data), 0
	for i := pageBytes; i < len(data); i += 29 {
		spoilt[i] ^= 0x40
		if err := use(t, spoilt); err == nil {
			padding++
		}
		spoilt[i] ^= 0x40
	}
	if share := float64(padding) / (float64(len(data)-pageBytes) / 29); share > 0.1 { // bytes between records
		t.Errorf("%.0f %% of the bytes count for nothing", 100*share)
	}
	newer := slices.Clone(data)
	newer[len(Magic)]++
	if err := use(t, newer); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Error(err)
	}
	// With only the first slot, the file is what it was before the change.
	older := slices.Clone(data)
	clear(older[2*slotAt : 2*slotAt+slotBytes])
	write(older)
	if x, _, state, err := Open(path); err != nil || string(state) != string(firstState) || x.people != 39 {
		t.Errorf("%v, %q", err, state)
	} else if _, found := x.Find("p39"); found {
		t.Error("a change that was not counted counts")
	}
}

// Of two that change a file, the second writes it as a whole, and nobody reads a mixture.
func TestTwoWriters(t *testing.T) {
	path, _ := fileOf(t)
	a, _, _, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _, _, _ := Open(path)
	if a, err = a.Without("p1"); err == nil {
		err = a.Save(t.Context(), path, []byte("meta"), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if b, err = b.Without("p2"); err == nil {
		err = b.Save(t.Context(), path, []byte("meta"), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, _, _, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, b), contents(t, got)); diff != "" {
		t.Error(diff)
	}
	names := contents(t, got)
	if names["p1"] == nil || names["p2"] != nil || len(a.segments) == 0 {
		t.Error("the file is not what was written last")
	}
	// Somebody who was removed is not in a file that was written as a whole.
	if err = b.Compact(t.Context(), path, []byte("meta"), nil); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("p2/0.jpg")) {
		t.Errorf("the file still has who was removed: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	_, data := fileOf(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = use(t, data)
	})
}
