package lacking

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSkip(t *testing.T) {
	file := filepath.Join(t.TempDir(), "skipped")
	t.Setenv("NRDL_SKIPPED", file)
	for range 2 {
		t.Run("one", func(t *testing.T) {
			Skip(t, "no ", "wings:\n", 2, " are needed")
			t.Error("it goes on")
		})
	}
	want := "no wings: 2 are needed\tTestSkip/one\nno wings: 2 are needed\tTestSkip/one#01\n"
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}
