package report

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/legible"
)

// WriteResult writes the result of an evaluation as text: the rate, the decisions at the
// threshold, and a line per run. If existed is true, the model was not trained by the
// evaluation, and the lines have no columns about training.
func WriteResult(w io.Writer, r *experiment.Result, existed bool) error {
	rate, about := legible.Percent(r.Accuracy), ""
	if r.Repeats > 1 {
		rate += " ± " + legible.Percent(r.SD)
	} else if r.High > 0 {
		about = fmt.Sprintf("; 95 %% interval %s to %s %%", legible.Percent(r.Low), legible.Percent(r.High))
	}
	fmt.Fprintf(w, "%s: %s %% right (split %s, %s%s)\n%s\n", legible.Escaped(r.Method), rate, r.Split, legible.Count(r.Repeats, "run"), about, decisionWords(r.Decisions()))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if existed {
		fmt.Fprintln(t, "right %\twrong\tof\ttest time\t")
		for _, one := range r.Runs {
			fmt.Fprintf(t, "%s\t%d\t%d\t%s\t\n", legible.Percent(one.Accuracy), one.Wrong, one.N, legible.Took(one.CodeSeconds))
		}
		return t.Flush()
	}
	fmt.Fprintln(t, "seed\tright %\twrong\tof\ttrain images\tpasses\tstatus\ttrain time\ttest time\t")
	for _, one := range r.Runs {
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n", one.Seed, legible.Percent(one.Accuracy), one.Wrong, one.N,
			dash(one.Train), dash(one.Passes), one.Status, legible.Took(one.FitSeconds), legible.Took(one.CodeSeconds))
	}
	return t.Flush()
}

// decisionWords is a line about the decisions at a threshold; "" if there is none.
func decisionWords(d *experiment.Decisions) string {
	if d == nil {
		return ""
	}
	s := fmt.Sprintf("threshold for an FPIR of %v %%:", 100*d.FPIR)
	if n := d.Right + d.Wrong + d.Unknown; n > 0 {
		share := func(k int) string { return legible.Percent(float64(k) / float64(n)) }
		s += fmt.Sprintf(" of %s %s %% get the right name, %s %% a wrong name, %s %% are unknown", legible.Count(n, "face"), share(d.Right), share(d.Wrong), share(d.Unknown))
	}
	if d.Strangers > 0 {
		if d.Right+d.Wrong+d.Unknown > 0 {
			s += ";"
		}
		s += fmt.Sprintf(" %d of %s of people who are not enrolled get a name", d.Named, legible.Count(d.Strangers, "face"))
	}
	return s + "\n"
}

// Line returns a line with the result of a run.
func Line(r *experiment.Record) string {
	what := fmt.Sprintf("%s on %s, %s", r.Label, r.Dataset.Name, r.Split)
	if r.Noise > 0 {
		what += fmt.Sprintf(", noise %v", r.Noise)
	}
	if r.Occlusion > 0 {
		what += fmt.Sprintf(", occlusion %v", r.Occlusion)
	}
	what += fmt.Sprintf(", repeat %d: ", r.Repeat)
	if r.Error != "" {
		return what + "failed: " + r.Error
	}
	return what + fmt.Sprintf("%s %% of %d, trained in %s", legible.Percent(r.Rate), r.N, legible.Took(r.Cost.FitSeconds+r.Cost.TuneSeconds))
}

// dash writes n; a dash for 0.
func dash(n int) string {
	if n == 0 {
		return "—"
	}
	return strconv.Itoa(n)
}
