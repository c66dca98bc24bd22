package method

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// Mean represents each class by the mean of its samples at unit norm, and returns the
// class with the largest cosine. It suits embeddings, which networks are trained to
// make so.
type Mean struct{}

var _ classify.Separable = Mean{}

func (Mean) Name() string    { return "mean" }
func (Mean) Validate() error { return nil }

func (Mean) Traits() classify.Traits {
	return classify.Traits{
		Family:      "nearest",
		Description: "the mean of the training images of each class; the class with the largest cosine",
		Formulation: "m_c = Σ_j x_cj / ‖Σ_j x_cj‖;  class: max_c m_cᵀy",
		Coder:       coding.Inner{}, Rule: classify.Cosine{},
	}
}

func (m Mean) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	train, err := samples(m, train)
	if err != nil {
		return nil, err
	}
	return m.join(classMeans(classify.Unit(train.X), train.Groups), train, run)
}

func (Mean) Atom(x *mat.Dense) []float64 {
	_, n := x.Dims()
	return mat.Col(nil, 0, classMeans(classify.Unit(x), []int{0, n}))
}

func (m Mean) Join(atoms *mat.Dense, classes []string, run classify.Run) (*classify.Classifier, error) {
	return m.join(atoms, &classify.Samples{Classes: classes}, run)
}

// join makes the classifier of these means of the classes of train.
func (m Mean) join(means *mat.Dense, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	groups := make([]int, len(train.Classes)+1) // an atom per class
	for c := range groups {
		groups[c] = c
	}
	return model(m, train, run, classify.Parts{
		D: means, Groups: groups, Coder: m.Traits().Coder, Rule: m.Traits().Rule,
		Outcome: classify.Outcome{Status: classify.ClosedForm},
	})
}

// classMeans returns the means at unit norm, d×C, of the columns of each class.
func classMeans(x *mat.Dense, groups []int) *mat.Dense {
	d, _ := x.Dims()
	means := mat.NewDense(d, len(groups)-1, nil)
	for i := range d {
		row, sum := x.RawRowView(i), means.RawRowView(i)
		for c := range sum {
			for _, v := range row[groups[c]:groups[c+1]] {
				sum[c] += v
			}
		}
	}
	return classify.Unit(means)
}
