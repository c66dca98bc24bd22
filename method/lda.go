package method

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/projection"
)

// LDA is regularised linear discriminant analysis [rda]: it projects the samples to the
// directions in which classes differ most for how much the images of a class do, and
// returns the class whose mean has the largest cosine with the projection of the query.
// The names are those of mean on the input "pixels fisher:0.1". The score is that cosine
// times the length of the projection.
type LDA struct {
	Ridge float64 `json:"ridge" help:"r > 0, the ridge of the scatter within classes, as a part of its mean eigenvalue" eq:"[rda]"`
}

// projectedMeans is the score of LDA and PCALDA in the letters of their formulations.
const projectedMeans = "m_c: the mean of Pᵀ(x − m)/‖Pᵀ(x − m)‖ in class c, at norm 1;  class: max_c m_cᵀPᵀ(y − m)"

// DefaultLDA has one constant for all databases.
var DefaultLDA = register(LDA{Ridge: 0.1})

func (LDA) Name() string      { return "lda" }
func (m LDA) Validate() error { return m.fisher().Validate() }

func (m LDA) fisher() projection.Fisher { return projection.Fisher{Ridge: m.Ridge} }

func (m LDA) Traits() classify.Traits {
	return classify.Traits{
		Family: "discriminant",
		Title:  "LDA", Predecessor: "nn",
		Description: "regularised linear discriminant analysis; the class mean with the largest cosine",
		Formulation: "P: max tr(PᵀS_bP)  s.t. Pᵀ(S_w + εI)P = I,  ε = r·tr(S_w)/min(d, N−1);  " + projectedMeans,
		Memory:      scatterMemory,
		Ranges:      []Range{decades("ridge", 1e-3, 10)},
	}
}

func (m LDA) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return fitLinear(ctx, m, train, run, func(t *classify.Samples, x *mat.Dense) (*mat.Dense, error) {
		return discriminant(ctx, m.fisher(), nil, t, x)
	})
}

// PCALDA is LDA on the first principal components: the Fisherfaces of [fisherfaces].
type PCALDA struct {
	Dims  int     `json:"dims" help:"principal components kept, at most N − C; 0 for N − C" eq:"[fisherfaces] (6)"`
	Ridge float64 `json:"ridge" help:"r > 0, as of lda; the paper has none" eq:"[rda]"`
}

// DefaultPCALDA has the components of projection.DefaultPCA. The N − C of the paper leave
// next to no scatter within classes in some directions, which then decide. Of 50, 100 and 150
// components 100 have the best mean rate in folds of the training parts of the paper's five
// databases (tools/validate); no number suits all.
var DefaultPCALDA = register(PCALDA{Dims: projection.DefaultPCA.Dims, Ridge: 1e-4})

func (PCALDA) Name() string { return "pca-lda" }

func (m PCALDA) Validate() error {
	return cmp.Or(counts(0, "dims", m.Dims), projection.Fisher{Ridge: m.Ridge}.Validate())
}

func (m PCALDA) Traits() classify.Traits {
	return classify.Traits{
		Family: "discriminant",
		Title:  "PCA + LDA", Predecessor: "lda",
		Description: "Fisherfaces: linear discriminant analysis of the first principal components; the class mean with the largest cosine",
		Formulation: "U: the first eigenvectors of S_t;  P = UV,  V: LDA of Uᵀ(X − m);  " + projectedMeans,
		Memory:      scatterMemory,
		Ranges:      []Range{{Path: "dims", Low: 20, High: 400, Log: true}, decades("ridge", 1e-5, 1)},
	}
}

func (m PCALDA) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return fitLinear(ctx, m, train, run, func(t *classify.Samples, x *mat.Dense) (*mat.Dense, error) {
		all, err := projection.PCA{}.Fit(ctx, x, nil)
		if err != nil {
			return discriminant(ctx, projection.Fisher{Ridge: m.Ridge}, nil, t, x)
		}
		_, maxDims := all.Dims()
		dims := len(t.Labels()) - len(t.Classes)
		switch {
		case dims == 0: // one image of each class
			dims = maxDims
		case m.Dims > 0:
			dims = min(m.Dims, dims)
		}
		u := lin.Cols(all.P, 0, min(dims, maxDims))
		return discriminant(ctx, projection.Fisher{Ridge: m.Ridge}, u, t, x)
	})
}

// discriminant returns the functions of the cosines, F, (d+1)×C, with the class means that
// Fisher's directions leave of x, or of its components Uᵀ(x − m) where u is not nil. Where
// nothing tells how the images of a class differ, as with one of each, all directions are kept.
func discriminant(ctx context.Context, fisher projection.Fisher, u *mat.Dense, t *classify.Samples, x *mat.Dense) (*mat.Dense, error) {
	mean, c := centred(x)
	if u != nil {
		_, p := u.Dims()
		_, n := x.Dims()
		z := mat.NewDense(p, n, nil)
		lin.AtB(z, 1, u, c)
		c = z
	}
	z, p := c, (*mat.Dense)(nil)
	if differ(c, t.Groups) {
		f, err := fisher.Fit(ctx, c, t.Groups)
		if err != nil {
			return nil, err
		}
		p, z = f.P, f.Apply(c)
	}
	w := classMeans(classify.Unit(z), t.Groups)
	for _, back := range []*mat.Dense{p, u} {
		if back != nil {
			d, _ := back.Dims()
			_, classes := w.Dims()
			next := mat.NewDense(d, classes, nil)
			lin.AB(next, 1, back, w)
			w = next
		}
	}
	_, classes := w.Dims()
	return affineOf(w, make([]float64, classes), mean), nil
}

// differ tells whether the samples of a class differ, of which c are the centred ones.
func differ(c *mat.Dense, groups []int) bool {
	within := 0.0
	for k := range len(groups) - 1 {
		_, rest := centred(lin.Cols(c, groups[k], groups[k+1]))
		within += lin.SquaredNorm(rest)
	}
	return within > 1e-12*lin.SquaredNorm(c)
}
