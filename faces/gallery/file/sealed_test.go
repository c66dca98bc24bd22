package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/safetensors"
	"nrdl.example/nrdl/internal/kit/testing/edits"
)

// seal writes a model file with that text under "nrdl", D of 2×4 ones and W
// of 2×4, and the checksum that the format asks for. Extra tensors have names
// that come after groups, or before it and after D.
func seal(t testing.TB, text string, groups []int64, extra ...safetensors.Tensor) []byte {
	tensors := []safetensors.Tensor{ones("D", 2, 4), ones("W", 2, 4), {Name: "groups", Shape: []int{len(groups)}, Data: groups}}
	tensors = append(tensors, extra...)
	var b bytes.Buffer
	err := safetensors.Write(&b, tensors, map[string]string{"nrdl": text, "sha256": sum(t, text, tensors)})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sum is the checksum that the format asks for, naively. It sorts tensors.
func sum(t testing.TB, text string, tensors []safetensors.Tensor) string {
	t.Helper()
	slices.SortFunc(tensors, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	h := sha256.New()
	io.WriteString(h, text+"\n")
	for _, x := range tensors {
		shape := fmt.Sprint(x.Shape)
		io.WriteString(h, x.Name+" "+shape+"\n")
		if err := binary.Write(h, binary.LittleEndian, x.Data); err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func ones(name string, shape ...int) safetensors.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return safetensors.Tensor{Name: name, Shape: shape, Data: slices.Repeat([]float64{1}, n)}
}

// fitted are the tensors of a projection of six features.
func fitted() []safetensors.Tensor { return []safetensors.Tensor{ones("P", 6, 2), ones("m", 6, 1)} }

const sealed = `{"format":9,"classes":["a","b"],"coder":{"name":"ridge","lambda":1},"rule":"linear",` +
	`"input":{"height":0,"width":0},"method":"m","seed":1,"trained":{"status":"converged","iter":1,"residual":0}}`

// sealedProjected goes with the tensors that fitted returns.
var sealedProjected = strings.Replace(sealed, `"height":0,"width":0`,
	`"height":3,"width":2,"mirror":true,"projection":{"name":"pca","dims":2}`, 1)

// A right checksum is no excuse: whoever can write a file can write that.
func TestSealedModelsAreChecked(t *testing.T) {
	if _, err := load(seal(t, sealed, []int64{0, 1, 4})); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"seed":1`, `"seed":1,"sead":2`, `model: json: unknown field "sead"`},
		{`"seed":1`, `"seed":1,"seed":1`, `model: "seed" is there twice`},
		{`"seed":1`, `"seed":-1`, "model: json: cannot unmarshal number -1 into Go struct field header.seed of type uint64"},
		{`"coder":{"name":"ridge","lambda":1},`, ``, "model: read the coder: coder: not valid JSON"},
		{`"lambda"`, `"lamda"`, `model: read the coder: unknown parameter of ridge "lamda"`},
		{`"lambda":1`, `"lambda":-1`, "model: classifier: lambda = -1 of the ridge coder is not a weight ≥ 0"},
		{`["a","b"]`, `["a"]`, "model: classifier: groups [0 1 4] do not divide 4 columns into 1 classes"},
		{`["a","b"]`, `["a","a"]`, `model: two classes are named "a"`},
		{`["a","b"]`, `null`, "model: classifier: groups [0 1 4] do not divide 4 columns into 0 classes"},
		{`"linear"`, `"best"`, `model: unknown rule "best"`},
		{`"linear"`, `"residual"`, `model: rule "residual" has no use for W`},
		{`"height":0,"width":0`, `"height":3,"width":2`, "model: classifier: atoms: a grid of 1 planes of 3x2 pixels for 2 features"},
		{`"height":0,"width":0`, `"height":-1,"width":-2`, "model: size -1x-2 is outside 1x1 … 1024x1024"},
	} {
		_, err := load(seal(t, strings.Replace(sealed, tt.old, tt.new, 1), []int64{0, 1, 4}))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s → %s: %v, want %s", tt.old, tt.new, err, tt.want)
		}
	}
	for _, groups := range [][]int64{{}, {0}, {0, 4}, {0, 4, 4}, {0, -1, 4}, {1, 2, 4}, {0, 5, 4}, {0, 1, math.MaxInt64}} {
		if _, err := load(seal(t, sealed, groups)); err == nil {
			t.Errorf("groups %v are accepted", groups)
		}
	}
}

// A model that was written before names were checked is refused, and the hint
// says what to do.
func TestSealedNamesAreChecked(t *testing.T) {
	for _, name := range []string{"", "unknown", "..", "../../x", `a\nb`, `a\u001b[31mb`, `a\u202eb`} {
		text := strings.Replace(sealed, `"a"`, `"`+name+`"`, 1)
		_, err := load(seal(t, text, []int64{0, 1, 4}))
		if err == nil || !strings.HasPrefix(advice.Text(err), "train it again") {
			t.Errorf("%q: %v (hint %q)", name, err, advice.Text(err))
		}
	}
}

// A model that asks for work without end is refused when it is read, with the
// parameters that ask for it.
func TestSealedModelsOfMuchWorkAreRefused(t *testing.T) {
	const robust = `{"name":"robust","estimator":"huber","lambda":0.04,"rounds":20,"rho":1,"passes":1000000,` +
		`"weights":"logistic","quantile":0.6,"steepness":2,"l2":0.01}`
	groups := []int64{0, 1, 4}
	for _, tt := range []struct{ coder, want, hint string }{
		{
			robust, "model: classifier: the coder robust with rounds = 20 and passes = 1000000 over 4 atoms of 2 features takes",
			"lower rounds or passes",
		},
		{strings.Replace(robust, `"rounds":20`, `"rounds":1000000`, 1), "rounds = 1000000 and passes = 1000000", "lower rounds or passes"},
		{strings.Replace(strings.Replace(robust, `"passes":1000000`, `"passes":5`, 1), `"huber"`, `"irls"`, 1), "", ""},
		{
			strings.Replace(strings.Replace(robust, `"rounds":20`, `"rounds":1000000`, 1), `"huber"`, `"irls"`, 1),
			"rounds = 1000000", "lower rounds",
		},
	} {
		text := strings.Replace(sealed, `{"name":"ridge","lambda":1}`, tt.coder, 1)
		switch _, err := load(seal(t, text, groups)); {
		case tt.want == "" && err != nil:
			t.Error(err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(advice.Text(err), tt.hint)):
			t.Errorf("%s: %v (%s), want %s", tt.coder, err, advice.Text(err), tt.want)
		}
	}
}

// A stage that no nrdl could have written, and a projection that does not go
// with the input, are refused.
func TestSealedInputsAreChecked(t *testing.T) {
	groups := []int64{0, 1, 4}
	if _, err := load(seal(t, sealedProjected, groups, fitted()...)); err != nil {
		t.Fatal(err)
	}
	const stages = `"mirror":true,"projection":{"name":"pca","dims":2}`
	for _, tt := range []struct{ by, want string }{
		{`"mirror":true`, "model: a pipeline of 3x2 pixels mirror, and a projection that was fit"},
		{`"mirror":1`, "model: json: cannot unmarshal number into Go struct field Pipeline.input.mirror of type bool"},
		{`"mirorr":true`, `model: json: unknown field "mirorr"`},
		{`"crop":2`, "model: crop = 2 is not a share between 0 and 1"},
		{`"crop":-1e-9`, "model: crop = -1e-09 is not a share between 0 and 1"},
		{`"features":[]`, "model: a pipeline of 3x2 pixels, and a projection that was fit"},
		{`"features":[{"name":"hog"}]`, `missing`},
		{`"features":[{"name":"igo","cell":2}]`, `unknown parameter of igo "cell"`},
		{`"features":[{"name":"sift"}]`, `"sift"`},
		{`"features":[null]`, `feature`},
		{`"features":{"name":"igo"}`, "is not a list of objects with names"},
		{`"features":[{"name":"igo"}],` + stages, "model: a pipeline of 3x2 igo mirror pca:dims=2 makes 12 features, its projection takes 6"},
		{`"photometric":[{"name":"tan-triggs"}]`, "missing"},
		{`"photometric":[{"name":"equalize"}]`, `"equalize"`},
		{`"projection":{"name":"lda"}`, `"lda"`},
		{`"projection":{"name":"fisher","ridge":0,"dims":0}`, "ridge = 0 of fisher is not a number > 0 and at most 1e+06"},
		{`"projection":{"name":"fisher","ridge":1}`, `missing`},
		{`"projection":{"name":"pca","dims":-1}`, "dims = -1 of pca is negative"},
	} {
		text := strings.Replace(sealedProjected, stages, tt.by, 1)
		_, err := load(seal(t, text, groups, fitted()...))
		if err == nil || !strings.HasPrefix(err.Error(), "model: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.by, err, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		tensors []safetensors.Tensor
		want    string
	}{
		"nothing is fit": {nil, "model: a pipeline of 3x2 pixels mirror pca:dims=2, whose projection was not fit"},
		"no mean":        {fitted()[:1], "damaged model: the projection is 6×2 and its mean has 0 features"},
		"no matrix":      {fitted()[1:], "damaged model: the projection has no matrix"},
		"a mean too short": {
			[]safetensors.Tensor{ones("P", 6, 2), ones("m", 5, 1)},
			"damaged model: the projection is 6×2 and its mean has 5 features",
		},
		"too few features": {
			[]safetensors.Tensor{ones("P", 5, 2), ones("m", 5, 1)},
			"model: a pipeline of 3x2 pixels mirror pca:dims=2 makes 6 features, its projection takes 5",
		},
		"too many dimensions": {
			[]safetensors.Tensor{ones("P", 6, 3), ones("m", 6, 1)},
			"model: atoms: a pipeline of 3x2 pixels mirror pca:dims=2 makes 3 features, not 2",
		},
		"a flat mean": {[]safetensors.Tensor{ones("P", 6, 2), ones("m", 6)}, "damaged model: m is not a matrix"},
	} {
		if _, err := load(seal(t, sealedProjected, groups, tt.tensors...)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func checkLoad(t *testing.T, b []byte) {
	m, err := load(b)
	if err != nil {
		return
	}
	again := save(t, m)
	if m, err = load(again); err != nil {
		t.Fatalf("what was loaded and saved is refused: %v", err)
	}
	if !bytes.Equal(save(t, m), again) {
		t.Fatal("a loaded model is saved as other bytes")
	}
}

func FuzzRead(f *testing.F) {
	edits.Fuzz(f, "FuzzRead", checkLoad, smallModel(f))
}

// FuzzReadSealed goes where FuzzRead is stopped by the checksum.
func FuzzReadSealed(f *testing.F) {
	texts := append([][]byte{[]byte(sealed), []byte(sealedProjected)}, edits.Seeds(f, "FuzzReadSealed")...)
	for i := range texts {
		f.Add(uint8(i), []byte{}, int64(1), int64(4), false)
		f.Add(uint8(i), []byte{}, int64(1), int64(4), true)
	}
	f.Fuzz(func(t *testing.T, at uint8, list []byte, g1, g2 int64, projected bool) {
		if len(list) > edits.MaxBytes {
			return
		}
		text := string(edits.Apply(texts[int(at)%len(texts)], list))
		var extra []safetensors.Tensor
		if projected {
			extra = fitted()
		}
		if utf8.ValidString(text) {
			checkLoad(t, seal(t, text, []int64{0, g1, g2}, extra...))
		}
	})
}
