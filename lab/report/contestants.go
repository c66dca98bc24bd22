package report

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/method"
)

// about explains the contestant of r in a sentence: with the text of its plan or, if the
// record does not have it, of the built-in plan with the same name and purpose, or else
// with the description of its method. Then follows the varied parameter.
func about(r *experiment.Record) string {
	s := explained(r)
	m, err := method.Named(r.Method)
	if s == "" && err == nil {
		s = method.Describe(m)
		if title := method.Title(m); r.Label != title {
			s = title + ": " + s
		}
		if r.Input != nil {
			s += "; features " + r.Input.String()
		}
	}
	if r.Tuning != nil {
		s += tunedWords
	}
	for v := r.Variation; v != nil; v = v.Second {
		s += fmt.Sprintf("; with %s = %s", v.Path, v.Value)
		if err == nil {
			params := method.Params(m)
			if i := slices.IndexFunc(params, func(p method.Param) bool { return p.Path == v.Path }); i >= 0 {
				s += " (" + params[i].Help + ")"
			}
		}
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}

// explained returns the explanation of the contestant in the plan of r, or "".
func explained(r *experiment.Record) string {
	if r.Explanation != "" {
		return r.Explanation
	}
	if read := builtin[r.Plan]; read != nil {
		if p := read(); p.Description == r.About {
			return p.Explain()[r.Label]
		}
	}
	return ""
}

// builtin has the built-in plans by name. Each is read at its first use.
var builtin = func() map[string]func() *experiment.Plan {
	all := map[string]func() *experiment.Plan{}
	for _, name := range plans.Names() {
		all[name] = sync.OnceValue(func() *experiment.Plan {
			text, _ := plans.Named(name)
			p, err := experiment.ParsePlan(text, name)
			if err != nil {
				panic(fmt.Errorf("report: %w", err)) // a test reads them all
			}
			return p
		})
	}
	return all
}()

// contestants explains each label of p. Labels that differ only in the values of varied
// parameters share an item.
func (p *Plan) contestants() []item {
	var items []item
	have, tuned := map[item]bool{}, p.allTuned()
	features := slices.ContainsFunc(p.Labels, func(l *Label) bool { return l.Input })
	for _, l := range p.Labels {
		about := l.Explanation
		if features && l.Plain {
			about = strings.TrimSuffix(about, ".") + "; the data as they are, of images the grey values."
		}
		if tuned {
			about = strings.Replace(about, tunedWords, "", 1)
		}
		name := l.Name
		if l.Variation != nil {
			name = l.Base()
			for v := l.Variation; v != nil; v = v.Second {
				name += ", " + v.Path
				about = strings.Replace(about, fmt.Sprintf("; with %s = %s", v.Path, v.Value), "; with "+v.Path, 1)
			}
			if have[item{name, about}] {
				continue
			}
			have[item{name, about}] = true
		}
		items = append(items, item{name, about})
	}
	return items
}

// allTuned reports whether every label of p has tuned parameters.
func (p *Plan) allTuned() bool {
	return len(p.untuned()) == 0
}

const tunedWords = "; parameters chosen by cross-validation on the training images"
