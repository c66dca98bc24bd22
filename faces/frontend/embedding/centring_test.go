package embedding

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drawnCentring is a centring of so many centres for vectors of length d.
func drawnCentring(t *testing.T, rng *rand.Rand, d, centres int) *Centring {
	t.Helper()
	var points []float64
	groups := centres / 2
	for i := range (centres + 1 + groups) * d {
		v := rng.NormFloat64() / math.Sqrt(float64(d))
		if i >= (centres+1)*d { // of different lengths
			v *= 0.1 * float64(1+i/d%3)
		}
		points = append(points, v)
	}
	c, err := NewCentring(Centring{
		About: "drawn", Length: d, Centres: centres, Sharpness: 10, Weight: 0.8,
		Groups: groups, GroupSharpness: 20,
	}, points)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// plainly centres v by the definition, word by word.
func plainly(c *Centring, v []float64) []float64 {
	unit := func(v []float64) []float64 {
		var norm float64
		for _, x := range v {
			norm += x * x
		}
		r := slices.Clone(v)
		for i := range r {
			r[i] /= math.Sqrt(norm)
		}
		return r
	}
	z := slices.Clone(v)
	for i := range z {
		z[i] -= c.points[i]
	}
	z = unit(z)
	less := func(z []float64, first, n int, of func(row []float64) float64, times float64) []float64 {
		y, sum := slices.Clone(z), 0.0
		row := func(k int) []float64 { return c.points[(first+k)*c.Length:][:c.Length] }
		for k := range n {
			sum += of(row(k))
		}
		for k := range n {
			for i := range y {
				y[i] -= times * of(row(k)) / sum * row(k)[i]
			}
		}
		return unit(y)
	}
	inner := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	y := less(z, 1, c.Centres, func(row []float64) float64 { return math.Exp(c.Sharpness * inner(row, z)) }, c.Weight)
	if c.Groups == 0 {
		return y
	}
	return less(y, 1+c.Centres, c.Groups, func(row []float64) float64 { return math.Exp(c.GroupSharpness * inner(unit(row), y)) }, 1)
}

func TestCentring(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{2, 1}, {8, 5}, {192, 123}} {
		c := drawnCentring(t, rng, size[0], size[1])
		v := make([]float64, size[0])
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		normalise(v)
		want := plainly(c, v)
		if !c.Apply(v) {
			t.Fatal("not centred")
		}
		for i := range v {
			if math.Abs(v[i]-want[i]) > 1e-6 {
				t.Fatalf("%v: %v, want %v", size, v[i], want[i])
			}
		}
		again, err := ReadCentring(c.File())
		if err != nil || again.Digest() != c.Digest() || !slices.Equal(again.points, c.points) || again.About != c.About {
			t.Errorf("read again: %+v, %v", again, err)
		}
	}
	c := drawnCentring(t, rng, 4, 2)
	if mean := slices.Clone(c.points[:4]); c.Apply(mean) {
		t.Error("the mean has a direction")
	}
}

// Files that are cut short, or that claim what they do not have, are refused.
func TestRefusedCentrings(t *testing.T) {
	file := string(drawnCentring(t, rand.New(rand.NewPCG(3, 4)), 8, 5).File())
	for name, text := range map[string]string{
		"empty": "", "no line": strings.TrimRight(file[:20], "\n"), "short": file[:len(file)-1], "long": file + "x",
		"many centres": strings.Replace(file, `"centres":5`, `"centres":99999999999`, 1),
		"no length":    strings.Replace(file, `"length":8`, `"length":0`, 1),
		"many groups":  strings.Replace(file, `"groups":2`, `"groups":99999999999`, 1),
		"no groups":    strings.Replace(file, `"groups":2`, `"groups":-1`, 1), "no step": strings.Replace(file, `"group_step"`, `"step"`, 1),
		"no weight": strings.Replace(file, `"weight":0.8`, `"weight":-1`, 1), "unknown": strings.Replace(file, `"weight"`, `"height"`, 1),
		"a long line": strings.Repeat(" ", maxCentringLine+1) + file,
	} {
		if _, err := ReadCentring([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The vectors of the default network are those without a centring, centred; other settings have none.
func TestDefaultIsCentred(t *testing.T) {
	off, on, other := "off", "on", "01234567"
	e, err := Open("", Given{Centring: &off})
	if err != nil {
		t.Fatal(err)
	}
	faces := drawnFaces(t, e, 3)
	raw, centred := embed(t, e, faces...), embed(t, Default(), faces...)
	for j := range raw {
		if !Default().Centring().Apply(raw[j]) || !slices.Equal(raw[j], centred[j]) {
			t.Fatalf("face %d", j)
		}
	}
	first := Default().Centring().Digest()[:minDigits]
	for _, word := range []*string{nil, &on, &first} {
		if e, err := Open("", Given{Centring: word}); err != nil || e.Frame() != Default().Frame() {
			t.Errorf("%v, %v", e, err)
		}
	}
	mirror := false
	if e, err := Open("", Given{Mirror: &mirror}); err != nil || e.Centring() != nil {
		t.Errorf("without the mirror image: %v", err)
	}
	for _, g := range []Given{{Centring: &on, Mirror: &mirror}, {Centring: &other}} {
		if _, err := Open("", g); err == nil {
			t.Errorf("%+v: no error", g)
		}
	}
	if e, err := Restore(e.Frame(), nil, nil); err != nil || e.Centring() != nil {
		t.Errorf("of earlier versions: %v", err)
	}
	// A model has its own numbers, also where those of the program are others.
	d := drawnCentring(t, rand.New(rand.NewPCG(5, 6)), 192, 3)
	f := Default().Frame()
	f.Embedding.Centring = d.Digest()
	if e, err := Restore(f, nil, d); err != nil || e.Frame() != f || !bytes.Equal(e.Centring().File(), d.File()) {
		t.Errorf("of a later version: %v", err)
	}
	if _, err := Restore(f, nil, nil); err == nil {
		t.Error("unknown numbers are not missed")
	}
}
