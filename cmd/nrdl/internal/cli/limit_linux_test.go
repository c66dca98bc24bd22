package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// The limit is the smallest of the group and those above it, in both versions of control groups.
func TestGroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		groups string
		files  map[string]string
		want   int64
	}{
		"none":        {"0::/a/b\n", map[string]string{"a/b/memory.max": "max\n"}, 0},
		"own":         {"0::/a/b\n", map[string]string{"a/b/memory.max": "268435456\n", "a/memory.max": "max\n"}, 268435456},
		"above":       {"0::/a/b\n", map[string]string{"a/b/memory.max": "1000000000\n", "a/memory.max": "500000000\n"}, 500000000},
		"container":   {"0::/elsewhere/x\n", map[string]string{"memory.max": "536870912\n"}, 536870912},
		"version 1":   {"5:cpu:/c\n4:memory,x:/m\n0::/\n", map[string]string{"memory/m/memory.limit_in_bytes": "300000000\n"}, 300000000},
		"1, no limit": {"4:memory:/\n", map[string]string{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"damaged":     {"x\n0::/\n", map[string]string{"memory.max": "much"}, 0},
	} {
		dir := t.TempDir()
		for path, text := range c.files {
			at := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		list := filepath.Join(t.TempDir(), "cgroup")
		if err := os.WriteFile(list, []byte(c.groups), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := groupLimit(list, dir); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
