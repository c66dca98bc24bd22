package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl/internal/hint"
)

// A numberFlag is a number with a check, so that a value that makes no sense is
// refused with the name of the flag before anything is read.
type numberFlag[T int | float64] struct {
	to    *T
	check func(T) error
}

// numberVar registers a flag for a number. Its default is what to holds, which
// stands for no value where check refuses it.
func numberVar[T int | float64](c *cobra.Command, to *T, name, short string, check func(T) error, use string) {
	c.Flags().VarP(&numberFlag[T]{to, check}, name, short, use)
}

func (f *numberFlag[T]) String() string {
	if f.check(*f.to) != nil {
		return ""
	}
	return fmt.Sprint(*f.to)
}

func (f *numberFlag[T]) Type() string { return fmt.Sprintf("%T", *f.to) }

func (f *numberFlag[T]) Set(text string) error {
	var v T
	switch to := any(&v).(type) {
	case *int:
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if err != nil {
			return err
		}
		*to = int(n)
	case *float64:
		var err error
		if *to, err = strconv.ParseFloat(text, 64); err != nil {
			return err
		}
	}
	if err := f.check(v); err != nil {
		return err
	}
	*f.to = v
	return nil
}

// many is more than anybody waits for.
const many = 1_000_000

// inRange checks that a number is one of least … most.
func inRange[T int | float64](least, most T) func(T) error {
	return func(v T) error {
		if !(v >= least && v <= most) {
			return fmt.Errorf("%v is outside %v … %v", v, least, most)
		}
		return nil
	}
}

// aShare checks that a number is one of 0 … 1 and not 0, and not 1 either where
// less is asked for.
func aShare(less bool) func(float64) error {
	most := 1.0
	form := "%v is not a share greater than 0 and at most 1"
	if less {
		most, form = math.Nextafter(1, 0), "%v is not a share greater than 0 and less than 1"
	}
	return func(v float64) error {
		if !(v > 0 && v <= most) {
			return fmt.Errorf(form, v)
		}
		return nil
	}
}

// refuseEmpty reports a flag that is given without a value: an empty one, as of a
// variable of a shell that is not set, is no choice.
func refuseEmpty(c *cobra.Command, _ []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() != "string" || f.Value.String() != "" || err != nil {
			return
		}
		err = hint.Add(misuse("--%s is empty", f.Name), "%s", cmp.Or(choicesOf(c, f.Name), usageOf(f)))
	})
	return err
}

// choicesOf says which values a flag takes, where they are few.
func choicesOf(c *cobra.Command, flag string) string {
	complete, ok := c.GetFlagCompletionFunc(flag)
	if !ok {
		return ""
	}
	values, directive := complete(c, nil, "")
	if len(values) == 0 || directive != cobra.ShellCompDirectiveNoFileComp {
		return ""
	}
	for i, v := range values {
		values[i], _, _ = strings.Cut(v, "\t")
	}
	return "choose one of " + strings.Join(values, ", ")
}

// usageOf says what a flag takes.
func usageOf(f *pflag.Flag) string {
	name, use := pflag.UnquoteUsage(f)
	return fmt.Sprintf("--%s %s: %s", f.Name, name, use)
}
