package methodtest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// A toy is CRC with traits of its own.
type toy struct {
	method.CRC
	traits classify.Traits
}

func (t toy) Traits() classify.Traits {
	all := t.CRC.Traits()
	all.Ranges, all.Presets, all.Predecessor, all.Memory = t.traits.Ranges, t.traits.Presets, t.traits.Predecessor, t.traits.Memory
	return all
}

// halfMean is Mean whose atoms are those of the first half of the samples.
type halfMean struct{ method.Mean }

func (m halfMean) Atom(x *mat.Dense) []float64 {
	d, n := x.Dims()
	return m.Mean.Atom(x.Slice(0, d, 0, n/2).(*mat.Dense))
}

// forgetful is FDDL whose state has lost its multipliers.
type forgetful struct{ method.FDDL }

func (m forgetful) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	for i, v := range run.Start.State {
		if v.Name == "U" {
			run.Start.State[i].Value = mat.NewDense(v.Value.RawMatrix().Rows, v.Value.RawMatrix().Cols, nil)
		}
	}
	return m.FDDL.Start(ctx, train, run)
}

// weightless is FDDL that claims to start from weights, which it does not learn.
type weightless struct{ method.FDDL }

func (m weightless) Traits() classify.Traits {
	all := m.FDDL.Traits()
	all.Start = "DSW"
	return all
}

// otherCoder is NRC that claims to code with a penalty.
type otherCoder struct{ method.NRC }

func (m otherCoder) Traits() classify.Traits {
	all, coder := m.NRC.Traits(), coding.DefaultStopped
	coder.L2 = 3
	all.Coder = coder
	return all
}

func noMemory(classify.Size) float64 { return -1 }

func ranged(r classify.Range) classify.Method {
	return toy{method.DefaultCRC, classify.Traits{Ranges: []classify.Range{r}}}
}

// Strange and vague have a parameter with a condition that nothing can meet.
type (
	strange struct {
		method.CRC
		More float64 `json:"more" if:"solver=admm"`
	}
	vague struct {
		method.CRC
		More float64 `json:"more" if:"always"`
	}
)

var more = classify.Traits{Ranges: []classify.Range{{Path: "more", Low: 0, High: 1}}}

func (strange) Traits() classify.Traits { return more }

func (vague) Traits() classify.Traits { return more }

func presetTo(path, value string) classify.Method {
	values := []classify.Value{{Path: path, Value: value, Source: "nowhere"}}
	return toy{method.DefaultCRC, classify.Traits{Presets: map[string][]classify.Value{"orl": values}}}
}

// toys break one promise each; complaint is what Run says of it.
var toys = map[string]struct {
	m         classify.Method
	subtest   string
	complaint string
}{
	"sound":              {toy{method.DefaultCRC, classify.Traits{Predecessor: "mean"}}, "traits are true", ""},
	"upside-down range":  {ranged(classify.Range{Path: "kappa", Low: 1, High: 1e-3}), "traits are true", "goes from 1 to 0.001"},
	"default outside":    {ranged(classify.Range{Path: "kappa", Low: 10, High: 100}), "traits are true", "leaves out"},
	"impossible end":     {ranged(classify.Range{Path: "kappa", Low: -1, High: 1}), "traits are true", "has -1"},
	"unknown parameter":  {ranged(classify.Range{Path: "mu", Low: 0, High: 1}), "traits are true", "is of no parameter"},
	"unknown condition":  {strange{CRC: method.DefaultCRC}, "traits are true", "no parameter solver"},
	"no condition":       {vague{CRC: method.DefaultCRC}, "traits are true", "not PATH=VALUE"},
	"impossible preset":  {presetTo("kappa", "-1"), "traits are true", "preset orl"},
	"preset of no field": {presetTo("mu", "1"), "traits are true", "preset orl"},
	"after nobody":       {toy{method.DefaultCRC, classify.Traits{Predecessor: "nobody"}}, "traits are true", `after "nobody"`},
	"another coder":      {otherCoder{method.DefaultNRC}, "traits are true", `"l2":3`},
	"negative memory":    {toy{method.DefaultCRC, classify.Traits{Memory: noMemory}}, "traits are true", "takes -1 numbers"},
	"nothing to start":   {weightless{method.DefaultFDDL}, "starts are those of its traits", "has no W to start from"},
	"false Separable":    {halfMean{}, "joins its classes", "another dictionary than Fit"},
	"incomplete state":   {forgetful{method.DefaultFDDL}, "goes on from its state", "of pass 3 is another"},
}

// Run fails for a method that breaks a promise, and says which. A toy is tested by this
// program, started once more.
func TestToys(t *testing.T) {
	if name := os.Getenv("NRDL_TOY"); name != "" {
		methodtest.Run(t, toys[name].m, methodtest.Options{})
		return
	}
	for name, toy := range toys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestToys$/^"+strings.ReplaceAll(toy.subtest, " ", "_")+"$")
			c.Env = append(os.Environ(), "NRDL_TOY="+name)
			out, err := c.CombinedOutput()
			if (err != nil) != (toy.complaint != "") || !strings.Contains(string(out), toy.complaint) {
				t.Errorf("%v, want %q\n%s", err, toy.complaint, out)
			}
		})
	}
}
