package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"nrdl/internal/hint"
)

// A value is a JSON value that knows its line, so that a mistake in a plan can
// be pointed at.
type value struct {
	file    string
	line    int    // from 1
	name    string // of the member that it is, or that the list is which it is in
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

// Bounds of what is read.
const (
	maxDepth = 32     // how deep values nest
	maxItems = 10_000 // values of a list
)

// parseJSON reads data, one JSON value, which errors call file.
func parseJSON(data []byte, file string) (*value, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors mark UTF-8 so
	p := parser{data: data, file: file, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not UTF-8 text", file)
	}
	v, err := p.value("", 0)
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

func (p *parser) value(name string, depth int) (*value, error) {
	t, line, err := p.token()
	if err != nil {
		return nil, err
	}
	v := &value{file: p.file, line: line, name: name, scalar: t}
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
	name, seen := v.name, map[string]bool{}
	for p.dec.More() {
		if v.kind == object {
			t, _, err := p.token()
			if err != nil {
				return err
			}
			name = t.(string) // of an object
			if seen[name] {
				return fmt.Errorf("%q is there twice", name)
			}
			seen[name] = true
			v.names = append(v.names, name)
		}
		m, err := p.value(name, depth+1)
		if err != nil {
			return err
		}
		v.members = append(v.members, m)
	}
	_, _, err := p.token() // its end
	return err
}

// explain says where err is: at the offset where the decoder stands, on whose
// line the value begins that is broken.
func (p *parser) explain(err error) error {
	at := p.dec.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, err = int64(len(bytes.TrimSpace(p.data))), errors.New("it ends too early")
	}
	located := fmt.Errorf("%s:%d: %w", p.file, 1+bytes.Count(p.data[:at], []byte{'\n'}), err)
	if bytes.HasPrefix(p.data[at:], []byte("/")) || bytes.HasPrefix(p.data[at:], []byte("#")) {
		return hint.Add(located, "%s", noComments)
	}
	return located
}

// noComments is the hint for those who write some.
const noComments = `a plan has no comments: write what it is for in "about", and why a rate is off in "notes"`

// errorf is an error about v.
func (v *value) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", v.file, v.line, fmt.Errorf(format, args...))
}

// wrong is an error about what v is, which its name introduces.
func (v *value) wrong(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if v.name != "" {
		err = fmt.Errorf("%q: %w", v.name, err)
	}
	return v.errorf("%w", err)
}

// each hands the members of the object v to the readers of their names. A name
// without a reader is an error.
func (v *value) each(readers map[string]func(*value) error) error {
	if v.kind != object {
		return v.wrong("%s, not an object", v.kind)
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
	if n := v.names[i]; strings.HasPrefix(n, "//") || strings.HasPrefix(n, "#") || strings.Trim(n, "_$") == "comment" {
		return hint.Add(located, "%s", noComments)
	}
	return located
}

// items hands each member of the list v, of one at least, to read.
func (v *value) items(read func(*value) error) error {
	switch {
	case v.kind != list:
		return v.wrong("%s, not a list", v.kind)
	case len(v.members) == 0:
		return v.wrong("an empty list")
	case len(v.members) > maxItems:
		return v.wrong("a list of %d, more than %d", len(v.members), maxItems)
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
			return v.wrong("%s, not text", v.kind)
		}
		*to = s
		return nil
	}
}

// readName reads text that messages and tables show: some, on one line.
func readName(to *string) func(*value) error {
	return func(v *value) error {
		if err := readText(to)(v); err != nil {
			return err
		}
		if *to == "" {
			return v.wrong("empty text")
		}
		if strings.ContainsFunc(*to, unicode.IsControl) {
			return v.wrong("%q has control characters", *to)
		}
		return nil
	}
}

func readBool(to *bool) func(*value) error {
	return func(v *value) error {
		b, ok := v.scalar.(bool)
		if !ok {
			return v.wrong("%s, not true or false", v.kind)
		}
		*to = b
		return nil
	}
}

// readInt reads an integer of least … most.
func readInt(to *int, least, most int) func(*value) error {
	return func(v *value) error {
		i, ok := v.integer()
		if !ok || i < uint64(least) || i > uint64(most) {
			return v.wrong("%s is not an integer, %d … %d", v, least, most)
		}
		*to = int(i)
		return nil
	}
}

func readSeed(to *uint64) func(*value) error {
	return func(v *value) error {
		i, ok := v.integer()
		if !ok {
			return v.wrong("%s is not an integer, 0 … %d", v, uint64(math.MaxUint64))
		}
		*to = i
		return nil
	}
}

// integer returns v where it is an integer ≥ 0. JSON may write it as 1.0 or
// 1e3, which is taken up to 2⁵³, where all digits are sure.
func (v *value) integer() (uint64, bool) {
	n, _ := v.scalar.(json.Number)
	if i, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return i, true
	}
	f, err := n.Float64()
	ok := err == nil && f == math.Trunc(f) && f >= 0 && f <= 1<<53
	return uint64(max(f, 0)), ok
}

// readNumber appends a number.
func readNumber(to *[]float64) func(*value) error {
	return func(v *value) error {
		n, ok := v.scalar.(json.Number)
		f, err := n.Float64()
		if !ok || err != nil {
			return v.wrong("%s is not a number", v)
		}
		*to = append(*to, f)
		return nil
	}
}

// readShare appends a number of 0 … 1 that is not there yet.
func readShare(to *[]float64) func(*value) error {
	return func(v *value) error {
		var one []float64
		if err := readNumber(&one)(v); err != nil {
			return err
		}
		one[0] += 0 // −0 is 0
		switch f := one[0]; {
		case f < 0 || f > 1:
			return v.wrong("%s is not a share, 0 … 1", v)
		case slices.Contains(*to, f):
			return v.wrong("%s is there twice", v)
		}
		*to = append(*to, one...)
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
