package openset

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Assumptions are the numbers by which thresholds and probabilities are estimated, beside
// the scores of a gallery. A Calibration stores them where they are not the
// DefaultAssumptions.
type Assumptions struct {
	// Of strangers who resemble the people of a gallery (surroundings): people chosen at random, or
	// all of one of the kinds Alike. The mean level of the photographs of a person has at least
	// PersonVariance of the variance of a level. The logarithm of the likelihood of levels counts BothSides, as each pair
	// of people is seen from both. A level counts as MaxDeviate at most: two names of one person
	// must not decide for all. LikeShare of the strangers resemble the people, the others are
	// chosen at random, where a probability is estimated.
	Alike          [2]Kind `json:"alike"`
	PersonVariance float64 `json:"person_variance"`
	BothSides      float64 `json:"both_sides"`
	MaxDeviate     float64 `json:"most_deviate"`
	LikeShare      float64 `json:"like_share"`
	// The share of strangers like the people who are named is estimated from at least MinLike
	// people and given strangers. GalleryVariance, and one divided by the number of people, are the variance of the
	// logarithm of the share of strangers in general who are named, over galleries with the
	// same threshold.
	// People are too alike for any rate from MinAlike of them on (TooAlike).
	MinLike         int     `json:"least_like"`
	MinAlike        int     `json:"least_alike"`
	GalleryVariance float64 `json:"gallery_variance"`
	Comparisons     int     `json:"comparisons"` // made at most by ByLaw
	MaxEach         int     `json:"most_each"`   // photographs of a person that count as those of a stranger

	// Of margins (Law). The deviation of a Law is that of ScalePeople people, and grows by
	// ScaleGrowth whenever their number doubles. SameStranger is the correlation of the
	// margins of faces of one stranger. SpreadWeight times as many faces estimate the mean
	// margin as well as the spread does, and MaxSpreadWeight as well as the ratio.
	ScalePeople     float64 `json:"scale_people"`
	ScaleGrowth     float64 `json:"scale_growth"`
	SameStranger    float64 `json:"same_stranger"`
	SpreadWeight    float64 `json:"spread_weight"`
	MaxSpreadWeight float64 `json:"most_spread_weight"`

	// Of scores (ByScores). Above the score that TailShare of the strangers exceed, the
	// excess is modelled as exponential. MinStrangers are needed.
	TailShare    float64 `json:"tail_share"`
	MinStrangers int     `json:"least_strangers"`

	// A quantile with SureTail given strangers above it is the threshold. The law of
	// strangers is trusted for Reach times as many faces as were seen.
	SureTail int     `json:"sure_tail"`
	Reach    float64 `json:"reach"`

	// Of probabilities. A probability is fitted to trials: scores with the answer whether the
	// face is genuine. A distribution is replaced by equally probable quantiles of it.
	StrangerTrials int `json:"stranger_trials"` // quantiles of the distribution of strangers
	GenuineTrials  int `json:"genuine_trials"`  // quantiles of that of genuine faces
	MaxTrials      int `json:"most_trials"`     // largest number of measured scores; of more, quantiles are taken
	// smaller margins count as this, in units of the mean margin of strangers: their logarithms would
	// count too much
	MinMargin float64 `json:"least_margin"`
	// probability by a law: what it does not know, such as twins and wrong labels, is not rarer
	MaxSure float64 `json:"most_sure"`

	// Of a cross-validation. The faces of a person are divided into Turns parts, each of which
	// is held out once: with five, a person with ten faces is learned from eight.
	Turns int `json:"turns"`

	// Of what is printed about a threshold: StrangerRates, Suggest, NearChance.
	Interval float64 `json:"interval"` // standard deviations to either side of an interval of 90 %
	// added to the levels of the strangers for which a limit is stated, so that it holds in 90 % of the
	// galleries
	LevelError float64 `json:"level_error"`
	// a stated limit may fail only for kinds of strangers with less than 1 − Certainty posterior
	// probability
	Certainty  float64 `json:"certainty"`
	Worthwhile float64 `json:"worthwhile"` // a higher FPIR is suggested if the share of right names grows by this much
	// a model that is not this part of the way from guessing to naming everybody rightly is no better than
	// guessing
	NearChance float64 `json:"near_chance"`

	// A given stranger is probably a person of the gallery if the best guess is right with the
	// probability Member (Calibration.Members).
	Member float64 `json:"member"`
}

// DefaultAssumptions were fitted by studies: those for surroundings by go -C tools run
// ./people -fit, on half of the people there, those for margins on photos/lfw_several by go run
// ./bench/strangers at commit `1a8a9d37091a`. TailShare of MinStrangers is two strangers.
var DefaultAssumptions = Assumptions{
	Alike: [2]Kind{{0.1, 1.25, 0.05}, {2, 1.5, 0.001}}, PersonVariance: 0.65, BothSides: 0.5,
	MaxDeviate: 4, LikeShare: 0.8, MinLike: 20, MinAlike: 5, GalleryVariance: 0.16, Comparisons: 1 << 17, MaxEach: 5,
	ScalePeople: 5, ScaleGrowth: 0.1, SameStranger: 0.1, SpreadWeight: 3, MaxSpreadWeight: 200,
	TailShare: 0.1, MinStrangers: 20, SureTail: 10, Reach: 10,
	StrangerTrials: 200, GenuineTrials: 20, MaxTrials: 400, MinMargin: 1e-3, MaxSure: 0.999,
	Turns: 5, Interval: 1.645, LevelError: 1, Certainty: 0.95, Worthwhile: 0.05, NearChance: 0.1, Member: 0.95,
}

// Validate reports the first number that is out of range.
func (a *Assumptions) Validate() error {
	const maxFloat, maxInt = 1e6, 1 << 20
	for _, k := range a.Alike {
		if !(k.Mean > 0 && k.Mean < maxFloat && k.SD > 0 && k.SD < maxFloat && k.Odds > 0 && k.Odds < maxFloat) {
			return fmt.Errorf("assumptions: a kind of people %+v", k)
		}
	}
	v := reflect.ValueOf(*a)
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Tag.Get("json")
		if field.Kind() == reflect.Array {
			continue // checked above
		}
		if field.CanInt() {
			if n := field.Int(); n < 2 || n > maxInt {
				return fmt.Errorf("assumptions: %s = %d is not from 2 to %d", name, n, maxInt)
			}
		} else if x := field.Float(); !(x > 0 && x <= maxFloat) {
			return fmt.Errorf("assumptions: %s = %v is not a positive number up to %v", name, x, float64(maxFloat))
		}
	}
	if tail := a.TailShare * float64(a.MinStrangers); a.TailShare >= 1 || tail < 1 {
		return fmt.Errorf("assumptions: a tail of %v of %d strangers has %v of them", a.TailShare, a.MinStrangers, tail)
	}
	if a.Turns > maxFolds || a.NearChance > 1 {
		return fmt.Errorf("assumptions: turns = %d or near_chance = %v is too large", a.Turns, a.NearChance)
	}
	if a.LikeShare > 1 || a.PersonVariance > 1 || a.Certainty > 1 || a.Member > 1 {
		return fmt.Errorf("assumptions: like_share = %v, person_variance = %v, certainty = %v or member = %v is larger than 1",
			a.LikeShare, a.PersonVariance, a.Certainty, a.Member)
	}
	return nil
}

// UnmarshalJSON reads a. What a file of an earlier version does not have is as in
// DefaultAssumptions; what only earlier versions have is ignored.
func (a *Assumptions) UnmarshalJSON(text []byte) error {
	type plain Assumptions
	p := plain(DefaultAssumptions)
	err := json.Unmarshal(text, &p)
	*a = Assumptions(p)
	return err
}
