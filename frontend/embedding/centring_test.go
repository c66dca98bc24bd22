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
	for range (centres + 1) * d {
		points = append(points, rng.NormFloat64()/math.Sqrt(float64(d)))
	}
	c, err := NewCentring(Centring{About: "drawn", Length: d, Centres: centres, Sharpness: 10, Weight: 0.8}, points)
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
	y, sum := slices.Clone(z), 0.0
	weight := func(k int) float64 {
		var cosine float64
		for i := range z {
			cosine += c.points[(k+1)*c.Length+i] * z[i]
		}
		return math.Exp(c.Sharpness * cosine)
	}
	for k := range c.Centres {
		sum += weight(k)
	}
	for k := range c.Centres {
		for i := range y {
			y[i] -= c.Weight * weight(k) / sum * c.points[(k+1)*c.Length+i]
		}
	}
	return unit(y)
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
		"many centres": strings.Replace(file, `"centres":5`, `"centres":99999999999`, 1), "no length": strings.Replace(file, `"length":8`, `"length":0`, 1),
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
	first := Default().Centring().Digest()[:leastDigits]
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
