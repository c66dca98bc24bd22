package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"nrdl.example/nrdl/internal/kit/atomicfile"
)

func TestLockIsForOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.Lock(path); !errors.Is(err, atomicfile.ErrLocked) {
		t.Fatalf("a second lock: %v", err)
	}
	unlock()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	again, err := atomicfile.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	var wg sync.WaitGroup
	var inside sync.Mutex
	for range 8 {
		wg.Go(func() {
			for done := 0; done < 20; {
				unlock, err := atomicfile.Lock(path)
				if errors.Is(err, atomicfile.ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !inside.TryLock() {
					t.Error("two at once")
				} else {
					inside.Unlock()
				}
				unlock()
				done++
			}
		})
	}
	wg.Wait()
}
