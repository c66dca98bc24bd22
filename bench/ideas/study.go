package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nrdl"
	"nrdl/internal/significance"
)

// A study tries ideas.
type study struct {
	ideas    []idea
	splits   int
	progress io.Writer

	databases   []database
	comparisons []comparison // database by database
}

// A comparison is an idea against its base on one database.
type comparison struct {
	Idea       string `json:"idea"`
	Hypothesis string `json:"hypothesis"`
	Done       string `json:"done"`
	Base       string `json:"base"`
	Data       string `json:"data"`

	Train     int   `json:"train"` // images learnt from, without mirror images
	N         int   `json:"n"`     // images judged in each split
	BaseWrong []int `json:"base_wrong"`
	Wrong     []int `json:"wrong"`

	BaseRate   float64 `json:"base_rate"` // percent right, mean of the splits
	Rate       float64 `json:"rate"`
	Difference float64 `json:"difference"`
	SD         float64 `json:"sd"` // of the difference, from split to split

	P          float64 `json:"p"`           // paired t-test over the splits
	PCorrected float64 `json:"p_corrected"` // the same, for splits that overlap [nadeau]
	PHolm      float64 `json:"p_holm"`      // P, adjusted for all comparisons
	PHolmBoth  float64 `json:"p_holm_corrected"`
	Verdict    string  `json:"verdict"`
}

// judge tries the ideas that are for d on random splits of set.
func (s *study) judge(ctx context.Context, d database, set *nrdl.Set, in nrdl.Input) error {
	s.databases = append(s.databases, d)
	first := len(s.comparisons)
	for _, i := range s.ideas {
		if slices.Contains(i.on, d.Name) {
			s.comparisons = append(s.comparisons, comparison{Idea: i.name, Hypothesis: i.hypothesis, Done: i.done, Base: i.base.name, Data: d.Name})
		}
	}
	for r := range s.splits {
		fmt.Fprintf(s.progress, "%s: split %d of %d\n", d.Name, r+1, s.splits)
		learn, judge, err := d.Split.Apply(set, firstSeed+uint64(r))
		if err != nil {
			return err
		}
		faces, err := divide(ctx, set, in, learn, judge)
		if err != nil {
			return err
		}
		at := first
		for _, i := range s.ideas {
			if !slices.Contains(i.on, d.Name) {
				continue
			}
			if err := s.comparisons[at].count(ctx, i, faces); err != nil {
				return fmt.Errorf("%s: %w", i.name, err)
			}
			at++
		}
	}
	return nil
}

// count adds a split.
func (c *comparison) count(ctx context.Context, i idea, faces *split) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	base, err := i.base.scores(faces)
	if err != nil {
		return err
	}
	scores, err := i.scores(ctx, faces)
	if err != nil {
		return err
	}
	_, c.Train = faces.train.X.Dims()
	c.N = len(faces.labels)
	c.BaseWrong = append(c.BaseWrong, faces.wrong(base))
	c.Wrong = append(c.Wrong, faces.wrong(scores))
	return nil
}

// α is the chance of any false verdict that is allowed.
const α = 0.05

// A results is what a study found; it is what is kept of it.
type results struct {
	About       string       `json:"about"`
	Seed        uint64       `json:"seed"` // of the first split
	Splits      int          `json:"splits"`
	Databases   []database   `json:"databases"`
	Comparisons []comparison `json:"comparisons"`
}

// results tests what was counted.
func (s *study) results() (results, error) {
	r := results{
		About: "Ideas beyond the presets, each against what it would replace, on random splits that are the same for all.",
		Seed:  firstSeed, Splits: s.splits, Databases: s.databases, Comparisons: s.comparisons,
	}
	var p, corrected []float64
	for i := range r.Comparisons {
		if err := r.Comparisons[i].test(); err != nil {
			return results{}, err
		}
		p, corrected = append(p, r.Comparisons[i].P), append(corrected, r.Comparisons[i].PCorrected)
	}
	p, corrected = significance.Holm(p), significance.Holm(corrected)
	for i := range r.Comparisons {
		r.Comparisons[i].conclude(p[i], corrected[i])
	}
	return r, nil
}

// test compares the rates of the splits.
func (c *comparison) test() error {
	base, idea, difference := make([]float64, len(c.Wrong)), make([]float64, len(c.Wrong)), make([]float64, len(c.Wrong))
	for r := range c.Wrong {
		base[r] = 100 * float64(c.N-c.BaseWrong[r]) / float64(c.N)
		idea[r] = 100 * float64(c.N-c.Wrong[r]) / float64(c.N)
		difference[r] = 100 * float64(c.BaseWrong[r]-c.Wrong[r]) / float64(c.N)
	}
	c.BaseRate, c.Rate = stat.Mean(base, nil), stat.Mean(idea, nil)
	c.Difference, c.SD = stat.MeanStdDev(difference, nil)
	paired, err := significance.PairedT(idea, base)
	if err != nil {
		return err
	}
	corrected, err := significance.CorrectedT(idea, base, float64(c.N)/float64(c.Train))
	c.P, c.PCorrected = paired.P, corrected.P
	return err
}

// conclude says what the p-values adjusted for all comparisons allow to.
func (c *comparison) conclude(holm, corrected float64) {
	c.PHolm, c.PHolmBoth = holm, corrected
	switch {
	case holm > α:
		c.Verdict = "no difference shown"
	case c.Difference > 0:
		c.Verdict = "better"
	default:
		c.Verdict = "worse"
	}
	if holm <= α && corrected > α {
		c.Verdict += " on these faces"
	}
}

// table prints a row for every comparison, idea by idea.
func (r results) table(w io.Writer) {
	fmt.Fprintf(w, "%d random splits, seeds %d … %d. p: of the paired t-test; p′: of the same corrected for overlapping splits; p̃: p adjusted for all %d comparisons by Holm, which the verdict follows; “on these faces” where p′ adjusted is above %v.\n",
		r.Splits, r.Seed, r.Seed+uint64(r.Splits)-1, len(r.Comparisons), α)
	title := map[string]string{}
	for _, d := range r.Databases {
		title[d.Name] = d.Title
	}
	told := map[string]bool{}
	for _, one := range r.Comparisons {
		if told[one.Idea] {
			continue
		}
		told[one.Idea] = true
		fmt.Fprintf(w, "\n**%s**: %s. %s. Base: %s.\n\n", one.Idea, one.Hypothesis, capital(one.Done), one.Base)
		fmt.Fprintln(w, "| data | base | idea | difference ± sd | p | p′ | p̃ | verdict |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
		for _, c := range r.Comparisons {
			if c.Idea == one.Idea {
				fmt.Fprintf(w, "| %s | %.2f | %.2f | %+.2f ± %.2f | %.2g | %.2g | %.2g | %s |\n",
					title[c.Data], c.BaseRate, c.Rate, c.Difference, c.SD, c.P, c.PCorrected, c.PHolm, c.Verdict)
			}
		}
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// write writes r as JSON.
func (r results) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
