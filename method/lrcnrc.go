package method

import (
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// LRCNRC adds the residuals of LRC and of NRC, each scaled to 0 to 1, and returns the class with
// the least sum [lrcnrc].
type LRCNRC = Kept[coding.Fused, lrcnrc]

// DefaultLRCNRC has the values of coding.DefaultFused.
var DefaultLRCNRC = register(LRCNRC{coding.DefaultFused})

type lrcnrc struct{}

func (lrcnrc) about() (name string, t classify.Traits) {
	return "lrc-nrc", classify.Traits{
		Family: "non-negative",
		Title:  "LRC + NRC", Predecessor: "nrc",
		Description: "LRC and NRC; the class with the least sum of both residuals, each scaled to 0 to 1",
		Formulation: `r_c = min_s ‖y − X_c·s‖  (LRC),  q_c = ‖y − X_c·s_c‖  with the s of NRC
class: min_c ω·r̂_c + (1 − ω)·q̂_c,  r̂_c = (r_c − min r)/(max r − min r),  q̂ likewise`,
		Rule: classify.Votes{},
	}
}
