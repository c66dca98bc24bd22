package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/advice"
)

// A value is a flag of any type.
type value[T any] struct {
	target *T
	kind   string
	parse  func(string) (T, error)
	show   func(T) string
}

// Var registers a flag whose value is stored in *to; the initial *to is the default. Help
// shows kind as the type. Parse reads a value; its error is reported with the name of the flag
// before the command runs. Show writes a value, or "" for none.
func Var[T any](c *cobra.Command, to *T, name, short, kind, use string, parse func(string) (T, error), show func(T) string) {
	c.Flags().VarP(&value[T]{to, kind, parse, show}, name, short, use)
}

func (f *value[T]) String() string { return f.show(*f.target) }

func (f *value[T]) Type() string { return f.kind }

func (f *value[T]) Set(text string) error {
	v, err := f.parse(text)
	if err == nil {
		*f.target = v
	}
	return err
}

// Choice registers a flag that takes one of choices.
func Choice[T ~string](c *cobra.Command, to *T, name, use string, choices []string) {
	Var(c, to, name, "", "HOW", use, func(text string) (T, error) {
		if slices.Contains(choices, text) {
			return T(text), nil
		}
		return "", advice.Unknown("value", text, choices)
	}, func(v T) string { return string(v) })
	Complete(c, name, Words(choices...))
}

// Number registers a flag whose value, a number, is stored in *to. Check returns an error for
// an impossible value. The initial *to is the default; help does not show a default that
// check refuses.
func Number[T int | float64](c *cobra.Command, to *T, name, short string, check func(T) error, use string) {
	parse := func(text string) (v T, err error) {
		switch to := any(&v).(type) {
		case *int:
			var n int64
			n, err = strconv.ParseInt(text, 0, strconv.IntSize)
			*to = int(n)
		case *float64:
			*to, err = strconv.ParseFloat(text, 64)
		}
		if err != nil {
			return v, err
		}
		return v, check(v)
	}
	Var(c, to, name, short, fmt.Sprintf("%T", *to), use, parse, func(v T) string {
		if check(v) != nil {
			return ""
		}
		return fmt.Sprint(v)
	})
}

// Many is an upper bound for counts: more would take too long.
const Many = 1_000_000

// InRange returns a check that a number is at least minValue and at most maxValue.
func InRange[T int | float64](minValue, maxValue T) func(T) error {
	return func(v T) error {
		if !(v >= minValue && v <= maxValue) {
			return fmt.Errorf("%v is outside %v … %v", v, minValue, maxValue)
		}
		return nil
	}
}

// Share returns a check that a number is above 0 and at most 1; below 1 if less.
func Share(less bool) func(float64) error {
	maxValue, form := 1.0, "%v is not a share greater than 0 and at most 1"
	if less {
		maxValue, form = math.Nextafter(1, 0), "%v is not a share greater than 0 and less than 1"
	}
	return func(v float64) error {
		if !(v > 0 && v <= maxValue) {
			return fmt.Errorf(form, v)
		}
		return nil
	}
}

// once is a flag that takes one value: of two, the first would be ignored.
type once struct {
	pflag.Value
	value *string
}

func (o *once) Set(text string) error {
	if o.value != nil && *o.value != text { // a completion sets a value again
		return advice.Add(errors.New("it is given twice, with different values"), "leave one out")
	}
	err := o.Value.Set(text)
	if err == nil {
		o.value = &text
	}
	return err
}

// lists are the types of flags that take several values.
var lists = []string{"stringArray", "PATTERN", "ORIGIN"}

// takeOnce makes each flag of c, and of the commands below it, take one value, unless it takes a list or none.
func takeOnce(c *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, is := f.Value.(*once); !is && f.Value.Type() != "bool" && !slices.Contains(lists, f.Value.Type()) {
				f.Value = &once{Value: f.Value}
			}
		})
	}
	for _, sub := range c.Commands() {
		takeOnce(sub)
	}
}

// parsed ends a command line: what follows is another one.
func parsed(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if o, is := f.Value.(*once); is {
			o.value = nil
		}
	})
}

// refuseEmpty reports a flag that is given without a value: an empty one, as of a
// variable of a shell that is not set, is no choice.
func refuseEmpty(c *cobra.Command, _ []string) (err error) {
	parsed(c)
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() != "string" || f.Value.String() != "" || err != nil {
			return
		}
		choices := ""
		if values := Choices(c, f.Name); values != nil {
			choices = "choose one of " + strings.Join(values, ", ")
		}
		name, use := pflag.UnquoteUsage(f)
		err = advice.Add(Misuse("--%s is empty", f.Name), "%s", cmp.Or(choices, fmt.Sprintf("--%s %s: %s", f.Name, name, use)))
	})
	return err
}

// Choices returns the values that a flag of c takes if they are few, else nil.
func Choices(c *cobra.Command, flag string) (names []string) {
	complete, ok := c.GetFlagCompletionFunc(flag)
	if !ok {
		return nil
	}
	values, directive := complete(c, nil, "")
	if directive != cobra.ShellCompDirectiveNoFileComp {
		return nil
	}
	for _, v := range values {
		name, _, _ := strings.Cut(v, "\t")
		names = append(names, name)
	}
	return names
}
