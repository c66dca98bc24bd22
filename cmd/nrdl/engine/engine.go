// Package engine serves the library to a program in another language: requests come from a
// reader, answers go to a writer, and a request needs nothing that an earlier one has left.
// doc/engine.md describes the protocol.
//
// Experimental: this package may change in any version.
package engine

//go:generate python3 -B ../../../python/generate.py

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/npz"
)

// Options say what an engine may take. The zero value has the defaults.
type Options struct {
	Limits Limits // of a frame; zero for DefaultLimits
	Cache  int64  // bytes of memory of the models that are kept for later requests; 0 for DefaultCache
	Slim   bool   // refuse photographs, with ErrSlim: the program has no networks
}

// ErrSlim is what a slim program says to those who want more.
var ErrSlim = errors.New("this program has methods alone; photographs, and the other commands, need the wheel of " +
	"nrdl-learn instead of nrdl-learn-slim")

// DefaultCache keeps some hundred models of usual size.
const DefaultCache = 256 << 20

// Serve answers the requests in r, one after the other, until r ends, and returns nil then.
// Whoever reads the answers keeps r open until they are there: where r ends while a request is
// worked on, the work ends too. The error is that of ctx, of w, or of a frame after which r
// cannot be read further.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o Options) error {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits
	}
	if o.Cache == 0 {
		o.Cache = DefaultCache
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	frames, spare := make(chan *incoming), make(buffers, 1)
	go func() {
		defer close(frames)
		in := bufio.NewReaderSize(r, 1<<16)
		for {
			f, err := readFrame(in, o.Limits, spare)
			if err != nil {
				cancel(err)
				return
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	s := &session{slim: o.Slim, models: models{maxSize: o.Cache}, output: bufio.NewWriterSize(w, 1<<16)}
	defer s.end()
	for f := range frames {
		header, arrays := s.answer(ctx, f)
		if ctx.Err() != nil {
			break // the caller is gone
		}
		if err := s.send(header, arrays); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
		spare.take(f)
	}
	switch err := context.Cause(ctx); {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errFrame):
		_ = s.send(failure(err), nil) // the caller may be gone
		return err
	default:
		return err
	}
}

// A session is what requests share.
type session struct {
	slim    bool
	models  models
	output  *bufio.Writer
	numbers []float64 // of the samples of the last request that needed them no longer than for its answer
	stepping
}

func (s *session) send(header map[string]any, arrays []npz.Array) error {
	if err := writeFrame(s.output, header, arrays); err != nil {
		return err
	}
	return s.output.Flush()
}

// A setting is the value of a parameter, as method.Set takes it.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A request is the header of a frame. Each verb says which of the others it uses.
type request struct {
	Verb    string    `json:"verb"`
	Arrays  []blob    `json:"arrays"`
	Method  string    `json:"method"`
	Params  []setting `json:"params"`
	Seed    uint64    `json:"seed"`
	Classes []string  `json:"classes"`
	Image   []int     `json:"image"` // height and width of the images that the samples are, each row after row
	Keep    bool      `json:"keep"`
	Watch   bool      `json:"watch"`   // send each pass of a fit before the answer
	Vectors bool      `json:"vectors"` // x are vectors of embed with the same network and words
	Force   bool      `json:"force"`   // name samples also if the classes are too alike
	Model   string    `json:"model"`   // SHA-256 of a model file
	Folders []string  `json:"folders"` // of networks that the model has by reference
	Top     int       `json:"top"`     // likeliest people of a face; 0 is 1
	State   []axes    `json:"state"`
	openSet
	photographs
	Positive bool `json:"positive"` // atoms ≥ 0, of online
	Atoms    *int `json:"atoms"`    // nil for defaultAtoms, or as many as the samples have directions
}

// An answer is what a verb returns: members of the header, and arrays.
type answer struct {
	header map[string]any
	arrays []npz.Array
}

type verb func(*session, context.Context, *incoming) (*answer, error)

// verbs are all, in the order of doc/engine.md.
var verbs = []struct {
	name string
	do   verb
}{
	{"methods", describe},
	{"fit", (*session).fit},
	{"learn", (*session).learn},
	{"steps", (*session).steps},
	{"next", (*session).next},
	{"matrices", (*session).matrices},
	{"learned", (*session).learned},
	{"predict", (*session).predict},
	{"decision_function", (*session).decisionFunction},
	{"transform", (*session).transform},
	{"parts", (*session).parts},
	{"calibrate", (*session).calibrate},
	{"open_set", (*session).openSet},
	{"dictionary", (*session).dictionary},
	{"observe", (*session).observe},
	{"code", (*session).code},
	{"open", (*session).open},
	{"identify", (*session).identify},
	{"embed", (*session).embed},
	{"detect", (*session).detect},
}

func (s *session) answer(ctx context.Context, f *incoming) (map[string]any, []npz.Array) {
	a, err := s.do(ctx, f)
	if err != nil {
		return failure(err), nil
	}
	if a.header == nil {
		a.header = map[string]any{}
	}
	return a.header, a.arrays
}

func (s *session) do(ctx context.Context, f *incoming) (*answer, error) {
	if f.err != nil {
		return nil, &coded{"request", f.err}
	}
	var names []string
	for _, v := range verbs {
		if names = append(names, v.name); v.name == f.Verb {
			if s.slim && slices.Contains([]string{"identify", "embed", "detect"}, f.Verb) {
				return nil, ErrSlim
			}
			return v.do(s, ctx, f)
		}
	}
	return nil, &coded{"request", advice.Unknown("verb", f.Verb, names)}
}

// A coded error has a word by which a program tells it from others.
type coded struct {
	code string
	error
}

func (e *coded) Unwrap() error { return e.error }

// codeOf is the word for err.
func codeOf(err error) string {
	if errors.Is(err, errFrame) {
		return "frame"
	}
	if c := (*coded)(nil); errors.As(err, &c) {
		return c.code
	}
	return "failed"
}

// only is an error if the request of f has another array than these.
func (f *incoming) only(names ...string) error {
	for _, a := range f.arrays {
		if !slices.Contains(names, a.Name) && a.Name != modelArray {
			return &coded{"request", fmt.Errorf("%s takes no array %.80q: it takes %s", f.Verb, a.Name, strings.Join(names, ", "))}
		}
	}
	return nil
}
