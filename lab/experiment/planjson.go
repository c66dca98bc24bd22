package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// A value is a JSON value of a plan with its position, for error messages.
type value struct {
	source  *source
	end     int64             // of its first token, in the source
	name    string            // of the member of an object; an element of a list has the name of the list
	token   json.Token        // its first
	json    any               // for package json: numbers have no exponents
	members []*value          // of an object or a list, in order
	member  map[string]*value // of an object, by name
}

// A source is the text of a plan.
type source struct {
	file   string
	data   []byte
	dec    *json.Decoder
	digest func(Program) string // of the files of a program
	values int                  // so far
}

// Bounds of what is read.
const (
	maxDepth  = 32      // how deep values nest
	maxItems  = 10_000  // values of a list
	maxValues = 200_000 // of a plan
)

// parseJSON reads data, one JSON value; file is its name in errors. It is stricter than
// encoding/json: duplicate names, invalid UTF-8, deep nesting and long lists are errors.
func parseJSON(data []byte, file string, digest func(Program) string) (*value, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors mark UTF-8 so
	s := source{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data)), digest: digest}
	s.dec.UseNumber()
	if !utf8.Valid(data) {
		err := fmt.Errorf("%s: not UTF-8 text", file)
		if dataset.IsMatrix(file) {
			err = advice.Add(fmt.Errorf("%s is a data set, not a plan", file),
				"a plan is a JSON file that names data sets and methods; %v writes one", advice.WritePlan.With(advice.Data.To(file)))
		}
		return nil, err
	}
	v, err := s.value("", 0)
	if err == nil {
		if _, end := s.dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text after the end")
		}
	}
	if err != nil {
		return nil, s.explain(err)
	}
	return v, nil
}

func (s *source) value(name string, depth int) (*value, error) {
	t, err := s.dec.Token()
	if err != nil {
		return nil, err
	}
	v := &value{source: s, end: s.dec.InputOffset(), name: name, token: t, json: t}
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	if s.values++; s.values > maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	switch t := t.(type) {
	case json.Number:
		f, err := t.Float64()
		if err != nil {
			return nil, fmt.Errorf("%.60q: %.60s is not a finite number", name, t)
		}
		if _, err := strconv.ParseUint(t.String(), 10, 64); err != nil {
			v.json = json.Number(strconv.FormatFloat(f+0, 'f', -1, 64)) // −0 is 0, and 1e3 is 1000
		}
	case json.Delim:
		return v, s.fill(v, depth)
	}
	return v, nil
}

// fill reads the members of v.
func (s *source) fill(v *value, depth int) error {
	object, list, name := map[string]any{}, []any{}, v.name
	if v.json = list; v.token == json.Delim('{') {
		v.json, v.member = object, map[string]*value{}
	}
	for s.dec.More() {
		if v.member != nil {
			t, err := s.dec.Token()
			if err != nil {
				return err
			}
			if name = t.(string); v.member[name] != nil {
				return fmt.Errorf("%.60q is there twice", name)
			}
		} else if len(v.members) == maxItems {
			return fmt.Errorf("%.60q: a list of more than %d", name, maxItems)
		}
		m, err := s.value(name, depth+1)
		if err != nil {
			return err
		}
		if v.members = append(v.members, m); v.member != nil {
			v.member[name], object[name] = m, m.json
		} else {
			list = append(list, m.json)
			v.json = list
		}
	}
	_, err := s.dec.Token() // its end
	return err
}

// explain adds the position of the decoder to err.
func (s *source) explain(err error) error {
	at := s.dec.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, err = int64(len(bytes.TrimSpace(s.data))), errors.New("it ends too early")
	}
	located := (&value{source: s, end: at}).errorf("%w", err)
	if bytes.HasPrefix(s.data[at:], []byte("/")) || bytes.HasPrefix(s.data[at:], []byte("#")) {
		return advice.Add(located, "%s", noComments)
	}
	return located
}

// noComments is the advice for a plan with comments.
const noComments = `a plan has no comments: write what it is for in "about", and why a rate is off in "notes"`

// errorf is an error about v.
func (v *value) errorf(format string, args ...any) error {
	line := 1 + bytes.Count(v.source.data[:v.end], []byte{'\n'}) // a token has no line end in it
	return fmt.Errorf("%s:%d: %w", v.source.file, line, fmt.Errorf(format, args...))
}

// errorAbout is an error about v that begins with its name.
func (v *value) errorAbout(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if v.name != "" {
		err = fmt.Errorf("%q: %w", v.name, err)
	}
	return v.errorf("%w", err)
}

// String returns v for messages.
func (v *value) String() string {
	switch s := v.token.(type) {
	case string:
		return fmt.Sprintf("%.60q", s)
	case json.Delim:
		return wordOf(v.kind())
	case nil:
		return "null"
	default:
		return fmt.Sprintf("%.60v", s)
	}
}
