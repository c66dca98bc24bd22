// Package edits makes damaged files out of whole ones, for fuzzing. A fuzz
// target that takes edits of a file reaches more than one that takes the file:
// most of what it tries is still almost a file of the format. It is also much
// faster: the go command shortens every input that reaches new code, which takes
// time that grows as the square of its length, and edits are short.
package edits

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// size is how many bytes an edit has: where, in two bytes, what, and a value.
const size = 4

// MaxBytes is the largest useful number of bytes of a list of edits. The fuzzer takes long to
// shorten an input with a longer list.
const MaxBytes = 32 * size

// Apply returns a changed copy of base. Every four bytes of list are an edit;
// what is left over is ignored.
func Apply(base, list []byte) []byte {
	out := slices.Clone(base)
	for len(list) >= size {
		at := (int(list[0])<<8 | int(list[1])) % (len(out) + 1)
		what, value := list[2], list[3]
		list = list[size:]
		to := min(len(out), at+1+int(value))
		switch what % 6 {
		case 0:
			if at < len(out) {
				out[at] = value
			}
		case 1:
			out = slices.Insert(out, at, value)
		case 2:
			out = slices.Delete(out, at, to)
		case 3:
			out = slices.Insert(out, at, slices.Clone(out[at:to])...) // twice
		case 4:
			if at < len(out) {
				out[at] ^= 1 << (value % 8)
			}
		case 5:
			if value >= 128 { // most edits leave the end
				out = out[:at]
			}
		}
	}
	return out
}

// Fuzz calls check with damaged copies of the seeds and of the files in the
// folder testdata/seeds/name, which must not be empty.
func Fuzz(f *testing.F, name string, check func(t *testing.T, data []byte), seeds ...[]byte) {
	f.Helper()
	seeds = append(seeds, Seeds(f, name)...)
	for i := range seeds {
		f.Add(uint8(i), []byte{})
	}
	f.Fuzz(func(t *testing.T, seed uint8, list []byte) {
		if len(list) > MaxBytes {
			return
		}
		check(t, Apply(seeds[int(seed)%len(seeds)], list))
	})
}

// Seeds returns the files in the folder testdata/seeds/name, in the order of
// their names.
func Seeds(t testing.TB, name string) (all [][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "seeds", name, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no seeds for %s: %v", name, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}
