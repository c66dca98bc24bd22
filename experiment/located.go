package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"nrdl/internal/hint"
)

// A value is a JSON value that knows its line, so that a mistake in a plan can
// be pointed at.
type value struct {
	file    string
	line    int // from 1
	kind    string
	scalar  any // string, json.Number, bool or nil
	names   []string
	members []*value // of an object, in the order of names, or of a list
}

// The kinds of a value, as messages call them.
const (
	object = "an object"
	list   = "a list"
	text   = "text"
	number = "a number"
	truth  = "true or false"
	null   = "null"
)

// maxDepth bounds how deep values nest.
const maxDepth = 32

// parseJSON reads data, one JSON value, which errors call file.
func parseJSON(data []byte, file string) (*value, error) {
	p := parser{data: data, file: file, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not UTF-8 text", file)
	}
	v, err := p.value(0)
	if err == nil {
		if _, end := p.dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text after the end")
		}
	}
	if err != nil {
		return nil, p.explain(err)
	}
	return v, nil
}

type parser struct {
	data []byte
	file string
	dec  *json.Decoder
	line int   // of offset
	at   int64 // offset up to which lines are counted
}

// token returns the next token and its line.
func (p *parser) token() (json.Token, int, error) {
	t, err := p.dec.Token()
	end := p.dec.InputOffset()
	p.line += bytes.Count(p.data[p.at:end], []byte{'\n'}) // a token has no line end in it
	p.at = end
	return t, p.line, err
}

func (p *parser) value(depth int) (*value, error) {
	t, line, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.rest(t, line, depth)
}

// rest reads what is left of the value that begins with t.
func (p *parser) rest(t json.Token, line, depth int) (*value, error) {
	v := &value{file: p.file, line: line, scalar: t}
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	switch t := t.(type) {
	case string:
		v.kind = text
	case json.Number:
		v.kind = number
	case bool:
		v.kind = truth
	case nil:
		v.kind = null
	case json.Delim:
		if v.kind = list; t == '{' {
			v.kind = object
		}
		return v, p.fill(v, depth)
	}
	return v, nil
}

// fill reads the members of v.
func (p *parser) fill(v *value, depth int) error {
	for p.dec.More() {
		if v.kind == object {
			t, _, err := p.token()
			if err != nil {
				return err
			}
			name := t.(string) // of an object
			if slices.Contains(v.names, name) {
				return fmt.Errorf("%q is there twice", name)
			}
			v.names = append(v.names, name)
		}
		m, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.members = append(v.members, m)
	}
	_, _, err := p.token() // its end
	return err
}

// explain says where err is.
func (p *parser) explain(err error) error {
	line := p.line
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		line = 1 + bytes.Count(p.data[:min(s.Offset, int64(len(p.data)))], []byte{'\n'})
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		line, err = 1+bytes.Count(p.data, []byte{'\n'}), errors.New("it ends too early")
	}
	return fmt.Errorf("%s:%d: %w", p.file, line, err)
}

// errorf is an error about v.
func (v *value) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", v.file, v.line, fmt.Errorf(format, args...))
}

// each hands the members of the object v to the readers of their names. A name
// without a reader is an error.
func (v *value) each(readers map[string]func(*value) error) error {
	if v.kind != object {
		return v.errorf("%s, not an object", v.kind)
	}
	for i, name := range v.names {
		read, ok := readers[name]
		if !ok {
			return v.unknown(i, readers)
		}
		if err := read(v.members[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v *value) unknown(i int, readers map[string]func(*value) error) error {
	var names []string
	for n := range readers {
		names = append(names, n)
	}
	slices.Sort(names)
	err := hint.Unknown("key", v.names[i], names)
	located := v.members[i].errorf("%w", err)
	if v.names[i] == "//" || v.names[i] == "#" || v.names[i] == "_comment" {
		return hint.Add(located, `a plan has no comments: write what it is for in "about", and why a rate is off in "notes"`)
	}
	return located
}

// items hands each member of the list v to read.
func (v *value) items(read func(*value) error) error {
	if v.kind != list {
		return v.errorf("%s, not a list", v.kind)
	}
	for _, m := range v.members {
		if err := read(m); err != nil {
			return err
		}
	}
	return nil
}

// Readers of one value each.

func readText(to *string) func(*value) error {
	return func(v *value) error {
		s, ok := v.scalar.(string)
		if !ok {
			return v.errorf("%s, not text", v.kind)
		}
		*to = s
		return nil
	}
}

func readBool(to *bool) func(*value) error {
	return func(v *value) error {
		b, ok := v.scalar.(bool)
		if !ok {
			return v.errorf("%s, not true or false", v.kind)
		}
		*to = b
		return nil
	}
}

// readInt reads an integer of least … most.
func readInt(to *int, least, most int) func(*value) error {
	return func(v *value) error {
		n, ok := v.scalar.(json.Number)
		i, err := n.Int64()
		if !ok || err != nil || i < int64(least) || i > int64(most) {
			return v.errorf("%s is not an integer, %d … %d", v, least, most)
		}
		*to = int(i)
		return nil
	}
}

func readSeed(to *uint64) func(*value) error {
	return func(v *value) error {
		n, ok := v.scalar.(json.Number)
		if err := json.Unmarshal([]byte(n), to); !ok || err != nil {
			return v.errorf("%s is not an integer ≥ 0", v)
		}
		return nil
	}
}

// readNumber appends a number.
func readNumber(to *[]float64) func(*value) error {
	return func(v *value) error {
		n, ok := v.scalar.(json.Number)
		f, err := n.Float64()
		if !ok || err != nil {
			return v.errorf("%s is not a number", v)
		}
		*to = append(*to, f)
		return nil
	}
}

// readShare appends a number of 0 … 1.
func readShare(to *[]float64) func(*value) error {
	return func(v *value) error {
		if err := readNumber(to)(v); err != nil {
			return err
		}
		if f := (*to)[len(*to)-1]; f < 0 || f > 1 {
			return v.errorf("%s is not a share, 0 … 1", v)
		}
		return nil
	}
}

// String shows v in messages.
func (v *value) String() string {
	switch s := v.scalar.(type) {
	case string:
		return fmt.Sprintf("%q", s)
	case json.Number:
		return s.String()
	case bool:
		return fmt.Sprint(s)
	}
	return v.kind
}
