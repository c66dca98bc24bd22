package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// states are drawn as the states of a large gallery are: lists in a list.
func states(rng *rand.Rand, n int) []byte {
	b := []byte(`{"how":{"far":0.01},"held":{"probes":[`)
	for i := range n {
		b = fmt.Appendf(b, `{"name":"p%d","rivals":[{"name":"a","score":%v},{"name":"b","score":%v}]},`, i, rng.Float64(), rng.Float64())
	}
	return append(b, `]}}`...)
}

// A state is what its changes make of the one before, and a small change is small.
func TestChangesOfStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	a := states(rng, 200)
	for range 200 {
		b := slices.Clone(a)
		for range rng.IntN(4) {
			at := rng.IntN(len(b))
			switch to := min(len(b), at+rng.IntN(300)); rng.IntN(3) {
			case 0:
				b = slices.Delete(b, at, to)
			case 1:
				b = slices.Insert(b, at, slices.Clone(b[at:to])...)
			default:
				b[at] ^= 3
			}
		}
		c := change(a, b)
		got, err := applyChange(a, c)
		if err != nil || !bytes.Equal(got, b) || len(c) > len(b)/4 {
			t.Fatalf("%v, %d bytes for %d", err, len(c), len(b))
		}
		a = b
		for range 10 { // of unknown origin
			if len(c) > 0 {
				c[rng.IntN(len(c))] = byte(rng.IntN(256))
			}
			_, _ = applyChange(a, c)
		}
	}
	for _, pair := range [][2]string{{"", ""}, {"", "a"}, {"a]}b", ""}, {"]}]}", "]}]}]}"}} {
		if got, err := applyChange([]byte(pair[0]), change([]byte(pair[0]), []byte(pair[1]))); err != nil || string(got) != pair[1] {
			t.Errorf("%q → %q: %q, %v", pair[0], pair[1], got, err)
		}
	}
}

// After many changes, in one process and in several, a file is at most twice as large as
// one that is written as a whole, and has what it should.
func TestFileStaysSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	path := filepath.Join(t.TempDir(), "faces")
	people := drawn(rng, 32, 5, 120)
	x, err := New(32, 5).With(people...)
	if err == nil {
		err = x.Save(t.Context(), path, []byte("meta"), nil)
	}
	if err == nil {
		x, _, _, err = Open(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*Person{}
	for _, p := range people {
		want[p.Name] = p
	}
	state := states(rng, 100)
	rewrites := 0
	var last os.FileInfo
	for i := range 1000 {
		p := drawn(rng, 32, 5, 1)[0]
		if p.Name = fmt.Sprintf("p%d", rng.IntN(150)); want[p.Name] != nil && rng.IntN(2) == 0 {
			delete(want, p.Name)
			x, err = x.Without(p.Name)
		} else {
			want[p.Name] = p
			x, err = x.With(p)
		}
		if i%100 == 99 {
			state = states(rng, 100)
		}
		state[rng.IntN(len(state)-60)+50] ^= 1
		if err == nil {
			err = x.Save(t.Context(), path, []byte("meta"), state)
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && !os.SameFile(info, last) {
			rewrites++
		}
		last = info
		if i%50 == 0 || i == 999 {
			var whole bytes.Buffer
			if err := x.Write(t.Context(), &whole, []byte("meta"), state); err != nil {
				t.Fatal(err)
			}
			if info.Size() > 2*int64(whole.Len()) {
				t.Fatalf("%d bytes after %d changes, and %d written as a whole", info.Size(), i+1, whole.Len())
			}
			y, meta, stored, err := Open(path)
			if err != nil || string(meta) != "meta" || !bytes.Equal(stored, state) {
				t.Fatalf("%v, %q", err, meta)
			}
			if diff := cmp.Diff(want, contents(t, y)); diff != "" {
				t.Fatal(diff)
			}
			if i < 500 { // then the process goes on with what it has
				x = y
			}
		}
	}
	if rewrites == 0 || rewrites > 50 {
		t.Errorf("the file was written as a whole %d times", rewrites)
	}
}

// A process that is killed while it appends leaves the file as it was, whatever reached
// the disk.
func TestKilledWhileItAppends(t *testing.T) {
	path, before := fileOf(t)
	x, _, state, err := Open(path)
	if err == nil {
		x, err = x.Without("p4")
	}
	if err == nil {
		err = x.Save(t.Context(), path, []byte("meta"), append(state, " more"...))
	}
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 3))
	for range 200 {
		torn := slices.Clone(after[:len(before)+rng.IntN(len(after)-len(before)+1)])
		copy(torn[len(Magic)+4:pageBytes], before[len(Magic)+4:pageBytes]) // the slots; the version may be there
		for i := len(before); i < len(torn); i++ {
			if rng.IntN(50) == 0 {
				torn[i] = 0
			}
		}
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		y, _, stored, err := Open(path)
		if err != nil || !bytes.Equal(stored, state) {
			t.Fatalf("%v, state %q", err, stored)
		}
		if _, found := y.Find("p4"); !found {
			t.Fatal("the change counts")
		}
	}
}

// A file that is cut, or overwritten by another one, at any moment of a search is an
// error, and no name of a search is wrong.
func TestFileIsChangedWhileItIsRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	const dims, k = 128, 5
	dir := t.TempDir()
	file := func(name string, n int) (*Index, []byte) {
		x, err := New(dims, 5).With(drawn(rng, dims, 5, n)...)
		path := filepath.Join(dir, name)
		if err == nil {
			err = x.Save(t.Context(), path, []byte("meta"), []byte("state"))
		}
		data, failed := os.ReadFile(path)
		if err = errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		return x, data
	}
	whole, data := file("whole", 100)
	_, longer := file("longer", 160)
	_, shorter := file("shorter", 50)
	same := slices.Clone(data)
	for i := pageBytes; i < len(same); i++ {
		same[i] ^= byte(1 + i%7)
	}
	var queries []float32
	for range 4 {
		queries = unitRow(queries, rng, dims)
	}
	nearest := func(x *Index) (names []string, err error) {
		found, err := x.Nearest(t.Context(), queries, k)
		for _, hits := range found {
			for _, h := range hits {
				names = append(names, fmt.Sprint(x.Name(h.Ref), h.Cosine))
			}
		}
		return names, err
	}
	want, err := nearest(whole)
	if err != nil {
		t.Fatal(err)
	}
	const moments = 50
	for what, by := range map[string][]byte{"cut": nil, "longer": longer, "shorter": shorter, "as long": same} {
		seen := 0
		for range moments {
			path := filepath.Join(dir, "model")
			past := time.Now().Add(-time.Hour)
			if err := errors.Join(os.WriteFile(path, data, 0o600), os.Chtimes(path, past, past)); err != nil {
				t.Fatal(err)
			}
			x, _, _, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			wait, to := time.Duration(rng.IntN(1000))*time.Microsecond, rng.Int64N(int64(len(data)))
			ctx, changed := context.WithCancel(context.Background())
			go func() {
				defer changed()
				time.Sleep(wait)
				if by == nil {
					_ = os.Truncate(path, to)
					return
				}
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0) // as cp does
				if err != nil {
					return
				}
				defer f.Close()
				_, _ = io.Copy(f, bytes.NewReader(by))
			}()
			for over := false; ; {
				names, err := nearest(x)
				if err != nil && !errors.Is(err, ErrChanged) {
					t.Fatalf("%s: %v", what, err)
				}
				if err == nil && !slices.Equal(names, want) {
					t.Fatalf("%s: %v, want %v", what, names, want)
				}
				if err != nil || over {
					if err != nil {
						seen++
					}
					break
				}
				over = ctx.Err() != nil
			}
			<-ctx.Done()
		}
		if seen < moments/2 {
			t.Errorf("%s: %d of %d changes were errors", what, seen, moments)
		}
	}
}
