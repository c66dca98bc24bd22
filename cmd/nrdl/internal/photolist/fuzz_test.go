package photolist

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

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
// and nothing else but an error at the end, or that the list is empty.
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
		var got []Source
		readPaths(context.Background(), bytes.NewReader(text), func(s Source) { got = append(got, s) })
		if len(want) == 0 {
			if len(got) != 1 || got[0].Err == nil {
				t.Fatalf("an empty list sends %v, and not one error", got)
			}
			return
		}
		for i, s := range got {
			if s.Err != nil {
				t.Fatalf("path %d of %d: %v", i, len(got), s.Err)
			}
			if i >= len(want) || strings.TrimRight(s.Path, "\r") != strings.TrimRight(want[i], "\r") {
				t.Fatalf("path %d is %q of %q", i, s.Path, want)
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
	readPaths(ctx, io.Reader(endless("a\n")), func(Source) {
		if n++; n == 10 {
			cancel()
		}
	})
	if n != 10 {
		t.Errorf("%d paths", n)
	}
}
