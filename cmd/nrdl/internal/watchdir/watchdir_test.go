package watchdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWatcher lets files arrive, grow, stay damaged, vanish and return, in a time
// of its own.
func TestWatcher(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	w := New(dir)
	// poll looks again after d and wants these to be read now.
	poll := func(d time.Duration, want ...string) {
		t.Helper()
		now = now.Add(d)
		ready, _, errs := w.Poll(now)
		for i, path := range ready {
			ready[i] = filepath.Base(path)
		}
		if strings.Join(ready, " ") != strings.Join(want, " ") || len(errs) > 0 {
			t.Fatalf("%v, errors %v, want %v", ready, errs, want)
		}
	}
	fails := func(name string, up bool) {
		t.Helper()
		if got := w.GivesUp(filepath.Join(dir, name)); got != up {
			t.Fatalf("%s is given up: %v", name, got)
		}
	}

	write("2.png", "old")
	write("10.png", "old")
	write("bad.png", "old")
	now = now.Add(time.Minute)
	write("11.png", "being wr")
	poll(0, "2.png", "10.png", "bad.png") // what has been there is not waited for
	fails("bad.png", true)
	write("11.png", "being written")
	poll(600 * time.Millisecond)
	poll(600 * time.Millisecond)
	poll(600*time.Millisecond, "11.png")
	poll(time.Hour)

	// One that was renamed into the folder, one that is there for a moment only.
	write("12.png", "x")
	write("13.png", "x")
	poll(time.Second)
	if err := os.Remove(filepath.Join(dir, "13.png")); err != nil {
		t.Fatal(err)
	}
	poll(time.Second, "12.png")

	// A camera overwrites its picture, in place or by renaming another over it, also with one
	// of equal size and time. What the program itself changed is no new picture.
	write("12.png", "another")
	poll(time.Second)
	poll(time.Second, "12.png")
	write("12.png", "anothe2")
	poll(time.Second)
	poll(time.Second, "12.png")
	at := filepath.Join(dir, "12.png")
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	write("new", "anothe3")
	if err := os.Chtimes(filepath.Join(dir, "new"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "new"), at); err != nil {
		t.Fatal(err)
	}
	poll(time.Second)
	now = now.Add(time.Second)
	if ready, again, errs := w.Poll(now); len(ready) != 1 || len(again) != 1 || len(errs) > 0 {
		t.Errorf("%v, %v, %v: want 12.png once more", ready, again, errs)
	}
	write("12.png", "with tags")
	w.Wrote(at)
	poll(time.Second)
	poll(time.Hour)

	// The program that writes pauses in the middle of the file.
	write("14.png", "half")
	poll(time.Second)
	poll(time.Second, "14.png")
	fails("14.png", false)
	poll(time.Second)
	write("14.png", "half and the other half")
	poll(time.Second)
	poll(time.Second, "14.png")

	// It stays damaged: it is tried twice and reported once, until it changes.
	write("15.png", "damaged")
	poll(time.Second)
	poll(time.Second, "15.png")
	fails("15.png", false)
	poll(time.Second)
	poll(unreadFor, "15.png")
	fails("15.png", true)
	poll(time.Hour)
	write("15.png", "mended")
	poll(time.Second)
	poll(time.Second, "15.png")
	poll(time.Hour)

	// What vanishes is forgotten.
	if err := os.Remove(filepath.Join(dir, "2.png")); err != nil {
		t.Fatal(err)
	}
	poll(time.Second)
	write("2.png", "another one")
	poll(time.Second)
	poll(time.Second, "2.png")

	// What is wrong with the folder is reported once.
	write("x.jxl", "")
	for i, want := range []int{1, 0} {
		if _, _, errs := w.Poll(now); len(errs) != want {
			t.Errorf("look %d: %v", i, errs)
		}
	}

	// The folder itself goes, which is reported once, and comes back.
	away := dir + "-away"
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		if _, _, errs := w.Poll(now); len(errs) != want {
			t.Errorf("look %d: %v", i, errs)
		}
	}
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	poll(time.Hour)
}
