package openset

import "gonum.org/v1/gonum/stat/distuv"

// confidence of the limit that StrangerLimit returns: the upper end of an interval of 90 %.
const confidence = 0.95

// StrangerLimit returns a share that the strangers who are named at the threshold do not exceed,
// with a confidence of 95 %; 1 if nothing is known of them. It is the upper end of StrangerRates
// for people chosen at random if c follows the law of the network l. Otherwise it is the limit of
// Clopper and Pearson for the faces of strangers that c was estimated from, where several faces of
// one person count less.
func (c *Calibration) StrangerLimit(l *Impostors) float64 {
	if c.FollowsLaw() {
		if l == nil {
			return 1
		}
		atLarge, _ := c.StrangerRates(l)
		return atLarge.Most
	}
	named, faces := c.NamedStrangers()
	if faces == 0 || named >= faces {
		return 1
	}
	share := named / faces
	return distuv.Beta{Alpha: share*c.Faces + 1, Beta: (1 - share) * c.Faces}.Quantile(confidence)
}

// NamedStrangers counts the faces of strangers from which c was estimated, given ones and those of
// people who were left out in turn, and how many of them reach the threshold. Both are 0 if c
// follows the law of a network.
func (c *Calibration) NamedStrangers() (named, faces float64) {
	if c.FollowsLaw() {
		return 0, 0
	}
	for _, margins := range [][]float64{c.LeftOut, c.Strangers} {
		for _, v := range margins {
			if faces++; c.Known(v) {
				named++
			}
		}
	}
	return named, faces
}
