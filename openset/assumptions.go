package openset

import (
	"fmt"
	"math"
	"reflect"
)

// Assumptions are the numbers by which thresholds and probabilities are estimated, beside
// the scores of a gallery. A Calibration stores them where they are not the
// DefaultAssumptions.
type Assumptions struct {
	// Of strangers who resemble the people of a gallery (Resemblance). The mean of their deviates
	// is estimated as if PriorPeople more people with the mean PriorMean had been seen, the
	// standard deviation as if PriorPeopleSD more with PriorSD. A deviate counts as
	// MostDeviate at most: two names of one person must not decide for all. MeanError is the
	// standard deviation of the error of the mean, for one person; it falls with the number
	// of people. GalleryVariance is the variance of the logarithm of the share of
	// strangers in general who are named, over galleries with the same threshold.
	PriorPeople     float64 `json:"prior_people"`
	PriorMean       float64 `json:"prior_mean"`
	PriorPeopleSD   float64 `json:"prior_people_sd"`
	PriorSD         float64 `json:"prior_sd"`
	MostDeviate     float64 `json:"most_deviate"`
	MeanError       float64 `json:"mean_error"`
	GalleryVariance float64 `json:"gallery_variance"`
	Comparisons     int     `json:"comparisons"` // made at most by ByLaw: enough for the mean and the standard deviation

	// Of margins (Law). The deviation of a Law is that of ScalePeople people, and grows by
	// ScaleGrowth whenever their number doubles. SameStranger is the correlation of the
	// margins of faces of one stranger. SpreadWeight times as many faces estimate the mean
	// margin as well as the spread does, and MostSpreadWeight as well as the ratio.
	ScalePeople      float64 `json:"scale_people"`
	ScaleGrowth      float64 `json:"scale_growth"`
	SameStranger     float64 `json:"same_stranger"`
	SpreadWeight     float64 `json:"spread_weight"`
	MostSpreadWeight float64 `json:"most_spread_weight"`

	// Of scores (ByScores). Above the score that TailShare of the strangers exceed, the
	// excess is modelled as exponential. LeastStrangers are needed.
	TailShare      float64 `json:"tail_share"`
	LeastStrangers int     `json:"least_strangers"`

	// A quantile with SureTail given strangers above it is the threshold. The law of
	// strangers is trusted for Reach times as many faces as were seen.
	SureTail int     `json:"sure_tail"`
	Reach    float64 `json:"reach"`

	// Of probabilities. Laws of strangers and of genuine faces are represented by so many
	// trials, and counted scores by MostTrials at most. LeastMargin, in units of the mean
	// margin of strangers, stands for smaller ones, whose logarithm would count too much.
	StrangerTrials int     `json:"stranger_trials"`
	GenuineTrials  int     `json:"genuine_trials"`
	MostTrials     int     `json:"most_trials"`
	LeastMargin    float64 `json:"least_margin"`
}

// DefaultAssumptions were fitted by studies: those for Resemblance by go -C studies run
// ./impostors on photos/lfw_several and photos/lfw_cohort, those for margins by go -C studies
// run ./strangers on photos/lfw_several. TailShare of LeastStrangers is two strangers. A
// Calibration that was stored without assumptions was made with these values; a version with
// other defaults must keep them for such files.
var DefaultAssumptions = Assumptions{
	PriorPeople: 0.5, PriorMean: 1.2, PriorPeopleSD: 16, PriorSD: 0.9,
	MostDeviate: 4, MeanError: 1.25, GalleryVariance: 0.16, Comparisons: 1 << 17,
	ScalePeople: 5, ScaleGrowth: 0.1, SameStranger: 0.1, SpreadWeight: 3, MostSpreadWeight: 200,
	TailShare: 0.1, LeastStrangers: 20, SureTail: 10, Reach: 10,
	StrangerTrials: 200, GenuineTrials: 20, MostTrials: 400, LeastMargin: 1e-3,
}

// Validate reports the first number that is out of range.
func (a *Assumptions) Validate() error {
	const mostFloat, mostInt = 1e6, 1 << 20
	v := reflect.ValueOf(*a)
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Tag.Get("json")
		if field.CanInt() {
			if n := field.Int(); n < 2 || n > mostInt {
				return fmt.Errorf("assumptions: %s = %d is not from 2 to %d", name, n, mostInt)
			}
		} else if x := field.Float(); !(x > 0 && x <= mostFloat) && name != "prior_mean" || math.IsNaN(x) || math.Abs(x) > mostFloat {
			return fmt.Errorf("assumptions: %s = %v is not a positive number up to %v", name, x, float64(mostFloat))
		}
	}
	if tail := a.TailShare * float64(a.LeastStrangers); a.TailShare >= 1 || tail < 1 {
		return fmt.Errorf("assumptions: a tail of %v of %d strangers has %v of them", a.TailShare, a.LeastStrangers, tail)
	}
	return nil
}
