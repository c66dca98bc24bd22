package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
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
	decisions := decisionWords(r.Decisions())
	if r.Params != nil && !r.Input.SeesImages() { // without parameters, each run chose its input
		decisions = legible.OfSamples(decisions)
	}
	fmt.Fprintf(w, "%s: %s %% right (split %s, %s%s)\n%s\n", legible.Escaped(r.Method), rate, r.Split,
		legible.Count(r.Repeats, "run"), about, decisions)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if existed {
		fmt.Fprintln(t, "right %\twrong\tof\ttest time\t")
		for _, one := range r.Runs {
			fmt.Fprintf(t, "%s\t%d\t%d\t%s\t\n", legible.Percent(one.Accuracy), one.Wrong, one.N, legible.Took(one.CodeSeconds))
		}
		return t.Flush()
	}
	fmt.Fprintln(t, "seed\tright %\twrong\tof\ttrained on\tpasses\tstatus\ttrain time\ttest time\t")
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
		s += fmt.Sprintf(" of %s %s %% get the right name, %s %% a wrong name, %s %% are unknown",
			legible.Count(n, "face"), share(d.Right), share(d.Wrong), share(d.Unknown))
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

// WriteMethods writes a comparison of methods as text: a line per method, and an
// explanation of the tests.
func WriteMethods(w io.Writer, c *experiment.Comparison) error {
	n := 0 // of the methods that did not fail
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	heading := "right %"
	if c.Repeats == 1 {
		heading += " [95 % interval]"
	}
	fmt.Fprintf(t, "method\t%s\tdifference\tp (Holm)\ttrain time\ttest time\t\n", heading)
	for _, m := range c.Methods {
		if m.Err != "" {
			fmt.Fprintf(t, "%s\t  failed: %s\n", m.Method, legible.Escaped(m.Err))
			continue
		}
		n++
		rate := legible.Percent(m.Accuracy)
		if c.Repeats > 1 {
			rate += " ± " + legible.Percent(m.SD)
		} else {
			rate += fmt.Sprintf(" [%s, %s]", legible.Percent(m.Low), legible.Percent(m.High))
		}
		difference, p := "best", "—"
		if !m.Best {
			difference, p = fmt.Sprintf("%+.2f", 100*m.Difference), fmt.Sprintf("%.2g", m.PAdjusted)
			if !m.Separated {
				difference = "~ " + difference
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", m.Method, rate, difference, p, legible.Took(m.FitSeconds), legible.Took(m.CodeSeconds))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nsplit %s, %s, seed %d; input %s\n", c.Split, legible.Count(c.Repeats, "run"), c.Seed, legible.Escaped(c.Input.String()))
	times := "Times are means over the runs"
	if c.Repeats == 1 {
		times = "Times are of one run"
	}
	fmt.Fprint(w, methodTests(c, n-1), times)
	if !c.Input.ArePixels() && c.Input.SeesImages() && c.Input.Embedding.IsZero() {
		fmt.Fprintf(w, "; the features of all images took %s more, once", legible.Took(c.SampleSeconds))
	}
	_, err := fmt.Fprintln(w, ".")
	return err
}

// methodTests explains the mark ~ in a comparison of methods with so many tests.
func methodTests(c *experiment.Comparison, tests int) string {
	if tests < 1 {
		return ""
	}
	how := "the corrected resampled t-test of Nadeau and Bengio\nover the runs, which allows for the overlap of the random splits; "
	about := "other random splits of images of these people"
	if c.Repeats == 1 {
		how = "McNemar's exact test on the test images of the\nsingle run; "
		about = "other images of these people, not for another split"
	}
	s := fmt.Sprintf(
		"~: not significantly different from the best, by %stwo-sided, level %g,\nHolm's correction for %s. It does not "+
			"mean that the two are equal.\nThe test holds for %s.\nThe best is chosen on the same runs.\n",
		how, c.Level, legible.Count(tests, "comparison"), about)
	for _, m := range c.Methods {
		if m.Test == experiment.SignedRank {
			s += fmt.Sprintf("%s differs by the same in every run: Wilcoxon's signed-rank test, which does not allow for\noverlap.\n", m.Method)
		}
	}
	return s
}

// WriteMethodsCSV writes a comparison of methods with all digits, a line per method. Rates
// and differences are in percent, low and high are the exact 95 % interval of the rate of a
// single run, times are means in seconds, and told_from_best is "best", "yes" or "no".
// Unknown values are empty.
func WriteMethodsCSV(w io.Writer, c *experiment.Comparison) error {
	out := csv.NewWriter(w)
	lines := [][]string{{
		"method", "runs", "right", "sd", "low", "high", "difference", "p", "p_adjusted", "told_from_best",
		"test", "fit_seconds", "code_seconds", "error",
	}}
	for _, m := range c.Methods {
		line := make([]string, len(lines[0]))
		line[0], line[1], line[len(line)-1] = cellText(m.Method), strconv.Itoa(len(m.Runs)), cellText(m.Err)
		if m.Err == "" {
			copy(line[2:], []string{exact(100 * m.Accuracy), exact(100 * m.SD)})
			if c.Repeats == 1 {
				copy(line[4:], []string{exact(100 * m.Low), exact(100 * m.High)})
			}
			line[6] = exact(100 * m.Difference)
			copy(line[11:], []string{exact(m.FitSeconds), exact(m.CodeSeconds)})
			switch {
			case m.Best:
				line[9] = "best"
			default:
				copy(line[7:], []string{exact(m.P), exact(m.PAdjusted), map[bool]string{true: "yes", false: "no"}[m.Separated], m.Test})
			}
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}
