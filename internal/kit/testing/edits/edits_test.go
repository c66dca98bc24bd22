package edits_test

import (
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/edits"
)

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		list []byte
		want string
	}{
		{nil, "abcdef"},
		{[]byte{0, 2, 0}, "abcdef"}, // half an edit
		{[]byte{0, 2, 0, 'x'}, "abxdef"},
		{[]byte{0, 6, 0, 'x'}, "abcdef"},
		{[]byte{0, 6, 1, 'x'}, "abcdefx"},
		{[]byte{0, 7, 1, 'x'}, "xabcdef"}, // 7 is 0 again
		{[]byte{0, 1, 2, 1}, "adef"},
		{[]byte{0, 4, 2, 99}, "abcd"},
		{[]byte{0, 1, 3, 2}, "abcdbcdef"},
		{[]byte{0, 0, 4, 1}, "cbcdef"},
		{[]byte{0, 3, 5, 128}, "abc"},
		{[]byte{0, 3, 5, 127}, "abcdef"},
		{[]byte{0, 3, 5, 200, 0, 0, 1, 'y'}, "yabc"},
	} {
		if got := edits.Apply([]byte("abcdef"), tt.list); string(got) != tt.want {
			t.Errorf("%v: %q, want %q", tt.list, got, tt.want)
		}
	}
	if got := edits.Apply(nil, []byte{9, 9, 0, 1, 9, 9, 2, 1, 9, 9, 4, 1, 9, 9, 3, 1}); len(got) != 0 {
		t.Errorf("%q of nothing", got)
	}
}
