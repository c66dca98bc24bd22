package output

import (
	"bytes"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/jsonl"
)

// FuzzResults: what --resume reads is whole lines from the beginning, each of
// which counts, or an error with a hint, and reading it again says the same.
func FuzzResults(f *testing.F) {
	const line = `{"file":"a.jpg","model":"m","faces":[{"name":"b"}]}` + "\n"
	for _, text := range []string{
		"", line, line + line[:9], `{"file":"a","error":"e","model":"m"}` + "\n" + line,
		`{"file":"a","model":"n"}` + "\n", "\n", "null\n", `{"FILE":"\ud800","model":"m"}` + "\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &File{states: map[string]bool{}, failures: map[string]bool{}, model: "m"}
		whole, _, err := jsonl.Read(bytes.NewReader(text), MaxLine, r.replay)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		lines := bytes.Count(text, []byte("\n"))
		if whole != int64(bytes.LastIndexByte(text, '\n')+1) || len(r.states) > lines || lines > 0 && len(r.states) == 0 {
			t.Errorf("%d of %d bytes, %d results of %d lines", whole, len(text), len(r.states), lines)
		}
		again := &File{states: map[string]bool{}, failures: map[string]bool{}, model: "m"}
		if n, _, err := jsonl.Read(bytes.NewReader(text[:whole]), MaxLine, again.replay); err != nil || n != whole ||
			len(again.states) != len(r.states) {
			t.Errorf("again: %d of %d bytes, %d of %d results, %v", n, whole, len(again.states), len(r.states), err)
		}
	})
}
