package store

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// namesOf returns all names that a person has had, and those of the people that were merged
// into it.
func (t *tx) namesOf(id string) []string {
	names := []string{t.person(id).Name}
	for _, o := range rows[Operation](t, operationColumns+"WHERE collection = $1 AND before LIKE $2", t.collection, "%"+id+"%") {
		merged := o.Kind == mergePeople && slices.ContainsFunc(o.undo.Faces, func(a assignment) bool { return a.To == id })
		for _, former := range o.undo.People {
			if former.ID == id || merged {
				names = append(names, former.Name)
			}
		}
	}
	return names
}

// deleteMentions removes operations and messages that contain an id, and returns the number
// of operations.
func (t *tx) deleteMentions(id string) int64 {
	t.exec("DELETE FROM job WHERE collection = $1 AND hook <> '' AND payload LIKE $2", t.collection, "%"+id+"%")
	return t.exec("DELETE FROM operation WHERE collection = $1 AND before LIKE $2", t.collection, "%"+id+"%")
}

// deleteAnswers removes what may contain names: the answers to requests, and the files of
// exports and albums. It cancels those that have not ended.
func (t *tx) deleteAnswers() {
	t.exec("UPDATE once SET answer = $2, changed = 1, status = 0, due = 0 WHERE collection = $1 AND status <> 0", t.collection, []byte{})
	t.exec(`UPDATE job SET state = 'cancelled', worker = '', finished = $2, version = version + 1
		WHERE collection = $1 AND kind IN ('export', 'album') AND state IN ('waiting', 'running')`, t.collection, t.at.UnixMicro())
	t.exec("DELETE FROM file WHERE collection = $1 AND job IN (SELECT id FROM job WHERE collection = $1 AND kind IN ('export', 'album'))", t.collection)
}

// deleteNames removes what mentions one of the names from the results of imports that have
// ended.
func (t *tx) deleteNames(names []string) {
	for _, j := range rows[Job](t, jobColumns+"WHERE collection = $1 AND kind = 'import' AND finished > 0", t.collection) {
		if rest := withoutNames(j.Result, names); string(rest) != string(j.Result) {
			t.exec("UPDATE job SET result = $3, version = version + 1 WHERE collection = $1 AND id = $2", t.collection, j.ID, string(rest))
		}
	}
}

// withoutNames returns the result of a job without the items of its lists that mention one of
// the names, and without other fields that do; null if it is no object.
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
		rest := slices.DeleteFunc(slices.Clone(items), func(item json.RawMessage) bool {
			var file struct{ Name string } // the reason why it was refused is no name
			if json.Unmarshal(item, &file) != nil {
				file.Name = string(item)
			}
			return mention(file.Name)
		})
		if len(rest) < len(items) {
			fields[name], _ = json.Marshal(rest) // parts of JSON
			changed = true
		}
	}
	if !changed {
		return result
	}
	result, _ = json.Marshal(fields) // parts of JSON
	return result
}

// mentions reports whether successive words of a text are the words of a name, in its order or
// the reverse, with any other characters between them: "smith_ann/1.jpg" and "AnnSmith2.jpg"
// mention "Ann Smith", and "Anna.jpg" does not mention "Ann".
func mentions(text, name string) bool {
	nameWords := splitWords(name)
	if len(nameWords) == 0 {
		return strings.Contains(text, name)
	}
	forward := strings.Join(nameWords, "")
	slices.Reverse(nameWords)
	backward := strings.Join(nameWords, "")
	all := splitWords(text)
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

// splitWords returns the words of a text in lower case. A number is a word, and so is each
// letter of a script that has no spaces between words.
func splitWords(text string) (all []string) {
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
		c := class(r)
		switch {
		case c == other:
		case c == last && c != single:
			all[len(all)-1] += string(r)
		default:
			all = append(all, string(r))
		}
		last = c
	}
	return all
}
