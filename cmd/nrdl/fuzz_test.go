package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"nrdl/internal/jsonl"
)

// FuzzResults: what --resume reads is whole lines from the beginning, each of
// which counts, or an error with a hint, and reading it again says the same.
func FuzzResults(f *testing.F) {
	const line = `{"file":"a.jpg","model":"m","faces":[{"name":"b"}]}` + "\n"
	for _, text := range []string{"", line, line + line[:9], `{"file":"a","error":"e","model":"m"}` + "\n" + line, `{"file":"a","model":"n"}` + "\n", "\n", "null\n", `{"FILE":"\ud800","model":"m"}` + "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &results{done: map[string]bool{}, told: map[string]bool{}, model: "m"}
		whole, _, err := jsonl.Read(bytes.NewReader(text), mostResult, r.replay)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		lines := bytes.Count(text, []byte("\n"))
		if whole != int64(bytes.LastIndexByte(text, '\n')+1) || len(r.done) > lines || lines > 0 && len(r.done) == 0 {
			t.Errorf("%d of %d bytes, %d results of %d lines", whole, len(text), len(r.done), lines)
		}
		again := &results{done: map[string]bool{}, told: map[string]bool{}, model: "m"}
		if n, _, err := jsonl.Read(bytes.NewReader(text[:whole]), mostResult, again.replay); err != nil || n != whole || len(again.done) != len(r.done) {
			t.Errorf("again: %d of %d bytes, %d of %d results, %v", n, whole, len(again.done), len(r.done), err)
		}
	})
}

// endless gives the same bytes without end.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// FuzzPaths: every line of a list is sent once, in order, without its line end,
// and nothing else but an error at the end.
func FuzzPaths(f *testing.F) {
	for _, text := range []string{"", "a.jpg\nb c.png\r\n\n\n/x", "\r\n", "a\rb\n", "\x00\xff\n", "xxxxxxxxxx\ny"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 200 {
			return // takes long to shorten
		}
		var want []string
		for _, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSuffix(strings.TrimSuffix(line, "\r"), "\r"); line != "" {
				want = append(want, line)
			}
		}
		var got []source
		readPaths(context.Background(), bytes.NewReader(text), func(s source) { got = append(got, s) })
		for i, s := range got {
			if s.err != nil {
				t.Fatalf("path %d of %d: %v", i, len(got), s.err)
			}
			if i >= len(want) || strings.TrimRight(s.path, "\r") != strings.TrimRight(want[i], "\r") {
				t.Fatalf("path %d is %q of %q", i, s.path, want)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d paths of %d lines", len(got), len(want))
		}
	})
}

// A list that is read no further ends.
func TestPathsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	readPaths(ctx, io.Reader(endless("a\n")), func(source) {
		if n++; n == 10 {
			cancel()
		}
	})
	if n != 10 {
		t.Errorf("%d paths", n)
	}
}
