// Package advice attaches to an error what its reader can do next, as a value. Add adds
// a sentence in which options and actions are typed, Of returns it, and a Wording puts it
// into the words of a program: the command says --fpir, a service the name of its
// parameter, and Go, which Text uses, the name of the field.
//
//	err = advice.Add(err, "train it again, without %v: %v", advice.Forget, advice.Train)
//
// The sentence is not part of the text of the error, and survives that the error is
// wrapped.
package advice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Advice is a sentence on what to do. Its parts follow each other without a space.
type Advice []Part

// A Part of an Advice has one field that is not zero.
type Part struct {
	Text    string  `json:"text,omitempty"`
	Setting Setting `json:"setting,omitzero"`
	Action  Action  `json:"action,omitzero"`
}

// A Setting is an option, with the value that it should have.
type Setting struct {
	Option Option `json:"option"`
	Value  string `json:"value,omitempty"` // "": the option is named, without a value
}

// An Action is a function to be called, with settings that matter.
type Action struct {
	Verb     Verb      `json:"verb"`
	Settings []Setting `json:"settings,omitempty"`
}

// To returns the Setting of o to value.
func (o Option) To(value any) Setting { return Setting{o, fmt.Sprint(value)} }

// With returns the Action that calls v with settings.
func (v Verb) With(settings ...Setting) Action { return Action{v, settings} }

// A Wording puts options and actions into the words of a program.
type Wording interface {
	Setting(Setting) string
	Action(Action) string
}

// Word returns a as a sentence of w.
func (a Advice) Word(w Wording) string {
	var text strings.Builder
	for _, p := range a {
		switch {
		case p.Action.Verb != "":
			text.WriteString(w.Action(p.Action))
		case p.Setting.Option != "":
			text.WriteString(w.Setting(p.Setting))
		default:
			text.WriteString(p.Text)
		}
	}
	return text.String()
}

// String returns a in the words of Go.
func (a Advice) String() string { return a.Word(Go) }

// New returns the sentence that fmt.Sprintf would make, in which args of the types Option,
// Setting, Verb, Action and Advice keep their types. Their verb of the format is %v, and
// all args are used in their order.
func New(format string, args ...any) Advice {
	text := fmt.Sprintf(format, args...)
	var typed []Advice
	marked := make([]any, len(args))
	for i, arg := range args {
		marked[i] = arg
		if a := typedPart(arg); a != nil {
			typed, marked[i] = append(typed, a), mark
		}
	}
	if typed == nil {
		return Advice{{Text: text}}
	}
	var all Advice
	for i, between := range strings.SplitN(fmt.Sprintf(format, marked...), mark, len(typed)+1) {
		if between != "" {
			all = append(all, Part{Text: between})
		}
		if i < len(typed) {
			all = append(all, typed[i]...)
		}
	}
	return all
}

// mark stands in a text where a typed part is.
const mark = "\x00"

// typedPart is arg as advice; nil if its type is none that New keeps.
func typedPart(arg any) Advice {
	switch v := arg.(type) {
	case Option:
		return Advice{{Setting: Setting{Option: v}}}
	case Setting:
		return Advice{{Setting: v}}
	case Verb:
		return Advice{{Action: Action{Verb: v}}}
	case Action:
		return Advice{{Action: v}}
	case Advice:
		return v
	}
	return nil
}

type advised struct {
	error
	advice Advice
}

func (a *advised) Unwrap() error { return a.error }

// Add returns err with the advice New(format, args...).
func Add(err error, format string, args ...any) error {
	return &advised{err, New(format, args...)}
}

// Of returns the outermost advice on err, or nil.
func Of(err error) Advice {
	if a := (*advised)(nil); errors.As(err, &a) {
		return a.advice
	}
	return nil
}

// Text returns the outermost advice on err in the words of Go, or "".
func Text(err error) string { return Of(err).String() }

// Unknown is the error for a name that is none of names, with the Nearest of them
// as advice, or all of them where none is near.
func Unknown(what, name string, names []string) error {
	err := fmt.Errorf("unknown %s %.60q", what, name) // it may be very long
	if near := Nearest(name, names); near != "" {
		for _, n := range names { // lcksvd may be lcksvd1 or lcksvd2
			if n != near && len(n) == len(near) && strings.HasPrefix(n, name) && strings.HasPrefix(near, name) {
				return Add(err, "did you mean %q or %q?", near, n)
			}
		}
		return Add(err, "did you mean %q?", near)
	}
	if len(names) == 0 {
		return Add(err, "leave it out: there is none")
	}
	return Add(err, "choose one of %s", strings.Join(names, ", "))
}

// Nearest returns the one of names that is probably meant by name, in upper or lower case:
// name is a misspelling of it, or its beginning. It is "" if there is none. Of equally near
// names it prefers one that begins with name.
func Nearest(name string, names []string) string {
	nearest, distance := "", len(name)/2+1 // more differs than agrees: no misspelling
	for _, n := range names {
		d := edits([]rune(strings.ToLower(name)), []rune(strings.ToLower(n)))
		if d > 1 && !strings.EqualFold(n[:min(1, len(n))], name[:min(1, len(name))]) {
			continue // who misspells a word rarely begins it otherwise
		}
		if d < distance || d == distance && nearest != "" && strings.HasPrefix(n, name) && !strings.HasPrefix(nearest, name) {
			nearest, distance = n, d
		}
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }); nearest == "" && len(name) > 2 && i >= 0 {
		nearest = names[i]
	}
	return nearest
}

// edits is the least number of runes that are inserted, removed, replaced or
// exchanged with their neighbour to make b of a; no part is changed twice.
func edits(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
