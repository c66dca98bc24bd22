package store

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// namesOf returns all names that a person has had, and those of whoever was merged into it.
func (c *change) namesOf(id string) ([]string, error) {
	p, err := person(c.ctx, c, c.collection, id)
	if err != nil {
		return nil, err
	}
	names := []string{p.Name}
	all, err := list(c.ctx, c, scanOperation, operationColumns+"WHERE collection = $1 AND before LIKE $2", c.collection, "%"+id+"%")
	for _, o := range all {
		merged := o.Kind == mergePeople && slices.ContainsFunc(o.before.Faces, func(a assignment) bool { return a.Is == id })
		for _, was := range o.before.People {
			if was.ID == id || merged {
				names = append(names, was.Name)
			}
		}
	}
	return names, err
}

// forgetNames removes from the results of ended imports what mentions one of the names.
func (c *change) forgetNames(names []string) error {
	all, err := list(c.ctx, c, scanJob, "SELECT "+jobFields+" FROM job WHERE collection = $1 AND kind = 'import' AND finished > 0", c.collection)
	if err != nil {
		return err
	}
	for _, j := range all {
		left := withoutNames(j.Result, names)
		if string(left) == string(j.Result) {
			continue
		}
		if _, err := c.exec("UPDATE job SET result = $3, version = version + 1 WHERE collection = $1 AND id = $2", j.ID, string(left)); err != nil {
			return err
		}
	}
	return nil
}

// withoutNames returns a result without the items of its lists that mention one of the names,
// and without other fields that do; null if it is no object.
func withoutNames(result json.RawMessage, names []string) json.RawMessage {
	mention := func(text string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return mentions(text, name) })
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(result, &fields); err != nil {
		return json.RawMessage("null")
	}
	changed := false
	for name, value := range fields {
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			if mention(string(value)) {
				delete(fields, name)
				changed = true
			}
			continue
		}
		left := slices.DeleteFunc(slices.Clone(items), func(item json.RawMessage) bool {
			var file struct{ Name string } // why it was refused is no name
			if json.Unmarshal(item, &file) != nil {
				file.Name = string(item)
			}
			return mention(file.Name)
		})
		if len(left) < len(items) {
			fields[name], _ = json.Marshal(left) // it was JSON before
			changed = true
		}
	}
	if !changed {
		return result
	}
	result, _ = json.Marshal(fields) // as above
	return result
}

// mentions reports whether some words of a text, one after the other, are the words of a
// name, in its order or the reverse, whatever is between them: "Ann Smith" is in
// "smith_ann/1.jpg" and in "AnnSmith2.jpg", and "Ann" is not in "Anna.jpg".
func mentions(text, name string) bool {
	of := words(name)
	if len(of) == 0 {
		return strings.Contains(text, name)
	}
	forward := strings.Join(of, "")
	slices.Reverse(of)
	backward := strings.Join(of, "")
	all := words(text)
	for i := range all {
		run := ""
		for _, w := range all[i:] {
			if run += w; run == forward || run == backward {
				return true
			}
			if len(run) > len(forward) {
				break
			}
		}
	}
	return false
}

// words returns the words of a text in lower case. A number is a word, and a letter of a
// script that is written without spaces.
func words(text string) (all []string) {
	const letter, digit, single, other = 1, 2, 3, 4
	class := func(r rune) int {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			return single
		case unicode.IsLetter(r) || unicode.IsMark(r):
			return letter
		case unicode.IsDigit(r):
			return digit
		}
		return other
	}
	last := other
	for _, r := range norm.NFKC.String(strings.ToLower(text)) {
		is := class(r)
		switch {
		case is == other:
		case is == last && is != single:
			all[len(all)-1] += string(r)
		default:
			all = append(all, string(r))
		}
		last = is
	}
	return all
}
