package methodtest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
)

// A kept is what is stored of a Classifier: its matrices beside words and numbers.
type kept struct {
	Coder  json.RawMessage // of coding.Marshal
	Rule   string
	Weight float64
	Parts  classify.Parts // without what has a field here

	dictionary, ofCoder, ofRule *mat.Dense
}

func keep(t *testing.T, m *classify.Classifier) kept {
	t.Helper()
	p := m.Parts()
	coder, err := coding.Marshal(p.Coder)
	if err != nil {
		t.Fatal(err)
	}
	k := kept{Coder: coder, Rule: p.Rule.Name(), Weight: p.Rule.Learned().Weight, dictionary: p.D, ofRule: p.Rule.Learned().Matrix}
	if c, ok := p.Coder.(coding.TrainedCoder); ok {
		_, k.ofCoder = c.Learned()
	}
	p.D, p.Coder, p.Rule = nil, nil, nil
	k.Parts = p
	return k
}

// classifier makes the Classifier from what k stores.
func (k kept) classifier(t *testing.T) *classify.Classifier {
	t.Helper()
	p := k.Parts
	coder, err := coding.Unmarshal(k.Coder)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := coder.(coding.TrainedCoder); ok {
		coder = c.With(k.ofCoder)
	}
	for _, r := range slices.Concat(classify.Untrained, classify.Trained) {
		if r.Name() == k.Rule {
			p.Rule = r
		}
	}
	if p.Rule == nil {
		t.Fatalf("unknown rule %s", k.Rule)
	}
	if l := p.Rule.Learned(); k.ofRule != nil {
		l.Matrix, l.Weight = k.ofRule, k.Weight
		p.Rule = p.Rule.With(l)
	}
	p.D, p.Coder = k.dictionary, coder
	m, err := classify.NewClassifier(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// encode is all that is stored of a Classifier, to the bit.
func encode(t *testing.T, m *classify.Classifier) []byte {
	t.Helper()
	k := keep(t, m)
	words, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	for _, matrix := range []*mat.Dense{k.dictionary, k.ofCoder, k.ofRule} {
		if matrix == nil {
			continue
		}
		r, c := matrix.Dims()
		for i := range r {
			for j := range c {
				words = binary.LittleEndian.AppendUint64(words, math.Float64bits(matrix.At(i, j)))
			}
		}
	}
	return words
}

// saved asks that a classifier can be made of what is stored of it, and of the methods that the
// stored one is among them.
func (s *suite) saved(t *testing.T, others []classify.Method) {
	model := s.fitted(t)
	data, again := encode(t, model), keep(t, model).classifier(t)
	if !mat.Equal(scores(t, model, s.probe.X), scores(t, again, s.probe.X)) {
		t.Error("the loaded model scores differently")
	}
	if !bytes.Equal(data, encode(t, again)) {
		t.Error("the loaded model is saved as other bytes")
	}
	by, err := method.Of(again, others...)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, encode(t, s.fit(t, by, s.train, nil))) {
		t.Error("the method of the file learns another model")
	}
}
