package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl"
	"nrdl/experiment"
	"nrdl/internal/hint"
	"nrdl/method"
)

// autoFolds is into how many folds --input auto divides the training images.
const autoFolds = 3

// isAuto reports whether the input is to be chosen, and what else was said of
// it that has no meaning then.
func (f *inputFlags) isAuto() (bool, error) {
	if !f.set.Changed("input") || f.text != auto {
		return false, nil
	}
	for _, flag := range []string{"set", "preset"} {
		if f.set.Lookup(flag) != nil && f.set.Changed(flag) && !f.set.Changed("method") {
			return true, hint.Add(misuse("--%s with --input auto, which chooses the method too", flag), "name the method that it is for: --method NAME")
		}
	}
	for _, flag := range []string{"photometric", "mirror", "project"} {
		if f.set.Changed(flag) {
			return true, misuse("--%s has no meaning with --input auto, which chooses it", flag)
		}
	}
	return true, nil
}

// images returns how --input auto reads the images at path.
func (f *inputFlags) images(path string) (nrdl.Input, error) {
	in := nrdl.Input{Size: f.size.Size, Crop: f.crop}
	if in.Size == (nrdl.Size{}) && !isMatrix(path) {
		in.Size = nrdl.DefaultInput.Size
	}
	if err := in.Validate(); err != nil {
		return in, usageError{err}
	}
	return in, nil
}

// candidates are what --input auto chooses among for the images of set, the
// columns of data where they are not nil: inputs, with methods of its own unless
// the command line names one. Of images of another size that a matrix file holds
// and no flag asks for, the size of the default input is among them, in their
// proportions.
func (a *app) candidates(ctx context.Context, data string, set *nrdl.Set, columns []int, l *learning, m nrdl.Method) ([]experiment.Candidate, error) {
	if !set.Input.ArePixels() {
		return nil, hint.Add(fmt.Errorf("--input auto needs images, and the samples are %v", set.Input),
			"leave out --input; --project fisher may follow any samples")
	}
	all := experiment.Candidates(set.Input)
	if in := proportional(set.Input.Size); isMatrix(data) && l.input.size.Len() == 0 && in != set.Input.Size {
		large, err := a.open(ctx, data, nrdl.Input{Size: in, Crop: set.Input.Crop}, l.input.find)
		if err != nil {
			return nil, err
		}
		if columns != nil {
			large = large.Select(columns)
		}
		for _, c := range experiment.Candidates(large.Input) {
			if len(c.Input.Features) > 1 { // grey values gain nothing by it
				c.Images = large
				all = append(all, c)
			}
		}
	}
	if l.input.set.Changed("method") {
		for i := range all {
			all[i].Method = m
		}
	}
	seen := map[string]bool{} // with one method, or at a small size, some are the same
	return slices.DeleteFunc(all, func(c experiment.Candidate) bool {
		words := c.Input.String() + ", " + methodWords(c.Method)
		again := seen[words]
		seen[words] = true
		return again
	}), nil
}

// proportional returns the size as high as that of the default input with the
// proportions of size.
func proportional(size nrdl.Size) nrdl.Size {
	high := nrdl.DefaultInput.Height
	wide := math.Round(float64(high) * float64(size.Width) / float64(size.Height))
	return nrdl.Size{Height: high, Width: int(min(max(wide, 1), nrdl.MaxSide))}
}

// tellChoice tells what was tried, and what was chosen.
func (a *app) tellChoice(c *experiment.Choice) {
	for i, t := range c.Tried {
		mark := " "
		if i == c.Best {
			mark = "*"
		}
		if t.Err != "" {
			a.tell("%s   —   %v, %s: %s", mark, t.Input, methodWords(t.Method), t.Err)
			continue
		}
		a.tell("%s %s %% %v, %s", mark, percent(t.Rate()), t.Input, methodWords(t.Method))
	}
}

// methodWords names a method and what differs from its defaults.
func methodWords(m nrdl.Method) string {
	words := []string{m.Name()}
	given, err := method.Named(m.Name())
	if err != nil {
		return words[0]
	}
	values := map[string]string{}
	for _, p := range method.Params(given) {
		values[p.Path] = p.Value
	}
	for _, p := range method.Params(m) {
		if values[p.Path] != p.Value {
			words = append(words, p.Path+"="+p.Value)
		}
	}
	return strings.Join(words, " ")
}

// chosen lets the training images choose the input and the method; the images
// of the result are never nil.
func (a *app) chosen(ctx context.Context, data string, set *nrdl.Set, columns []int, m nrdl.Method, l *learning) (experiment.Candidate, error) {
	all, err := a.candidates(ctx, data, set, columns, l, m)
	if err != nil {
		return experiment.Candidate{}, err
	}
	c, err := experiment.Choose(ctx, set, all, experiment.Folds{N: autoFolds, Repeats: 1, Seed: l.seed})
	if err != nil {
		return experiment.Candidate{}, err
	}
	a.tell("right in %d folds of the training images:", autoFolds)
	a.tellChoice(&c)
	best := all[c.Best]
	if best.Images == nil {
		best.Images = set
	}
	return best, nil
}
