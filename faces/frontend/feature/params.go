package feature

import "nrdl.example/nrdl/internal/config"

// A Param describes one parameter of a feature or a step: the name by which
// specs set it, its default and its help.
type Param = config.Param

// Params describes the parameters of f.
func Params(f Feature) []Param { return features().Params(f) }

// StepParams describes the parameters of s.
func StepParams(s Step) []Param { return steps().Params(s) }

// Describe says in a line what a feature or a step does.
func Describe(f interface{ Name() string }) string { return about[f.Name()] }

var about = map[string]string{
	"pixels":     "grey values",
	"igo":        "cosine and sine of the direction of the gradient at every pixel [igo]",
	"hog":        "histograms of gradient directions in cells [hog]",
	"lbp":        "histograms of local binary patterns in cells [lbp]",
	"gabor":      "magnitudes of Gabor filters in cells [gabor]",
	"equalise":   "histogram equalisation",
	"lcn":        "local contrast normalisation [lcn]",
	"tan-triggs": "gamma, difference of Gaussians and contrast normalisation [tt]",
	"despeckle":  "pixels that are black or white become the median about them, against salt and pepper",
}
